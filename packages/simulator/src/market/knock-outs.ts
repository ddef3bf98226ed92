import { requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Warrant } from '../world/instrument.js';
import type { BackgroundDay } from './background-day.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** Cache sizes: knock-out results of contracts, and daily extremes of underlyings. */
const CACHED_CONTRACTS = 4_000;
const CACHED_DAYS = 60_000;
const DAYS_MAX = 2 ** 23;

interface Watched {
  /** The day up to which it has been looked at, and that on which it was called. */
  until: TradingDay | undefined;
  called: TradingDay | undefined;
  time: number | undefined;
}

/** Epoch ms. */
export interface Call {
  /** Time of the trade that called the contract. */
  readonly time: number;
  /** End of the day on which it was: what the underlying does up to then counts for the residual value. */
  readonly valuedUntil: number;
}

interface Extremes {
  readonly high: number;
  readonly low: number;
}

/** The trading of an underlying as far as knock-outs depend on it. */
export interface TradedUnderlying {
  /** Number of the underlying; unique. */
  readonly index: number;
  readonly days: TradingDays;
  on(day: TradingDay): BackgroundDay;
  sharesSince(day: number, earlier: number): number;
}

/**
 * When callable bull/bear contracts are called: at the first trade of the underlying at the call price or beyond, in the underlying's own hours.
 * Each day is looked at once.
 */
export class KnockOuts {
  readonly #watched = new LruCache<string, Watched>(CACHED_CONTRACTS);
  readonly #extremes = new LruCache<number, Extremes>(CACHED_DAYS);

  /** The day, up to one (days from 1970-01-01, included), on which a contract was called; undefined when it was not. */
  calledOn(warrant: Warrant, underlying: TradedUnderlying, through: number): TradingDay | undefined {
    const watched = this.#watched.get(`${warrant.symbol} ${warrant.listDate}`, () => ({
      until: undefined,
      called: undefined,
      time: undefined,
    }));
    if (watched.called === undefined) this.#watch(watched, warrant, underlying, through);
    return watched.called !== undefined && watched.called.number <= through ? watched.called : undefined;
  }

  /** When a contract was called, as of a day; undefined when it was not by then. */
  call(warrant: Warrant, underlying: TradedUnderlying, through: number): Call | undefined {
    const day = this.calledOn(warrant, underlying, through);
    if (day === undefined) return undefined;
    const watched = this.#watched.get(`${warrant.symbol} ${warrant.listDate}`, () => ({ until: undefined, called: day, time: undefined }));
    watched.time ??= this.#momentOn(day, warrant, underlying);
    return { time: watched.time, valuedUntil: day.end };
  }

  #watch(watched: Watched, warrant: Warrant, underlying: TradedUnderlying, through: number): void {
    const { days } = underlying;
    const last = Math.min(through, requireDay(warrant.warrant.maturity));
    let day = watched.until === undefined ? days.on(warrant.listDate) : days.next(watched.until);
    for (; day.number <= last; day = days.next(day)) {
      watched.until = day;
      const { high, low } = this.#extremesOf(underlying, day);
      if (isCalled(warrant, high, low, underlying.sharesSince(day.number, requireDay(warrant.listDate)))) {
        watched.called = day;
        return;
      }
    }
  }

  #extremesOf(underlying: TradedUnderlying, day: TradingDay): Extremes {
    return this.#extremes.get(underlying.index * DAYS_MAX + day.number, () => {
      const { tape, grid } = underlying.on(day);
      return { high: tape.root.high * grid, low: tape.root.low * grid };
    });
  }

  /** By halving the day. */
  #momentOn(day: TradingDay, warrant: Warrant, underlying: TradedUnderlying): number {
    const { tape, grid } = underlying.on(day);
    const shares = underlying.sharesSince(day.number, requireDay(warrant.listDate));
    let [before, after] = [day.start, day.end];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      const [totals] = tape.totals([day.start, middle]);
      if (totals !== undefined && isCalled(warrant, totals.high * grid, totals.low * grid, shares)) after = middle;
      else before = middle;
    }
    return after - 1;
  }
}

function isCalled({ warrant: { type, callPrice } }: Warrant, high: number, low: number, shares: number): boolean {
  if (callPrice === undefined) return false;
  return type === 'bull' ? low * shares <= Number(callPrice) : high * shares >= Number(callPrice);
}
