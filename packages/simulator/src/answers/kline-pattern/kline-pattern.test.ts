import { ManualClock } from '@svc-gateway/contract/clock';
import { klinePattern as patterns, quote } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';
import type { Bar } from '../../market/index.js';
import { occurrences, seriesOf } from '../../patterns/index.js';

/** 20:00 in Hong Kong: the day is over there, and not yet in New York. */
const EVENING = Date.UTC(2026, 10, 20, 12);
const version = { extensionVersion: 1 };
const DAY = 2;

const simulated = sharedBackend({ calendarMode: 'calendar', clock: new ManualClock(EVENING) });

const catalog = async (fields: object = {}) => simulated.payload(patterns.klinePatternCatalog, { ...version, ...fields });

describe('the catalogue', () => {
  test('comes whole without a count, or with one of 0 or less, and in pages with one', async () => {
    const { patternList, allCount } = await catalog();
    expect(patternList).toHaveLength(allCount);
    expect(allCount).toBeGreaterThan(30);
    for (const count of [0, -1]) expect((await catalog({ count })).patternList).toEqual(patternList);
    const page = await catalog({ startCount: 3, count: 5 });
    expect(page).toMatchObject({ patternList: patternList.slice(3, 8), allCount });
    expect((await catalog({ startCount: 3, count: -1 })).patternList).toEqual(patternList.slice(3));
  });

  test('is narrowed by category and colour', async () => {
    const { patternList } = await catalog();
    for (const filter of [1, 2]) {
      for (const color of [0, 1, 2, 3]) {
        const kept = patternList.filter((one) => one.category === filter && (color === 0 || one.color === color));
        expect(await catalog({ filter, color })).toMatchObject({ patternList: kept, allCount: kept.length });
      }
    }
  });
});

test('user_stock_list_mode 1 leaves the stocks on the watchlist', async () => {
  const request = { ...version, klineType: DAY, market: 1 };
  const { patternList } = await simulated.payload(patterns.klinePatternCatalog, version);
  let found = 0;
  for (const { shape } of patternList) {
    const { stockList } = await simulated.payload(patterns.klinePatternStocks, { ...request, shape });
    const watched = stockList.filter((_, index) => index % 2 === 0).map(({ security: one }) => `HK.${one?.code}`);
    if (watched.length === 0) continue;
    await simulated.simulation.userState.watchlists.add('patterns', watched);
    const all = new Set(simulated.simulation.userState.watchlists.all());
    const only = await simulated.payload(patterns.klinePatternStocks, { ...request, shape, userStockListMode: 1 });
    const shown = only.stockList.map(({ security: one }) => `HK.${one?.code}`);
    expect(shown).toEqual(stockList.map(({ security: one }) => `HK.${one?.code}`).filter((symbol) => all.has(symbol)));
    expect(only.allCount).toBe(shown.length);
    found += stockList.length - shown.length;
  }
  expect(found).toBeGreaterThan(0);
});

test('patterns name bars of the K-lines, the same by number and by symbol; the running bar is not among them', async () => {
  const { simulation } = simulated;
  let found = 0;
  for (const symbol of ['HK.00700', 'US.AAPL', 'SH.600519']) {
    for (const klineType of [DAY, 3, 9]) {
      const request = { ...version, security: security(symbol), klineType };
      const { patternList, stockId, barsExamined } = await simulated.payload(patterns.klinePattern, request);
      expect(stockId).toBe(simulation.world.instrument(symbol)!.id);
      const byNumber = await simulated.payload(patterns.klinePattern, { ...version, stockId, klineType });
      expect(byNumber.patternList).toEqual(patternList);
      const bars = (await simulated.payload(quote.getKline, { security: security(symbol), klType: klineType, rehabType: 1, reqNum: 300 }))
        .klList;
      expect(barsExamined).toBe(260);
      const now = simulation.clock.now() / 1000;
      for (const one of patternList) {
        const [first, last] = [one.beginTime, one.endTime].map((time) => bars.findIndex((bar) => bar.time === time)) as [number, number];
        expect(first >= 0 && last >= first).toBe(true);
        expect(last - first + 1).toBe(one.barCount);
        expect(one.closePrice).toBe(bars[last]!.closePrice);
        if (klineType === 9) expect(one.endTimestamp).toBeLessThanOrEqual(now);
        else if (symbol === 'US.AAPL') expect(last).toBeLessThan(bars.length - 1);
      }
      found += patternList.length;
    }
  }
  expect(found).toBeGreaterThan(30);
});

