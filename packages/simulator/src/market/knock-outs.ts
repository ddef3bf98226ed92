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
  /** The day up to which it has been looked at. */
  until: TradingDay | undefined;
  called: Call | undefined;
}

/** The end of a callable contract before its maturity. */
export interface Call {
  /** Its end closes the time over which the residual value looks at the underlying. */
  readonly day: TradingDay;
  /** Time of the trade that called the contract, epoch ms. */
  readonly time: number;
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
 * Each day is looked at once: a contract of a year takes 250 days of its underlying.
 */
export class KnockOuts {
  readonly #watched = new LruCache<string, Watched>(CACHED_CONTRACTS);
  readonly #extremes = new LruCache<number, { readonly high: number; readonly low: number }>(CACHED_DAYS);

  /** The call of a contract up to a day (from 1970-01-01, included); undefined when it was not called by then. */
  call(warrant: Warrant, underlying: TradedUnderlying, through: number): Call | undefined {
    const watched = this.#watched.get(`${warrant.symbol} ${warrant.listDate}`, () => ({ until: undefined, called: undefined }));
    if (watched.called === undefined) this.#watch(watched, warrant, underlying, through);
    return watched.called !== undefined && watched.called.day.number <= through ? watched.called : undefined;
  }

  #watch(watched: Watched, warrant: Warrant, underlying: TradedUnderlying, through: number): void {
    const { days } = underlying;
    const last = Math.min(through, requireDay(warrant.warrant.maturity));
    let day = watched.until === undefined ? days.on(warrant.listDate) : days.next(watched.until);
    for (; day.number <= last; day = days.next(day)) {
      watched.until = day;
      const { high, low } = this.#extremesOf(underlying, day);
      if (isCalled(warrant, high, low, underlying.sharesSince(day.number, requireDay(warrant.listDate)))) {
        watched.called = { day, time: momentOn(day, warrant, underlying) };
        return;
      }
    }
  }

  #extremesOf(underlying: TradedUnderlying, day: TradingDay): { readonly high: number; readonly low: number } {
    return this.#extremes.get(underlying.index * DAYS_MAX + day.number, () => {
      const { tape, grid } = underlying.on(day);
      return { high: tape.root.high * grid, low: tape.root.low * grid };
    });
  }
}

/** When a contract was called on a day: by halving it. */
function momentOn(day: TradingDay, warrant: Warrant, underlying: TradedUnderlying): number {
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

function isCalled({ warrant: { type, callPrice } }: Warrant, high: number, low: number, shares: number): boolean {
  if (callPrice === undefined) return false;
  return type === 'bull' ? low * shares <= Number(callPrice) : high * shares >= Number(callPrice);
}
