import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { LruCache } from '../rng/lru-cache.js';
import { keyOf } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { Careers, CIRCLE_SIZE } from './careers.js';
import type { Issuer } from './issuers.js';

/** Where a company stands among those that share executives with it. */
export interface Seat {
  readonly careers: Careers;
  readonly place: number;
  /** Home listing of the company at a place of the circle; undefined for a company that is not in the world. */
  readonly companyAt: (place: number) => Instrument | undefined;
}

const CACHED_CIRCLES = 100;

/** The companies of each market in circles of a few, in the order of the world: so one that is added changes no other. */
export class Peers {
  readonly #orders = new Map<QuoteMarket, { readonly all: readonly Instrument[]; readonly index: ReadonlyMap<string, number> }>();
  readonly #circles = new LruCache<string, Careers>(CACHED_CIRCLES);

  constructor(
    private readonly seed: string | number,
    private readonly equities: (market: QuoteMarket) => readonly Instrument[],
    private readonly issuer: (equity: Instrument) => Issuer,
  ) {}

  seatOf({ symbol, market }: Instrument): Seat {
    const { all, index } = this.#order(market);
    const number = index.get(symbol);
    // Companies of a larger world share no executives.
    if (number === undefined) return this.#alone(symbol, market);
    const circle = Math.floor(number / CIRCLE_SIZE);
    const name = `${this.seed}|careers|${market}|${circle}`;
    return {
      careers: this.#circles.get(name, () => new Careers(keyOf(name), market)),
      place: number % CIRCLE_SIZE,
      companyAt: (place) => {
        const listing = all[circle * CIRCLE_SIZE + place];
        return listing !== undefined && this.issuer(listing).home === listing ? listing : undefined;
      },
    };
  }

  #alone(symbol: string, market: QuoteMarket): Seat {
    const name = `${this.seed}|careers|${symbol}`;
    return { careers: this.#circles.get(name, () => new Careers(keyOf(name), market)), place: 0, companyAt: () => undefined };
  }

  #order(market: QuoteMarket) {
    const known = this.#orders.get(market);
    if (known !== undefined) return known;
    const all = this.equities(market);
    const order = { all, index: new Map(all.map(({ symbol }, number) => [symbol, number])) };
    this.#orders.set(market, order);
    return order;
  }
}
