import { type Decimal, roundTo } from '@svc-gateway/contract/decimal';
import { yearOf } from '../companies/growth.js';
import type { ListingTimeline } from '../companies/listing-timeline.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { Aggregate } from './aggregate.js';
import type { PriceAdjustment } from './market.js';

/** Factor of a price that is left as it is; the unit of all factors. */
export const FACTOR_ONE = 10n ** 18n;
/** Adjusted prices are rounded to the millionth. */
const ADJUSTED_STEP = 1_000n;

/** A price times a factor. */
export function adjustedPrice(price: Decimal, factor: bigint): Decimal {
  return factor === FACTOR_ONE ? price : roundTo(price * factor, FACTOR_ONE * ADJUSTED_STEP) / FACTOR_ONE;
}

/** Totals at adjusted prices. Volume and turnover are what was traded. */
export function adjustedTotals(totals: Aggregate, factor: bigint): Aggregate {
  if (factor === FACTOR_ONE) return totals;
  const at = (price: Decimal) => adjustedPrice(price, factor);
  return { ...totals, open: at(totals.open), high: at(totals.high), low: at(totals.low), close: at(totals.close) };
}

/** Factor by which prices before an ex-day are multiplied to be comparable with those from it on. */
export interface ExFactor {
  /** Days since 1970-01-01. */
  readonly ex: number;
  readonly factor: bigint;
}

interface Chain {
  /** By year as far as was asked: forward from the newest ex-day back, backward from the first on. `factor`: all of them together. */
  readonly steps: ExFactor[];
  /** Year that the next step back (forward: on) begins with. */
  year: number;
}

const CACHED_CHAINS = 2_000;

/**
 * Adjusts prices for dividends, splits, bonus and rights issues. On each ex-day the factor is the reference price (close less what goes off)
 * over the close before it; forward multiplies the prices before by it, so that today's are as they are; backward divides those after.
 */
export class Adjustments {
  readonly #forward = new LruCache<string, Chain>(CACHED_CHAINS);
  readonly #backward = new LruCache<string, Chain>(CACHED_CHAINS);

  constructor(
    private readonly timeline: (instrument: Instrument) => ListingTimeline | undefined,
    /** The reference price of an ex-day and the close before it. */
    private readonly drop: (instrument: Instrument, ex: number) => { readonly close: Decimal; readonly reference: Decimal },
    private readonly firstDay: (instrument: Instrument) => number,
  ) {}

  /** Returns the factor by which prices of a day are multiplied, seen from `today`. Days are counted from 1970-01-01. */
  factors(instrument: Instrument, adjustment: PriceAdjustment, today: number): (day: number) => bigint {
    const timeline = adjustment === 'none' ? undefined : this.timeline(instrument);
    if (timeline === undefined) return () => FACTOR_ONE;
    return adjustment === 'forward' ? this.#forwardFactors(timeline, today) : this.#backwardFactors(timeline);
  }

  #forwardFactors(timeline: ListingTimeline, today: number): (day: number) => bigint {
    const { instrument } = timeline;
    const chain = this.#forward.get(`${instrument.symbol} ${today}`, () => ({ steps: [], year: yearOf(today) }));
    return (day) => {
      if (day >= today) return FACTOR_ONE;
      for (; chain.year >= yearOf(day); chain.year--) {
        for (const { ex, factor } of this.#year(timeline, chain.year).reverse()) {
          if (ex <= today) chain.steps.push({ ex, factor: times(chain.steps.at(-1)?.factor ?? FACTOR_ONE, factor) });
        }
      }
      return chain.steps.findLast(({ ex }) => ex > day)?.factor ?? FACTOR_ONE;
    };
  }

  #backwardFactors(timeline: ListingTimeline): (day: number) => bigint {
    const { instrument } = timeline;
    const firstDay = this.firstDay(instrument);
    const chain = this.#backward.get(instrument.symbol, () => ({ steps: [], year: yearOf(firstDay) }));
    return (day) => {
      for (; chain.year <= yearOf(day); chain.year++) {
        for (const { ex, factor } of this.#year(timeline, chain.year)) {
          if (ex <= firstDay) continue;
          const before = chain.steps.at(-1)?.factor ?? FACTOR_ONE;
          chain.steps.push({ ex, factor: (before * FACTOR_ONE + factor / 2n) / factor });
        }
      }
      return chain.steps.findLast(({ ex }) => ex <= day)?.factor ?? FACTOR_ONE;
    };
  }

  /** Ex-days of a year in order, with the factor of each. */
  #year(timeline: ListingTimeline, year: number): ExFactor[] {
    return timeline.exDays(year).map((ex) => {
      const { close, reference } = this.drop(timeline.instrument, ex);
      return { ex, factor: (reference * FACTOR_ONE + close / 2n) / close };
    });
  }
}

function times(a: bigint, b: bigint): bigint {
  return (a * b + FACTOR_ONE / 2n) / FACTOR_ONE;
}
