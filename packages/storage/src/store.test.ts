import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openedStore } from '../../../test/support/store.js';
import { type DurableStore, MemoryStore, openLevelStore, type Store } from './index.js';

const folders: string[] = [];
const opened: Store[] = [];
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-store-'));
  folders.push(path);
  return path;
}
async function open(path = folder()): Promise<DurableStore> {
  const store = await openedStore(path);
  opened.push(store);
  return store;
}
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

async function listed<V>(entries: AsyncIterable<[string, V]>): Promise<[string, V][]> {
  const all: [string, V][] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

describe.each([
  ['memory', async (): Promise<Store> => new MemoryStore()],
  ['level', (): Promise<Store> => open()],
])('%s store', (_, make) => {
  it.each(['table', 'archive'] as const)('keeps structured values of every %s exactly, also bigints beyond 64 bits', async (kind) => {
    const store = await make();
    const rows = store[kind]<{ cash: bigint; lines: string[] }>('accounts');
    const value = { cash: 2n ** 100n, lines: ['a', 'ü'] };
    await store.write((change) => change.put(rows, 'one', value));
    expect(rows.get('one')).toEqual(value);
    expect(rows.get('two')).toBeUndefined();
  });

  it('lists a range of a table in the order of keys', async () => {
    const store = await make();
    const table = store.table<number>('numbers');
    await store.write((change) => {
      for (const [index, key] of ['c', 'a', 'b', 'd'].entries()) change.put(table, key, index);
    });
    await store.write((change) => change.remove(table, 'd'));
    expect([...table.entries()].map(([key]) => key)).toEqual(['a', 'b', 'c']);
    expect([...table.entries({ start: 'b', end: 'c' })]).toEqual([['b', 2]]);
  });

  it('lists a range of an archive in the order of keys and backwards, without its neighbours', async () => {
    const store = await make();
    const [before, archive, after] = ['m', 'n', 'o'].map((name) => store.archive<number>(name)) as [never, never, never];
    await store.write((change) => {
      for (let row = 0; row < 500; row++) for (const to of [before, archive, after]) change.put(to, String(row).padStart(3, '0'), row);
    });
    const rows = store.archive<number>('n');
    expect((await listed(rows.entries())).map(([, row]) => row)).toEqual(Array.from({ length: 500 }, (_, row) => row));
    expect(await listed(rows.entries({ start: '007', end: '010', reverse: true }))).toEqual([
      ['009', 9],
      ['008', 8],
      ['007', 7],
    ]);
  });

  it('applies nothing of a change that throws', async () => {
    const store = await make();
    const table = store.table<number>('numbers');
    const failing = async () =>
      store.write((change) => {
        change.put(table, 'a', 1);
        throw new Error('half way');
      });
    await expect(failing()).rejects.toThrow('half way');
    await store.write(() => undefined);
    expect(table.get('a')).toBeUndefined();
  });
});

it('reads a row put with putLatest once per flush, with what all its changes added', async () => {
  const path = folder();
  const first = await openedStore(path);
  const table = first.table<{ times: number[] }>('rates');
  const archive = first.archive<{ times: number[] }>('ages');
  const times: number[] = [];
  let reads = 0;
  const add = (time: number) => {
    times.push(time);
    return first.write((change) => {
      for (const rows of [table, archive]) {
        change.putLatest(rows, 'desk', () => {
          reads += 1;
          return { times: [...times] };
        });
      }
    });
  };
  await Promise.all([1, 2, 3].map(add));
  expect(reads).toBe(2);
  expect(archive.get('desk')).toEqual({ times: [1, 2, 3] });
  expect(table.get('desk')).toEqual({ times: [1, 2, 3] });
  await Promise.all([add(4), first.write((change) => change.remove(table, 'desk')), add(5)]);
  await first.close();
  const second = await open(path);
  expect(second.table('rates').get('desk')).toEqual({ times: [1, 2, 3, 4, 5] });
  expect(second.archive('ages').get('desk')).toEqual({ times: [1, 2, 3, 4, 5] });
});

it('finds rows and identity again after reopening, and counts its flushes on', async () => {
  const path = folder();
  const first = await openedStore(path);
  const orders = first.table<bigint>('orders');
  await Promise.all([1, 2, 3].map((n) => first.write((change) => change.put(orders, `o${n}`, BigInt(n)))));
  expect(first.sequence).toBe(1);
  await first.advanceTo(41);
  expect(first.sequence).toBe(42);
  await first.close();
  const second = await open(path);
  expect([...second.table<bigint>('orders').entries()]).toEqual([
    ['o1', 1n],
    ['o2', 2n],
    ['o3', 3n],
  ]);
  expect([second.identity, second.sequence]).toEqual([first.identity, 42]);
  expect((await open()).identity).not.toBe(first.identity);
});

it('flushes a change made soon with the next one, after some milliseconds, and at close', async () => {
  const path = folder();
  const store = await openedStore(path);
  const table = store.table<number>('numbers');
  const soon = store.write((change) => change.put(table, 'soon', 1), 'soon');
  expect(
    await Promise.race([soon.then(() => 'flushed'), new Promise((resolve) => setImmediate(() => setImmediate(resolve, 'waits')))]),
  ).toBe('waits');
  await store.write((change) => change.put(table, 'now', 2));
  await soon;
  expect(store.sequence).toBe(1);
  await store.write((change) => change.put(table, 'alone', 3), 'soon');
  expect(store.sequence).toBe(2);
  const last = store.write((change) => change.put(table, 'last', 4), 'soon');
  await store.close();
  await last;
  const again = await open(path);
  expect([...again.table<number>('numbers').entries()]).toEqual([
    ['alone', 3],
    ['last', 4],
    ['now', 2],
    ['soon', 1],
  ]);
});

it('splits the writes of one turn into flushes between changes, never within one, and keeps their order', async () => {
  const path = folder();
  const store = await open(path);
  const rows = store.archive<number>('numbers');
  const settled: number[] = [];
  const writes = Array.from({ length: 30 }, async (_, number) => {
    await store.write((change) => {
      for (let row = 0; row < 400; row++) change.put(rows, `${number}/${row}`, number);
      change.put(rows, 'last', number);
    });
    settled.push(number);
    // A change is never visible in part.
    expect([0, 399].map((row) => rows.get(`${number}/${row}`))).toEqual([number, number]);
    expect(rows.get('last')).toBeGreaterThanOrEqual(number);
  });
  await Promise.all(writes);
  expect(settled).toEqual(Array.from({ length: 30 }, (_, number) => number));
  expect(store.sequence).toBeGreaterThan(5);
  expect(rows.get('last')).toBe(29);
});

it('refuses a second opener, whatever a lock file of before contains', async () => {
  const path = folder();
  writeFileSync(join(path, 'LOCK'), String(process.ppid));
  await open(path);
  expect(await openLevelStore(path)).toMatchObject({ kind: 'locked' });
});

it('refuses every write after a failed one', async () => {
  const path = folder();
  const store = await open(path);
  const table = store.table<number>('numbers');
  await store.write((change) => change.put(table, 'a', 1));
  await store.close();
  opened.length = 0;
  const failed = store.write((change) => change.put(table, 'b', 2));
  const behind = store.write((change) => change.put(table, 'c', 3));
  for (const write of [failed, behind]) await expect(write).rejects.toThrow('cannot write to the database');
  await expect(store.write(() => undefined)).rejects.toThrow('cannot write to the database');
  expect([...table.entries()]).toEqual([['a', 1]]);
});

it.skipIf(process.platform === 'win32').each([
  ['removed', (path: string) => rmSync(join(path, 'LOCK'))],
  ['moved away', (path: string) => renameSync(join(path, 'LOCK'), join(path, 'LOCK.old'))],
  ['removed with all the rest', (path: string) => rmSync(path, { recursive: true })],
])('acknowledges nothing once its lock file was %s, since another process may then open it', async (_, harm) => {
  const path = join(folder(), 'database');
  const first = await open(path);
  const table = first.table<number>('numbers');
  await first.write((change) => change.put(table, 'a', 1));
  harm(path);
  await expect(first.write((change) => change.put(table, 'b', 2))).rejects.toThrow('lock file was removed or replaced');
  // In memory alone, as the failure says: for changes that reduce risk.
  await first.write((change) => change.put(table, 'c', 3));
  expect(first.failure).toMatchObject({ kept: true, passes: false, message: expect.stringMatching(/replaced.*restart the daemon$/) });
  await expect(opened.pop()?.close()).rejects.toThrow('2 rows did not reach the disk and are lost: numbers (2)');
});

describe('opening a database that was killed or damaged', () => {
  /** A folder with `flushes` of 500 bytes each in its log, as a kill leaves it. */
  async function killed(flushes = 200): Promise<string> {
    const path = folder();
    const store = await open(path);
    const archive = store.archive<string>('rows');
    for (let row = 0; row < flushes; row++) await store.write((change) => change.put(archive, String(row), 'x'.repeat(500)));
    const left = folder();
    cpSync(path, left, { recursive: true });
    return left;
  }
  const fileIn = (path: string, pattern: RegExp): string => {
    const name = readdirSync(path).find((entry) => pattern.test(entry) && statSync(join(path, entry)).size > 0);
    return join(path, name ?? 'none');
  };

  it('drops a last log record that is cut off, since it was never acknowledged', async () => {
    const path = await killed();
    const log = fileIn(path, /\.log$/);
    truncateSync(log, statSync(log).size - 100);
    const store = await open(path);
    expect(store.sequence).toBe(199);
    expect(store.archive('rows').get('198')).toBe('x'.repeat(500));
  });

  it('ignores zeros at the end of the log that were never written', async () => {
    const path = await killed();
    appendFileSync(fileIn(path, /\.log$/), Buffer.alloc(5_000));
    expect((await open(path)).sequence).toBe(200);
  });

  it.each([20, 40_000, 65_530])('reports a log that is overwritten at byte %i, also at the second start', async (at) => {
    const path = await killed();
    const log = fileIn(path, /\.log$/);
    const bytes = readFileSync(log);
    bytes.fill(0xa5, at, at + 40);
    writeFileSync(log, bytes);
    for (let start = 0; start < 2; start++) {
      const problem = await openLevelStore(path);
      expect(problem).toMatchObject({ kind: 'damaged', message: expect.stringMatching(/the database in .* is damaged: .*\.log.*backup/) });
    }
  });

  it.each(['CURRENT', 'MANIFEST'])('reports that %s is cut short', async (name) => {
    const path = await killed();
    truncateSync(fileIn(path, new RegExp(`^${name}`)), 3);
    expect(await openLevelStore(path)).toMatchObject({ kind: 'damaged' });
  });

  it('reports that CURRENT is missing', async () => {
    const path = await killed();
    rmSync(join(path, 'CURRENT'));
    expect(await openLevelStore(path)).toMatchObject({ kind: 'damaged', message: expect.stringContaining('CURRENT is missing') });
  });

  it('reports that the log is missing before there is any table', async () => {
    const path = await killed();
    rmSync(fileIn(path, /\.log$/));
    for (let start = 0; start < 2; start++) {
      expect(await openLevelStore(path)).toMatchObject({ kind: 'damaged', message: expect.stringContaining('its log is missing') });
    }
  });

  it('finishes a database whose creation was cut off', async () => {
    const path = await killed(0);
    rmSync(fileIn(path, /\.log$/));
    writeFileSync(join(path, 'UNFINISHED'), '');
    const store = await open(path);
    await store.close();
    expect(await open(path)).toMatchObject({ identity: store.identity });
  });

  it('reports a table that is cut short or missing', async () => {
    for (const harm of [(path: string) => truncateSync(path, 1_000), (path: string) => rmSync(path)]) {
      const path = await killed();
      // Opening writes the rows of the log to a table.
      await (await openedStore(path)).close();
      harm(fileIn(path, /\.ldb$/));
      expect(await openLevelStore(path)).toMatchObject({ kind: 'damaged' });
    }
  });

  it('ignores a table that a crash cut off before the manifest named it', async () => {
    const path = await killed();
    await (await openedStore(path)).close();
    const orphan = join(path, '000999.ldb');
    writeFileSync(orphan, readFileSync(fileIn(path, /\.ldb$/)).subarray(0, 1_000));
    const store = await open(path);
    expect(store.archive('rows').get('199')).toBe('x'.repeat(500));
    expect(existsSync(orphan)).toBe(false);
  });
});
