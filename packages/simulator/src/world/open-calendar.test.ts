import { describe, expect, it } from 'vitest';
import { createCalendar } from './business-days.js';
import { MarketState } from './market-state.js';

const HOUR = 3_600_000;

describe('an open calendar', () => {
  it('trades from local midnight to local midnight, weekends and holidays too', () => {
    const calendar = createCalendar('HK', 'open');
    const start = Date.UTC(2026, 11, 24, 16);
    expect(calendar.isTradingDay('2026-12-25')).toBe(true);
    expect(calendar.sessions('2026-12-25')).toEqual([{ start, end: start + 24 * HOUR, state: MarketState.morning, kind: 'regular' }]);
    expect(calendar.tradingDay(start - 1)).toBe('2026-12-24');
    expect(calendar.tradingDay(start)).toBe('2026-12-25');
    expect(calendar.nextTradingDay('2026-12-25')).toBe('2026-12-26');
  });

  it('has days of 23 and 25 hours where the clocks change', () => {
    const calendar = createCalendar('US', 'open');
    const hours = (day: string) => calendar.sessions(day).map(({ start, end }) => (end - start) / HOUR);
    expect(hours('2026-03-08')).toEqual([23]);
    expect(hours('2026-11-01')).toEqual([25]);
    expect(hours('2026-11-02')).toEqual([24]);
  });

  it('shows the state of an open market of its kind', () => {
    expect(createCalendar('HK_FUTURE', 'open').state(0)).toBe(MarketState.futureDayOpen);
    expect(createCalendar('US_FUTURE', 'open').state(0)).toBe(MarketState.futureOpen);
    expect(createCalendar('FX', 'open').state(0)).toBe(MarketState.morning);
    expect(createCalendar('US', 'open').state(0)).toBe(MarketState.afternoon);
  });
});
