import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Store, Table, Transaction } from '@svc-gateway/storage';

/** Orders counted for one holder of limits. The oldest are forgotten: a change of a forgotten order counts whole. */
const COUNTED_MAX = 5_000;

/** Value that is counted of an order, in its own currency. */
export interface CountedValue {
  readonly currency: string;
  readonly value: Decimal;
}

/** Row of an order that counts for a holder of limits: they are numbered in the order in which they came. Rows of before have no value: nobody knows what counts. */
interface Counted extends Partial<CountedValue> {
  readonly caller: string;
  readonly number: number;
}

/**
 * The values that holders of limits have counted of orders, on disk. A change that makes an order larger or brings it closer to the market counts
 * what exceeds that: what others have added, nobody has counted for this holder.
 */
export class CountedOrders {
  readonly #table: Table<Counted>;
  /** Orders of each holder by name, oldest first. */
  readonly #orders = new Map<string, Map<string, Counted>>();
  #next = 0;

  constructor(store: Store) {
    this.#table = store.table('counted_orders');
    const rows = [...this.#table.entries()].sort(([, a], [, b]) => a.number - b.number);
    for (const [row, counted] of rows) {
      this.#of(counted.caller).set(row.slice(rowOf(counted.caller, '').length), counted);
      this.#next = counted.number + 1;
    }
  }

  /** Value that counts already of an order, in a currency; 0 where that is not known. */
  valueOf(caller: string, accId: bigint, names: readonly string[], currency: string): Decimal {
    const own = this.#orders.get(caller);
    let most = 0n;
    for (const name of names) {
      const counted = own?.get(`${accId}/${name}`);
      if (counted?.currency === currency && (counted.value ?? 0n) > most) most = counted.value ?? 0n;
    }
    return most;
  }

  /** Adds to an order's counted value; a new or re-enabled order counts in full. */
  add(
    change: Transaction,
    caller: string,
    { accId, names, isChange }: { readonly accId: bigint; readonly names: readonly string[]; readonly isChange: boolean },
    { currency, value: more }: CountedValue,
  ): void {
    const before = this.valueOf(caller, accId, names, currency);
    const value = isChange ? before + more : more;
    if (value <= before) return;
    const own = this.#of(caller);
    for (const name of names) {
      const text = `${accId}/${name}`;
      const counted = { caller, number: own.get(text)?.number ?? this.#next++, currency, value };
      own.set(text, counted);
      change.put(this.#table, rowOf(caller, text), counted);
    }
    for (const oldest of own.keys()) {
      if (own.size <= COUNTED_MAX) return;
      own.delete(oldest);
      change.remove(this.#table, rowOf(caller, oldest));
    }
  }

  #of(caller: string): Map<string, Counted> {
    let own = this.#orders.get(caller);
    if (own === undefined) {
      own = new Map();
      this.#orders.set(caller, own);
    }
    return own;
  }
}

function rowOf(caller: string, text: string): string {
  return `${caller}:${text}`;
}
