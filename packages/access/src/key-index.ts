import { digestOf } from './digest.js';
import type { KeyRecord } from './key-record.js';

/** Keys of one load of the keys file, by id and by the digests of their texts. */
export class KeyIndex {
  readonly byId: ReadonlyMap<string, KeyRecord>;
  readonly #byHash: ReadonlyMap<string, KeyRecord>;
  readonly #bySdkHash: ReadonlyMap<string, KeyRecord>;
  readonly #machineProblems = new Map<KeyRecord, string>();

  /** @param machineProblemOf why this machine may not use a key; undefined where it may. */
  constructor(records: readonly KeyRecord[], machineProblemOf: (key: KeyRecord) => string | undefined) {
    for (const key of records) {
      const problem = machineProblemOf(key);
      if (problem !== undefined) this.#machineProblems.set(key, problem);
    }
    this.byId = new Map(records.map((key) => [key.id, key]));
    this.#byHash = new Map(records.map((key) => [key.hash, key]));
    this.#bySdkHash = new Map(records.flatMap((key) => (key.sdkHash === null ? [] : [[key.sdkHash, key] as const])));
  }

  /** Key with this text. The text is compared by its SHA-256 digest alone, so that timing tells nothing about any part of it. */
  withText(text: string): KeyRecord | undefined {
    return this.#byHash.get(digestOf(text));
  }

  /** Key with this SDK text: the MD5 hex of a key text, as the public SDKs send it. */
  withSdkText(text: string): KeyRecord | undefined {
    return this.#bySdkHash.get(digestOf(text));
  }

  /** Reason why this machine may not use a key. */
  machineProblem(key: KeyRecord): string | undefined {
    return this.#machineProblems.get(key);
  }
}
