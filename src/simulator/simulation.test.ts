import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../contract/clock.js';
import { divide, parseDecimal } from '../contract/decimal.js';
import { requireDay } from '../contract/time.js';
import { MemoryStore } from '../storage/index.js';
import { createSimulation, createSimulationWithData, DataProblems } from './simulation.js';

const NOW = Date.UTC(2026, 10, 20, 2, 30);
const HEADER = 'time,open,high,low,close,volume';
const options = () => ({ clock: new ManualClock(NOW), seed: 1, store: new MemoryStore(), calendarMode: 'calendar' as const });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bars-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the same seed and clock give the same world, another seed another', () => {
  const last = (seed: number) => {
    const { market, world } = createSimulation({ ...options(), seed });
    return world
      .instruments({ market: 'US', kind: 'equity' })
      .slice(0, 20)
      .map((one) => market.quote(one).last);
  };
  expect(last(1)).toEqual(last(1));
  expect(last(1)).not.toEqual(last(2));
});

test('companies are told what the market makes of currencies and prices', () => {
  const { world, companies } = createSimulation(options());
  const [hsbc, depositary, tesla] = ['HK.00005', 'US.HSBC', 'US.TSLA'].map((symbol) => world.instrument(symbol)!);
  const figures = [hsbc, depositary].map((one) => companies.figures(one!, '2026-11-20').netAssets);
  const atReference = divide(figures[0]!, world.instrument('FX.USDHKD')!.referencePrice);
  expect(Math.abs(Number(figures[1]! - atReference) / Number(atReference))).toBeGreaterThan(1e-6);
  const news = companies.company(tesla!).news(requireDay('2024-11-20'), requireDay('2026-11-20'));
  expect(news.map(({ fact }) => fact.kind)).toContain('move');
});

test('the bars of a data folder are the symbol’s history', async () => {
  await writeFile(join(folder, 'HK.00700.csv'), `${HEADER}\n2026-11-17,500,510.5,499,505,1000000\n2026-11-18,505,507,490,491.5,2000000\n`);
  const simulation = await createSimulationWithData(options(), folder);
  if (simulation instanceof DataProblems) throw new Error(simulation.problems.join());
  const tencent = simulation.world.instrument('HK.00700')!;
  const bars = simulation.market.bars(tencent, { unit: 'day' }, { from: 0, to: Date.UTC(2026, 10, 19) });
  expect(bars.map(({ close }) => close)).toEqual([parseDecimal('505'), parseDecimal('491.5')]);
  await simulation.close();
});

test('a data folder that cannot be used says where and why', async () => {
  await writeFile(join(folder, 'HK.00700.csv'), `${HEADER}\n2026-11-17,500,510.5,499,505\n`);
  await writeFile(join(folder, 'HK.NOSUCH.csv'), HEADER);
  const refused = await createSimulationWithData(options(), folder);
  expect(refused).toBeInstanceOf(DataProblems);
  expect((refused as DataProblems).problems).toEqual([expect.stringContaining('HK.00700.csv:2'), expect.stringContaining('HK.NOSUCH.csv')]);
  const missing = await createSimulationWithData(options(), join(folder, 'nowhere'));
  expect((missing as DataProblems).problems).toEqual([expect.stringContaining('nowhere')]);
});
