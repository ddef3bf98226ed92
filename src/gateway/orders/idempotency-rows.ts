import type { SteadyTime } from '../../access/index.js';
import type { Archive, Store, Table, Transaction } from '../../storage/index.js';

/** The protocol's replay protection of one write: the backend answers a repetition of it with the first answer. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

/** What is kept of a write under its idempotency key. */
export interface IdempotencyRow {
  readonly operation: string;
  /** SHA-256 of what the caller asked, so that another body under the same key is noticed. */
  readonly digest: string;
  /** Of {@link SteadyTime.elapsed}, in whole milliseconds. */
  readonly at: number;
  readonly packet: PacketId;
  /** Present while the outcome is not known. */
  readonly request?: Uint8Array;
  /** The first answer. */
  readonly response?: Uint8Array;
  /** The answer was a definite no: nothing happened. */
  readonly refused?: true;
}

interface Slot {
  readonly id: string;
  readonly at: number;
}

export interface IdempotencyBounds {
  /** Writes of one owner that are remembered at a time, those that were refused aside. */
  readonly perOwner: number;
  readonly inAll: number;
  /** Refused writes that are remembered, over all owners; the oldest are forgotten first. */
  readonly refused: number;
}

const KEPT_MS = 24 * 3_600_000;
const SWEEP_MS = 10 * 60_000;
/** Rows looked at in one turn. */
const SWEPT_MAX = 500;
const AGE_DIGITS = 16;
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
  readonly #store: Store;
  readonly #time: SteadyTime;
  readonly #bounds: IdempotencyBounds;
  readonly #rows: Archive<IdempotencyRow>;
  /** Rows that were not refused, in the order of age. */
  readonly #ages: Archive<true>;
  /** Rows that were refused, in a ring. */
  readonly #slots: Archive<Slot>;
  readonly #counts: Table<number>;
  readonly #countOf = new Map<string, number>();
  /** Writes that are under way: their rows are not to be removed as what they were before. */
  readonly #busy = new Set<string>();
  #count = 0;
  #refused: number;
  #cancelSweep: () => void;

  constructor(
    store: Store,
    time: SteadyTime,
    bounds: IdempotencyBounds,
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {
    this.#store = store;
    this.#time = time;
    this.#bounds = bounds;
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
    this.#cancelSweep = this.#scheduleSweep();
  }

  /** Rows kept, those of refused writes aside. */
  get count(): number {
    return this.#count;
  }

  hasRoom(owner: string): boolean {
    return this.#count < this.#bounds.inAll && (this.#countOf.get(owner) ?? 0) < this.#bounds.perOwner;
  }

  /** What is on disk of a write of the last 24 hours. */
  get(owner: string, key: string): IdempotencyRow | undefined {
    const row = this.#rows.get(idOf(owner, key));
    return row === undefined || row.at + KEPT_MS <= this.#time.elapsed() ? undefined : row;
  }

  /** A write that is about to leave is under way until {@link leave}. */
  begin(owner: string, key: string, { operation, digest, packet }: Omit<IdempotencyRow, 'at'>): IdempotencyRow {
    this.#busy.add(idOf(owner, key));
    return { operation, digest, packet, at: Math.floor(this.#time.elapsed()) };
  }

  /** Enters a write that has begun. What is not recorded in the same store must not leave before this resolves, and not at all when it rejects. */
  enter(owner: string, key: string, row: IdempotencyRow): Promise<void> {
    return this.#store.write((change) => this.#putNew(owner, idOf(owner, key), row, change));
  }

  #putNew(owner: string, id: string, row: IdempotencyRow, change: Transaction): void {
    change.put(this.#rows, id, row);
    change.put(this.#ages, ageOf(id, row), true);
    this.#addTo(owner, 1, change);
  }

  /** Keeps the answer to a write as part of a change, entered before or not; what was sent need not be known any more. */
  putAnswer(
    owner: string,
    key: string,
    { operation, digest, packet, at }: IdempotencyRow,
    response: Uint8Array,
    change: Transaction,
    isEntered: boolean,
  ): void {
    const row = { operation, digest, packet, at, response };
    if (isEntered) change.put(this.#rows, idOf(owner, key), row);
    else this.#putNew(owner, idOf(owner, key), row, change);
  }

  /** Keeps the answer to a write in a change of its own, which nobody waits for. */
  answer(owner: string, key: string, row: IdempotencyRow, response: Uint8Array): Promise<void> {
    return this.#store.write((change) => this.putAnswer(owner, key, row, response, change, true), 'soon');
  }

  /** Keeps the answer to a write that was definitely refused, for as long as there is room. */
  refuse(owner: string, key: string, { request: _, ...row }: IdempotencyRow, response: Uint8Array): Promise<void> {
    const id = idOf(owner, key);
    const place = String(this.#refused % this.#bounds.refused);
    const oldest = this.#slots.get(place);
    this.#refused += 1;
    return this.#store.write((change) => {
      if (oldest !== undefined) this.#remove(oldest, change);
      change.put(this.#slots, place, { id, at: row.at });
      change.put(this.#counts, REFUSED, this.#refused);
      change.put(this.#rows, id, { ...row, response, refused: true });
      change.remove(this.#ages, ageOf(id, row));
      this.#addTo(owner, -1, change);
    });
  }

  /** Forgets a write that did not leave after all. */
  withdraw(owner: string, key: string, row: IdempotencyRow): Promise<void> {
    const id = idOf(owner, key);
    return this.#store.write((change) => {
      change.remove(this.#rows, id);
      change.remove(this.#ages, ageOf(id, row));
      this.#addTo(owner, -1, change);
    });
  }

  /** A write is not under way any more. */
  leave(owner: string, key: string): void {
    this.#busy.delete(idOf(owner, key));
  }

  stop(): void {
    this.#cancelSweep();
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

  /** Removes the row of one write, unless there is another under its id by now. */
  #remove({ id, at }: Slot, transaction: Transaction): void {
    if (!this.#busy.has(id) && this.#rows.get(id)?.at === at) transaction.remove(this.#rows, id);
  }

  #scheduleSweep(): () => void {
    return this.after(SWEEP_MS, () => {
      // What cannot be read or written now is swept later.
      this.#sweep().catch(() => undefined);
      this.#cancelSweep = this.#scheduleSweep();
    });
  }

  /** Removes what is too old, some at a time. */
  async #sweep(): Promise<void> {
    const end = String(Math.floor(this.#time.elapsed()) - KEPT_MS + 1).padStart(AGE_DIGITS, '0');
    for (;;) {
      const old: string[] = [];
      for await (const [age] of this.#ages.entries({ start: '0', end })) if (old.push(age) >= SWEPT_MAX) break;
      if (old.length === 0) return;
      await this.#store.write((change) => {
        for (const age of old) {
          const id = age.slice(AGE_DIGITS + 1);
          this.#remove({ id, at: Number(age.slice(0, AGE_DIGITS)) }, change);
          change.remove(this.#ages, age);
          this.#addTo(ownerOf(id), -1, change);
        }
      });
    }
  }
}

function idOf(owner: string, key: string): string {
  return `${owner}\n${key}`;
}

function ownerOf(id: string): string {
  return id.slice(0, id.indexOf('\n'));
}

function ageOf(id: string, { at }: Pick<IdempotencyRow, 'at'>): string {
  return `${String(at).padStart(AGE_DIGITS, '0')}\n${id}`;
}
