import type { SteadyTime } from '@svc-gateway/access';
import { type Clock, every } from '@svc-gateway/contract/clock';
import type { Archive, Store, Table, Transaction } from '@svc-gateway/storage';
import type { PacketId } from '../backend.js';

/** An idempotency key and whose it is: made once for a write, and read many times. */
export class KeyName {
  readonly id: string;

  constructor(
    readonly owner: string,
    key: string,
  ) {
    this.id = `${owner}\n${key}`;
  }
}

/** Stored row of a write under its idempotency key. */
export interface IdempotencyRow {
  readonly operation: string;
  /** SHA-256 of what the caller asked, so that another body under the same key is noticed. */
  readonly digest: string;
  /** SHA-256 of the text of the key that sent it. */
  readonly holder?: string;
  /** Whole milliseconds of {@link SteadyTime.elapsed}. */
  readonly at: number;
  readonly packet: PacketId;
  /** Present while the outcome is not known. */
  readonly request?: Uint8Array;
  /** The first answer. */
  readonly response?: Uint8Array;
  /** The answer was a definite no: nothing happened. */
  readonly refused?: true;
}

export interface IdempotencyBounds {
  /** Writes of one owner that are remembered at a time, those that were refused aside. */
  readonly perOwner: number;
  readonly inAll: number;
  /** Refused writes that are remembered, over all owners; the oldest are forgotten first. */
  readonly refused: number;
}

/** An id of a row, and when its write came. */
interface Aged {
  readonly id: string;
  /** As in {@link IdempotencyRow}. */
  readonly at: number;
}

const KEPT_MS = 24 * 3_600_000;
const SWEEP_MS = 10 * 60_000;
/** Rows looked at in one turn, or a few more. */
const SWEPT_MAX = 500;
/** Stands beside the owners in the table of counts: how many writes were refused so far. */
const REFUSED = '';

/** Seconds after which there may be room for more. */
export const ROOM_SECONDS = SWEEP_MS / 1000;

/**
 * The writes under idempotency keys of the last 24 hours, on disk; memory has only how many there are. A write that was
 * carried out, or may have been, is never forgotten to make room. One that was refused changed nothing: of these only the
 * newest are kept.
 */
export class IdempotencyRows {
  readonly #rows: Archive<IdempotencyRow>;
  /** Ids of the rows that were not refused, by `ageKey`. */
  readonly #ages: Archive<string>;
  /** Rows that were refused, in a ring. */
  readonly #slots: Archive<Aged>;
  readonly #counts: Table<number>;
  readonly #countOf = new Map<string, number>();
  /** Writes that are under way: their rows are not to be removed as what they were before. */
  readonly #busy = new Set<string>();
  #count = 0;
  #refused: number;
  readonly #endSweeps: () => void;

  constructor(
    private readonly store: Store,
    private readonly time: SteadyTime,
    private readonly bounds: IdempotencyBounds,
    after: Clock['after'],
  ) {
    this.#rows = store.archive('idempotency_rows');
    this.#ages = store.archive('idempotency_ages');
    this.#slots = store.archive('idempotency_refusals');
    this.#counts = store.table('idempotency_counts');
    for (const [owner, count] of this.#counts.entries()) {
      if (owner === REFUSED) continue;
      this.#countOf.set(owner, count);
      this.#count += count;
    }
    this.#refused = this.#counts.get(REFUSED) ?? 0;
    // A failed sweep is left to the next one.
    this.#endSweeps = every({ after }, SWEEP_MS, () => this.#sweep().catch(() => undefined));
  }

  /** Rows kept, those of refused writes aside. */
  get count(): number {
    return this.#count;
  }

  hasRoom(owner: string): boolean {
    return this.#count < this.bounds.inAll && (this.#countOf.get(owner) ?? 0) < this.bounds.perOwner;
  }

  /** Stored row of a write of the last 24 hours. */
  get({ id }: KeyName): IdempotencyRow | undefined {
    const row = this.#rows.get(id);
    return row === undefined || row.at + KEPT_MS <= this.time.elapsed() ? undefined : row;
  }

  /** Milliseconds since a write was sent first. */
  ageOf({ at }: Pick<IdempotencyRow, 'at'>): number {
    return this.time.elapsed() - at;
  }

