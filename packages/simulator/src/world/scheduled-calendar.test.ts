import { dayOfNumber, localDateTime, parseLocal, weekdayOfNumber } from '@svc-gateway/contract/time';
import { describe, expect, it } from 'vitest';
import { createCalendar } from './business-days.js';
import type { CalendarName } from './calendar.js';
import { schedules } from './data/schedules.js';
import { MarketState } from './market-state.js';

const calendarOf = (name: CalendarName) => createCalendar(name, 'calendar');
const hoursOf = (name: CalendarName, day: string) => {
  const calendar = calendarOf(name);
  const text = (time: number) => localDateTime(time, calendar.timeZone).slice(5, 16);
  return calendar.sessions(day).map(({ start, end }) => `${text(start)} - ${text(end)}`);
};
const stateAt = (name: CalendarName, wallTime: string) => {
  const calendar = calendarOf(name);
  return calendar.state(parseLocal(wallTime, calendar.timeZone)!);
};
const tradingDayAt = (name: CalendarName, wallTime: string) => {
  const calendar = calendarOf(name);
  return calendar.tradingDay(parseLocal(wallTime, calendar.timeZone)!);
};

describe('sessions', () => {
  it.each<[CalendarName, string, string[]]>([
    ['HK', '2026-11-20', ['11-20 09:30 - 11-20 12:00', '11-20 13:00 - 11-20 16:00']],
    ['HK', '2026-12-24', ['12-24 09:30 - 12-24 12:00']],
    ['US', '2026-11-20', ['11-20 04:00 - 11-20 09:30', '11-20 09:30 - 11-20 16:00', '11-20 16:00 - 11-20 20:00']],
    ['US', '2026-11-27', ['11-27 04:00 - 11-27 09:30', '11-27 09:30 - 11-27 13:00', '11-27 13:00 - 11-27 17:00']],
    ['CN', '2026-11-20', ['11-20 09:30 - 11-20 11:30', '11-20 13:00 - 11-20 15:00']],
    ['JP', '2024-11-01', ['11-01 09:00 - 11-01 11:30', '11-01 12:30 - 11-01 15:00']],
    ['JP', '2024-11-05', ['11-05 09:00 - 11-05 11:30', '11-05 12:30 - 11-05 15:30']],
    ['SG', '2026-11-20', ['11-20 09:00 - 11-20 12:00', '11-20 13:00 - 11-20 17:00']],
    ['MY', '2026-11-20', ['11-20 09:00 - 11-20 12:30', '11-20 14:30 - 11-20 16:45']],
    // Friday night belongs to Monday.
    ['HK_FUTURE', '2026-11-23', ['11-20 17:15 - 11-21 03:00', '11-23 09:15 - 11-23 12:00', '11-23 13:00 - 11-23 16:30']],
    // No night session after the half day of Christmas Eve.
    ['HK_FUTURE', '2026-12-24', ['12-23 17:15 - 12-24 03:00', '12-24 09:15 - 12-24 12:30']],
    ['HK_FUTURE', '2026-12-28', ['12-28 09:15 - 12-28 12:00', '12-28 13:00 - 12-28 16:30']],
    ['US_FUTURE', '2026-11-23', ['11-22 18:00 - 11-23 17:00']],
    ['US_FUTURE', '2026-11-26', ['11-25 18:00 - 11-26 13:00']],
    ['SG_FUTURE', '2026-11-20', ['11-19 17:00 - 11-20 05:15', '11-20 09:00 - 11-20 16:30']],
    ['JP_FUTURE', '2026-11-24', ['11-20 17:00 - 11-21 06:00', '11-24 08:45 - 11-24 15:45']],
    ['FX', '2026-11-23', ['11-22 17:00 - 11-23 17:00']],
    ['FX', '2026-11-20', ['11-19 17:00 - 11-20 17:00']],
  ])('%s on %s: %j', (name, day, expected) => {
    expect(hoursOf(name, day)).toEqual(expected);
  });

  it('keeps New York hours over the DST changes of 2026', () => {
    const opensAt = (day: string) =>
      new Date(
        calendarOf('US')
          .sessions(day)
          .find(({ kind }) => kind === 'regular')!.start,
      ).toISOString();
    expect(opensAt('2026-03-06')).toBe('2026-03-06T14:30:00.000Z');
    expect(opensAt('2026-03-09')).toBe('2026-03-09T13:30:00.000Z');
    expect(opensAt('2026-10-30')).toBe('2026-10-30T13:30:00.000Z');
    expect(opensAt('2026-11-02')).toBe('2026-11-02T14:30:00.000Z');
  });

  it('opens US pre-market and after-hours only to orders that ask for it', () => {
    expect(
      calendarOf('US')
        .sessions('2026-11-20')
        .map(({ kind }) => kind),
    ).toEqual(['extended', 'regular', 'extended']);
  });
});

