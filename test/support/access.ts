import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { digestOf } from '../../src/access/digest.js';
import type { OrderFacts, OrderLeg } from '../../src/access/gates.js';
import type { KeyRecord } from '../../src/access/key-record.js';
import { type Limits, unlimited } from '../../src/access/limits.js';
import { scopeMask } from '../../src/access/scopes.js';
import type { Worth } from '../../src/access/worth.js';
import type { Scope } from '../../src/contract/scope.js';

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

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Compiles `entries` (below src/) for child processes, which cannot load TypeScript; returns the folder that stands for src/. */
export function compileForChildren(name: string, ...entries: string[]): string {
  const out = join(root, '.cache', 'children', name);
  mkdirSync(out, { recursive: true });
  const flags = '--ignoreConfig --allowJs --rootDir src --module nodenext --target es2023 --types node --skipLibCheck'.split(' ');
  const sources = entries.map((entry) => join('src', entry));
  const done = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...flags, '--outDir', out, ...sources], {
    cwd: root,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`tsc: ${done.stdout}${done.stderr}`);
  return out;
}
