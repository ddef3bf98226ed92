import { dayOfNumber } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Calendar, CalendarName } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';

const CACHED_DAYS = 20_000;
/** Longer than any holiday, so that the search for a common trading day ends. */
const SEARCH_MAX_DAYS = 60;

/** Days of corporate actions, on which all listings of an issuer trade. Days are counted from 1970-01-01. */
export class TradingCalendars {
  readonly #texts = new LruCache<number, string>(CACHED_DAYS);

  readonly #tradingDays = new Map<CalendarName, LruCache<number, boolean>>();

  /** The exchanges' own calendars, also where the simulated market is open around the clock. */
  constructor(private readonly calendarOf: (instrument: Instrument) => Calendar) {}

  text(day: number): string {
    return this.#texts.get(day, () => dayOfNumber(day));
  }

  /** The first day from `day` on on which all of them trade. */
  firstCommon(instruments: readonly Instrument[], day: number): number {
    for (let candidate = day; candidate < day + SEARCH_MAX_DAYS; candidate++) {
      if (instruments.every((instrument) => this.isTradingDay(instrument, candidate))) return candidate;
    }
    return day;
  }

  isTradingDay(instrument: Instrument, day: number): boolean {
    const days = this.#tradingDays.get(instrument.calendar) ?? new LruCache<number, boolean>(CACHED_DAYS);
    this.#tradingDays.set(instrument.calendar, days);
    return days.get(day, () => this.calendarOf(instrument).isTradingDay(this.text(day)));
  }

  /** "2026-11-20": `count` trading days after a trading day (before it, where negative). */
  shifted(instrument: Instrument, day: string, count: number): string {
    const calendar = this.calendarOf(instrument);
    let shifted = day;
    for (let step = 0; step < Math.abs(count); step++) {
      shifted = count > 0 ? calendar.nextTradingDay(shifted) : calendar.previousTradingDay(shifted);
    }
    return shifted;
  }

  /** The first trading day from `day` on. */
  firstFrom(instrument: Instrument, day: number): string {
    return this.text(this.firstCommon([instrument], day));
  }
}
