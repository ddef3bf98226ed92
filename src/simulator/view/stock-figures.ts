import type { BasicQot } from '../../contract/generated/Qot_Common_pb.js';
import type { EquitySnapshotExData } from '../../contract/generated/Qot_GetSecuritySnapshot_pb.js';
import type { QuoteMarket } from '../../contract/markets.js';
import type { Quote } from '../market/index.js';
import type { Market } from '../market/market.js';
import { industryPlate } from '../world/plates.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';
import { equityData } from './snapshot-kinds.js';

/** What lists and rankings show of a share: the figures of its quote and of its snapshot. */
export interface StockFigures {
  readonly listing: Listing;
  readonly quote: Quote;
  /** Shared: nothing may write to it. */
  readonly board: BasicQot;
  readonly equity: EquitySnapshotExData;
  /** Percent, from the previous close (the reference price, on an ex-day). */
  readonly changeRate: number;
  readonly changeAmount: number;
}

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'quoteBoard'>;

/** The figures of one share, now. */
export function stockFigures(facts: Needed, listing: Listing): StockFigures {
  const quote = facts.market.quote(listing.instrument);
  const change = quote.last - quote.previousClose;
  return {
    listing,
    quote,
    board: facts.quoteBoard.read(listing),
    equity: equityData(facts, listing.instrument, quote),
    changeRate: percent(change, quote.previousClose),
    changeAmount: Number(change) / 1e9,
  };
}

/** What a turn of the event loop may hold: a share that was not looked at on its day costs milliseconds, one that was a tenth of that. */
const TURN = 20;
const FRESH = 10;

const lookedAt = new WeakMap<Market, Map<Listing, string>>();

/** The shares of a market that are listed today, in the world's order. */
export function sharesOf({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): readonly Listing[] {
  return world.listed({ market, kind: 'equity' }).map((instrument) => listings.of(instrument));
}

/** What `step` makes of each share, pausing so that its quotes hold nobody up: for `inTurns`. */
export function* eachShare<R>(
  facts: Facts<'clock' | 'world' | 'market'>,
  shares: readonly Listing[],
  step: (share: Listing) => R,
): Generator<void, R[]> {
  const known = lookedAt.get(facts.market) ?? new Map<Listing, string>();
  lookedAt.set(facts.market, known);
  const now = facts.clock.now();
  const results: R[] = [];
  let spent = 0;
  for (const share of shares) {
    const day = facts.world.calendar(share.instrument).tradingDay(now);
    const cost = known.get(share) === day ? 1 : FRESH;
    if (spent > 0 && spent + cost > TURN) {
      yield;
      spent = 0;
    }
    spent += cost;
    results.push(step(share));
    known.set(share, day);
  }
  return results;
}

/** Name of what a share's company does. */
export function industryName({ companies }: Facts<'companies'>, { instrument }: Listing): string {
  return industryPlate(instrument.market, companies.company(instrument).industry)?.name ?? '';
}
