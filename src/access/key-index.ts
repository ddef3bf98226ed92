import { DigestTable, NONE } from './digest-table.js';
import type { KeyRecord } from './key-record.js';
import type { Limits } from './limits.js';
import type { ScopeMask } from './scopes.js';

/** The numbers that stand beside a digest. */
const UNTIL = 0;
const SCOPES = 1;
const LIMITS = 2;
const PLACE = 3;

/** A key that was found by a digest. */
export interface FoundKey {
  readonly key: KeyRecord;
  /** It may be used before this moment, epoch ms; -Infinity where something else is against it. */
  readonly goodUntil: number;
}

/**
 * The keys of one load of the file, by each thing that names one. A caller's key is mostly not in the processor's cache: what
 * judges a read is read from the row of the digest, and the record is left alone.
 */
export class KeyIndex {
  readonly byId: ReadonlyMap<string, KeyRecord>;
  readonly #records: readonly KeyRecord[];
  /** Apart from the records, side by side. */
  readonly #ids: readonly string[];
  readonly #limits: readonly Limits[];
  readonly #byText: DigestTable;
  readonly #bySdkText: DigestTable;
  readonly #machineProblems = new Map<KeyRecord, string>();

  constructor(records: readonly KeyRecord[], machineProblemOf: (key: KeyRecord) => string | undefined) {
    for (const key of records) {
      const problem = machineProblemOf(key);
      if (problem !== undefined) this.#machineProblems.set(key, problem);
    }
    this.#records = records;
    this.#ids = structuredClone(records.map(({ id }) => id));
    this.#limits = [...new Set(records.map(({ limits }) => limits))];
    const places = new Map(this.#limits.map((limits, place) => [limits, place]));
    const rowOf = (key: KeyRecord, digest: string, place: number) => ({
      digest,
      numbers: [this.#goodUntil(key), key.scopes, places.get(key.limits) ?? NONE, place],
    });
    this.#byText = new DigestTable(records.map((key, place) => rowOf(key, key.hash, place)));
    this.#bySdkText = new DigestTable(
      records.flatMap((key, place) => (key.sdkHash === null ? [] : [rowOf(key, key.sdkHash, place)])),
    );
    this.byId = new Map(records.map((key) => [key.id, key]));
  }

  /** The key of this text. */
  byText(text: string): FoundKey | undefined {
    return this.#find(this.#byText, text);
  }

  /** The key whose text has this MD5 in lower-case hex. */
  bySdkText(md5Hex: string): FoundKey | undefined {
    return this.#find(this.#bySdkText, md5Hex);
  }

  /** Why this machine may not use a key. */
  machineProblem(key: KeyRecord): string | undefined {
    return this.#machineProblems.get(key);
  }

  #goodUntil(key: KeyRecord): number {
    if (this.#machineProblems.has(key)) return Number.NEGATIVE_INFINITY;
    return key.expiresAt ?? Number.POSITIVE_INFINITY;
  }

  #find(table: DigestTable, text: string): FoundKey | undefined {
    const row = table.find(text);
    if (row === NONE) return undefined;
    const place = table.number(row, PLACE);
    const [id, limits, record] = [this.#ids[place], this.#limits[table.number(row, LIMITS)], this.#records[place]];
    if (id === undefined || limits === undefined || record === undefined) throw new Error(`no key stands at ${place}`);
    return { key: new KeyView(id, table.number(row, SCOPES), limits, record), goodUntil: table.number(row, UNTIL) };
  }
}

/** A record as every request reads it: what few ask for is read from the record itself. */
class KeyView implements KeyRecord {
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
