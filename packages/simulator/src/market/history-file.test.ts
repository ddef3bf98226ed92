import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Companies } from '../companies/index.js';
import { createWorld } from '../world/index.js';
import { loadHistoryFolder, parseHistory, pastsOf, SimulatedMarket } from './index.js';

const world = createWorld({
  clock: new ManualClock(Date.UTC(2026, 10, 20, 2)),
  calendarMode: 'calendar',
  generatedInstruments: 0,
  seed: 'w',
});
const tencent = world.instrument('HK.00700')!;
const apple = world.instrument('US.AAPL')!;
const HEADER = 'time,open,high,low,close,volume\n';
const calendarOf = (instrument: typeof tencent) => world.calendar(instrument);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
  await writeFile(
    join(folder, 'HK.00700.csv'),
    `${HEADER}2026-11-16,600,610.5,598,605,1000\n2026-11-17,605,612,601,611,3001\n2026-11-18,611,611,590,592.2,0\n`,
  );
  await writeFile(
    join(folder, 'US.AAPL.csv'),
    `\uFEFF${HEADER}2026-11-18 08:15,265,265,265,265,90\r\n2026-11-18 09:30,270,271,269.5,270.25,500\r\n2026-11-18 09:31:00,270.25,272,270,271,700\r\n2026-11-18 09:33,271,271,271,271,10\r\n2026-11-18 17:00,280,280,280,280,80\r\n`,
  );
  await writeFile(
    join(folder, 'HK.HSImain.csv'),
    `${HEADER}2026-11-17,30900,31100,30800,31000,90000\n2026-11-18,31000,31200,30900,31150,90000\n`,
  );
  await writeFile(join(folder, 'HK.99999.csv'), HEADER);
  await writeFile(join(folder, 'notes.txt'), 'not read');
});
afterAll(() => rm(folder, { recursive: true }));

async function marketWithHistory(time: number) {
  const clock = new ManualClock(time);
  const { histories, problems } = await loadHistoryFolder(folder, (symbol) => world.instrument(symbol), calendarOf);
  const history = pastsOf(histories, (instrument) => requireDay(calendarOf(instrument).tradingDay(time)));
  const companies = new Companies(world, 1, (symbol) => history.get(symbol));
  return {
    market: new SimulatedMarket({ clock, seed: 1, calendarOf, pairs: world.instruments({ market: 'FX' }), companies, history }),
    companies,
    problems,
    clock,
  };
}

describe('loaded history', () => {
  test('is refused of what follows from other prices', async () => {
    const refused = await mkdtemp(join(tmpdir(), 'refused-'));
    const option = world.optionChain(apple, world.optionSeries(apple)[0]!)[0]!;
    const symbols = [world.listed({ kind: 'bond' })[0]!.symbol, 'HK.LIST1001', option.symbol];
    for (const symbol of symbols) await writeFile(join(refused, `${symbol}.csv`), `${HEADER}2026-11-18,1,1,1,1,1\n`);
    const { histories, problems } = await loadHistoryFolder(refused, (symbol) => world.instrument(symbol), calendarOf);
    expect([histories, problems.length]).toEqual([[], 3]);
    for (const problem of problems) expect(problem).toContain('whose prices follow from others; expected a share, a fund, an index');
    await rm(refused, { recursive: true });
  });

  test('stands in for the days that it covers, and the generator goes on from its last close', async () => {
    const { market, problems } = await marketWithHistory(Date.UTC(2026, 10, 20, 6));
    expect(problems).toEqual(['HK.99999.csv: the simulation has no such symbol; expected MARKET.CODE.csv, such as HK.00700.csv']);
    const days = market.bars(tencent, { unit: 'day' }, { limit: 100 });
    expect(days).toHaveLength(5);
    // Nothing is known of what came before.
    expect(days[0]!.previousClose).toBe(days[0]!.open);
    expect(market.bars(tencent, { unit: 'month' }, { limit: 2 })).toMatchObject([{ previousClose: days[0]!.open }]);
    expect(days[1]).toMatchObject({
      open: 605n * DECIMAL_ONE,
      high: 612n * DECIMAL_ONE,
      low: 601n * DECIMAL_ONE,
      close: 611n * DECIMAL_ONE,
      previousClose: 605n * DECIMAL_ONE,
      volume: 3001n,
      turnover: 608n * DECIMAL_ONE * 3001n,
    });
    expect(days[3]!.previousClose).toBe(592_200_000_000n);
    expect(Math.abs(Number(days[3]!.open - days[3]!.previousClose)) / Number(days[3]!.previousClose)).toBeLessThan(0.05);
    // Day bars were loaded: those days have no minutes, and no ticks.
    expect(market.bars(tencent, { unit: 'minute', count: 60 }, { from: days[0]!.start, to: days[3]!.start })).toEqual([]);
    expect(market.ticks(tencent, 100_000)[0]!.time).toBeGreaterThanOrEqual(days[3]!.start);
  });

  test('of a continuous contract is where its index and the other contracts go on from', async () => {
    const { market } = await marketWithHistory(Date.UTC(2026, 10, 20, 20));
    const [main, dated, index] = ['HK.HSImain', 'HK.HSI2612', 'HK.800000'].map((symbol) => world.instrument(symbol)!);
    const close = (of: typeof tencent, day: number) => {
      const from = Date.UTC(2026, 10, day) - 16 * 3_600_000;
      return Number(market.bars(of, { unit: 'day' }, { from, limit: 1 })[0]!.close) / 1e9;
    };
    expect(close(main!, 18)).toBe(31_150);
    for (const of of [dated!, index!]) expect(Math.abs(close(of, 18) / 31_150 - 1)).toBeLessThan(0.003);
    expect(Math.abs(close(main!, 19) / 31_150 - 1)).toBeLessThan(0.05);
    expect(Math.abs(close(main!, 20) / close(index!, 20) - 1)).toBeLessThan(0.01);
  });

  test('of minutes makes the minute bars, and the day bar of those of regular hours', async () => {
    const { market } = await marketWithHistory(Date.UTC(2026, 10, 20, 20));
    const [day, next] = market.bars(apple, { unit: 'day' }, { limit: 100 });
    expect(next!.previousClose).toBe(day!.close);
    expect(day).toMatchObject({
      open: 270n * DECIMAL_ONE,
      high: 272n * DECIMAL_ONE,
      low: 269_500_000_000n,
      close: 271n * DECIMAL_ONE,
      volume: 1210n,
    });
    const range = { from: day!.start, to: day!.end };
    const minutes = market.bars(apple, { unit: 'minute', count: 1 }, range);
    expect(minutes.map(({ volume }) => volume)).toEqual([90n, 500n, 700n, 10n, 80n]);
    expect(minutes.slice(1, -1).reduce((sum, { turnover }) => sum + turnover, 0n)).toBe(day!.turnover);
    expect(market.bars(apple, { unit: 'minute', count: 3 }, range).map(({ volume }) => volume)).toEqual([90n, 1200n, 10n, 80n]);
  });

  test('ends before the day in which the market is made', async () => {
    const { market } = await marketWithHistory(Date.UTC(2026, 10, 17, 6));
    const days = market.bars(tencent, { unit: 'day' }, { limit: 100 });
    expect(days).toHaveLength(2);
    expect(days[0]!.close).toBe(605n * DECIMAL_ONE);
    expect(days[1]!.volume).not.toBe(3001n);
  });
});

