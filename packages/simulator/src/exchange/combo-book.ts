import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import type { Side } from './price-levels.js';

/** One security of an order that trades several together. */
export interface ComboLeg {
  readonly instrument: Instrument;
  readonly side: Side;
  /** Units of the leg in one unit of the order. */
  readonly ratio: bigint;
}

/** An order of several legs, which trade in their ratios or not at all. */
export interface ComboOrder {
  readonly id: bigint;
  readonly legs: readonly ComboLeg[];
  /** The most that a unit may cost: what is bought less what is sold. Below zero, the least that it must bring. */
  readonly limit: Decimal;
  readonly volume: bigint;
  /** It trades in multiples of so many units, for the legs' board lots. */
  readonly step: bigint;
}

/** An order that waits for its legs' books. */
export interface RestingCombo {
  readonly order: ComboOrder;
  left: bigint;
}

/** Orders with the same legs wait in one queue: while its first cannot trade, none behind it can. */
export class ComboBook {
  readonly #queues = new Map<string, RestingCombo[]>();
  readonly #resting = new Map<bigint, RestingCombo>();
  /** Keys of queues by the symbols of their legs. */
  readonly #bySymbol = new Map<string, Set<string>>();

  get(id: bigint): RestingCombo | undefined {
    return this.#resting.get(id);
  }

  all(): Iterable<RestingCombo> {
    return this.#resting.values();
  }

  /** Behind those that pay as much or more. */
  rest(order: ComboOrder, left: bigint): void {
    const resting = { order, left };
    const key = keyOf(order);
    const queue = this.#queues.get(key) ?? [];
    const behind = queue.findIndex(({ order: other }) => other.limit < order.limit);
    queue.splice(behind < 0 ? queue.length : behind, 0, resting);
    this.#queues.set(key, queue);
    this.#resting.set(order.id, resting);
    for (const { instrument } of order.legs) {
      const keys = this.#bySymbol.get(instrument.symbol) ?? new Set();
      this.#bySymbol.set(instrument.symbol, keys.add(key));
    }
  }

  /** Takes an order out; undefined when it does not rest. */
  remove(id: bigint): RestingCombo | undefined {
    const resting = this.#resting.get(id);
    if (resting === undefined) return undefined;
    this.#resting.delete(id);
    const key = keyOf(resting.order);
    const queue = this.#queues.get(key) ?? [];
    queue.splice(queue.indexOf(resting), 1);
    if (queue.length > 0) return resting;
    this.#queues.delete(key);
    for (const { instrument } of resting.order.legs) {
      const keys = this.#bySymbol.get(instrument.symbol);
      keys?.delete(key);
      if (keys?.size === 0) this.#bySymbol.delete(instrument.symbol);
    }
    return resting;
  }

  /** The first of each queue with a leg in a symbol, in the order in which the queues began. */
  firstsIn(symbol: string): readonly RestingCombo[] {
    return [...(this.#bySymbol.get(symbol) ?? [])].flatMap((key) => this.#queues.get(key)?.slice(0, 1) ?? []);
  }

  /** The first of the queue that an order waits or waited in. */
  firstLike(order: ComboOrder): RestingCombo | undefined {
    return this.#queues.get(keyOf(order))?.[0];
  }
}

function keyOf({ legs, step }: ComboOrder): string {
  return [...legs.map(({ instrument, side, ratio }) => `${instrument.symbol}/${side}/${ratio}`), step].join(' ');
}
