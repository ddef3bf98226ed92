import type { Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import { mix, normal, uniform } from '../rng/random.js';
import { significant } from './amounts.js';
import type { Coverage } from './brokers.js';
import type { Estimates } from './estimates.js';
import type { IssuerTimeline } from './issuer-timeline.js';
import { firstCommon } from './trading-days.js';

/** Best first. */
export const ratings = ['strong buy', 'buy', 'hold', 'underperform', 'sell'] as const;

export type Rating = (typeof ratings)[number];

/** A broker's opinion of a company on one day. */
export interface RatingChange {
  /** Counted from 1970-01-01. */
  readonly day: number;
  readonly broker: string;
  readonly analyst: string;
  readonly rating: Rating;
  /** In twelve months, for one share of the home listing as it is on `day`, in its currency. */
  readonly target: Decimal;
  /** Previous opinion, its target in shares of `day`; absent from the first one. */
  readonly previous?: { readonly day: number; readonly rating: Rating; readonly target: Decimal };
}

/** An opinion comes in the days after results, and sometimes another in between. */
const AFTER_RESULTS = 4;
const BETWEEN = { chance: 0.3, from: 25, days: 15 };
const SLOTS = [1, 0] as const;
/** Reports to look back for what was said before: after more, it is forgotten. */
const LOOK_BACK = 4;

interface Opinion {
  readonly day: number;
  readonly rating: Rating;
  readonly target: Decimal;
}

/** Ratings and target prices of a company, dated around its results; each worked out for itself. */
export class Opinions {
  /** The last day on which the home listing is traded. */
  readonly #lastDay: number;

  constructor(
    private readonly company: IssuerTimeline,
    private readonly coverage: readonly Coverage[],
    private readonly estimates: Estimates,
  ) {
    const { lastTradingDay } = company.issuer.home;
    this.#lastDay = lastTradingDay === undefined ? Infinity : requireDay(lastTradingDay);
  }

  /** On the days [from, to], oldest first. */
  between(from: number, to: number): readonly RatingChange[] {
    const found: RatingChange[] = [];
    const last = this.company.lastPublished(Math.min(to, this.#lastDay));
    let quarter = this.company.lastPublished(from) - this.company.quartersPerReport;
    while (quarter <= last) {
      for (const coverage of this.coverage) {
        for (const slot of SLOTS) {
          const opinion = this.#opinion(coverage, quarter, slot);
          if (opinion !== undefined && opinion.day >= from && opinion.day <= to) found.push(this.#change(coverage, quarter, opinion));
        }
      }
      quarter += this.company.quartersPerReport;
    }
    return found.sort((a, b) => a.day - b.day || (a.broker < b.broker ? -1 : 1));
  }

  #change(coverage: Coverage, quarter: number, { day, rating, target }: Opinion): RatingChange {
    const before = this.#before(coverage, quarter, day);
    const change = { day, broker: coverage.broker, analyst: coverage.analyst, rating, target };
    if (before === undefined) return change;
    return { ...change, previous: { ...before, target: this.company.inSharesOf(before.target, before.day, day) } };
  }

  /** Opinion that a broker had of a company before a day on which it gives one after the results of a quarter. */
  #before(coverage: Coverage, quarter: number, day: number): Opinion | undefined {
    for (let back = 0; back < LOOK_BACK; back++) {
      for (const slot of SLOTS) {
        const opinion = this.#opinion(coverage, quarter - back * this.company.quartersPerReport, slot);
        if (opinion !== undefined && opinion.day < day) return opinion;
      }
    }
    return undefined;
  }

  #opinion({ key, from }: Coverage, quarter: number, slot: 0 | 1): Opinion | undefined {
    const stream = mix(mix(key, 5 + slot), quarter);
    if (slot === 1 && uniform(stream, 0) >= BETWEEN.chance) return undefined;
    const after =
      slot === 0 ? 1 + Math.floor(AFTER_RESULTS * uniform(stream, 1)) : BETWEEN.from + Math.floor(BETWEEN.days * uniform(stream, 1));
    const day = firstCommon([this.company.issuer.home], this.company.published(quarter) + after);
    // Opinions overtaken by the next results are not published.
    if (day < from || day > this.#lastDay || day >= this.company.published(quarter + this.company.quartersPerReport)) return undefined;
    // How it likes the company: for long, of late, and for the results that were just seen.
    const lasting = normal(mix(key, 7), quarter >> 3);
    const liking = 0.4 + 0.85 * lasting + 0.25 * this.estimates.beat(quarter) + 0.1 * normal(stream, 2);
    const upside = 0.05 + 0.1 * liking + 0.03 * normal(stream, 3);
    return {
      day,
      rating: ratingOf(liking),
      target: significant((this.company.prices.at(this.company.issuer.home, day - 1) / 1e9) * (1 + upside)),
    };
  }
}

function ratingOf(liking: number): Rating {
  if (liking > 1.3) return 'strong buy';
  if (liking > 0.4) return 'buy';
  if (liking > -0.6) return 'hold';
  return liking > -1.2 ? 'underperform' : 'sell';
}
