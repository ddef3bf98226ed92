import type { Table, Transaction } from '@svc-gateway/storage';

/** Orders that share a row. */
const BLOCK = 32;
/** Keys sort as the numbers do. */
const DIGITS = 12;

/** Orders that became live one after the other, and which of them still are. */
export interface LiveBlock {
  readonly key: string;
  readonly ids: bigint[];
  /** How many its row names. */
  listed: number;
}

/**
 * Index on disk of the orders that a restart loads: many ids in one row, so that simultaneous orders write once a flush.
 * A row may name too many orders and never too few: an order leaves it when its end is on disk, and the row is rewritten
 * when half of its orders have left. The order's own record holds everything else.
 */
export class LiveOrders {
  /** Full ones, and the last, which new orders enter. */
  #last: LiveBlock;
  #number: number;
  /** Half of what their rows name has left. */
  readonly #shrunk = new Set<LiveBlock>();

  constructor(private readonly table: Table<readonly bigint[]>) {
    const [newest] = [...table.entries()].slice(-1);
    this.#number = newest === undefined ? 0 : Number(newest[0]) + 1;
    this.#last = blockOf(this.#number);
  }

  /** The orders that the rows name, and the block of each. */
  *named(): Iterable<readonly [bigint, LiveBlock]> {
    for (const [key, ids] of this.table.entries()) {
      const block: LiveBlock = { key, ids: [...ids], listed: ids.length };
      for (const id of ids) yield [id, block];
    }
  }

  /** Enters an order that is live from this change on. */
  enter(id: bigint, transaction: Transaction): LiveBlock {
    if (this.#last.ids.length >= BLOCK) {
      this.#number += 1;
      this.#last = blockOf(this.#number);
    }
    const block = this.#last;
    block.ids.push(id);
    this.#put(block, transaction);
    return block;
  }

  /** An order has left whose end is on disk, or that never got there. */
  leave(id: bigint, block: LiveBlock): void {
    const place = block.ids.indexOf(id);
    if (place >= 0) block.ids.splice(place, 1);
    if (block.ids.length * 2 <= block.listed) this.#shrunk.add(block);
  }

  /** Writes with a change what has shrunk since the last one. */
  save(transaction: Transaction): void {
    if (this.#shrunk.size === 0) return;
    for (const block of this.#shrunk) {
      if (block.ids.length > 0) this.#put(block, transaction);
      else transaction.remove(this.table, block.key);
    }
    this.#shrunk.clear();
  }

  #put(block: LiveBlock, transaction: Transaction): void {
    transaction.putLatest(this.table, block.key, () => {
      block.listed = block.ids.length;
      return [...block.ids];
    });
  }
}

function blockOf(number: number): LiveBlock {
  return { key: String(number).padStart(DIGITS, '0'), ids: [], listed: 0 };
}
