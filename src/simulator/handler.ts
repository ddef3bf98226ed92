import type { Clock } from '../contract/clock.js';
import type { Brokerage } from './brokerage/index.js';
import type { Market } from './market/market.js';
import type { World } from './world/index.js';

/** What every handler may look at. */
export interface Simulation {
  readonly clock: Clock;
  readonly world: World;
  readonly market: Market;
  readonly brokerage: Brokerage;
}

/** A refusal by the brokerage: `retType` -1 with this text. */
export class Refusal {
  constructor(
    readonly message: string,
    /** Protocol errCode; 0 when the protocol names none. */
    readonly errCode = 0,
  ) {}
}

/** Answers one operation: its `C2S` in, its `S2C` (or a refusal) out. `Seen` is what it looks at. */
export type Handler<C2S, S2C, Seen extends Simulation = Simulation> = (
  simulation: Seen,
  request: C2S,
) => S2C | Refusal | Promise<S2C | Refusal>;
