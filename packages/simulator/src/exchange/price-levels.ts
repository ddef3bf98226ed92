import type { Decimal } from '@svc-gateway/contract/decimal';

export type Side = 'buy' | 'sell';

export function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** Whether an order of `side` limited to `limit` may trade at `price`. */
export function isWithin(side: Side, limit: Decimal, price: Decimal): boolean {
  return side === 'buy' ? price <= limit : price >= limit;
}

/** Order in a price level: the fields that matching reads and changes. */
export interface Resting {
  readonly id: bigint;
  readonly side: Side;
  readonly limit: Decimal;
  /** Trades in extended sessions too. */
  readonly extendedHours: boolean;
  /** Epoch ms at which it came to rest: earlier ticks were before it. */
  readonly restedAt: number;
  /** Shares or contracts still to trade. */
  remaining: bigint;
  /** Volume of the background that stood at this price before it and has not traded or left since. */
  queueAhead: bigint;
}

export interface PriceLevel {
  readonly price: Decimal;
  /** Earliest first. The one that is walked over may be removed. */
  readonly orders: Set<Resting>;
  /** No order has more ahead of it. */
  queueAheadMax: bigint;
}

/** The callers' resting orders of one side of one instrument: best price first, at one price the earliest first. */
export class PriceLevels {
  readonly #levels: PriceLevel[] = [];

  constructor(readonly side: Side) {}

  /** Best first. Stands still while it is walked: callers change it only through `add` and `remove`. */
  levels(): readonly PriceLevel[] {
    return this.#levels;
  }

  /** Behind every order at its price. */
  add(order: Resting): void {
    const index = this.#indexOf(order.limit);
    const level = this.#levels[index];
    if (level === undefined || level.price !== order.limit) {
      this.#levels.splice(index, 0, { price: order.limit, orders: new Set([order]), queueAheadMax: order.queueAhead });
      return;
    }
    level.orders.add(order);
    if (order.queueAhead > level.queueAheadMax) level.queueAheadMax = order.queueAhead;
  }

  remove(order: Resting): void {
    const index = this.#indexOf(order.limit);
    const level = this.#levels[index];
    if (level === undefined || level.price !== order.limit) throw new Error(`no level for order ${order.id}`);
    if (!level.orders.delete(order)) throw new Error(`order ${order.id} does not rest here`);
    if (level.orders.size === 0) this.#levels.splice(index, 1);
  }

  /** Index of the level at `price`, or where it would have to be put. */
  #indexOf(price: Decimal): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const level = this.#levels[middle];
      if (level !== undefined && this.#isBetter(level.price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBetter(a: Decimal, b: Decimal): boolean {
    return this.side === 'buy' ? a > b : a < b;
  }
}
