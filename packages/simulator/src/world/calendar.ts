/** Instruments that trade at the same hours of the same days. */
export type CalendarName = (typeof calendarNames)[number];
export const calendarNames = ['HK', 'US', 'CN', 'SG', 'JP', 'MY', 'HK_FUTURE', 'US_FUTURE', 'SG_FUTURE', 'JP_FUTURE', 'FX'] as const;

/** A stretch of time in which orders match continuously. */
export interface TradingSession {
  /** Epoch ms, inclusive. */
  readonly start: number;
  /** Epoch ms, exclusive. */
  readonly end: number;
  /** Qot_Common.QotMarketState shown during it. */
  readonly state: number;
  /** `extended`: US pre-market, after-hours and overnight, which only orders that ask for it may use. */
  readonly kind: 'regular' | 'extended';
}

/** A trading day and how much of it trades (protocol: TradeDate). */
export interface TradingDate {
  /** "2026-12-24". */
  readonly day: string;
  readonly type: 'whole' | 'morning' | 'afternoon';
}

/** When one group of instruments trades. Days are "YYYY-MM-DD" in the exchange's zone; every answer is a pure function of its arguments. */
export interface Calendar {
  readonly name: CalendarName;
  /** IANA zone. */
  readonly timeZone: string;
  isTradingDay(day: string): boolean;
  /** Sessions of a trading day in order of time (a night session belongs to the day it settles on); empty for other days. */
  sessions(day: string): readonly TradingSession[];
  /**
   * The trading day that `time` falls in; between days, the last one that began. A day begins with its first session, so
   * that `sessions(tradingDay(time))[0].start <= time` always; an opening auction still shows the day before.
   */
  tradingDay(time: number): string;
  /** The last trading day before `day`, which need not be one. */
  previousTradingDay(day: string): string;
  /** The first trading day after `day`, which need not be one. */
  nextTradingDay(day: string): string;
  /** The trading days from `from` to `to`, both included, in order. */
  tradingDays(from: string, to: string): readonly TradingDate[];
  /** Qot_Common.QotMarketState at `time`. */
  state(time: number): number;
  /** The session open at `time`, if any. */
  sessionAt(time: number): TradingSession | undefined;
}

/** How the simulation's markets keep time: `open` trades around the clock every day; `calendar` keeps real sessions and holidays. */
export type CalendarMode = 'open' | 'calendar';
