import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHoursWindow, type HoursWindow, isWithin, LocalTime, parseHoursWindow } from './hours-window.js';

const window = (text: string): HoursWindow => parseHoursWindow(text)!;
const minute = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

describe('isWithin', () => {
  it.each([
    ['09:30-16:00', '09:29', false],
    ['09:30-16:00', '09:30', true],
    ['09:30-16:00', '15:59', true],
    ['09:30-16:00', '16:00', false],
    ['22:00-04:00', '21:59', false],
    ['22:00-04:00', '22:00', true],
    ['22:00-04:00', '00:00', true],
    ['22:00-04:00', '03:59', true],
    ['22:00-04:00', '04:00', false],
    ['09:00-09:00', '08:59', true],
    ['00:00-00:00', '12:00', true],
  ])('%s at %s: %s', (text, at, inside) => expect(isWithin(window(text), minute(at))).toBe(inside));
});

it('reads what it writes, and nothing else', () => {
  const minuteOfDay = fc.integer({ min: 0, max: 1439 });
  fc.assert(
    fc.property(minuteOfDay, minuteOfDay, (startMinute, endMinute) => {
      expect(parseHoursWindow(formatHoursWindow({ startMinute, endMinute }))).toEqual({ startMinute, endMinute });
    }),
  );
  for (const text of ['9:00-10:00', '09:00-24:00', '09:60-10:00', '09:00–10:00', '09:00-10:00 ', ''])
    expect(parseHoursWindow(text)).toBeUndefined();
});

describe('LocalTime', () => {
  it('tells the time of its zone, over a change to summer time', () => {
    const newYork = new LocalTime('America/New_York');
    const beforeChange = Date.UTC(2026, 2, 8, 6, 59, 59);
    expect(newYork.minuteOfDay(beforeChange)).toBe(minute('01:59'));
    expect(newYork.minuteOfDay(beforeChange + 1000)).toBe(minute('03:00'));
    expect(new LocalTime('Asia/Kolkata').minuteOfDay(Date.UTC(2026, 0, 1))).toBe(minute('05:30'));
  });

  it("uses the process's own zone by default", () => {
    const now = Date.UTC(2026, 5, 1, 12, 34);
    const date = new Date(now);
    expect(new LocalTime().minuteOfDay(now)).toBe(date.getHours() * 60 + date.getMinutes());
  });

  it('names its zone in texts', () => {
    const tokyo = new LocalTime('Asia/Tokyo');
    expect(tokyo.windowText(window('09:00-15:00'))).toBe('09:00-15:00 (Asia/Tokyo)');
    expect(tokyo.timeText(Date.UTC(2026, 0, 1))).toBe('09:00 (Asia/Tokyo)');
    expect(new LocalTime().timeText(0)).toContain(`(${new Intl.DateTimeFormat().resolvedOptions().timeZone})`);
  });

  it('names the very second at which a window opens', () => {
    const zone = fc.constantFrom('UTC', 'Asia/Hong_Kong', 'Asia/Kathmandu');
    const minuteOfDay = fc.integer({ min: 0, max: 1439 });
    fc.assert(
      fc.property(zone, fc.integer({ min: 1.7e12, max: 1.9e12 }), minuteOfDay, minuteOfDay, (timeZone, now, startMinute, endMinute) => {
        const local = new LocalTime(timeZone);
        const hours = { startMinute, endMinute };
        fc.pre(!isWithin(hours, local.minuteOfDay(now)));
        const seconds = Math.ceil(local.millisecondsUntilOpen(hours, now) / 1000);
        expect(isWithin(hours, local.minuteOfDay(now + seconds * 1000))).toBe(true);
        expect(isWithin(hours, local.minuteOfDay(now + (seconds - 1) * 1000))).toBe(false);
      }),
    );
  });

  it('takes a change of the clocks on the way into account', () => {
    const newYork = new LocalTime('America/New_York');
    const evening = Date.UTC(2026, 2, 8, 3, 0); // 22:00 on the day before summer time begins
    expect(newYork.millisecondsUntilOpen(window('09:00-10:00'), evening)).toBe(10 * 3_600_000);
    const autumn = Date.UTC(2026, 10, 1, 2, 0); // 22:00 on the day before it ends
    expect(newYork.millisecondsUntilOpen(window('09:00-10:00'), autumn)).toBe(12 * 3_600_000);
  });
});
