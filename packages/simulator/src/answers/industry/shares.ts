import type { Decimal } from '@svc-gateway/contract/decimal';
import { type Currency, type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { Issuer } from '../../companies/issuers.js';
import type { Row } from '../../screen/column-snapshot.js';
import { type Hit, sorted } from '../../screen/screen.js';
import { marketValue } from '../../screen/share-figures.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { membersOf } from '../../view/plates.js';
import type { Chain, IndustrialPlate } from '../../world/chains.js';
import type { Plate } from '../../world/plates.js';
import { sharesIn } from '../research/valuations.js';

type Needed = Facts<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches'>;

/** The markets that have plates. */
export const chainMarkets: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];

/** Totals of the stocks of a chain in one market. */
export interface ChainShares {
  /** Each once. */
  readonly hits: readonly Hit[];
  /** In the market's currency. */
  readonly worth: Decimal;
  /** The ten of the greatest value, that first. */
  readonly largest: readonly Hit[];
}

const LARGEST = 10;

/** The shares of a market at one minute, by their plates. */
class MarketShares {
  readonly #byListing: ReadonlyMap<Row['listing'], Hit>;

  constructor(
    private readonly facts: Needed,
    private readonly market: QuoteMarket,
  ) {
    const hits = sharesIn(facts, { market, members: undefined });
    this.#byListing = new Map(hits.map((hit) => [hit.row.listing, hit]));
  }

  /** Today's members of one of the market's plates, in the market's order. */
  members(plate: Plate): readonly Hit[] {
    return membersOf(this.facts, plate).flatMap((listing) => this.#byListing.get(listing) ?? []);
  }

  /** The shares of industrial plates, each once. */
  of(plates: readonly IndustrialPlate[]): readonly Hit[] {
    return [...new Set(plates.flatMap((one) => one.in(this.market) ?? []).flatMap((plate) => this.members(plate)))];
  }

  chain({ plates }: Chain): ChainShares {
    const hits = this.of(plates);
    const worth = worthOf(this.facts, hits, quoteMarket(this.market).currency);
    const largest = sorted(hits, [{ figure: marketValue, direction: 'descending' }]);
    return { hits, worth, largest: largest.slice(0, LARGEST) };
  }
}

const shares: CacheKind<MarketShares> = { max: 16 };

/** The shares of a market with the quotes of the minute. */
export function sharesOf(facts: Needed, market: QuoteMarket): MarketShares {
  return facts.caches.ofMinute(shares, market, () => new MarketShares(facts, market));
}

/** The shares of industrial plates in some markets, each once: market by market. */
export function sharesOfAll(facts: Needed, plates: readonly IndustrialPlate[], markets: readonly QuoteMarket[]) {
  return markets.flatMap((market) => sharesOf(facts, market).of(plates));
}

/**
 * Market value of the companies behind some shares, at the day's exchange rates. Each company counts once: at its home listing,
 * or at the first one if that is not among them. Its value is that of the snapshot.
 */
export function worthOf({ companies }: Facts<'companies'>, hits: readonly Hit[], currency: Currency): Decimal {
  const counted = new Map<Issuer, Row>();
  for (const { row } of hits) {
    const { instrument } = row.listing;
    const issuer = companies.issuer(instrument);
    if (!counted.has(issuer) || issuer.home === instrument) counted.set(issuer, row);
  }
  let sum = 0n;
  for (const { listing, quote } of counted.values()) {
    const { instrument } = listing;
    const value = quote.last * companies.figures(instrument, quote.tradingDay).issuedShares;
    sum += companies.inCurrency(value, instrument.currency, currency, quote.tradingDay);
  }
  return sum;
}