  /** A write that is about to leave is under way until {@link leave}. */
  begin({ id }: KeyName, write: Omit<IdempotencyRow, 'at'>): IdempotencyRow {
    this.#busy.add(id);
    return { ...write, at: Math.floor(this.time.elapsed()) };
  }

  /** Enters a write that has begun. What is not recorded in the same store must not leave before this resolves, and not at all when it rejects. */
  enter({ owner, id }: KeyName, row: IdempotencyRow): Promise<void> {
    return this.store.write((change) => {
      change.put(this.#rows, id, row);
      change.put(this.#ages, ageKey({ id, at: row.at }), id);
      this.#addTo(owner, 1, change);
    });
  }

  /** Keeps the answer to a write, which nobody waits for; the request that was sent need not be known any more. */
  answer({ id }: KeyName, { request: _, ...row }: IdempotencyRow, response: Uint8Array): Promise<void> {
    return this.store.write((change) => change.put(this.#rows, id, { ...row, response }), 'soon');
  }

  /** Keeps the answer to a write that was definitely refused, for as long as there is room. */
  refuse({ owner, id }: KeyName, { request: _, ...row }: IdempotencyRow, response: Uint8Array): Promise<void> {
    const place = String(this.#refused % this.bounds.refused);
    const oldest = this.#slots.get(place);
    this.#refused += 1;
    return this.store.write((change) => {
      if (oldest !== undefined) this.#remove(oldest, change);
      change.put(this.#slots, place, { id, at: row.at });
      change.put(this.#counts, REFUSED, this.#refused);
      change.put(this.#rows, id, { ...row, response, refused: true });
      change.remove(this.#ages, ageKey({ id, at: row.at }));
      this.#addTo(owner, -1, change);
    });
  }

  /** Forgets a write that did not leave after all. */
  withdraw({ owner, id }: KeyName, { at }: IdempotencyRow): Promise<void> {
    return this.store.write((change) => {
      change.remove(this.#rows, id);
      change.remove(this.#ages, ageKey({ id, at }));
      this.#addTo(owner, -1, change);
    });
  }

  /** A write is not under way any more. */
  leave({ id }: KeyName): void {
    this.#busy.delete(id);
  }

  stop(): void {
    this.#endSweeps();
  }

  #addTo(owner: string, change: 1 | -1, transaction: Transaction): void {
    const count = Math.max(0, (this.#countOf.get(owner) ?? 0) + change);
    this.#count += count - (this.#countOf.get(owner) ?? 0);
    if (count === 0) {
      this.#countOf.delete(owner);
      transaction.remove(this.#counts, owner);
    } else {
      this.#countOf.set(owner, count);
      transaction.put(this.#counts, owner, count);
    }
  }

  /** Removes the row of a refused write, unless there is another under its id by now. */
  #remove({ id, at }: Aged, transaction: Transaction): void {
    if (!this.#busy.has(id) && this.#rows.get(id)?.at === at) transaction.remove(this.#rows, id);
  }

  /** Forgets a write that was not refused and no longer counts. */
  #forget({ id, at }: Aged, transaction: Transaction): void {
    const row = this.#rows.get(id);
    if (row === undefined || row.at !== at || row.refused) return;
    if (!this.#busy.has(id)) transaction.remove(this.#rows, id);
    this.#addTo(ownerOf(id), -1, transaction);
  }

  /** Removes what is too old, some at a time. */
  async #sweep(): Promise<void> {
    const end = Math.floor(this.time.elapsed()) - KEPT_MS + 1;
    for (;;) {
      const old: [key: string, id: string][] = [];
      for await (const entry of this.#ages.entries({ start: '0', end: textOf(end) })) if (old.push(entry) >= SWEPT_MAX) break;
      if (old.length === 0) return;
      await this.store.write((change) => {
        for (const [key, id] of old) {
          this.#forget({ id, at: Number(key.slice(0, AGE_DIGITS)) }, change);
          change.remove(this.#ages, key);
        }
      });
    }
  }
}

const AGE_DIGITS = 16;

/** Keys sort by age; an id is in two rows at most, of different ages. */
function ageKey({ id, at }: Aged): string {
  return `${textOf(at)}\n${id}`;
}

function textOf(age: number): string {
  return String(Math.max(0, age)).padStart(AGE_DIGITS, '0');
}

function ownerOf(id: string): string {
  return id.slice(0, id.indexOf('\n'));
}
