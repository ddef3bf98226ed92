import { getOrInsert } from './memo.js';

/**
 * Times as texts of an exchange's zone: the protocol writes "2026-11-20 09:30:00" and means the market's local time.
 *
 * Inside the program a time is epoch milliseconds and a day is a text "YYYY-MM-DD", so that days sort and compare as they are.
 */

const DAY_SECONDS = 86_400;
/** Milliseconds of a day without a change of the clocks. */
export const DAY_MS = DAY_SECONDS * 1000;
const PROBE_MS = 7 * DAY_MS;
const DAY_TEXT = /^\d{4}-\d{2}-\d{2}$/;
const LOCAL_TEXT = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3}))?)?$/;

/** A stretch of time with one offset from UTC: [from, until) in epoch ms. */
interface OffsetSpan {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** The offsets of one zone. Asking Intl takes microseconds, so its answers are kept as spans, one UTC year at a time. */
class Zone {
  readonly #format: Intl.DateTimeFormat;
  readonly #years = new Map<number, readonly OffsetSpan[]>();
  #last: OffsetSpan = { from: 0, until: 0, offset: 0 };

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Local time minus UTC, in ms. */
  offset(time: number): number {
    const last = this.#last;
    if (time >= last.from && time < last.until) return last.offset;
    const year = new Date(time).getUTCFullYear();
    const spans = getOrInsert(this.#years, year, () => this.#spansOf(year));
    const span = spans.find((candidate) => time < candidate.until);
    if (span === undefined) throw new RangeError(`no such time: ${time}`);
    this.#last = span;
    return span.offset;
  }

  // No zone changes its offset twice within a week, so that weekly probes see every change; bisection finds its second.
  #spansOf(year: number): readonly OffsetSpan[] {
    const end = Date.UTC(year + 1, 0);
    const spans: OffsetSpan[] = [];
    let from = Date.UTC(year, 0);
    let offset = this.#ask(from);
    for (let probe = from; probe < end; ) {
      const next = Math.min(probe + PROBE_MS, end);
      const nextOffset = this.#ask(next);
      if (nextOffset !== offset) {
        const change = this.#changeBetween(probe, next, offset);
        spans.push({ from, until: change, offset });
        from = change;
        offset = nextOffset;
      }
      probe = next;
    }
    if (from < end) spans.push({ from, until: end, offset });
    return spans;
  }

  #changeBetween(before: number, after: number, offsetBefore: number): number {
    let low = before;
    let high = after;
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (this.#ask(middle) === offsetBefore) low = middle;
      else high = middle;
    }
    return high;
  }

  #ask(time: number): number {
    // "11/20/2026, 09:30:00": as parts it costs several times as much, and every start of the program asks for some years.
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (this.#format.format(time).match(/\d+/g) ?? []).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
  }
}

const zones = new Map<string, Zone>();

/** Local time minus UTC at `time` in an IANA zone, in ms. Throws RangeError for an unknown zone. */
export function zoneOffset(time: number, timeZone: string): number {
  const zone = getOrInsert(zones, timeZone, () => new Zone(timeZone));
  return zone.offset(time);
}

/** The day, "2026-11-20", that `time` (epoch ms) falls on in an IANA zone. */
export function localDate(time: number, timeZone: string): string {
  return dayOfNumber(localDayNumber(time, timeZone));
}

/** "2026-11-20 09:30:00": `time` (epoch ms) on the clocks of an IANA zone, cut to the second. */
export function localDateTime(time: number, timeZone: string): string {
  const second = Math.floor((time + zoneOffset(time, timeZone)) / 1000);
  const days = Math.floor(second / DAY_SECONDS);
  const ofDay = second - days * DAY_SECONDS;
  return `${dayOfNumber(days)} ${two(Math.floor(ofDay / 3600))}:${two(Math.floor(ofDay / 60) % 60)}:${two(ofDay % 60)}`;
}

