import { DigestTable } from './digest-table.js';
import type { KeyRecord } from './key-record.js';

/** A key, and why this machine may not use it, if so. */
export interface KeyEntry {
  readonly key: KeyRecord;
  readonly machineProblem: string | undefined;
}

/** The keys of one load of the file, by each thing that names one. */
export class KeyIndex {
  readonly byText: DigestTable<KeyEntry>;
  readonly bySdkText: DigestTable<KeyEntry>;
  readonly byId: ReadonlyMap<string, KeyEntry>;

  constructor(entries: readonly KeyEntry[]) {
    this.byText = new DigestTable(entries.map((entry) => [entry.key.hash, entry]));
    this.bySdkText = new DigestTable(entries.flatMap((entry) => (entry.key.sdkHash === null ? [] : [[entry.key.sdkHash, entry] as const])));
    this.byId = new Map(entries.map((entry) => [entry.key.id, entry]));
  }
}
