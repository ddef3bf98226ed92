import type { Decimal } from '@svc-gateway/contract/decimal';
import { type BackgroundLevel, type BookState, backgroundLevels, type Side } from './background-book.js';
import { type LevelOrder, levelOrders, queued, remainder } from './level-orders.js';
import type { BookLevel, DetailedLevel, Execution, RestingOrder } from './market.js';

interface Resting {
  volume: bigint;
  orderCount: number;
  /** Earliest first. */
  readonly orders: Set<RestingOrder>;
}

type Taken = { readonly draw: number; readonly volume: number };

/** Callers' part of a book, as plain data; without the orders behind each level. */
export interface BookChange {
  readonly resting: Readonly<Record<Side, readonly (readonly [price: number, volume: bigint, orderCount: number])[]>>;
  readonly taken: Readonly<Record<Side, readonly (readonly [price: number, taken: Taken])[]>>;
  readonly changedAt: number;
}

/**
 * One symbol's order book: the background's levels, less what callers took of them, plus what callers have resting.
 *
 * A background level at or through a caller's resting price on the other side would cross the book. It is hidden: not shown, but
 * there to be taken, at the resting price, by the caller's order that it meets. So the matching engine calls `take` for each resting
 * order when the market changes, limited by the order's own price, and gets what the background sends against it.
 */
export class OrderBook {
  readonly #resting = { buy: new Map<number, Resting>(), sell: new Map<number, Resting>() };
  /** Volume taken from levels, by side and price, with the draw of the level that it was taken from. */
  readonly #taken = { buy: new Map<number, Taken>(), sell: new Map<number, Taken>() };

  /** When a caller last changed the book, epoch ms. */
  changedAt = 0;
  /** Rises with every change. */
  version = 0;

