import type { Archive, Store, Transaction } from '../../storage/index.js';

/** A row under its id, of this age. */
export interface Aged {
  readonly id: string;
  /** Of {@link SteadyTime.elapsed}, in whole milliseconds. */
  readonly at: number;
}

/** Ages and ids by turns. */
type AgeRow = readonly (number | string)[];

const AGE_DIGITS = 16;
/** Ids that share a row at most, and for how long they may come. */
const BLOCK = 64;
const SPAN_MS = 1_000;

interface Block {
  /** The latest time that an id of it may be of. */
  readonly until: number;
  readonly key: string;
  readonly entries: (number | string)[];
}

/** Which ids came when, on disk: those that come together share a row, which is written once for a flush. */
export class IdempotencyAges {
  readonly #rows: Archive<AgeRow>;
  /** That new ids enter. */
  #block: Block | undefined;
  /** Of the ids that are not settled yet. */
  readonly #blockOf = new Map<string, Block>();
  #opened = 0;

  constructor(store: Store) {
    this.#rows = store.archive('idempotency_ages');
  }

  enter({ id, at }: Aged, change: Transaction): void {
    const known = this.#block;
    const takes = known !== undefined && at <= known.until && known.entries.length < 2 * BLOCK;
    const block = takes ? known : this.#open(at);
    block.entries.push(at, id);
    this.#blockOf.set(id, block);
    this.#put(block, change);
  }

  /** Takes back an id that is not settled. One that an earlier process entered stays until it is old. */
  withdraw(id: string, change: Transaction): void {
    const block = this.#blockOf.get(id);
    if (block === undefined) return;
    block.entries.splice(block.entries.indexOf(id) - 1, 2);
    if (block.entries.length > 0) this.#put(block, change);
    else change.remove(this.#rows, block.key);
    this.#blockOf.delete(id);
  }

  /** An id will not be taken back any more. */
  settle(id: string): void {
    this.#blockOf.delete(id);
  }

  /** The next ids that came before `end`, and the keys of the rows that have them; at least so many, if there are. */
  async before(end: number, count: number): Promise<{ readonly keys: readonly string[]; readonly ids: readonly Aged[] }> {
    const keys: string[] = [];
    const ids: Aged[] = [];
    for await (const [key, row] of this.#rows.entries({ start: '0', end: textOf(end) })) {
      keys.push(key);
      ids.push(...agedIn(row));
      if (ids.length >= count) break;
    }
    return { keys, ids };
  }

  /** Every id that is on disk. */
  async *all(): AsyncIterable<Aged> {
    for await (const [, row] of this.#rows.entries()) yield* agedIn(row);
  }

  remove(keys: readonly string[], change: Transaction): void {
    for (const key of keys) change.remove(this.#rows, key);
  }

  #open(at: number): Block {
    const until = at + SPAN_MS;
    let key = this.#keyOf(until);
    // An earlier process may have had one of the same time.
    while (this.#rows.get(key) !== undefined) key = this.#keyOf(until);
    this.#block = { until, key, entries: [] };
    return this.#block;
  }

  #keyOf(until: number): string {
    this.#opened += 1;
    return `${textOf(until)}\n${this.#opened}`;
  }

  #put({ key, entries }: Block, change: Transaction): void {
    change.putLatest(this.#rows, key, () => [...entries]);
  }
}

/** The ids of a row. */
function agedIn(row: AgeRow): readonly Aged[] {
  const ids: Aged[] = [];
  for (let place = 0; place < row.length; place += 2) ids.push({ at: Number(row[place]), id: String(row[place + 1]) });
  return ids;
}

function textOf(age: number): string {
  return String(Math.max(0, age)).padStart(AGE_DIGITS, '0');
}
