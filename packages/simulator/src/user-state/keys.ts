import type { Store, Table, Transaction } from '@svc-gateway/storage';

/** The keys of one kind of thing. They rise, and none is given twice: what had it may have been deleted, and a client still names it. */
export class Keys {
  readonly #kind: string;
  readonly #table: Table<bigint>;
  #last: bigint;

  /** @param used keys of what there is, from before the newest was kept. */
  constructor(store: Store, kind: string, used: Iterable<bigint>) {
    this.#kind = kind;
    this.#table = store.table<bigint>('sim-user-state-keys');
    this.#last = this.#table.get(kind) ?? 0n;
    for (const key of used) if (key > this.#last) this.#last = key;
  }

  next(): bigint {
    this.#last += 1n;
    return this.#last;
  }

  /** To be written with what has the keys. */
  keep(transaction: Transaction): void {
    transaction.put(this.#table, this.#kind, this.#last);
  }
}
