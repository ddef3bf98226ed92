import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { BasicQot } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Quote } from '../market/index.js';
import { industryPlate } from '../world/plates.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';
import { equityData } from './snapshot-kinds.js';

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard'>;

/** Figures of a share in lists and rankings: those of its quote and its snapshot, as of one moment. Computed on demand. */
export class StockFigures {
  #board: BasicQot | undefined;
  #equity: ReturnType<typeof equityData> | undefined;

  constructor(
    private readonly facts: Facts<'companies' | 'quoteBoard'>,
    readonly listing: Listing,
    readonly quote: Quote,
  ) {}

  /** Shared: nothing may write to it. */
  get board(): BasicQot {
    this.#board ??= this.facts.quoteBoard.of(this.listing, this.quote);
    return this.#board;
  }

  get equity(): ReturnType<typeof equityData> {
    this.#equity ??= equityData(this.facts, this.listing.instrument, this.quote);
    return this.#equity;
  }

  /** Percent, from the previous close (the reference price, on an ex-day). */
  get changeRate(): number {
    return percent(this.quote.last - this.quote.previousClose, this.quote.previousClose);
  }

  get changeAmount(): number {
    return decimalToNumber(this.quote.last - this.quote.previousClose);
  }
}

/** The figures of one share, now. */
export function stockFigures(facts: Omit<Needed, 'listings'>, listing: Listing): StockFigures {
  return new StockFigures(facts, listing, facts.market.quote(listing.instrument));
}

/** The figures of all shares of a market that are listed today, in the world's order. */
export function stocksOf(facts: Needed, market: QuoteMarket): readonly StockFigures[] {
  return sharesOf(facts, market).map((share) => stockFigures(facts, share));
}

/** The shares of a market that are listed today, in the world's order. */
export function sharesOf({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): readonly Listing[] {
  return world.listed({ market, kind: 'equity' }).map((share) => listings.of(share));
}

/** Name of what a share's company does. */
export function industryName({ companies }: Facts<'companies'>, { instrument }: Listing): string {
  return industryPlate(instrument.market, companies.company(instrument).industry)?.name ?? '';
}
