import { DigestTable } from './digest-table.js';
import type { KeyRecord } from './key-record.js';

/** The keys of one load of the file, by each thing that names one. */
export class KeyIndex {
  readonly byText: DigestTable<KeyRecord>;
  readonly bySdkText: DigestTable<KeyRecord>;
  readonly byId: ReadonlyMap<string, KeyRecord>;
  /** Why this machine may not use a key; apart, because hardly any key is bound and every request reads its record. */
  readonly #machineProblems = new Map<KeyRecord, string>();

  constructor(records: readonly KeyRecord[], machineProblemOf: (key: KeyRecord) => string | undefined) {
    this.byText = new DigestTable(records.map((key) => [key.hash, key]));
    this.bySdkText = new DigestTable(records.flatMap((key) => (key.sdkHash === null ? [] : [[key.sdkHash, key] as const])));
    this.byId = new Map(records.map((key) => [key.id, key]));
    for (const key of records) {
      const problem = machineProblemOf(key);
      if (problem !== undefined) this.#machineProblems.set(key, problem);
    }
  }

  machineProblem(key: KeyRecord): string | undefined {
    return key.allowedMachines === null ? undefined : this.#machineProblems.get(key);
  }
}