  state(): BookChange {
    const resting = (side: Side) => [...this.#resting[side]].map(([price, { volume, orderCount }]) => [price, volume, orderCount] as const);
    return {
      resting: { buy: resting('buy'), sell: resting('sell') },
      taken: { buy: [...this.#taken.buy], sell: [...this.#taken.sell] },
      changedAt: this.changedAt,
    };
  }

  /** Takes over the state of the original that this is a copy of. */
  adopt({ resting, taken, changedAt }: BookChange): void {
    for (const side of ['buy', 'sell'] as const) {
      this.#resting[side].clear();
      for (const [price, volume, orderCount] of resting[side]) this.#resting[side].set(price, { volume, orderCount, orders: new Set() });
      this.#taken[side].clear();
      for (const [price, part] of taken[side]) this.#taken[side].set(price, part);
    }
    this.changedAt = changedAt;
  }

  show(side: Side, price: Decimal, volumeChange: bigint, orderCountChange: number, order: RestingOrder): void {
    this.version += 1;
    const key = Number(price);
    const resting = this.#resting[side].get(key) ?? { volume: 0n, orderCount: 0, orders: new Set() };
    resting.volume += volumeChange;
    resting.orderCount += orderCountChange;
    if (orderCountChange > 0) resting.orders.add(order);
    else if (orderCountChange < 0) resting.orders.delete(order);
    if (resting.volume < 0n) throw new Error(`more volume was removed from the book at ${price} than was shown there`);
    if (resting.volume === 0n) this.#resting[side].delete(key);
    else this.#resting[side].set(key, resting);
  }

  /** The best `depth` levels of one side as shown. */
  levels(state: BookState, side: Side, depth: number): BookLevel[] {
    const met = this.#resting[side === 'buy' ? 'sell' : 'buy'];
    // The whole depth is drawn only where some of it may be gone or hidden.
    const background =
      met.size + this.#taken[side].size === 0
        ? backgroundLevels(state, side, depth)
        : this.#open(state, side).filter((level) => !this.#isHidden(side, level.price));
    const resting = this.#resting[side];
    if (resting.size === 0) return background.slice(0, depth).map(shown);
    const merged = new Map<number, BookLevel>(background.map((level) => [level.price, shown(level)]));
    for (const [key, { volume, orderCount }] of resting) {
      const there = merged.get(key);
      merged.set(key, {
        price: BigInt(key),
        volume: volume + (there?.volume ?? 0n),
        orderCount: Math.max(1, orderCount) + (there?.orderCount ?? 0),
      });
    }
    const best = side === 'buy' ? -1 : 1;
    return [...merged.values()].sort((a, b) => best * Number(a.price - b.price)).slice(0, depth);
  }

  /**
   * Levels of a side, as {@link levels} shows them, with their orders. What was taken of a level of the background was taken from the
   * front of its queue; callers' orders stand where they came to rest.
   */
  detailed(state: BookState, side: Side, levels: readonly BookLevel[]): DetailedLevel[] {
    // A recording has levels, and says nothing of the orders in them.
    if ('shown' in state) return levels.map((level) => ({ ...level, orders: [] }));
    const drawnAt = new Map(levelsOf(state, side).map((level) => [level.price, level]));
    return levels.map((level) => {
      const price = Number(level.price);
      const drawn = drawnAt.get(price);
      const background = drawn === undefined || this.#isHidden(side, price) ? [] : this.#left(drawn, side);
      const callers = [...(this.#resting[side].get(price)?.orders ?? [])];
      return { ...level, orders: queued(background, callers) };
    });
  }

  /** Orders left of a background level. */
  #left(level: BackgroundLevel, side: Side): readonly LevelOrder[] {
    const part = this.#taken[side].get(level.price);
    const orders = levelOrders(level);
    return part === undefined || part.draw !== level.draw ? orders : remainder(orders, part.volume);
  }

  /** Volume of the background shown at exactly this price. */
  volumeAt(state: BookState, side: Side, price: Decimal): bigint {
    const level = this.#open(state, side).find((candidate) => candidate.price === Number(price));
    return level === undefined || this.#isHidden(side, level.price) ? 0n : BigInt(level.volume);
  }

  /** Takes background liquidity for a caller who buys or sells: see `SimulatedMarket.take`. `resting` marks executions at a resting price. */
  take(state: BookState, side: Side, volume: bigint, limit: Decimal | undefined): (Execution & { readonly resting: boolean })[] {
    const from: Side = side === 'buy' ? 'sell' : 'buy';
    const through = (price: number, bound: number) => (side === 'buy' ? price > bound : price < bound);
    const met = this.#best(side);
    const executions: (Execution & { readonly resting: boolean })[] = [];
    const [best] = levelsOf(state, from);
    // Out of reach, as most limits are.
    if (best === undefined || (limit !== undefined && through(best.price, Number(limit)))) return executions;
    this.version += 1;
    this.#forgetRenewed(state, from);
    let rest = volume;
    for (const level of this.#open(state, from)) {
      if (rest <= 0n || (limit !== undefined && through(level.price, Number(limit)))) break;
      const part = rest < BigInt(level.volume) ? rest : BigInt(level.volume);
      const hidden = met !== undefined && !through(level.price, met);
      const restingPrice = met !== undefined && limit !== undefined && through(met, Number(limit)) ? Number(limit) : met;
      executions.push({ price: BigInt(hidden && restingPrice !== undefined ? restingPrice : level.price), volume: part, resting: hidden });
      const before = this.#taken[from].get(level.price);
      this.#taken[from].set(level.price, { draw: level.draw, volume: Number(part) + (before?.volume ?? 0) });
      rest -= part;
    }
    return executions;
  }

  /** The background's levels with something left, hidden or not. */
  #open(state: BookState, side: Side): readonly BackgroundLevel[] {
    const levels = levelsOf(state, side);
    const taken = this.#taken[side];
    if (taken.size === 0) return levels;
    return levels.flatMap((level) => {
      const part = taken.get(level.price);
      if (part === undefined || part.draw !== level.draw) return [level];
      const volume = level.volume - part.volume;
      return volume <= 0 ? [] : [{ ...level, volume, orderCount: Math.max(1, remainder(levelOrders(level), part.volume).length) }];
    });
  }

  #forgetRenewed(state: BookState, side: Side): void {
    if (this.#taken[side].size === 0) return;
    const draws = new Map(levelsOf(state, side).map((level) => [level.price, level.draw]));
    for (const [price, { draw }] of this.#taken[side]) if (draws.get(price) !== draw) this.#taken[side].delete(price);
  }

  #isHidden(side: Side, price: number): boolean {
    const met = this.#best(side === 'buy' ? 'sell' : 'buy');
    return met !== undefined && (side === 'buy' ? price >= met : price <= met);
  }

  /** Callers' best resting price on a side. */
  #best(side: Side): number | undefined {
    let best: number | undefined;
    for (const price of this.#resting[side].keys()) if (best === undefined || (side === 'buy' ? price > best : price < best)) best = price;
    return best;
  }
}

const drawn = new WeakMap<BookState, { readonly [side in Side]?: readonly BackgroundLevel[] }>();

/** The background's whole depth: drawn once, as callers' orders ask for it again and again until the background changes. */
function levelsOf(state: BookState, side: Side): readonly BackgroundLevel[] {
  const known = drawn.get(state);
  const levels = known?.[side] ?? backgroundLevels(state, side);
  if (known?.[side] === undefined) drawn.set(state, { ...known, [side]: levels });
  return levels;
}

function shown({ price, volume, orderCount }: BackgroundLevel): BookLevel {
  return { price: BigInt(price), volume: BigInt(volume), orderCount };
}
