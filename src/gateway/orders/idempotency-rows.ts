import type { SteadyTime } from '../../access/index.js';
import type { Archive, Store, Table, Transaction } from '../../storage/index.js';
import { type Aged, IdempotencyAges } from './idempotency-ages.js';
import { UsedIds } from './used-ids.js';

/** The protocol's replay protection of one write: the backend answers a repetition of it with the first answer. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

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

export interface IdempotencyBounds {
  /** Writes of one owner that are remembered at a time, those that were refused aside. */
  readonly perOwner: number;
  readonly inAll: number;
  /** Refused writes that are remembered, over all owners; the oldest are forgotten first. */
  readonly refused: number;
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
  readonly #store: Store;
  readonly #time: SteadyTime;
  readonly #bounds: IdempotencyBounds;
  readonly #rows: Archive<IdempotencyRow>;
  /** Of the rows that were not refused, and of a few that a crash kept from being taken back. */
  readonly #ages: IdempotencyAges;
  /** Rows that were refused, in a ring. */
  readonly #slots: Archive<Aged>;
  readonly #counts: Table<number>;
  readonly #countOf = new Map<string, number>();
  /** Writes that are under way: their rows are not to be removed as what they were before. */
  readonly #busy = new Set<string>();
  /** Of this process, and once they have been recalled, of earlier ones too. */
  readonly #used: UsedIds;
  #recalled: 'not yet' | 'under way' | 'all' = 'not yet';
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
    this.#ages = new IdempotencyAges(store);
    this.#slots = store.archive('idempotency_refusals');
    this.#counts = store.table('idempotency_counts');
    for (const [owner, count] of this.#counts.entries()) {
      if (owner === REFUSED) continue;
      this.#countOf.set(owner, count);
      this.#count += count;
    }
    this.#used = new UsedIds(bounds.inAll, KEPT_MS, time.elapsed());
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
  get({ id }: KeyName): IdempotencyRow | undefined {
    if (this.#recalled === 'not yet') void this.#recall();
    else if (this.#recalled === 'all' && !this.#used.mayHave(id)) return undefined;
    const row = this.#rows.get(id);
    return row === undefined || row.at + KEPT_MS <= this.#time.elapsed() ? undefined : row;
  }

  /** A write that is about to leave is under way until {@link leave}. */
  begin({ id }: KeyName, { operation, digest, packet }: Omit<IdempotencyRow, 'at'>): IdempotencyRow {
    this.#busy.add(id);
    return { operation, digest, packet, at: Math.floor(this.#time.elapsed()) };
  }

  /** Enters a write that has begun. What is not recorded in the same store must not leave before this resolves, and not at all when it rejects. */
  enter(name: KeyName, row: IdempotencyRow): Promise<void> {
    return this.#store.write((change) => this.#putNew(name, row, change));
  }

  #putNew({ owner, id }: KeyName, row: IdempotencyRow, change: Transaction): void {
    this.#used.note(id, row.at);
    change.put(this.#rows, id, row);
    this.#ages.enter({ id, at: row.at }, change);
    this.#addTo(owner, 1, change);
  }

  /** Keeps the answer to a write as part of a change, entered before or not; what was sent need not be known any more. */
  putAnswer(
    name: KeyName,
    { operation, digest, packet, at }: IdempotencyRow,
    response: Uint8Array,
    change: Transaction,
    isEntered: boolean,
  ): void {
    const row = { operation, digest, packet, at, response };
    if (isEntered) change.put(this.#rows, name.id, row);
    else this.#putNew(name, row, change);
  }

  /** Keeps the answer to a write in a change of its own, which nobody waits for. */
  answer(name: KeyName, row: IdempotencyRow, response: Uint8Array): Promise<void> {
    return this.#store.write((change) => this.putAnswer(name, row, response, change, true), 'soon');
  }

  /** Keeps the answer to a write that was definitely refused, for as long as there is room. */
  refuse({ owner, id }: KeyName, { request: _, ...row }: IdempotencyRow, response: Uint8Array): Promise<void> {
    const place = String(this.#refused % this.#bounds.refused);
    const oldest = this.#slots.get(place);
    this.#refused += 1;
    return this.#store.write((change) => {
      if (oldest !== undefined) this.#remove(oldest, change);
      change.put(this.#slots, place, { id, at: row.at });
      change.put(this.#counts, REFUSED, this.#refused);
      change.put(this.#rows, id, { ...row, response, refused: true });
      this.#ages.withdraw(id, change);
      this.#addTo(owner, -1, change);
    });
  }

  /** Forgets a write that did not leave after all. */
  withdraw({ owner, id }: KeyName): Promise<void> {
    return this.#store.write((change) => {
      change.remove(this.#rows, id);
      this.#ages.withdraw(id, change);
      this.#addTo(owner, -1, change);
    });
  }

  /** A write is not under way any more. */
  leave({ id }: KeyName): void {
    this.#busy.delete(id);
    this.#ages.settle(id);
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

  /** Removes the row of a refused write, unless there is another under its id by now. */
  #remove({ id, at }: Aged, transaction: Transaction): void {
    if (!this.#busy.has(id) && this.#rows.get(id)?.at === at) transaction.remove(this.#rows, id);
  }

  /** The same of a write that was not refused, and does not count any more. */
  #forget({ id, at }: Aged, transaction: Transaction): void {
    const row = this.#rows.get(id);
    if (row === undefined || row.at !== at || row.refused) return;
    if (!this.#busy.has(id)) transaction.remove(this.#rows, id);
    this.#addTo(ownerOf(id), -1, transaction);
  }

  /** Notes what earlier processes left, from the first write under a key on: until that is done, each key is looked for on the disk. */
  async #recall(): Promise<void> {
    this.#recalled = 'under way';
    const now = this.#time.elapsed();
    try {
      for await (const { id } of this.#ages.all()) this.#used.note(id, now);
      for await (const [, { id }] of this.#slots.entries()) this.#used.note(id, now);
      this.#recalled = 'all';
    } catch {
      // The disk cannot be read, or is closed by now: whoever looks for a key is told.
    }
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
    const end = Math.floor(this.#time.elapsed()) - KEPT_MS + 1;
    for (;;) {
      const { keys, ids } = await this.#ages.before(end, SWEPT_MAX);
      if (keys.length === 0) return;
      await this.#store.write((change) => {
        for (const old of ids) this.#forget(old, change);
        this.#ages.remove(keys, change);
      });
    }
  }
}

function ownerOf(id: string): string {
  return id.slice(0, id.indexOf('\n'));
}
