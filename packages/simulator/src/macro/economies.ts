import { weekday } from '@svc-gateway/contract/time';
import { tradingDaysOf } from '../world/business-days.js';
import type { CalendarName } from '../world/calendar.js';

/** An economy that publishes figures. */
export type Economy = 'US' | 'HK' | 'CN' | 'JP' | 'SG' | 'MY' | 'AU' | 'CA';

interface EconomyRow {
  readonly country: string;
  /** IANA zone in which its offices publish. */
  readonly timeZone: string;
  /** The exchange whose trading days stand for its business days; Monday to Friday where the world has none. */
  readonly calendar?: CalendarName;
}

export const economies: Readonly<Record<Economy, EconomyRow>> = {
  US: { country: 'United States', timeZone: 'America/New_York', calendar: 'US' },
  HK: { country: 'Hong Kong', timeZone: 'Asia/Hong_Kong', calendar: 'HK' },
  CN: { country: 'China', timeZone: 'Asia/Shanghai' },
  JP: { country: 'Japan', timeZone: 'Asia/Tokyo', calendar: 'JP' },
  SG: { country: 'Singapore', timeZone: 'Asia/Singapore', calendar: 'SG' },
  MY: { country: 'Malaysia', timeZone: 'Asia/Kuala_Lumpur', calendar: 'MY' },
  AU: { country: 'Australia', timeZone: 'Australia/Sydney' },
  CA: { country: 'Canada', timeZone: 'America/Toronto' },
};

/** Whether an economy's offices work on a day ("2026-11-20"). */
export function isBusinessDay(economy: Economy, day: string): boolean {
  const { calendar } = economies[economy];
  const ofWeek = weekday(day);
  return calendar === undefined ? ofWeek >= 1 && ofWeek <= 5 : tradingDaysOf(calendar).isTradingDay(day);
}
