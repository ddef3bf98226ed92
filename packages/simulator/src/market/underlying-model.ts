import { DAY_MS, requireDay } from '@svc-gateway/contract/time';
import type { ListingTimeline } from '../companies/listing-timeline.js';
import { type ExpectedDividend, type Outlook, presentValue } from '../pricing/option-terms.js';
import { smiles, totalVariance, type VolatilitySurface, volatilityAt } from '../pricing/volatility-surface.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import { type RateArea, riskFreeRate } from '../world/risk-free-rate.js';
import type { PriceRange } from './price-range.js';
import type { Spot } from './spot.js';

const YEAR_MS = 365 * DAY_MS;
const DAYS_PER_YEAR = 365;
const BILLIONTHS_OF_PERCENT = 1e11;
/** Days over which past moves count for today's volatility. */
const REALISED_DAYS = 28;
/** How far today's variance may lie from the long run's. */
const VARIANCE_LEAST = 0.5;
const VARIANCE_MOST = 2.5;
/** Sellers of options ask for more variance than there is. */
const PREMIUM = 1.1;
const CACHED_DAYS = 64;
/** A chain is valued at one moment, and by the morning of its day. */
const CACHED_PRICES = 32;
/** Dividends are looked for as far ahead as options run. */
const EXPECTED_DAYS = 1_200;
/** Yield of an underlying without futures in the world. */
const INDEX_YIELD = 0.025;

const NONE: readonly ExpectedDividend[] = [];

interface Past {
  readonly surface: VolatilitySurface;
  readonly rate: number;
  readonly yield: number;
}

/** Valuation model of one underlying: its spot price, and by day rates, coming dividends and the volatility surface. */
export class UnderlyingModel {
  readonly #days = new LruCache<number, Past>(CACHED_DAYS);
  readonly #area: RateArea;
  readonly #prices = new LruCache<number, number>(CACHED_PRICES);
  /** The outlook that was asked for last: options of one expiry ask for it one after another. */
  #last:
    | { readonly of: readonly [spot: number, day: number, time: number, expires: number, shares: number]; readonly outlook: Outlook }
    | undefined;
  #expected: { readonly day: number; readonly until: number; readonly cash: readonly { ex: number; cash: number }[] } | undefined;

  /**
   * @param path price of a day in billionths, whether it trades or not
   * @param carry of futures on it, a fraction a year
   */
  constructor(
    readonly instrument: Instrument,
    private readonly spot: Spot,
    private readonly path: (day: number) => number,
    private readonly timeline: ListingTimeline | undefined,
    private readonly carry: number | undefined,
  ) {
    this.#area = instrument.currency === 'HKD' ? 'hk' : instrument.currency === 'JPY' ? 'jp' : 'us';
  }

  /** Unrounded billionths. */
  at(time: number): number {
    return this.#prices.get(time, () => this.spot.at(time));
  }

  range(from: number, until: number): PriceRange {
    return this.spot.range(from, until);
  }

  /** Shares on a day for each share of an earlier one: contracts keep their terms through splits and deliver what a share has become. */
  sharesSince(day: number, earlier: number): number {
    return this.timeline === undefined ? 1 : this.timeline.shareFactor(day) / this.timeline.shareFactor(earlier);
  }

  /**
   * Outlook of a unit that is `shares` shares of the day.
   *
   * @param spot price of the unit
   * @param day on which `time` lies, counted from 1970-01-01
   * @param expires epoch ms
   */
  outlook(spot: number, day: number, time: number, expires: number, shares = 1): Outlook {
    const of = [spot, day, time, expires, shares] as const;
    const last = this.#last;
    if (last?.of.every((value, place) => value === of[place])) return last.outlook;
    const outlook = this.#outlook(spot, day, time, expires, shares);
    this.#last = { of, outlook };
    return outlook;
  }

  #outlook(spot: number, day: number, time: number, expires: number, shares: number): Outlook {
    const { surface, rate, yield: paid } = this.#on(day);
    const years = Math.max(0, expires - time) / YEAR_MS;
    const dividends = this.#dividends(day, time, expires, shares);
    const held = Math.max(spot * 1e-6, spot - presentValue(dividends, rate));
    const forward = held * Math.exp((rate - paid) * years);
    return {
      spot,
      forward,
      years,
      rate,
      yield: paid,
      dividends,
      volatility: (strike) => volatilityAt(surface, Math.log(strike / forward), Math.max(years, 1e-8)),
    };
  }

  /** Volatility at the money of options that end in so many years, as of a day: a fraction. */
  atTheMoney(day: number, years: number): number {
    return Math.sqrt(totalVariance(this.#on(day).surface, years) / years);
  }

  /** Cash that goes off a unit after a day and up to the expiry. The market expects what will be paid. */
  #dividends(day: number, time: number, expires: number, shares: number): readonly ExpectedDividend[] {
    if (this.timeline === undefined) return NONE;
    const last = Math.floor(expires / DAY_MS);
    const found: ExpectedDividend[] = [];
    for (const { ex, cash } of this.#expectedFrom(day, last, this.timeline)) {
      if (ex <= day || ex > last) continue;
      const years = (Math.max(time + 1, Math.min(ex * DAY_MS, expires)) - time) / YEAR_MS;
      found.push({ years, cash: cash * this.sharesSince(ex, day) * shares });
    }
    return found.length === 0 ? NONE : found;
  }

  /** Expected dividends of the days (day, last]; a request for one day is followed by one for the next. */
  #expectedFrom(day: number, last: number, timeline: ListingTimeline) {
    let expected = this.#expected;
    if (expected === undefined || day < expected.day || last > expected.until) {
      const until = Math.max(last, day + EXPECTED_DAYS);
      const actions = timeline.between(day + 1, until).filter((action) => action.kind === 'dividend');
      expected = { day, until, cash: actions.map(({ exDay, cash }) => ({ ex: requireDay(exDay), cash: Number(cash) / 1e9 })) };
      this.#expected = expected;
    }
    return expected.cash;
  }

  #on(day: number): Past {
    return this.#days.get(day, () => {
      const rate = Number(riskFreeRate(day, this.#area)) / BILLIONTHS_OF_PERCENT;
      const paid = this.timeline !== undefined ? 0 : this.carry === undefined ? INDEX_YIELD : rate - this.carry;
      return { rate, yield: paid, surface: this.#surface(day) };
    });
  }

  #surface(day: number): VolatilitySurface {
    const { volatility, kind } = this.instrument;
    const usual = volatility * volatility;
    let squares = 0;
    let after = Math.log(this.path(day - 1));
    for (let back = 2; back <= REALISED_DAYS + 1; back++) {
      const before = Math.log(this.path(day - back) / this.sharesSince(day - back + 1, day - back));
      squares += (after - before) ** 2;
      after = Math.log(this.path(day - back));
    }
    const realised = (squares / REALISED_DAYS) * DAYS_PER_YEAR;
    const current = Math.min(VARIANCE_MOST, Math.max(VARIANCE_LEAST, (usual + realised) / (2 * usual))) * usual;
    const smile = kind === 'index' || kind === 'etf' ? smiles.index : smiles.share;
    return { current: PREMIUM * current, longRun: PREMIUM * usual, ...smile };
  }
}