test('bars that are just as long as usual, and shadows just as short as they may be, are told exactly', () => {
  // On a coarse grid, such ties are frequent.
  const moves = fc.array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.nat({ max: 1 }), fc.constant(0)), { minLength: 11, maxLength: 60 });
  const size = (value: bigint) => (value < 0n ? -value : value);
  fc.assert(
    fc.property(moves, (draws) => {
      let close = 10_000_000_000n;
      const bars = draws.map(([move, above, below], index): Bar => {
        const [open, ticks] = [close, [move, above, below].map((count) => BigInt(count) * 10_000_000n) as [bigint, bigint, bigint]];
        close = open + ticks[0];
        const [high, low] = [(close > open ? close : open) + ticks[1], (close < open ? close : open) - ticks[2]];
        return { start: index, end: index + 1, open, high, low, close, previousClose: open, volume: 1n, turnover: close };
      });
      const newest = bars.at(-1)!;
      const before = bars.slice(-11, -1);
      const bodies = before.reduce((sum, bar) => sum + size(bar.close - bar.open), 0n);
      const ranges = before.reduce((sum, { high, low }) => sum + high - low, 0n);
      const isLong = bodies > 0n && 10n * size(newest.close - newest.open) > bodies;
      const [top, bottom] = newest.close > newest.open ? [newest.close, newest.open] : [newest.open, newest.close];
      const isBare = 100n * (newest.high - top) <= ranges && 100n * (bottom - newest.low) <= ranges;
      const marubozu = newest.close > newest.open ? [18] : [19];
      const found = occurrences(seriesOf(bars), bars.length - 1, bars.length).map(({ pattern: { shape } }) => shape);
      expect(found.filter((shape) => shape === 18 || shape === 19)).toEqual(isLong && isBare ? marubozu : []);
    }),
    { numRuns: 500 },
  );
});

test('statistics count what followed on the same K-lines', async () => {
  const one = security('HK.00700');
  const { statisticsList, barsExamined } = await simulated.payload(patterns.klinePatternStatistics, {
    ...version,
    security: one,
    klineType: DAY,
  });
  expect(barsExamined).toBe(1000);
  const bars = (await simulated.payload(quote.getKline, { security: one, klType: DAY, rehabType: 1, reqNum: 1000 })).klList;
  const { patternList } = await simulated.payload(patterns.klinePattern, { ...version, security: one, klineType: DAY });
  for (const { shape, occurrenceCount, lastTime, outcomeList } of statisticsList) {
    const recent = patternList.filter((each) => each.shape === shape);
    expect(occurrenceCount).toBeGreaterThanOrEqual(recent.length);
    if (recent.length > 0) expect(lastTime).toBe(recent[0]!.endTime);
    for (const { duration, sampleCount, riseRatio, maxChangeRate, minChangeRate, averageChangeRate } of outcomeList) {
      expect(sampleCount).toBeLessThanOrEqual(occurrenceCount);
      if (sampleCount === 0) continue;
      expect(riseRatio >= 0 && riseRatio <= 100).toBe(true);
      expect(minChangeRate <= averageChangeRate && averageChangeRate <= maxChangeRate).toBe(true);
      if (occurrenceCount !== 1) continue;
      const at = bars.findIndex(({ time }) => time === lastTime);
      const [from, to] = [bars[at]!.closePrice, bars[at + duration]!.closePrice];
      expect(averageChangeRate).toBeCloseTo((100 * (to - from)) / from, 2);
    }
  }
  const bearish = await simulated.payload(patterns.klinePatternStatistics, { ...version, security: one, klineType: DAY, color: 2 });
  expect(bearish.statisticsList).toEqual(statisticsList.filter(({ color }) => color === 2));
  const single = await simulated.payload(patterns.klinePatternStatistics, { ...version, security: one, klineType: DAY, shape: 8 });
  expect(single.statisticsList).toEqual(statisticsList.filter(({ shape }) => shape === 8));
});

