import type { Clock } from '../contract/clock.js';
import type { Brokerage } from './brokerage/index.js';
import type { CapitalFlows, SimulatedMarket } from './market/index.js';
import type { HistoryQuota } from './quote/history-quota.js';
import type { Listings } from './quote/listings.js';
import type { QuoteBoard } from './quote/quote-board.js';
import type { World } from './world/index.js';

/** Everything a handler may look at. Made once, by {@link createSimulation}. */
export interface Simulation {
  readonly clock: Clock;
  readonly world: World;
  readonly market: SimulatedMarket;
  readonly brokerage: Brokerage;
  readonly listings: Listings;
  readonly quoteBoard: QuoteBoard;
  readonly capitalFlows: CapitalFlows;
  readonly historyQuota: HistoryQuota;
}

/** A refusal by the brokerage: `retType` -1 with this text. */
export class Refusal {
  constructor(
    readonly message: string,
    /** Protocol errCode; 0 when the protocol names none. */
    readonly errCode = 0,
  ) {}
}

/** Answers one operation: its `C2S` in, its `S2C` (or a refusal) out. */
export type Handler<C2S, S2C> = (simulation: Simulation, request: C2S) => S2C | Refusal | Promise<S2C | Refusal>;
