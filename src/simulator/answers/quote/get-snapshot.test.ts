import { expect, test } from 'vitest';
import { payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { metadata, quote, ranking } from '../../../contract/operations/index.js';

/** Minutes of regular trading of a whole day in Hong Kong, and those passed at the fixture's 10:30. */
const [WHOLE_DAY, PASSED] = [330, 60];

test('the volume ratio and the close of five minutes ago are those of the bars, in snapshot, screen and ranking', async () => {
  const { backend } = await startFixture({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });
  const symbols = ['HK.00700', 'HK.00005', 'HK.09988'];
  const { snapshotList } = await payload(backend, quote.getSnapshot, { securityList: symbols.map(security) });
  const filtered = await payload(backend, metadata.getStockFilter, {
    begin: 0,
    num: 200,
    market: 1,
    baseFilterList: [
      { fieldName: 8, isNoFilter: true },
      { fieldName: 15, isNoFilter: true },
    ],
  });
  const ranked = await payload(backend, ranking.getPeriodChangeRank, { market: 1, offset: 0, count: 200, periodType: 1 });
  for (const [index, symbol] of symbols.entries()) {
    const { basic } = snapshotList[index] ?? {};
    const history = { security: security(symbol), rehabType: 0 };
    const { klList: days } = await payload(backend, quote.getHistoryKline, {
      ...history,
      klType: 2,
      beginTime: '2026-11-01',
      endTime: '2026-11-19',
    });
    const week = days.slice(-5).reduce((sum, { volume }) => sum + Number(volume), 0);
    const ratio = Number(basic?.volume) / PASSED / (week / (5 * WHOLE_DAY));
    expect(basic?.volumeRatio).toBeCloseTo(ratio, 2);
    const { klList: minutes } = await payload(backend, quote.getHistoryKline, {
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
  await backend.stop();
});
