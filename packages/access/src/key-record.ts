import type { Limits } from './limits.js';
import type { ScopeMask } from './scopes.js';

/** One key of the keys file. Immutable: a reload that leaves a record as it was keeps the very same object. */
export interface KeyRecord {
  readonly id: string;
  /** Lower-case hex SHA-256 of the key text. */
  readonly hash: string;
  /** Lower-case hex SHA-256 of the key text's MD5 hex, which is what the public SDKs send; null = not for them. */
  readonly sdkHash: string | null;
  readonly scopes: ScopeMask;
  readonly limits: Limits;
  /** Machine fingerprints; null = any machine, empty = none (frozen). */
  readonly allowedMachines: readonly string[] | null;
  /** Epoch ms; null when the file does not say. */
  readonly createdAt: number | null;
  /** Epoch ms, the first moment at which the key no longer works; null = never. */
  readonly expiresAt: number | null;
  readonly note: string;
}

/** Whether nothing about a key has changed from one look-up to the other: a reload keeps the limits of a key that it leaves as it was. */
export function isSameKey(one: KeyRecord | undefined, other: KeyRecord | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.id === other.id && one.hash === other.hash && one.scopes === other.scopes && one.limits === other.limits;
}
