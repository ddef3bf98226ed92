import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Valuation } from '../pricing/option-terms.js';
import type { Instrument, Option, Warrant } from '../world/instrument.js';
import type { Outlook } from './underlying-model.js';

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

/**
 * The simulated market of every instrument, as of the clock's now.
 *
 * The background flow is a pure function of (seed, symbol, time); what callers add (their resting orders and their
 * trades) is laid over it. Symbols that nobody watches cost nothing: they are computed when somebody asks.
 */
export interface Market {
  quote(instrument: Instrument): Quote;
  /**
   * The first look at an instrument on its day, ready to pause: that at a plate of a thousand members takes up to a second. For `inTurns`; done at once when a
   * look costs next to nothing already.
   */
  prepare(instrument: Instrument): Generator<void, void>;
  book(instrument: Instrument, depth: number): Book;
  /** The same with the orders behind each level: of any instrument, whether its exchange publishes them or not. */
  detailedBook(instrument: Instrument, depth: number): DetailedBook;
  /** The newest `count` ticks, oldest first. */
  ticks(instrument: Instrument, count: number): readonly Tick[];
  /** Bars of a range, oldest first, the running one included. Prices are as traded unless an adjustment is named. */
  bars(instrument: Instrument, period: BarPeriod, range: BarsRange, adjustment?: PriceAdjustment): readonly Bar[];
  /** As {@link bars}, ready to pause: those of the index of a plate are made of what all its members traded. For `inTurns`. */
  barsInTurns(instrument: Instrument, period: BarPeriod, range: BarsRange, adjustment?: PriceAdjustment): Generator<void, readonly Bar[]>;
  /**
   * The highest and the lowest price of the day bars that start in [from, to), forward adjusted; undefined where there is none. It costs a fraction of
   * the bars.
   */
  range(instrument: Instrument, from: number, to: number): PriceBounds | undefined;
  /** The newest `max` days since an instrument's first one, up to `newest` ("2026-11-20"), whose regular trading is over. */
  pastDays(instrument: Instrument, newest: string, max: number): PastDays;
  /** Factor by which a price at `time` (default: now) is multiplied to be adjusted as of now: see `adjustedPrice`. */
  adjustmentFactor(instrument: Instrument, adjustment: PriceAdjustment, time?: number): bigint;
  /**
   * The price at which a contract that has expired is settled: by its product's rule, or its own last price. Of options what exercise pays, of warrants the cash
   * that one unit is paid; before that, what they are worth now.
   */
  settlementPrice(contract: Instrument): Decimal;
  /** Valuation now, or at the last moment of an expired or delisted contract, by the background's price of the underlying. */
  valuation(contract: Option | Warrant): ContractValuation;
  /** At-the-money volatility, a fraction a year, of options that end in `years`, on a day ("2026-11-20"). */
  volatilityAtTheMoney(underlying: Instrument, day: string, years: number): number;
  /** True once a callable contract has been called: it no longer trades. */
  isCalled(contract: Warrant): boolean;
  /** Starts (or stops) live events of a symbol. Calls nest: each watch needs its own unwatch. */
  watch(instrument: Instrument): void;
  unwatch(instrument: Instrument): void;
  /** Called for each event of a watched symbol, in order of time. Returns its own removal. */
  onEvent(listener: (event: MarketEvent) => void): () => void;

  /**
   * Takes background liquidity at `limit` or better (any price when undefined), best first, up to `volume`.
   * Taken liquidity is gone from the book until the background renews that level, and is printed on the tape.
   *
   * Background levels that callers' resting orders on the other side would cross are hidden from the book. They are taken too, at the
   * resting price (at `limit`, when that is less): so a resting order is filled by calling this with its own price after each event,
   * and the caller then takes what was filled off the book with {@link Market.show}. Nothing can be taken outside the sessions.
   */
  take(instrument: Instrument, side: 'buy' | 'sell', volume: bigint, limit?: Decimal): readonly Execution[];
  /** Volume of the background shown at exactly this price on the given side of the book. */
  volumeAt(instrument: Instrument, side: 'buy' | 'sell', price: Decimal): bigint;
  /**
   * Adds (negative: removes) volume of a caller's resting order to what the book shows at a price. `orderCountChange` is 1 when it comes to
   * rest there, -1 when it leaves, else 0.
   */
  show(
    instrument: Instrument,
    side: 'buy' | 'sell',
    price: Decimal,
    volumeChange: bigint,
    orderCountChange: number,
    order: RestingOrder,
  ): void;
  /**
   * Prints a trade on the tape: a resting order that was filled by the flow at the moment of a background tick needs
   * none, a cross between two callers' orders does.
   */
  print(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void;
}