describe('a history file that is not as it should be', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['', '1: the header is ""', 'time,open,high,low,close,volume'],
    [HEADER, '2: no bar', 'at least one line'],
    [`${HEADER}2026-11-16,1,2,1\n`, '2: 4 columns', 'expected 6'],
    [`${HEADER}2026-02-30,1,2,1,1,5\n`, '2: column 1 (time): found "2026-02-30"', '"YYYY-MM-DD"'],
    [`${HEADER}2026-11-16,x,2,1,1,5\n`, '2: column 2 (open): found "x"', 'a positive decimal'],
    [`${HEADER}2026-11-16,1,2,0,1,5\n`, '2: column 4 (low): found "0"', 'a positive decimal'],
    [`${HEADER}2026-11-16,3,2,1,1,5\n`, '2: column 3 (high): found "2"', 'not below open'],
    [`${HEADER}2026-11-16,1,3,2,2,5\n`, '2: column 4 (low): found "2"', 'not above open'],
    [`${HEADER}2026-11-16,1,1,1,1,1.5\n`, '2: column 6 (volume): found "1.5"', 'a whole number'],
    [`${HEADER}2026-11-16,1,1,1,1,1\n2026-11-16,1,1,1,1,1\n`, '3: column 1 (time)', 'after that of the line before'],
    [`${HEADER}2026-11-16,1,1,1,1,1\n2026-11-17 09:30,1,1,1,1,1\n`, '3: column 1 (time)', 'as in the lines before'],
    [`${HEADER}2026-11-16 09:30,1,1,1,1,1\n2026-11-17,1,1,1,1,1\n`, '3: column 1 (time)', 'as in the lines before'],
    [`${HEADER}2026-11-16 12:30,1,1,1,1,1\n`, '2: column 1 (time)', 'inside a session (Asia/Hong_Kong)'],
    [`${HEADER}2026-11-14,1,1,1,1,1\n`, '2: column 1 (time): found "2026-11-14"', 'a trading day of the exchange (Asia/Hong_Kong)'],
    [`${HEADER}2026-11-16 09:30:30,1,1,1,1,1\n`, '2: column 1 (time)', '"YYYY-MM-DD HH:MM"'],
  ];
  test.each(cases)('%j', (text, found, accepted) => {
    const parsed = parseHistory(text, world.calendar('HK'));
    expect(parsed).toHaveProperty('problem');
    if ('problem' in parsed) {
      expect(parsed.problem).toContain(found);
      expect(parsed.problem).toContain(accepted);
    }
  });
});
