import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../../test/faults/random.js';
import { openedStore } from '../../../test/support/store.js';
import { openLevelStore } from './index.js';
import { damageOf } from './level-files.js';
import { damageOfLog } from './level-log.js';
import { isIntactTable } from './level-table.js';

const TABLE_FLIPS = 2_000;
const [TIMES, FLUSHES, ROWS_OF_FLUSH] = [4, 8, 25];
const ROWS = TIMES * FLUSHES * ROWS_OF_FLUSH;
const folder = mkdtempSync(join(tmpdir(), 'svc-flips-'));
const database = join(folder, 'database');
/** Files of a database with tables, of compressed and of plain blocks, and with a log, as a kill leaves them. */
const files = new Map<string, Buffer>();
let sequence = 0;

beforeAll(async () => {
  const used = join(folder, 'used');
  // Opening writes the rows of the log before to a table.
  for (let time = 0; time < TIMES; time++) {
    const store = await openedStore(used);
    const archive = store.archive<string>('rows');
    for (let flush = 0; flush < FLUSHES; flush++) {
      await store.write((change) => {
        for (let row = 0; row < ROWS_OF_FLUSH; row++) change.put(archive, `${time}-${flush}-${row}`, textOf(row, time));
      });
    }
    if (time === TIMES - 1) cpSync(used, database, { recursive: true });
    sequence = store.sequence;
    await store.close();
  }
  for (const name of readdirSync(database)) if (name !== 'LOCK' && name !== 'LOG') files.set(name, readFileSync(join(database, name)));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Texts that compress well in every other round, and hardly in the rest. */
function textOf(row: number, time: number): string {
  const random = belowFrom(row * 7 + time);
  return time % 2 === 0 ? 'order '.repeat(40) : Array.from({ length: 120 }, () => String.fromCharCode(33 + random(90))).join('');
}

function belowFrom(seed: number): (bound: number) => number {
  const random = seededRandom(seed);
  return (bound) => Math.floor(random() * bound);
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes);
  other[bit >>> 3] = (other[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
  return other;
}

const named = (pattern: RegExp): [string, Buffer][] => [...files].filter(([name, { length }]) => pattern.test(name) && length > 0);

it('notices each of 2,000 flipped bits in tables', () => {
  const tables = named(/\.ldb$/);
  expect(tables.length).toBeGreaterThan(2);
  const random = belowFrom(1);
  const unnoticed: string[] = [];
  for (let flip = 0; flip < TABLE_FLIPS; flip++) {
    const [name, bytes] = tables[flip % tables.length] ?? ['', Buffer.alloc(0)];
    // Half of them near the end: the lists of blocks and the footer are small.
    const from = flip % 4 < 2 ? 0 : Math.max(0, bytes.length - 400);
    const bit = (from + random(bytes.length - from)) * 8 + random(8);
    if (isIntactTable(flipped(bytes, bit))) unnoticed.push(`${name}, bit ${bit}`);
  }
  expect(unnoticed).toEqual([]);
});

it('refuses to start on a table with a flipped bit', async () => {
  expect(await damageOf(database)).toBeUndefined();
  for (const [name, bytes] of named(/\.ldb$/)) {
    writeFileSync(join(database, name), flipped(bytes, bytes.length * 4));
    expect(await openLevelStore(database)).toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining(`${name} is cut short or overwritten`),
    });
    writeFileSync(join(database, name), bytes);
  }
});

it('loses no row to a flipped bit in the log, the manifest or CURRENT', async () => {
  const random = belowFrom(2);
  const flips = named(/^(CURRENT|MANIFEST.*|.*\.log)$/).flatMap(([name, { length }]) =>
    Array.from({ length: 40 }, (_, flip) => ({
      name,
      bit: (flip < 20 ? random(length) : Math.max(0, length - 1 - random(120))) * 8 + random(8),
    })),
  );
  for (const [index, { name, bit }] of flips.entries()) {
    const path = join(folder, `flip-${index}`);
    mkdirSync(path);
    for (const [file, bytes] of files) writeFileSync(join(path, file), file === name ? flipped(bytes, bit) : bytes);
    const store = await openLevelStore(path);
    if ('kind' in store) expect([name, bit, store.kind]).toEqual([name, bit, 'damaged']);
    else {
      let rows = 0;
      for await (const _ of store.archive('rows').entries()) rows += 1;
      expect([name, bit, store.sequence, rows]).toEqual([name, bit, sequence, ROWS]);
      await store.close();
    }
    rmSync(path, { recursive: true });
  }
}, 120_000);

it('notices every flipped bit in the header of the last record of the log', async () => {
  const [[name, bytes] = ['', Buffer.alloc(0)]] = named(/\.log$/);
  let last = 0;
  for (let next = 0; next < bytes.length; ) {
    if (32_768 - (next % 32_768) < 7) next += 32_768 - (next % 32_768);
    last = next;
    next += 7 + bytes.readUInt16LE(next + 4);
  }
  const unnoticed: number[] = [];
  for (let bit = last * 8; bit < (last + 7) * 8; bit++) if (damageOfLog(name, flipped(bytes, bit)) === undefined) unnoticed.push(bit);
  expect(unnoticed).toEqual([]);
});

it('accepts a last log record that a crash cut off: the log ends inside it, or a sector of it is all zeros', () => {
  const [[name, bytes] = ['', Buffer.alloc(0)]] = named(/\.log$/);
  for (let cut = 1; cut < 120; cut++) expect(damageOfLog(name, bytes.subarray(0, -cut))).toBeUndefined();
  expect(damageOfLog(name, Buffer.concat([bytes, Buffer.alloc(200)]))).toBeUndefined();
  const unwritten = Buffer.from(bytes);
  unwritten.fill(0, (bytes.length >>> 9) << 9);
  expect(damageOfLog(name, unwritten)).toBeUndefined();
});