describe('stocks that show a pattern', () => {
  const stocks = (fields: object) => simulated.payload(patterns.klinePatternStocks, { ...version, market: 1, klineType: DAY, ...fields });

  test('are those whose own patterns end with the newest complete bar, and no other', async () => {
    const { simulation } = simulated;
    for (const shape of [5, 18, 19, 24, 101, 102, 103, 105, 106, 107, 108]) {
      const { stockList, allCount } = await stocks({ shape, sortType: -1 });
      expect(stockList).toHaveLength(allCount);
      const shown = new Map(stockList.map((one) => [one.security!.code, one]));
      for (const instrument of simulation.world.listed({ market: 'HK', kind: 'equity' }).slice(0, 60)) {
        const request = { ...version, security: security(instrument.symbol), klineType: DAY };
        const { patternList } = await simulated.payload(patterns.klinePattern, request);
        const own = patternList.find((one) => one.shape === shape && one.endTime === '2026-11-20 00:00:00');
        expect([instrument.symbol, shown.get(instrument.code)?.beginTime]).toEqual([instrument.symbol, own?.beginTime]);
      }
    }
  });

  test('stand in the backend’s order, or by the figures of their snapshots, in pages', async () => {
    const asked = { shape: 5 };
    const { stockList: plain } = await stocks({ ...asked, sortType: -1 });
    const order = simulated.simulation.world.listed({ market: 'HK', kind: 'equity' }).map(({ code }) => code);
    const codes = plain.map(({ security: one }) => one!.code);
    expect(codes.length).toBeGreaterThan(1);
    expect(codes).toEqual(order.filter((code) => codes.includes(code)));
    expect((await stocks({ ...asked, sortType: -1, sortOrder: 1 })).stockList).toEqual(plain);
    const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList: plain.map(({ security: one }) => one!) });
    for (const [i, one] of plain.entries()) {
      const { basic, equityExData } = snapshotList[i]!;
      expect([one.curPrice, one.volume, one.turnover, one.marketCap]).toEqual([
        basic!.curPrice,
        basic!.volume,
        basic!.turnover,
        equityExData!.issuedMarketVal,
      ]);
    }
    for (const [sortType, figure] of [
      [1, 'curPrice'],
      [3, 'turnover'],
      [5, 'marketCap'],
    ] as const) {
      const values = (await stocks({ ...asked, sortType })).stockList.map((one) => one[figure]);
      expect(values).toEqual([...values].sort((a, b) => b - a));
      const rising = (await stocks({ ...asked, sortType, sortOrder: 1 })).stockList.map((one) => one[figure]);
      expect(rising).toEqual([...values].reverse());
    }
    expect((await stocks({ ...asked, sortType: -1, startCount: 1, count: 1 })).stockList).toEqual(plain.slice(1, 2));
    expect((await stocks({ ...asked, sortType: -1, count: -5 })).stockList).toEqual(plain);
  });
});

test('performance says ret_code 0 explicitly, and adds up', async () => {
  const answer = await simulated.payload(patterns.klinePatternPerformance, { ...version, shape: 8, duration: 5 });
  expect(Object.hasOwn(answer, 'retCode')).toBe(true);
  expect(answer).toMatchObject({ retCode: 0, shape: 8, name: 'Bullish engulfing', duration: 5 });
  expect(answer.marketList.map(({ market }) => market)).toEqual([1, 11, 21, 22, 31, 41, 61]);
  for (const { stockCount, occurrenceCount, sampleCount, minChangeRate, medianChangeRate, maxChangeRate } of answer.marketList) {
    expect(stockCount).toBe(10);
    expect(occurrenceCount).toBeGreaterThan(0);
    expect(sampleCount).toBeLessThanOrEqual(occurrenceCount);
    expect(minChangeRate <= medianChangeRate && medianChangeRate <= maxChangeRate).toBe(true);
  }
}, 60_000);

test.each([
  [patterns.klinePatternCatalog, { extensionVersion: 2 }, 'extension_version 2: expected 1'],
  [patterns.klinePatternCatalog, { extensionVersion: 1, filter: 3 }, 'unknown filter 3'],
  [patterns.klinePatternCatalog, { extensionVersion: 1, color: 4 }, 'unknown color 4'],
  [patterns.klinePatternCatalog, { extensionVersion: 1, startCount: -1 }, 'start_count -1'],
  [patterns.klinePattern, { extensionVersion: 1, klineType: DAY }, 'missing field "stock_id": the number of a stock'],
  [patterns.klinePattern, { extensionVersion: 1, klineType: DAY, stockId: 12n }, 'stock_id 12: no stock has this number'],
  [
    patterns.klinePattern,
    { extensionVersion: 1, klineType: DAY, stockId: 12n, security: security('US.AAPL') },
    'stock_id 12 is not that of US.AAPL: name one of the two',
  ],
  [patterns.klinePattern, { extensionVersion: 1, klineType: 1004, security: security('HK.00700') }, 'kl_type 1004'],
  [
    patterns.klinePatternStatistics,
    { extensionVersion: 1, klineType: DAY, security: security('HK.00700'), shape: 99 },
    'shape 99: no pattern',
  ],
  [patterns.klinePatternStocks, { extensionVersion: 1, klineType: DAY, market: 81, shape: 1 }, 'unknown market 81'],
  [patterns.klinePatternStocks, { extensionVersion: 1, klineType: DAY, market: 1, shape: 1, sortType: 6 }, 'unknown sort_type 6'],
  [
    patterns.klinePatternStocks,
    { extensionVersion: 1, klineType: DAY, market: 1, shape: 1, userStockListMode: 2 },
    'user_stock_list_mode 2',
  ],
  [patterns.klinePatternPerformance, { extensionVersion: 1, shape: 8, duration: 61 }, 'duration 61: expected 1 to 60'],
  [patterns.klinePatternPerformance, { extensionVersion: 1, shape: 0, duration: 1 }, 'shape 0: no pattern'],
] as const)('%# is refused with its reason', async (operation, request, text) => {
  expect(await simulated.refusal(operation, request)).toContain(text);
});
