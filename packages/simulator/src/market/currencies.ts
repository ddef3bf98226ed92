import { LruCache } from '../rng/lru-cache.js';
import { type Anchor, chainPrice } from '../rng/price-chain.js';
import { keyOf, mix, normal } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** Segments of a day between two knots of a currency's path: a power of two. */
export const SEGMENTS = 256;

/** Base currency of all pairs; USD = 1. */
const DOLLAR = 'USD';
const DAYS_PER_YEAR = 365;
const CACHED_DAYS = 500;
/** Size of the price gap after a weekend, in daily standard deviations. */
const GAP = 0.25;

/** How a currency is quoted: its pair with the dollar. */
interface Major {
  readonly pair: Instrument;
  /** The pair names the dollar first: USDJPY. */
  readonly inverted: boolean;
}

/**
 * Value of each currency in dollars, as one path a currency. Every pair is the quotient of two, so that pairs agree at
 * every moment: EURUSD × USDJPY = EURJPY.
 */
export class Currencies {
  readonly #days = new LruCache<string, readonly number[]>(CACHED_DAYS);
  /** By currency. */
  readonly #majors = new Map<string, Major>();

  constructor(
    private readonly seed: number | string,
    pairs: readonly Instrument[],
    private readonly days: TradingDays,
    private readonly anchor: (instrument: Instrument) => Anchor | undefined,
  ) {
    for (const pair of pairs) {
      const [first, second] = currenciesOf(pair);
      if (second === DOLLAR) this.#majors.set(first, { pair, inverted: false });
      else if (first === DOLLAR) this.#majors.set(second, { pair, inverted: true });
    }
  }

  /** Whether a pair is the quotient of two paths. Loaded history of a cross has it go on by itself from its last close. */
  quotes(pair: Instrument): boolean {
    const currencies = currenciesOf(pair);
    if (!currencies.every((currency) => currency === DOLLAR || this.#majors.has(currency))) return false;
    return currencies.includes(DOLLAR) || this.anchor(pair) === undefined;
  }

  /** The rates of a pair at a day's knots, in billionths: at its start, after each of its {@link SEGMENTS}, and so at its end. */
  knots(pair: Instrument, day: TradingDay): { readonly first: readonly number[]; readonly second: readonly number[] } {
    const [first, second] = currenciesOf(pair);
    return { first: this.#path(first, day), second: this.#path(second, day) };
  }

  #path(currency: string, day: TradingDay): readonly number[] {
    return this.#days.get(`${currency} ${day.day}`, () => this.#makePath(currency, day));
  }

  /** Halved again and again, as a random walk between two known ends is. */
  #makePath(currency: string, day: TradingDay): readonly number[] {
    const major = this.#majors.get(currency);
    if (major === undefined) return new Array<number>(SEGMENTS + 1).fill(1);
    const yesterday = this.days.previous(day);
    const daily = dailyDeviation(major.pair);
    const key = mix(keyOf(`${this.seed}|currency|${currency}`), day.number);
    const before = this.#close(currency, major, yesterday);
    const gap = yesterday.end === day.start ? 0 : GAP * daily * normal(key, 0);
    const path = new Array<number>(SEGMENTS + 1).fill(0);
    path[0] = before * (1 + gap);
    path[SEGMENTS] = this.#close(currency, major, day);
    let deviation = 0.5 * before * daily;
    let draws = 1;
    for (let step = SEGMENTS; step > 1; step /= 2) {
      for (let at = 0; at < SEGMENTS; at += step) {
        path[at + step / 2] = ((path[at] ?? 0) + (path[at + step] ?? 0)) / 2 + deviation * normal(key, draws);
        draws += 1;
      }
      deviation *= Math.SQRT1_2;
    }
    return path;
  }

  /** Dollars for one of the currency at the end of a day. */
  #close(currency: string, { pair, inverted }: Major, day: TradingDay): number {
    const anchor = this.anchor(pair) ?? { price: Number(pair.referencePrice) };
    const rate = chainPrice(keyOf(`${this.seed}|${currency}`), day.number, dailyDeviation(pair), anchor) / 1e9;
    return inverted ? 1 / rate : rate;
  }
}

function dailyDeviation({ volatility }: Instrument): number {
  return volatility / Math.sqrt(DAYS_PER_YEAR);
}

/** "EURUSD" → EUR and USD. */
function currenciesOf({ code }: Instrument): readonly [string, string] {
  return [code.slice(0, 3), code.slice(3)];
}
