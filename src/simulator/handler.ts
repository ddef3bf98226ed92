import type { Clock } from '../contract/clock.js';
import type { Brokerage } from './brokerage/index.js';
import type { Market } from './market/market.js';
import { Refusal } from './refusal.js';
import type { World } from './world/index.js';

export { Refusal };

/** What every handler may look at. */
export interface Simulation {
  readonly clock: Clock;
  readonly world: World;
  readonly market: Market;
  readonly brokerage: Brokerage;
}

/** Answers one operation: its `C2S` in, its `S2C` (or a refusal) out. `Seen` is what it looks at. */
export type Handler<C2S, S2C, Seen extends Simulation = Simulation> = (
  simulation: Seen,
  request: C2S,
) => S2C | Refusal | Promise<S2C | Refusal>;
