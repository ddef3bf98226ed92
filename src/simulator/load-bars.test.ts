import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../contract/clock.js';
import { parseDecimal } from '../contract/decimal.js';
import { parseLocal } from '../contract/time.js';
import { MemoryStore } from '../storage/index.js';
import { DataFolderError, loadBars } from './load-bars.js';
import { createSimulation } from './simulation.js';
import { createWorld } from './world/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bars-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEADER = 'time,open,high,low,close,volume';
const world = createWorld({ calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });
const write = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), lines.join('\n'));

test('a file’s days are the symbol’s history', () => {
  write('HK.00700.csv', HEADER, '2026-11-17,500,510.5,499,505,1000000', '2026-11-18,505,507,490,491.5,2000000', '');
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 2, 30));
  const { market } = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar', dataFolder: folder });
  const bars = market.bars(world.instrument('HK.00700')!, { unit: 'day' }, { from: 0, to: Date.UTC(2026, 10, 19) });
  expect(bars.map(({ close, volume }) => [close, volume])).toEqual([
    [parseDecimal('505'), 1_000_000n],
    [parseDecimal('491.5'), 2_000_000n],
  ]);
});

test('a minute is named by its end, in the market’s zone', () => {
  write('US.AAPL.csv', HEADER, '2026-11-18 09:31:00,200,201,199,200.5,1000', '2026-11-18 09:32:00,200.5,201,200,200.25,500');
  const [history] = loadBars(folder, world);
  const start = parseLocal('2026-11-18 09:30:00', 'America/New_York')!;
  expect(history!.bars.map(({ minute }) => minute)).toEqual([start, start + 60_000]);
});

test.each([
  ['HK.NOSUCH.csv', [HEADER, '2026-11-18,1,1,1,1,1'], 'no known symbol'],
  ['HK.00700.csv', ['date,close', '2026-11-18,1'], ':1: expected the header'],
  ['HK.00700.csv', [HEADER], 'no bars'],
  ['HK.00700.csv', [HEADER, '2026-02-30,1,1,1,1,1'], ':2: time'],
  ['HK.00700.csv', [HEADER, '2026-11-18 09:30:30,1,1,1,1,1'], ':2: time: expected a whole minute'],
  ['HK.00700.csv', [HEADER, '2026-11-18,1,1,1,1'], ':2: expected 6 columns, found 5'],
  ['HK.00700.csv', [HEADER, '2026-11-18,1,1,-1,1,1'], ':2: low: expected a positive price'],
  ['HK.00700.csv', [HEADER, '2026-11-18,3,2,1,1,1'], ':2: open and close must lie between low and high'],
  ['HK.00700.csv', [HEADER, '2026-11-18,1,1,1,1,1.5'], ':2: volume: expected a whole number'],
  ['HK.00700.csv', [HEADER, '2026-11-18,1,1,1,1,1', '2026-11-18,1,1,1,1,1'], ':3: times must rise'],
  ['HK.00700.csv', [HEADER, '2026-11-18,1,1,1,1,1', '2026-11-19 09:31:00,1,1,1,1,1'], ':3: days and minutes are mixed'],
])('%s with %j is refused', (name, lines, reason) => {
  write(name, ...lines);
  expect(() => loadBars(folder, world)).toThrow(DataFolderError);
  expect(() => loadBars(folder, world)).toThrow(reason);
});

test('a folder that is not there is refused', () => {
  expect(() => loadBars(join(folder, 'nowhere'), world)).toThrow(DataFolderError);
});