describe('holidays', () => {
  it.each<[CalendarName, string]>([
    ['HK', '2026-02-17'],
    ['US', '2026-11-26'],
    ['CN', '2026-10-05'],
    ['JP', '2026-09-22'],
    ['SG', '2026-11-09'],
    ['MY', '2026-08-31'],
    ['HK_FUTURE', '2026-10-01'],
    ['US_FUTURE', '2026-04-03'],
    ['FX', '2026-12-25'],
  ])('%s rests on %s', (name, day) => {
    expect(calendarOf(name).isTradingDay(day)).toBe(false);
    expect(calendarOf(name).sessions(day)).toEqual([]);
  });

  it('are weekdays, closed or half, in every year', () => {
    for (const [name, { holidays }] of Object.entries(schedules)) {
      for (let year = 2010; year <= 2060; year += 1) {
        const { closed, half } = holidays(year);
        const days = [...closed, ...half];
        expect(days.filter((day) => [0, 6].includes(weekdayOfNumber(day)))).toEqual([]);
        expect([name, year, new Set(days).size]).toEqual([name, year, days.length]);
        expect(days.every((day) => dayOfNumber(day).startsWith(String(year)))).toBe(true);
      }
    }
  });

  it('names half days', () => {
    expect(calendarOf('HK').tradingDays('2026-12-23', '2026-12-28')).toEqual([
      { day: '2026-12-23', type: 'whole' },
      { day: '2026-12-24', type: 'morning' },
      { day: '2026-12-28', type: 'whole' },
    ]);
  });
});

describe('state', () => {
  it.each<[CalendarName, string, keyof typeof MarketState]>([
    ['HK', '2026-11-20 08:59:59', 'closed'],
    ['HK', '2026-11-20 09:00:00', 'auction'],
    ['HK', '2026-11-20 09:20:00', 'waitingOpen'],
    ['HK', '2026-11-20 09:30:00', 'morning'],
    ['HK', '2026-11-20 12:30:00', 'rest'],
    ['HK', '2026-11-20 13:00:00', 'afternoon'],
    ['HK', '2026-11-20 16:05:00', 'hkClosingAuction'],
    ['HK', '2026-11-21 10:00:00', 'closed'],
    ['HK', '2026-12-24 13:30:00', 'closed'],
    ['US', '2026-11-20 04:00:00', 'preMarket'],
    ['US', '2026-11-20 09:29:59', 'preMarket'],
    ['US', '2026-11-20 09:30:00', 'afternoon'],
    ['US', '2026-11-20 15:59:59', 'afternoon'],
    ['US', '2026-11-20 16:00:00', 'afterHours'],
    ['US', '2026-11-20 20:00:00', 'afterHoursEnd'],
    ['US', '2026-11-22 12:00:00', 'afterHoursEnd'],
    ['CN', '2026-11-20 09:20:00', 'auction'],
    ['CN', '2026-11-20 12:00:00', 'rest'],
    ['SG', '2026-11-20 17:03:00', 'closingAuction'],
    ['MY', '2026-11-20 16:55:00', 'tradeAtLast'],
    ['HK_FUTURE', '2026-11-20 17:15:00', 'nightOpen'],
    ['HK_FUTURE', '2026-11-21 02:59:59', 'nightOpen'],
    ['HK_FUTURE', '2026-11-21 03:00:00', 'nightEnd'],
    ['HK_FUTURE', '2026-11-20 16:45:00', 'futureDayClose'],
    ['HK_FUTURE', '2026-11-20 12:15:00', 'futureDayBreak'],
    ['US_FUTURE', '2026-11-20 17:30:00', 'futureClose'],
    ['US_FUTURE', '2026-11-22 18:00:00', 'futureOpen'],
    ['US_FUTURE', '2026-11-23 09:30:00', 'futureOpen'],
    ['US_FUTURE', '2026-11-23 16:59:59', 'futureOpen'],
    ['US_FUTURE', '2026-11-23 17:00:00', 'futureClose'],
    ['FX', '2026-11-20 16:59:59', 'morning'],
    ['FX', '2026-11-20 17:00:00', 'closed'],
    ['FX', '2026-11-22 16:59:59', 'closed'],
    ['FX', '2026-11-22 17:00:00', 'morning'],
  ])('%s at %s: %s', (name, wallTime, state) => {
    expect(stateAt(name, wallTime)).toBe(MarketState[state]);
  });
});

describe('tradingDay', () => {
  it.each<[CalendarName, string, string]>([
    ['HK', '2026-11-20 09:29:59', '2026-11-19'],
    ['HK', '2026-11-20 09:30:00', '2026-11-20'],
    ['HK', '2026-11-22 12:00:00', '2026-11-20'],
    ['US', '2026-11-20 04:00:00', '2026-11-20'],
    ['HK_FUTURE', '2026-11-20 17:14:59', '2026-11-20'],
    ['HK_FUTURE', '2026-11-20 17:15:00', '2026-11-23'],
    ['HK_FUTURE', '2026-11-22 12:00:00', '2026-11-23'],
    // The Lunar New Year holiday lies within a trading day: half-day eve, no night, then the Friday.
    ['HK_FUTURE', '2026-02-18 12:00:00', '2026-02-16'],
    ['US_FUTURE', '2026-11-22 17:59:59', '2026-11-20'],
    ['US_FUTURE', '2026-11-22 18:00:00', '2026-11-23'],
    ['FX', '2026-11-19 17:00:00', '2026-11-20'],
  ])('%s at %s is %s', (name, wallTime, day) => {
    expect(tradingDayAt(name, wallTime)).toBe(day);
  });
});
