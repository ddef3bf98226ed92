import { mkdtempSync, readFileSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, expect, it } from 'vitest';
import { LineFile } from './line-file.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A file whose writes are counted; `written(n)` resolves when so many are done. */
function openFile(others: { readonly heldMax?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'));
  folders.push(folder);
  const path = join(folder, 'lines');
  const clock = new ManualClock(0);
  let writes = 0;
  let waiting: { count: number; resolve: () => void } | undefined;
  const counted = (...args: unknown[]) => {
    const done = args.at(-1) as (error: Error | null, bytes: number) => void;
    (write as (...rest: unknown[]) => void)(...args.slice(0, -1), (error: Error | null, bytes: number) => {
      writes += 1;
      done(error, bytes);
      if (waiting !== undefined && writes >= waiting.count) waiting.resolve();
    });
  };
  const opened = LineFile.open({ path, clock, report: () => undefined, writeBytes: counted as typeof write, ...others });
  if (!opened.ok) throw new Error(opened.error);
  const written = (count: number) =>
    new Promise<void>((resolve) => {
      if (writes >= count) resolve();
      else waiting = { count, resolve };
    });
  return { file: opened.value, clock, written, writes: () => writes, text: () => readFileSync(path, 'utf8') };
}

it('writes a line after a silence at once, and gathers those that follow within the pause', async () => {
  const { file, clock, written, writes, text } = openFile();
  file.append('first');
  await written(1);
  expect(text()).toBe('first\n');

  file.append('second');
  await new Promise(setImmediate);
  file.append('third');
  await new Promise(setImmediate);
  expect(writes()).toBe(1);

  clock.advance(20);
  await written(2);
  expect(text()).toBe('first\nsecond\nthird\n');
  await file.close();
  expect(writes()).toBe(2);
});

it('writes its buffered lines on close', async () => {
  const { file, written, text } = openFile();
  file.append('first');
  await written(1);
  file.append('second');
  await file.close();
  expect(text()).toBe('first\nsecond\n');
});

it('says of a line that finds no more room that it is not written, however well those before it are', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'));
  folders.push(folder);
  const path = join(folder, 'lines');
  const writeNow = write as (...args: unknown[]) => void;
  let held: unknown[] | undefined = [];
  const slow = (...args: unknown[]) => {
    if (held === undefined) writeNow(...args);
    else held = args;
  };
  const options = { path, clock: new ManualClock(0), report: () => undefined, heldMax: 10, writeBytes: slow as typeof write };
  const opened = LineFile.open(options);
  if (!opened.ok) throw new Error(opened.error);
  const file = opened.value;
  file.append('first');
  const first = file.written();
  await new Promise(setImmediate);
  file.append('second');
  file.append('lost');
  expect([await file.written(), file.linesLost]).toEqual([false, 1]);
  writeNow(...held);
  held = undefined;
  expect(await first).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
  await file.close();
});

it('frees the room of written lines', async () => {
  const { file, written, text } = openFile({ heldMax: 10 });
  file.append('more than there is room for');
  await written(1);
  file.append('next');
  await file.close();
  expect([text(), file.linesLost]).toEqual(['more than there is room for\nnext\n', 0]);
});
