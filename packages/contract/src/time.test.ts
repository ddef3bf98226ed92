import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dayNumber, dayOfNumber, localDate, localDateTime, parseLocal, weekday, zoneOffset } from './time.js';

const zones = ['Asia/Hong_Kong', 'America/New_York', 'Asia/Shanghai', 'Asia/Tokyo', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];
const HOUR = 3_600_000;
const time = fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2035, 0) });
const zone = fc.constantFrom(...zones);

describe('localDate and localDateTime', () => {
  it('knows standard and summer time', () => {
    expect(localDateTime(Date.UTC(2026, 0, 5, 14, 30), 'America/New_York')).toBe('2026-01-05 09:30:00');
    expect(localDateTime(Date.UTC(2026, 6, 6, 13, 30), 'America/New_York')).toBe('2026-07-06 09:30:00');
    expect(localDate(Date.UTC(2026, 6, 6, 16), 'Asia/Hong_Kong')).toBe('2026-07-07');
    expect(localDate(Date.UTC(2026, 6, 6, 15, 59, 59, 999), 'Asia/Hong_Kong')).toBe('2026-07-06');
  });

  it('changes at the very second of a DST change', () => {
    const spring = Date.UTC(2026, 2, 8, 7);
    expect(localDateTime(spring - 1, 'America/New_York')).toBe('2026-03-08 01:59:59');
    expect(localDateTime(spring, 'America/New_York')).toBe('2026-03-08 03:00:00');
    const autumn = Date.UTC(2026, 10, 1, 6);
    expect(localDateTime(autumn - 1, 'America/New_York')).toBe('2026-11-01 01:59:59');
    expect(localDateTime(autumn, 'America/New_York')).toBe('2026-11-01 01:00:00');
  });

  it('agrees with Intl, whatever the order of calls', () => {
    const formats = new Map(
      zones.map((name) => [name, new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' })]),
    );
    fc.assert(
      fc.property(time, zone, (at, name) => {
        expect(localDateTime(at, name)).toBe(formats.get(name)!.format(at));
      }),
      { numRuns: 1000 },
    );
  });

  it('throws for a zone that does not exist', () => {
    expect(() => zoneOffset(0, 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('parseLocal', () => {
  it('reads dates, times and fractions', () => {
    const midnight = Date.UTC(2026, 10, 19, 16);
    expect(parseLocal('2026-11-20', 'Asia/Hong_Kong')).toBe(midnight);
    expect(parseLocal('2026-11-20 09:30:05', 'Asia/Hong_Kong')).toBe(midnight + 9.5 * HOUR + 5_000);
    expect(parseLocal('2026-11-20 09:30:05.25', 'Asia/Hong_Kong')).toBe(midnight + 9.5 * HOUR + 5_250);
    expect(parseLocal('2024-02-29', 'UTC')).toBe(Date.UTC(2024, 1, 29));
  });

  it.each([
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-31',
    '2026-11-20 24:00:00',
    '2026-11-20 09:60:00',
    '2026-11-20 09:30:60',
    '2026-11-20 09:30',
    '2026-11-20T09:30:00',
    '2026-11-20 09:30:00.',
    '2026-11-20 09:30:00.1234',
    '2026-1-2',
    ' 2026-11-20',
    '2026-11-20\n',
    '0050-02-30',
  ])('refuses %j', (text) => {
    expect(parseLocal(text, 'America/New_York')).toBeUndefined();
  });

  it('reads a skipped time as if the clocks had not moved yet', () => {
    expect(parseLocal('2026-03-08 02:30:00', 'America/New_York')).toBe(Date.UTC(2026, 2, 8, 7, 30));
    expect(localDateTime(Date.UTC(2026, 2, 8, 7, 30), 'America/New_York')).toBe('2026-03-08 03:30:00');
  });

  it('reads a repeated time as its first occurrence', () => {
    expect(parseLocal('2026-11-01 01:30:00', 'America/New_York')).toBe(Date.UTC(2026, 10, 1, 5, 30));
    expect(parseLocal('2026-11-01 02:00:00', 'America/New_York')).toBe(Date.UTC(2026, 10, 1, 7));
  });

  it('undoes localDateTime to the second, but for the second pass of a repeated hour', () => {
    fc.assert(
      fc.property(time, zone, (at, name) => {
        const second = Math.floor(at / 1000) * 1000;
        const parsed = parseLocal(localDateTime(at, name), name);
        const repeated = zoneOffset(second - HOUR, name) > zoneOffset(second, name);
        if (repeated) expect([second, second - (zoneOffset(second - HOUR, name) - zoneOffset(second, name))]).toContain(parsed);
        else expect(parsed).toBe(second);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('days', () => {
  it('counts over month ends and leap days', () => {
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(weekday('2026-11-20')).toBe(5);
    expect(weekday('1969-12-28')).toBe(0);
    expect(dayNumber('1970-01-02')).toBe(1);
    expect(dayNumber('2026-02-30')).toBeUndefined();
    expect(() => addDays('2026-02-30', 1)).toThrow(RangeError);
  });

  it('numbers days as the proleptic calendar does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), (days) => {
        expect(dayNumber(dayOfNumber(days))).toBe(days);
        expect(dayOfNumber(days)).toBe(new Date(days * 86_400_000).toISOString().slice(0, 10));
        expect(weekday(dayOfNumber(days))).toBe(new Date(days * 86_400_000).getUTCDay());
      }),
    );
  });
});
