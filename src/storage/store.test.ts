import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStore, openLmdbStore, type Store } from './index.js';

const folders: string[] = [];
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-store-'));
  folders.push(path);
  return path;
}
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe.each([
  ['memory', (): Store => new MemoryStore()],
  ['lmdb', (): Store => openLmdbStore(folder())],
])('%s store', (_, make) => {
  it('keeps structured values exactly, bigints beyond 64 bits too', async () => {
    const store = make();
    const table = store.table<{ cash: bigint; lines: string[] }>('accounts');
    const value = { cash: 2n ** 100n, lines: ['a', 'ü'] };
    await store.write((change) => change.put(table, 'one', value));
    expect(table.get('one')).toEqual(value);
    expect(table.get('two')).toBeUndefined();
    await store.close();
  });

  it('lists a range in the order of keys', async () => {
    const store = make();
    const table = store.table<number>('numbers');
    await store.write((change) => {
      for (const [index, key] of ['c', 'a', 'b', 'd'].entries()) change.put(table, key, index);
    });
    await store.write((change) => change.remove(table, 'd'));
    expect([...table.entries()].map(([key]) => key)).toEqual(['a', 'b', 'c']);
    expect([...table.entries({ start: 'b', end: 'c' })]).toEqual([['b', 2]]);
    await store.close();
  });

  it('applies nothing of a change that throws', async () => {
    const store = make();
    const table = store.table<number>('numbers');
    const failing = store.write((change) => {
      change.put(table, 'a', 1);
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect(table.get('a')).toBeUndefined();
    await store.close();
  });
});

it('finds everything again after reopening', async () => {
  const path = folder();
  const first = openLmdbStore(path);
  const orders = first.table<bigint>('orders');
  await Promise.all([1, 2, 3].map((n) => first.write((change) => change.put(orders, `o${n}`, BigInt(n)))));
  await first.close();
  const second = openLmdbStore(path);
  expect([...second.table<bigint>('orders').entries()]).toEqual([
    ['o1', 1n],
    ['o2', 2n],
    ['o3', 3n],
  ]);
  await second.close();
});

it.skipIf(process.platform === 'win32')('keeps its files from other users', async () => {
  const path = folder();
  const store = openLmdbStore(path);
  await store.write((change) => change.put(store.table<number>('numbers'), 'a', 1));
  for (const name of readdirSync(path)) expect([name, statSync(join(path, name)).mode & 0o777]).toEqual([name, 0o600]);
  await store.close();
});
