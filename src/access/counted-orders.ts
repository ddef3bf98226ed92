import type { Store, Table, Transaction } from '../storage/index.js';

/** Orders counted for one holder of limits. The oldest are forgotten: a change of a forgotten order counts whole. */
const COUNTED_MAX = 5_000;

/** Row of an order that counts for a holder of limits: they are numbered in the order in which they came. */
interface Counted {
  readonly caller: string;
  readonly number: number;
}

/**
 * The orders whose value a holder of limits has counted, on disk. A change of any other order that makes it larger or brings it closer to the market
 * counts whole: what that trades, nobody has counted for this holder.
 */
export class CountedOrders {
  readonly #table: Table<Counted>;
  /** By holder, the names of its orders; the oldest first. */
  readonly #names = new Map<string, Set<string>>();
  #next = 0;

  constructor(store: Store) {
    this.#table = store.table('counted_orders');
    const rows = [...this.#table.entries()].sort(([, a], [, b]) => a.number - b.number);
    for (const [row, { caller, number }] of rows) {
      this.#of(caller).add(row.slice(rowOf(caller, '').length));
      this.#next = number + 1;
    }
  }

  has(caller: string, accId: bigint, names: readonly string[]): boolean {
    const own = this.#names.get(caller);
    return own !== undefined && names.some((name) => own.has(`${accId}/${name}`));
  }

  add(change: Transaction, caller: string, accId: bigint, name: string): void {
    const own = this.#of(caller);
    const text = `${accId}/${name}`;
    if (own.has(text)) return;
    own.add(text);
    change.put(this.#table, rowOf(caller, text), { caller, number: this.#next++ });
    const [oldest] = own;
    if (own.size <= COUNTED_MAX || oldest === undefined) return;
    own.delete(oldest);
    change.remove(this.#table, rowOf(caller, oldest));
  }

  #of(caller: string): Set<string> {
    let own = this.#names.get(caller);
    if (own === undefined) {
      own = new Set();
      this.#names.set(caller, own);
    }
    return own;
  }
}

function rowOf(caller: string, text: string): string {
  return `${caller}:${text}`;
}
