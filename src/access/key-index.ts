import { hash, timingSafeEqual } from 'node:crypto';
import type { KeyRecord } from './key-record.js';

const DIGEST_LENGTH = 64;
/** Stands in for a key that does not exist, so that a wrong key is compared as well. */
const noDigest = Buffer.alloc(DIGEST_LENGTH, '-', 'latin1');
const scratch = Buffer.alloc(DIGEST_LENGTH);

/** Lower-case hex SHA-256 of the text's UTF-8 bytes: what the keys file stores. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

interface Slot<T> {
  readonly digest: Buffer;
  readonly value: T;
}

/** Values by SHA-256 digest. A look-up costs the same for any number of keys, and takes the same path whether it finds one or not. */
export class DigestMap<T> {
  readonly #slots: ReadonlyMap<string, Slot<T>>;

  constructor(entries: Iterable<readonly [digest: string, value: T]>) {
    const slots = new Map<string, Slot<T>>();
    for (const [digest, value] of entries) slots.set(digest, { digest: Buffer.from(digest, 'latin1'), value });
    this.#slots = slots;
  }

  get(digest: string): T | undefined {
    const slot = this.#slots.get(digest);
    scratch.write(digest, 'latin1');
    return timingSafeEqual(scratch, slot?.digest ?? noDigest) ? slot?.value : undefined;
  }
}

/** A key, and why this machine may not use it, if so. */
export interface KeyEntry {
  readonly key: KeyRecord;
  readonly machineProblem: string | undefined;
}

/** The keys of one load of the file, by each thing that names one. */
export class KeyIndex {
  readonly byDigest: DigestMap<KeyEntry>;
  readonly bySdkDigest: DigestMap<KeyEntry>;
  readonly byId: ReadonlyMap<string, KeyEntry>;

  constructor(entries: readonly KeyEntry[]) {
    this.byDigest = new DigestMap(entries.map((entry) => [entry.key.hash, entry]));
    this.bySdkDigest = new DigestMap(entries.flatMap((entry) => (entry.key.sdkHash === null ? [] : [[entry.key.sdkHash, entry] as const])));
    this.byId = new Map(entries.map((entry) => [entry.key.id, entry]));
  }
}
