import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '@svc-gateway/contract/scope';
import { afterEach } from 'vitest';
import { digestOf } from '../../packages/access/src/digest.js';
import type { OrderFacts, OrderLeg } from '../../packages/access/src/gates.js';
import type { KeyRecord } from '../../packages/access/src/key-record.js';
import { type Limits, unlimited } from '../../packages/access/src/limits.js';
import { scopeMask } from '../../packages/access/src/scopes.js';
import type { Worth } from '../../packages/access/src/worth.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-access-'));
  folders.push(folder);
  return folder;
}

/** The text of a keys file with these records; what a record leaves out is filled in. */
export function keysFileText(...keys: Record<string, unknown>[]): string {
  return JSON.stringify({ version: 2, keys: keys.map((key) => ({ hash: digestOf(`text of ${key.id}`), scopes: ['qot:read'], ...key })) });
}

/** The key text whose hash {@link keysFileText} fills in. */
export const textOf = (id: string): string => `text of ${id}`;

export function keyRecord(id: string, limits: Partial<Limits> = {}, scopes: Scope[] = ['trade:simulate']): KeyRecord {
  return {
    id,
    hash: digestOf(textOf(id)),
    sdkHash: null,
    scopes: scopeMask(scopes),
    limits: { ...unlimited, ...limits },
    allowedMachines: null,
    createdAt: null,
    expiresAt: null,
    note: '',
  };
}

/** Terms of an order of one leg. */
interface OneLeg extends Omit<OrderLeg, 'worth'>, Worth {}

/** An order of `whole` units of money, of one leg. */
export function orderOf(whole: number, changes: Partial<OneLeg> = {}): OrderFacts {
  const worth = BigInt(whole) * 1_000_000_000n;
  const leg = { markets: ['HK'], symbol: 'HK.00700', side: 'BUY', currency: 'HKD', value: worth, increase: worth, ...changes } as const;
  return ordered({ ...leg, worth: leg });
}

/** An order of these legs; no exchange rate is known. */
export function ordered(...legs: OrderLeg[]): OrderFacts {
  return { accId: 1n, legs, rates: () => undefined };
}

/** Folder of the packages, each with its compiled modules in `dist`: child processes cannot load TypeScript. */
export const packagesFolder = join(import.meta.dirname, '..', '..', 'packages');
