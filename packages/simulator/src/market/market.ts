import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Outlook, Valuation } from '../pricing/option-terms.js';
import type { Instrument } from '../world/instrument.js';

/** +1: the buyer was the aggressor; -1: the seller; 0: neither (auction, opening print). */
export type TickDirection = 1 | -1 | 0;

/** One trade on the tape. */
export interface Tick {
  /** Rises by time and never repeats within a symbol. */
  readonly sequence: bigint;
  /** Epoch ms, UTC. */
  readonly time: number;
  readonly price: Decimal;
  /** Shares or contracts. */
  readonly volume: bigint;
  /** price × volume (× multiplier for futures). */
  readonly turnover: Decimal;
  readonly direction: TickDirection;
}

export interface BookLevel {
  readonly price: Decimal;
  readonly volume: bigint;
  readonly orderCount: number;
}

/** One order of a level. */
export interface BookOrder {
  /** The exchange's anonymous order number. A partly traded order keeps it. */
  readonly id: bigint;
  readonly volume: bigint;
}

/** A level with its orders, first in the queue first: their volumes sum to its own, and they are as many as it counts. */
export interface DetailedLevel extends BookLevel {
  /** Empty where only the level is known, as in a recording. */
  readonly orders: readonly BookOrder[];
}

/** A caller's order as it rests: read whenever the book is. */
export interface RestingOrder {
  readonly id: bigint;
  readonly remaining: bigint;
  /** Volume of the background that stands before it at its price. */
  readonly queueAhead: bigint;
}

export interface Book {
  /** Epoch ms of the last change. */
  readonly time: number;
  /** Best first. A side may be empty. Best bid < best ask at every moment. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** A {@link Book} with the orders behind its levels. */
export interface DetailedBook extends Book {
  readonly bids: readonly DetailedLevel[];
  readonly asks: readonly DetailedLevel[];
}

export interface Bar {
  /** Start of the bar's period, epoch ms (the protocol's time text of a bar is its *end* for minutes, its date for days and up). */
  readonly start: number;
  readonly end: number;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  /** Base of the bar's change: the previous close; on an ex-day the adjusted reference price. */
  readonly previousClose: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

export type BarPeriod =
  | { readonly unit: 'minute'; readonly count: 1 | 3 | 5 | 10 | 15 | 30 | 60 | 120 | 180 | 240 }
  | { readonly unit: 'day' | 'week' | 'month' | 'quarter' | 'year' };

/** Bars whose start lies in [from, to), epoch ms; without `from`, the last `limit` bars up to `to`, without `to`, up to now. */
export interface BarsRange {
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
}

/** Trading before or after regular hours. */
export interface ExtendedTrades {
  readonly last: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/**
 * The current trading day of one symbol in regular trading. All figures agree with the tape: last = last tick, turnover = sum
 * of ticks. What traded in extended hours (United States) stands beside them.
 */
export interface Quote {
  /** Time of the last tick, in any session. */
  readonly time: number;
  /** "2026-11-20": trading day in the market's zone. */
  readonly tradingDay: string;
  readonly last: Decimal;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  /** As of {@link Bar.previousClose}. */
  readonly previousClose: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
  readonly preMarket?: ExtendedTrades;
  readonly afterMarket?: ExtendedTrades;
}

/** Adjustment of bars for dividends and splits: none, comparable with today's prices (forward) or with the first day's (backward). */
export type PriceAdjustment = 'none' | 'forward' | 'backward';

export interface Execution {
  readonly price: Decimal;
  readonly volume: bigint;
}

/** Value of one unit of an option or a warrant at a moment, and the inputs it follows from. */
export interface ContractValuation extends Valuation {
  /** Outlook of the underlying up to the expiry. */
  readonly outlook: Outlook;
  /** By which it is valued; of callable contracts, which it does not move, that of an option with their strike. */
  readonly volatility: number;
  /** Contracts open, or units that the public holds. */
  readonly open: number;
}

export type MarketEvent =
  | { readonly kind: 'tick'; readonly instrument: Instrument; readonly ticks: readonly Tick[] }
  | { readonly kind: 'book'; readonly instrument: Instrument };

/** The highest and the lowest price of a time. */
export interface PriceBounds {
  readonly high: Decimal;
  readonly low: Decimal;
}

/** Prices of a day's regular trading, forward adjusted, in billionths: whole numbers, so that sums of some of them are exact. */
export interface DayPrices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Days of an instrument that are over, counted back from the newest one, for those who look at some prices of many instruments. */
export interface PastDays {
  readonly count: number;
  /** "2026-11-20". */
  day(back: number): string;
  /** Prices of the day's bar, at a fraction of its cost; undefined where only the bar itself gives them, or where there is none. */
  prices(back: number): DayPrices | undefined;
}
