import { symbolOf } from '@svc-gateway/contract/markets';
import { metadata, quote } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar' });

const quoteFields = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18];
const screens = [
  ['etf', metadata.etfScreen, [1, 11], 'etf', [21, 22, 23, 24, 25, 26, 27, 28]],
  ['fund', metadata.fundScreen, [1, 31], 'trust', [21, 22, 23, 24, 25, 26, 27, 28]],
  ['future', metadata.futureScreen, [1, 11], 'future', [31, 32, 33, 34, 35, 36]],
  ['bond', metadata.bondScreen, [1, 11], 'bond', [41, 42, 43, 44, 45, 46]],
] as const;

describe.each(screens)('the %s screen', (_, operation, markets, kind, own) => {
  const fields = [...quoteFields, ...own];
  const page = (request: object) =>
    simulated.payload(operation as typeof metadata.etfScreen, {
      market: markets[0],
      dataMaxCount: 500,
      extensionVersion: 1,
      ...request,
    });
  const symbols = async (request: object) =>
    (await page(request)).dataList.map(({ security }) => symbolOf(security ?? { market: 0, code: '' }));

  it('lists exactly the instruments listed today', async () => {
    for (const market of markets) {
      const name = symbolOf({ market, code: '' })?.slice(0, 2) as 'HK';
      const listed = simulated.simulation.world.listed({ market: name, kind }).map(({ symbol }) => symbol);
      expect([...(await symbols({ market }))].sort()).toEqual(listed.sort());
      expect(listed.length).toBeGreaterThan(0);
    }
  });

  it.each(fields)('field %i: what passes is what has such a figure, in its order', async (fieldId) => {
    const { dataList } = await page({ needFields: [{ fieldId }] });
    const values = dataList.flatMap(({ security, fieldList }) =>
      fieldList.map(({ value }) => [symbolOf(security ?? { market: 0, code: '' }), value] as const),
    );
    const middle = values.map(([, value]) => value).sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
    expect(await symbols({ filters: [{ fieldId, min: middle }] })).toEqual(
      values.filter(([, value]) => value >= middle).map(([symbol]) => symbol),
    );
    expect(await symbols({ filters: [{ fieldId, max: middle }] })).toEqual(
      values.filter(([, value]) => value <= middle).map(([symbol]) => symbol),
    );
    const down = await page({ needFields: [{ fieldId }], filters: [{ fieldId }], sorts: [{ fieldId }] });
    const order = down.dataList.map(({ fieldList }) => fieldList[0]?.value ?? 0);
    expect(order).toEqual([...order].sort((a, b) => b - a));
  });

  it('says the same as the snapshots', async () => {
    const { dataList } = await page({ needFields: [{ fieldId: 1 }, { fieldId: 8 }, { fieldId: 9 }] });
    const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList: dataList.map(({ security }) => security) });
    expect(dataList.map(({ fieldList }) => fieldList.map(({ value }) => value))).toEqual(
      snapshotList.map(({ basic }) => [basic?.curPrice, Number(basic?.volume), basic?.turnover]),
    );
  });

  it('pages', async () => {
    const all = await symbols({});
    const first = await page({ dataMaxCount: 1 });
    expect([first.allCount, first.lastPage, first.dataList.length]).toEqual([all.length, all.length === 1, 1]);
    const last = await page({ dataFrom: all.length - 1, dataMaxCount: 500 });
    expect([last.lastPage, last.dataList.length]).toEqual([true, 1]);
    expect((await page({ dataFrom: all.length + 5 })).dataList).toEqual([]);
  });

  it.each([
    [{ extensionVersion: 2 }, 'extension_version 2: expected 1'],
    [{ market: 5 }, 'invalid market 5'],
    [{ dataFrom: -1 }, 'data_from: -1 is out of range, accepted: at least 0'],
    [{ dataMaxCount: 501 }, 'data_max_count: 501 is out of range, accepted: 1 to 500'],
    [{ needFields: [{ fieldId: 99 }] }, 'unknown field_id 99; accepted: 1, 2, 3'],
    [{ filters: [{ fieldId: 1, min: 2, max: 1 }] }, 'filters[0]: min 2 is above max 1'],
    [{ needFields: Array.from({ length: 65 }, () => ({ fieldId: 1 })) }, '65 fields: at most 64'],
  ])('refuses %j', async (request, message) => {
    expect(await simulated.refusal(operation, { market: 1, dataMaxCount: 5, extensionVersion: 1, ...request })).toContain(message);
  });
});
