import { DECIMAL_ONE, type Decimal, lesser } from '@svc-gateway/contract/decimal';
import { unitMultiplier } from './net-price.js';
import type { Side } from './price-levels.js';

/** One leg of an order and what the other side of its book offers, best first. */
export interface LegOffer {
  readonly side: Side;
  /** Units of the leg in one unit of the order. */
  readonly ratio: bigint;
  /** Money that one unit of the leg is worth at a price of 1. */
  readonly multiplier?: Decimal;
  readonly levels: readonly { readonly price: Decimal; readonly volume: bigint }[];
}

/** Trades that an order of several legs can make at once. */
export interface ComboPlan {
  /** Units of the order; each leg trades its ratio of them. */
  readonly units: bigint;
  /** By leg, the worst price that is needed. */
  readonly limits: readonly Decimal[];
}

/**
 * How much of an order trades: as many units as all legs can be had for, together at `limit` a unit or better (what is bought less what is sold), at most `volume` and a
 * multiple of `step`. Books are taken best first, so that each further unit costs as much as the one before or more.
 */
export function comboPlan(legs: readonly LegOffer[], limit: Decimal, volume: bigint, step: bigint): ComboPlan {
  const cursors = legs.map((leg) => new Cursor(leg));
  const most = limit * unitMultiplier(legs);
  let units = 0n;
  while (units < volume) {
    const room = cursors.map((cursor) => cursor.unitsAtOnePrice).reduce(lesser);
    const whole = lesser(room - (room % step), volume - units);
    const size = whole > 0n ? whole : step;
    const costs = cursors.map((cursor) => cursor.cost(size));
    let net = 0n;
    for (const cost of costs) {
      if (cost === undefined) return planned(units, cursors);
      net += cost;
    }
    if (net > most * size) break;
    for (const cursor of cursors) cursor.take(size);
    units += size;
  }
  return planned(units, cursors);
}

function planned(units: bigint, cursors: readonly Cursor[]): ComboPlan {
  return { units, limits: cursors.map(({ worst }) => worst) };
}

/** How far a leg has got in its book. */
class Cursor {
  #level = 0;
  #taken = 0n;
  /** The worst price so far. */
  worst: Decimal = 0n;

  constructor(private readonly leg: LegOffer) {}

  /** Units of the order for which the best level suffices. */
  get unitsAtOnePrice(): bigint {
    const { levels, ratio } = this.leg;
    return ((levels[this.#level]?.volume ?? this.#taken) - this.#taken) / ratio;
  }

  /** Money × 10⁹ that so many units of the order pay for this leg (below zero: get for it); undefined where there is not so much. */
  cost(units: bigint): Decimal | undefined {
    let sum = 0n;
    const left = this.#walk(units, (price, part) => {
      sum += price * part;
    });
    if (left.volume > 0n) return undefined;
    const { side, multiplier = DECIMAL_ONE } = this.leg;
    return (side === 'buy' ? sum : -sum) * multiplier;
  }

  take(units: bigint): void {
    const end = this.#walk(units, (price) => {
      this.worst = price;
    });
    [this.#level, this.#taken] = [end.level, end.taken];
  }

  #walk(units: bigint, visit: (price: Decimal, part: bigint) => void): { level: number; taken: bigint; volume: bigint } {
    let [level, taken, volume] = [this.#level, this.#taken, units * this.leg.ratio];
    for (let at = this.leg.levels[level]; at !== undefined && volume > 0n; at = this.leg.levels[level]) {
      const part = lesser(at.volume - taken, volume);
      if (part > 0n) visit(at.price, part);
      volume -= part;
      taken += part;
      if (taken < at.volume) break;
      [level, taken] = [level + 1, 0n];
    }
    return { level, taken, volume };
  }
}
