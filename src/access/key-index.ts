import { DigestTable, NONE } from './digest-table.js';
import type { KeyRecord } from './key-record.js';
import type { Limits } from './limits.js';
import type { ScopeMask } from './scopes.js';

/** The numbers that stand beside a key's digest and id. */
const UNTIL = 0;
const SCOPES = 1;
const LIMITS = 2;

/** The keys of one load of the file, by each thing that names one. */
export class KeyIndex {
  readonly byText: KeyTable;
  readonly bySdkText: KeyTable;
  readonly byId: ReadonlyMap<string, KeyRecord>;
  readonly #machineProblems = new Map<KeyRecord, string>();

  constructor(records: readonly KeyRecord[], machineProblemOf: (key: KeyRecord) => string | undefined) {
    for (const key of records) {
      const problem = machineProblemOf(key);
      if (problem !== undefined) this.#machineProblems.set(key, problem);
    }
    this.byId = new Map(records.map((key) => [key.id, key]));
    this.byText = new KeyTable(this, records, ({ hash }) => hash);
    this.bySdkText = new KeyTable(this, records, ({ sdkHash }) => sdkHash);
  }

  /** Why this machine may not use a key. */
  machineProblem(key: KeyRecord): string | undefined {
    return this.#machineProblems.get(key);
  }
}

/**
 * Keys by the digest of a text. Of ten thousand keys, that of the next request is in no cache of the processor: all that
 * judges a read stands together here, and the record is left alone.
 */
export class KeyTable {
  readonly #table: DigestTable;
  /** Those that are in the table. */
  readonly #records: readonly KeyRecord[];
  /** Each once. */
  readonly #limits: readonly Limits[];

  /** @param digestOf undefined or null for a key that has no such text. */
  constructor(index: KeyIndex, records: readonly KeyRecord[], digestOf: (key: KeyRecord) => string | null) {
    this.#limits = [...new Set(records.map(({ limits }) => limits))];
    const places = new Map(this.#limits.map((limits, place) => [limits, place]));
    this.#records = records.filter((key) => typeof digestOf(key) === 'string');
    this.#table = new DigestTable(
      this.#records.map((key) => {
        const until = index.machineProblem(key) === undefined ? (key.expiresAt ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;
        return { digest: digestOf(key) ?? '', name: key.id, numbers: [until, key.scopes, places.get(key.limits) ?? NONE] };
      }),
    );
  }

  /** The row of the key whose text this is; undefined where there is none. */
  find(text: string): number | undefined {
    const row = this.#table.find(text);
    return row === NONE ? undefined : row;
  }

  /** Whether nothing is against the key of a row at `now`, epoch ms: neither its age nor its machines. */
  isGood(row: number, now: number): boolean {
    return now < this.#table.number(row, UNTIL);
  }

  /** The id of the key that was found last. */
  get foundId(): string {
    return this.#table.foundName;
  }

  /** The key of the row that was found last. */
  key(row: number): KeyRecord {
    const limits = this.#limits[this.#whole(row, LIMITS)];
    if (limits === undefined) throw new Error(`no key stands in row ${row}`);
    return new FoundKey(this.foundId, this.#whole(row, SCOPES), limits, this.#records, this.#table.entry(row));
  }

  /** A number that is known to be whole, as such: kept as a fraction it would be an object of its own. */
  #whole(row: number, index: number): number {
    return this.#table.number(row, index) | 0;
  }
}

/**
 * A key's record, of which the parts that judge a read are at hand; the others are read from the record itself, which most
 * requests leave alone. Of the load that it was found in it holds the list of records and no table: connections keep their
 * keys, and what takes the memory is not to outlive the reload that replaces it.
 */
class FoundKey implements KeyRecord {
  constructor(
    readonly id: string,
    readonly scopes: ScopeMask,
    readonly limits: Limits,
    private readonly records: readonly KeyRecord[],
    private readonly place: number,
  ) {}

  get hash(): string {
    return this.#record.hash;
  }

  get sdkHash(): string | null {
    return this.#record.sdkHash;
  }

  get allowedMachines(): readonly string[] | null {
    return this.#record.allowedMachines;
  }

  get createdAt(): number | null {
    return this.#record.createdAt;
  }

  get expiresAt(): number | null {
    return this.#record.expiresAt;
  }

  get note(): string {
    return this.#record.note;
  }

  get #record(): KeyRecord {
    const record = this.records[this.place];
    if (record === undefined) throw new Error(`no record stands in place ${this.place}`);
    return record;
  }
}
