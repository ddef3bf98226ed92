import { addDays, localDate } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCalendar } from './business-days.js';
import type { CalendarMode, CalendarName } from './calendar.js';
import { schedules } from './data/schedules.js';

const names = Object.keys(schedules) as CalendarName[];
const calendars = (['open', 'calendar'] as const).flatMap((mode: CalendarMode) =>
  names.map((name) => ({ label: `${name} (${mode})`, calendar: createCalendar(name, mode), fresh: () => createCalendar(name, mode) })),
);
const FIRST = Date.UTC(2016, 0, 10);
const time = fc.integer({ min: FIRST, max: Date.UTC(2036, 11, 20) });
const day = time.map((at) => localDate(at, 'UTC'));

describe.each(calendars)('$label', ({ calendar, fresh }) => {
  it('has trading days that rise with time', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: 0, max: 7 * 86_400_000 }), (at, later) => {
        expect(calendar.tradingDay(at) <= calendar.tradingDay(at + later)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('begins a trading day with its first session and ends it where the next begins', () => {
    fc.assert(
      fc.property(time, (at) => {
        const today = calendar.tradingDay(at);
        expect(calendar.isTradingDay(today)).toBe(true);
        expect(calendar.sessions(today)[0]!.start).toBeLessThanOrEqual(at);
        expect(calendar.sessions(calendar.nextTradingDay(today))[0]!.start).toBeGreaterThan(at);
      }),
      { numRuns: 300 },
    );
  });

  it('has sessions in order that never overlap, also not those of the next day', () => {
    fc.assert(
      fc.property(day, (date) => {
        const sessions = calendar.sessions(date);
        expect(sessions.length > 0).toBe(calendar.isTradingDay(date));
        let end = Number.NEGATIVE_INFINITY;
        for (const session of [...sessions, ...calendar.sessions(calendar.nextTradingDay(date))]) {
          expect(session.start).toBeGreaterThanOrEqual(end);
          expect(session.end).toBeGreaterThan(session.start);
          end = session.end;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is in a session exactly when the sessions of its trading day say so, and shows its state', () => {
    fc.assert(
      fc.property(time, (at) => {
        const listed = calendar.sessions(calendar.tradingDay(at)).find(({ start, end }) => start <= at && at < end);
        expect(calendar.sessionAt(at)).toEqual(listed);
        if (listed !== undefined) expect(calendar.state(at)).toBe(listed.state);
      }),
      { numRuns: 300 },
    );
  });

  it('turns at the first and last instant of a session', () => {
    fc.assert(
      fc.property(day.filter(calendar.isTradingDay.bind(calendar)), (date) => {
        for (const session of calendar.sessions(date)) {
          expect(calendar.sessionAt(session.start)).toEqual(session);
          expect(calendar.sessionAt(session.end - 1)).toEqual(session);
          expect(calendar.sessionAt(session.start - 1)).not.toEqual(session);
          expect(calendar.sessionAt(session.end)).not.toEqual(session);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('steps to neighbouring trading days and back', () => {
    fc.assert(
      fc.property(day, (date) => {
        const next = calendar.nextTradingDay(date);
        const previous = calendar.previousTradingDay(date);
        expect(previous < date && date < next).toBe(true);
        expect(calendar.isTradingDay(next) && calendar.isTradingDay(previous)).toBe(true);
        for (let between = addDays(previous, 1); between < next; between = addDays(between, 1)) {
          expect(calendar.isTradingDay(between)).toBe(between === date && calendar.isTradingDay(date));
        }
        if (calendar.isTradingDay(date)) expect(calendar.previousTradingDay(next)).toBe(date);
      }),
      { numRuns: 300 },
    );
  });

  it('lists the trading days of a range', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: -3, max: 40 }), (from, length) => {
        const to = addDays(from, length);
        const expected: string[] = [];
        for (let date = from; date <= to; date = addDays(date, 1)) if (calendar.isTradingDay(date)) expected.push(date);
        expect(calendar.tradingDays(from, to).map((date) => date.day)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it('answers the same whatever it was asked before', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 10 }), (times) => {
        for (const at of times) {
          const other = fresh();
          expect(calendar.state(at)).toBe(other.state(at));
          expect(calendar.tradingDay(at)).toBe(other.tradingDay(at));
          expect(calendar.sessionAt(at)).toEqual(other.sessionAt(at));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('takes no text that is no date for a trading day', () => {
    for (const text of ['', '2026-02-30', '2026-11-20 09:30:00', 'today']) {
      expect(calendar.isTradingDay(text)).toBe(false);
      expect(calendar.sessions(text)).toEqual([]);
    }
  });
});
