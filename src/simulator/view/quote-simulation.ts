import type { Handler, Simulation } from '../handler.js';
import type { CapitalFlows, SimulatedMarket } from '../market/index.js';
import type { HistoryQuota } from './history-quota.js';
import type { Listings } from './listings.js';
import type { QuoteBoard } from './quote-board.js';

/** What the handlers of quote and system operations look at. Made once, by `createSimulation`. */
export interface QuoteSimulation extends Simulation {
  readonly market: SimulatedMarket;
  readonly listings: Listings;
  readonly quoteBoard: QuoteBoard;
  readonly capitalFlows: CapitalFlows;
  readonly historyQuota: HistoryQuota;
}

export type QuoteHandler<C2S, S2C> = Handler<C2S, S2C, QuoteSimulation>;
