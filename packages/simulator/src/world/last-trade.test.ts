import { describe, expect, it } from 'vitest';
import { createCalendar } from './business-days.js';
import type { CalendarName } from './calendar.js';
import { type LastTradeRule, lastTradeDate } from './last-trade.js';

describe('lastTradeDate', () => {
  it.each<[LastTradeRule, string, CalendarName, string]>([
    ['last-but-one', '2026-11', 'HK', '2026-11-27'],
    // Business days at the end of 2026: …, 29, 30, 31.
    ['last-but-one', '2026-12', 'HK', '2026-12-30'],
    ['last-but-one', '2024-03', 'HK', '2024-03-27'],
    ['third-last', '2026-12', 'US', '2026-12-29'],
    ['third-friday', '2026-12', 'US', '2026-12-18'],
    // The third Friday of June 2027 is the observed Juneteenth.
    ['third-friday', '2027-06', 'US', '2027-06-17'],
    ['before-second-friday', '2026-12', 'JP', '2026-12-10'],
    ['crude-oil', '2026-01', 'US', '2025-12-19'],
    ['crude-oil', '2026-12', 'US', '2026-11-20'],
    ['natural-gas', '2026-12', 'US', '2026-11-25'],
    ['treasury', '2026-12', 'US', '2026-12-21'],
  ])('%s of %s by %s days: %s', (rule, month, calendar, expected) => {
    expect(lastTradeDate(rule, month, createCalendar(calendar, 'calendar'))).toBe(expected);
  });
});
