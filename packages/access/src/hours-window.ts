/** A daily time window in the daemon's local time. `start` is inside, `end` outside; `end` before `start` crosses midnight; equal = the whole day. */
export interface HoursWindow {
  /** Minutes after local midnight, 0 to 1439. */
  readonly startMinute: number;
  readonly endMinute: number;
}

const DAY_MINUTES = 1440;
const MINUTE_MS = 60_000;
const WINDOW = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** "22:00-04:00" → the window; undefined when the text is not of that form. */
export function parseHoursWindow(text: string): HoursWindow | undefined {
  const match = WINDOW.exec(text);
  if (match === null) return undefined;
  const [startHour = 0, startMinute = 0, endHour = 0, endMinute = 0] = match.slice(1).map(Number);
  return { startMinute: startHour * 60 + startMinute, endMinute: endHour * 60 + endMinute };
}

export function formatHoursWindow(window: HoursWindow): string {
  return `${formatMinute(window.startMinute)}-${formatMinute(window.endMinute)}`;
}

function formatMinute(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

export function isWithin(window: HoursWindow, minute: number): boolean {
  const { startMinute, endMinute } = window;
  if (startMinute === endMinute) return true;
  if (startMinute < endMinute) return minute >= startMinute && minute < endMinute;
  return minute >= startMinute || minute < endMinute;
}

/** Wall-clock time of one zone. */
export class LocalTime {
  /** IANA name. */
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat | undefined;
  #cachedMinute = Number.NaN;
  #cachedAnswer = 0;

  /** `timeZone` is an IANA name; the process's own zone by default. Throws RangeError for an unknown name. */
  constructor(timeZone?: string) {
    this.zone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (timeZone !== undefined) {
      this.#format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    }
  }

  /** Minutes after local midnight at `now` (epoch ms). Offsets are whole minutes, so the answer holds for a UTC minute. */
  minuteOfDay(now: number): number {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#cachedMinute) {
      this.#cachedAnswer = this.#compute(now);
      this.#cachedMinute = minute;
    }
    return this.#cachedAnswer;
  }

  /** "13:00-14:00 (Asia/Hong_Kong)": a window in this zone, for texts. */
  windowText(window: HoursWindow): string {
    return `${formatHoursWindow(window)} (${this.zone})`;
  }

  /** "12:00 (Asia/Hong_Kong)": the time of day at `now`, for texts. */
  timeText(now: number): string {
    return `${formatMinute(this.minuteOfDay(now))} (${this.zone})`;
  }

  /** Milliseconds until `window`, closed at `now`, opens. */
  millisecondsUntilOpen(window: HoursWindow, now: number): number {
    const minuteStart = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const wait = (window.startMinute - this.#compute(now) + DAY_MINUTES) % DAY_MINUTES;
    let opening = minuteStart + wait * MINUTE_MS;
    // A change to or from summer time in between shifts the opening; the correction is the shorter way round the clock.
    const shift = (window.startMinute - this.#compute(opening) + DAY_MINUTES) % DAY_MINUTES;
    opening += (shift > DAY_MINUTES / 2 ? shift - DAY_MINUTES : shift) * MINUTE_MS;
    return opening - now;
  }

  #compute(now: number): number {
    if (this.#format === undefined) {
      const date = new Date(now);
      return date.getHours() * 60 + date.getMinutes();
    }
    const [hour = 0, minute = 0] = this.#format.format(now).split(':').map(Number);
    return hour * 60 + minute;
  }
}
