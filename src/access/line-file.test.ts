import { mkdtempSync, readFileSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ManualClock } from '../contract/clock.js';
import { LineFile } from './line-file.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A file whose writes are counted; `written(n)` resolves when so many are done. */
function openFile() {
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
  const opened = LineFile.open({ path, clock, report: () => undefined, writeBytes: counted as typeof write });
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

  clock.advance(5);
  await written(2);
  expect(text()).toBe('first\nsecond\nthird\n');
  await file.close();
  expect(writes()).toBe(2);
});

it('writes what the pause holds back when it is closed', async () => {
  const { file, written, text } = openFile();
  file.append('first');
  await written(1);
  file.append('second');
  await file.close();
  expect(text()).toBe('first\nsecond\n');
});
