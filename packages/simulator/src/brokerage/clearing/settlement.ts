import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Entry } from '../../ledger/index.js';
import type { Calendar } from '../../world/calendar.js';
import type { Instrument } from '../../world/index.js';

/** Trading days from trade to settlement, for trades from `since` on ("2024-05-28"); the last rule has none and holds before. */
interface SettlementRule {
  readonly since?: string;
  readonly tradingDays: number;
}

/**
 * How the markets' securities settle, newest rule first. docs/simulator.md names the sources. The trading days of a market count as its
 * settlement days, also where its banks have a holiday more.
 */
const rules: Readonly<Record<QuoteMarket, readonly SettlementRule[]>> = {
  HK: [{ tradingDays: 2 }],
  US: [{ since: '2024-05-28', tradingDays: 1 }, { since: '2017-09-05', tradingDays: 2 }, { tradingDays: 3 }],
  // The shares themselves change hands on the day of the trade.
  SH: [{ tradingDays: 1 }],
  SZ: [{ tradingDays: 1 }],
  SG: [{ since: '2018-12-10', tradingDays: 2 }, { tradingDays: 3 }],
  JP: [{ since: '2019-07-16', tradingDays: 2 }, { tradingDays: 3 }],
  MY: [{ since: '2019-04-29', tradingDays: 2 }, { tradingDays: 3 }],
  FX: [{ tradingDays: 2 }],
};

/** Where and when the money of a trade clears. */
export type Clearing = Pick<Entry, 'balance' | 'venue' | 'day'>;

/**
 * How a trade of `day` (a trading day of `calendar`, the instrument's) clears.
 *
 * @param rolledDay the last day whose settlements have been booked: after a clock was set back, it may be a later one.
 */
export function clearingOf(instrument: Instrument, calendar: Calendar, day: string, rolledDay: string): Clearing {
  const settles = settlementDay(instrument, calendar, day);
  return { balance: settles <= rolledDay ? 'settled' : 'unsettled', venue: calendar.name, day: settles };
}

/** The day on which a trade of `day` (a trading day of `calendar`, the instrument's) settles. Futures settle the same day. */
export function settlementDay(instrument: Instrument, calendar: Calendar, day: string): string {
  let settles = day;
  for (let left = tradingDaysOf(instrument, day); left > 0; left -= 1) settles = calendar.nextTradingDay(settles);
  return settles;
}

function tradingDaysOf(instrument: Instrument, day: string): number {
  if (instrument.kind === 'future') return 0;
  // HKEX and OCC alike.
  if (instrument.kind === 'option') return 1;
  return rules[instrument.market].find(({ since }) => since === undefined || day >= since)?.tradingDays ?? 0;
}
