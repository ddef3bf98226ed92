import { Absences } from '../../access/index.js';
import type { Clock } from '../../contract/clock.js';
import { PositionSide } from '../../contract/generated/Trd_Common_pb.js';
import { LOST_MS } from './order-lookup.js';

/** Positions that are remembered, of all accounts. */
const POSITIONS_MAX = 10_000;

/** A position that orders may have opened. */
interface Opened {
  /** Orders that are sent and not answered. */
  underWay: number;
  /** When the last of the others may have been filled, of `Clock.monotonic`: no list asked for before shows what it has opened. */
  since: number;
}

/** An order that is under way. */
export interface OpeningOrder {
  /** `isMade`: undefined if unknown. */
  ended(isMade: boolean | undefined): void;
}

/** Side of the position that an order on this side may open. */
export function opens(side: string): PositionSide | undefined {
  if (side === 'BUY') return PositionSide.PositionSide_Long;
  return side === 'SELL' || side === 'SELL_SHORT' ? PositionSide.PositionSide_Short : undefined;
}

/** Positions that orders sent from here may have opened: one counts as there until two lists, asked for since and some seconds apart, lack it. */
export class OpenedPositions {
  readonly #positions = new Map<string, Opened>();
  readonly #absences = new Absences<string>();

  constructor(
    private readonly clock: Clock,
    private readonly apartMs: number,
  ) {}

  /** An order is about to be sent that may open a position, named by its account, symbol and side. */
  sending(name: string): OpeningOrder {
    const opened = this.#opened(name);
    opened.underWay += 1;
    return {
      ended: (isMade) => {
        opened.underWay -= 1;
        const now = this.clock.monotonic();
        if (isMade === false) return;
        this.#opened(name).since = Math.max(opened.since, isMade ? now : now + LOST_MS);
        this.#absences.forget(name);
      },
    };
  }

  /** An order has filled that may have opened a position. */
  filled(name: string): void {
    this.sending(name).ended(true);
  }

  /** Whether a position may be there that a list asked for at `askedAt` lacks. */
  mayBeThere(name: string, askedAt: number): boolean {
    const opened = this.#positions.get(name);
    if (opened === undefined) return false;
    if (opened.underWay > 0 || askedAt < opened.since) return true;
    if (!this.#absences.provenBy(name, askedAt, this.apartMs)) return true;
    this.#positions.delete(name);
    return false;
  }

  #opened(name: string): Opened {
    const known = this.#positions.get(name);
    const opened = known ?? { underWay: 0, since: Number.NEGATIVE_INFINITY };
    if (known === undefined) this.#positions.set(name, opened);
    for (const [oldest, { underWay }] of this.#positions) {
      if (this.#positions.size <= POSITIONS_MAX) break;
      if (underWay > 0 || oldest === name) continue;
      this.#positions.delete(oldest);
      this.#absences.forget(oldest);
    }
    return opened;
  }
}
