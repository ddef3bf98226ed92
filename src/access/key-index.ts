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
  readonly #table: DigestTable<KeyRecord>;
  /** Each once. */
  readonly #limits: readonly Limits[];

  /** @param digestOf undefined or null for a key that has no such text. */
  constructor(index: KeyIndex, records: readonly KeyRecord[], digestOf: (key: KeyRecord) => string | null) {
    this.#limits = [...new Set(records.map(({ limits }) => limits))];
    const places = new Map(this.#limits.map((limits, place) => [limits, place]));
    this.#table = new DigestTable(
      records.flatMap((key) => {
        const digest = digestOf(key);
        const until = index.machineProblem(key) === undefined ? (key.expiresAt ?? Number.POSITIVE_INFINITY) : Number.NEGATIVE_INFINITY;
        const numbers = [until, key.scopes, places.get(key.limits) ?? NONE];
        return digest === null ? [] : [{ digest, name: key.id, value: key, numbers }];
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

  id(row: number): string {
    return this.#table.name(row);
  }

  key(row: number): KeyRecord {
    const limits = this.#limits[this.#table.number(row, LIMITS)];
    if (limits === undefined) throw new Error(`no key stands in row ${row}`);
    return new FoundKey(this.id(row), this.#table.number(row, SCOPES), limits, this.#table.value(row));
  }
}

/**
 * A key's record, of which the parts that judge a read are at hand; the others are read from the record itself. It holds nothing
 * of the table that it was found in: connections keep their keys, and a table is not to outlive the reload that replaces it.
 */
class FoundKey implements KeyRecord {
  readonly #record: KeyRecord;

  constructor(
    readonly id: string,
    readonly scopes: ScopeMask,
    readonly limits: Limits,
    record: KeyRecord,
  ) {
    this.#record = record;
  }

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
}
