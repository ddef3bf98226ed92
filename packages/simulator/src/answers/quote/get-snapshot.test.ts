import { metadata, quote, ranking } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownBackend, security } from '../../../../../test/support/sim-backend.js';
import { HISTORIES_MAX } from '../../view/price-range.js';
import type { SecurityKind } from '../../world/instrument.js';

/** Minutes of regular trading of a whole day in Hong Kong, and those passed at the fixture's 10:30. */
const [WHOLE_DAY, PASSED] = [330, 60];

test('the volume ratio and the close of five minutes ago are those of the bars, in snapshot, screen and ranking', async () => {
  const { payload } = await ownBackend({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });
  const symbols = ['HK.00700', 'HK.00005', 'HK.09988'];
  const { snapshotList } = await payload(quote.getSnapshot, { securityList: symbols.map(security) });
  const filtered = await payload(metadata.getStockFilter, {
    begin: 0,
    num: 200,
    market: 1,
    baseFilterList: [
      { fieldName: 8, isNoFilter: true },
      { fieldName: 15, isNoFilter: true },
    ],
  });
  const ranked = await payload(ranking.getPeriodChangeRank, { market: 1, offset: 0, count: 200, periodType: 1 });
  for (const [index, symbol] of symbols.entries()) {
    const { basic } = snapshotList[index] ?? {};
    const history = { security: security(symbol), rehabType: 0 };
    const { klList: days } = await payload(quote.getHistoryKline, {
      ...history,
      klType: 2,
      beginTime: '2026-11-01',
      endTime: '2026-11-19',
    });
    const week = days.slice(-5).reduce((sum, { volume }) => sum + Number(volume), 0);
    const ratio = Number(basic?.volume) / PASSED / (week / (5 * WHOLE_DAY));
    expect(basic?.volumeRatio).toBeCloseTo(ratio, 2);
    const { klList: minutes } = await payload(quote.getHistoryKline, {
      ...history,
      klType: 1,
      beginTime: '2026-11-20 09:30:00',
      endTime: '2026-11-20 10:30:00',
    });
    expect(basic?.closePrice5Minute).toBe(minutes.find(({ time }) => time.endsWith('10:25:00'))?.closePrice);
    const shown = filtered.dataList.find(({ security: of }) => `HK.${of?.code}` === symbol);
    const values = new Map(shown?.baseDataList.map(({ fieldName, value }) => [fieldName, value]));
    expect(values.get(8)).toBe(basic?.volumeRatio);
    const change = (100 * ((basic?.curPrice ?? 0) - (basic?.closePrice5Minute ?? 0))) / (basic?.closePrice5Minute ?? 1);
    expect(values.get(15)).toBeCloseTo(change, 2);
    const row = ranked.dataList?.find(({ security: of }) => `HK.${of?.code}` === symbol);
    if (row !== undefined) expect(row.volumeRatio).toBe(basic?.volumeRatio);
  }
});

const DAY_MS = 86_400_000;
const HISTORY_BEGIN = '1960-01-01';

test('the highest and the lowest price of history are those of all forward adjusted day bars, today’s and callers’ trades included', async () => {
  const { payload, clock, simulation } = await ownBackend({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });
  const { world, market } = simulation;
  const young = (kind: SecurityKind) => world.listed({ kind }).filter(({ listDate }) => listDate >= '2016');
  const instrument = fc.oneof(
    ...(['equity', 'etf', 'trust', 'bond', 'future'] as const)
      .map(young)
      .filter((list) => list.length > 0)
      .map((list) => fc.constantFrom(...list)),
  );
  await fc.assert(
    fc.asyncProperty(instrument, fc.integer({ min: 0, max: 40 }), fc.boolean(), async (of, days, isPrinted) => {
      const securityList = [security(of.symbol)];
      // Known once, it is brought up to a later day, across ex-days too.
      await payload(quote.getSnapshot, { securityList });
      clock.advance(days * DAY_MS);
      if (world.state(of) === 'over') return;
      if (isPrinted) market.print(of, market.quote(of).last * 40n, BigInt(of.lotSize), 1);
      const { snapshotList } = await payload(quote.getSnapshot, { securityList });
      const { klList } = await payload(quote.getHistoryKline, {
        security: security(of.symbol),
        rehabType: 1,
        klType: 2,
        beginTime: HISTORY_BEGIN,
        endTime: '2099-12-31',
      });
      const { highestHistoryPrice, lowestHistoryPrice } = snapshotList[0]?.basic ?? {};
      expect([of.symbol, highestHistoryPrice, lowestHistoryPrice]).toEqual([
        of.symbol,
        Math.max(...klList.map(({ highPrice }) => highPrice)),
        Math.min(...klList.map(({ lowPrice }) => lowPrice)),
      ]);
    }),
    { numRuns: 12 },
  );
});

test('the highest and the lowest price of history are in snapshots of a few symbols, whatever was asked before', async () => {
  const { payload, simulation } = await ownBackend();
  const securityList = simulation.world
    .listed({ kind: 'etf' })
    .slice(0, HISTORIES_MAX + 1)
    .map(({ symbol }) => security(symbol));
  const shown = async (list: typeof securityList) => {
    const { snapshotList } = await payload(quote.getSnapshot, { securityList: list });
    return snapshotList.filter(({ basic }) => basic !== undefined && Object.hasOwn(basic, 'highestHistoryPrice')).length;
  };
  for (const _ of [1, 2]) {
    expect(await shown(securityList)).toBe(0);
    expect(await shown(securityList.slice(1))).toBe(HISTORIES_MAX);
  }
});