/**
 * The time, in epoch ms, that "YYYY-MM-DD" (midnight), "YYYY-MM-DD HH:MM:SS" or the same with ".S" to ".SSS" means in an
 * IANA zone; undefined when the text has another form or names no date or time of day ("2026-02-30", "24:00:00").
 *
 * Where the clocks go back, a time that occurs twice means its first occurrence; where they go forward, a time that they
 * skip is read as if they had not moved yet (02:30 becomes 03:30): the rule that ECMAScript's Temporal calls "compatible".
 */
export function parseLocal(text: string, timeZone: string): number | undefined {
  const match = LOCAL_TEXT.exec(text);
  if (match === null) return undefined;
  const [, day = '', hourText = '0', minuteText = '0', secondText = '0', fraction = ''] = match;
  const midnight = dayNumber(day);
  const hour = Number(hourText);
  const minute = Number(minuteText);
  const second = Number(secondText);
  if (midnight === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  return fromWall(midnight * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + Number(fraction.padEnd(3, '0')), timeZone);
}

/** Epoch seconds of a moment in epoch ms; undefined before 1970, where clients take a negative number for a fault or for none. */
export function epochSeconds(time: number | undefined): number | undefined {
  return time === undefined || time < 0 ? undefined : time / 1000;
}

/** The time, in epoch ms, at which the clocks of a zone show what UTC's show at `wall`; skipped and repeated times as in {@link parseLocal}. */
export function fromWall(wall: number, timeZone: string): number {
  const before = zoneOffset(wall - DAY_MS, timeZone);
  const after = zoneOffset(wall + DAY_MS, timeZone);
  if (before === after || zoneOffset(wall - before, timeZone) === before) return wall - before;
  return zoneOffset(wall - after, timeZone) === after ? wall - after : wall - before;
}

/** Days since 1970-01-01 of the day that `time` (epoch ms) falls on in an IANA zone. */
export function localDayNumber(time: number, timeZone: string): number {
  return Math.floor((time + zoneOffset(time, timeZone)) / DAY_MS);
}

const ZERO = 48;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/** From 0001-01-01 to 1970-01-01. */
const EPOCH_DAYS = 719_162;

/** Days since 1970-01-01 of "YYYY-MM-DD", from the year 0100 on; undefined when the text is no date. */
export function dayNumber(day: string): number | undefined {
  if (!DAY_TEXT.test(day)) return undefined;
  // By figures: this is asked for each contract of a chain, and a Date costs several times as much.
  const digit = (place: number) => day.charCodeAt(place) - ZERO;
  const year = 1000 * digit(0) + 100 * digit(1) + 10 * digit(2) + digit(3);
  const month = 10 * digit(5) + digit(6);
  const date = 10 * digit(8) + digit(9);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = month === 2 && isLeap ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  if (year < 100 || date < 1 || date > length) return undefined;
  const past = year - 1;
  const leaps = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400);
  const ofYear = (DAYS_BEFORE[month - 1] ?? 0) + (month > 2 && isLeap ? 1 : 0) + date - 1;
  return past * 365 + leaps + ofYear - EPOCH_DAYS;
}

/** "YYYY-MM-DD" of a count of days since 1970-01-01, from the year 0100 to 9999. */
export function dayOfNumber(days: number): string {
  const time = new Date(days * DAY_MS);
  return `${String(time.getUTCFullYear()).padStart(4, '0')}-${two(time.getUTCMonth() + 1)}-${two(time.getUTCDate())}`;
}

/** The day `count` days after (negative: before) a day. Throws RangeError when `day` is no date. */
export function addDays(day: string, count: number): string {
  return dayOfNumber(requireDay(day) + count);
}

/** 0 Sunday … 6 Saturday. Throws RangeError when `day` is no date. */
export function weekday(day: string): number {
  return weekdayOfNumber(requireDay(day));
}

/** 0 Sunday … 6 Saturday, of a count of days since 1970-01-01. */
export function weekdayOfNumber(days: number): number {
  // 1970-01-01 was a Thursday.
  return (((days + 4) % 7) + 7) % 7;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** {@link dayNumber} of a text that must be a date: throws RangeError when it is none. */
export function requireDay(day: string): number {
  const days = dayNumber(day);
  if (days === undefined) throw new RangeError(`no date: ${JSON.stringify(day)}`);
  return days;
}
