import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openedStore } from '../../../test/support/store.js';
import { type DurableStore, StorageFailure, whenTaken } from './index.js';

/** Largest file that this process may write while the disk counts as full, bytes. */
const LIMIT = 100_000;
const limitFiles = (bytes: string) => spawnSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:unlimited`]).status === 0;
const canLimit = limitFiles('unlimited');

const folders: string[] = [];
afterEach(() => {
  limitFiles('unlimited');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A store with a few rows whose disk has just refused a write. */
async function stalled(): Promise<{ store: DurableStore; path: string; failure: StorageFailure }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  folders.push(folder);
  const path = join(folder, 'database');
  const store = await openedStore(path);
  const [table, archive] = [store.table<number>('numbers'), store.archive<string>('texts')];
  await store.write((change) => {
    for (const key of ['a', 'b', 'c']) change.put(archive, key, key);
    change.put(table, 'kept', 1);
  });
  limitFiles(String(LIMIT));
  const refused = store.write((change) => {
    change.put(archive, 'large', 'x'.repeat(LIMIT));
    change.put(table, 'refused', 2);
  });
  const behind = store.write((change) => change.put(archive, 'behind', 'behind'));
  const failure = await refused.catch((error: unknown) => error);
  await expect(behind).rejects.toBe(failure);
  if (!(failure instanceof StorageFailure)) throw new Error('the write was not refused');
  return { store, path, failure };
}

async function keysOf(store: DurableStore, reverse = false): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of store.archive('texts').entries({ reverse })) keys.push(key);
  return keys;
}

it.skipIf(!canLimit)('acknowledges no write that a full disk refuses, and keeps it and later ones where reads see them', async () => {
  const { store, failure } = await stalled();
  expect([store.failure, failure.kept, failure.message]).toEqual([failure, true, expect.stringContaining('goes on by itself once')]);
  const archive = store.archive<string>('texts');
  await store.write((change) => {
    change.put(archive, 'aa', 'later');
    change.put(archive, 'b', 'changed');
    change.remove(archive, 'c');
    change.putLatest(store.table('numbers'), 'kept', () => 3);
  });
  expect([archive.get('aa'), archive.get('b'), archive.get('c'), archive.get('behind')]).toEqual(['later', 'changed', undefined, 'behind']);
  expect([...store.table('numbers').entries()]).toEqual([
    ['kept', 3],
    ['refused', 2],
  ]);
  expect(await keysOf(store)).toEqual(['a', 'aa', 'b', 'behind', 'large']);
  expect(await keysOf(store, true)).toEqual(['large', 'behind', 'b', 'aa', 'a']);
  await whenTaken(Promise.reject(failure));
  limitFiles('unlimited');
  await store.close();
});

it.skipIf(!canLimit)('writes the pending rows by itself once the disk has room again, and goes on', async () => {
  const { store, path } = await stalled();
  const archive = store.archive<string>('texts');
  await store.write((change) => change.put(archive, 'meanwhile', 'm'));
  const sequence = store.sequence;
  const mended = new Promise<void>((resolve) => store.onFailure?.(() => store.failure === undefined && resolve()));
  limitFiles('unlimited');
  await mended;
  await store.write((change) => change.put(archive, 'z', 'z'));
  expect(store.sequence).toBeGreaterThan(sequence + 1);
  await store.close();
  const again = await openedStore(path);
  expect(await keysOf(again)).toEqual(['a', 'b', 'behind', 'c', 'large', 'meanwhile', 'z']);
  expect([...again.table('numbers').entries()]).toEqual([
    ['kept', 1],
    ['refused', 2],
  ]);
  expect(again.sequence).toBe(store.sequence);
  await again.close();
});

it.skipIf(!canLimit)('keeps acknowledged rows and reports lost ones when it closes on a full disk', async () => {
  const { store, path } = await stalled();
  await store.write((change) => change.put(store.archive<string>('texts'), 'meanwhile', 'm'));
  await expect(store.close()).rejects.toThrow('4 rows did not reach the disk and are lost: texts (3), numbers (1)');
  limitFiles('unlimited');
  const again = await openedStore(path);
  expect(await keysOf(again)).toEqual(['a', 'b', 'c']);
  await again.close();
});

it('acknowledges no write after its folder was removed, and keeps it and later ones until it closes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  folders.push(folder);
  const store = await openedStore(join(folder, 'database'));
  const table = store.table<number>('numbers');
  rmSync(folder, { recursive: true });
  const [refused, behind] = ['a', 'b'].map((key) => store.write((change) => change.put(table, key, 1)));
  await expect(refused).rejects.toThrow(/lock file was removed or replaced, .*restart the daemon$/);
  await expect(behind).rejects.toBe(store.failure);
  expect(store.failure).toMatchObject({ kept: true, passes: false });
  await store.write((change) => change.put(table, 'c', 1));
  expect([...table.entries()].map(([key]) => key)).toEqual(['a', 'b', 'c']);
  await expect(store.close()).rejects.toThrow('3 rows did not reach the disk and are lost: numbers (3)');
});
