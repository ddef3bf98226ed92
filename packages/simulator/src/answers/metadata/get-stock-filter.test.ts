import { metadata, quote } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { named } from '../../../../../test/support/plate-views.js';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });

const whole = { begin: 0, num: 200, market: 1 };

async function filter(fields: object) {
  return simulated.payload(metadata.getStockFilter, { ...whole, ...fields });
}

async function symbols(fields: object): Promise<string[]> {
  return (await filter(fields)).dataList.map(({ security: one }) => named(one));
}

const shown = (fieldName: number, more: object = {}) => ({ fieldName, isNoFilter: true, ...more });

/** A condition that about half of all stocks meet. */
function halfOf(values: readonly number[]): { filterMin: number; isNoFilter: false } {
  const sorted = [...values].sort((a, b) => a - b);
  return { filterMin: sorted[Math.floor(sorted.length / 2)] ?? 0, isNoFilter: false };
}

describe('simple conditions', () => {
  const fields = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21];

  it.each(fields)('field %i: what passes is what shows such a figure, and nothing else', async (fieldName) => {
    const all = await filter({ baseFilterList: [shown(fieldName)] });
    const values = new Map(all.dataList.flatMap((one) => one.baseDataList.map(({ value }) => [named(one.security), value] as const)));
    expect(values.size).toBeGreaterThan(60);
    const condition = { fieldName, ...halfOf([...values.values()]) };
    const passed = await symbols({ baseFilterList: [condition] });
    expect(passed).toEqual([...values].filter(([, value]) => value >= condition.filterMin).map(([symbol]) => symbol));
    expect(passed.length).toBeLessThan(values.size);
  });

  it('agree with the snapshots', async () => {
    const { dataList } = await filter({ baseFilterList: [3, 4, 5, 9, 11, 12, 13, 14, 19, 20, 21].map((fieldName) => shown(fieldName)) });
    const securityList = dataList.map(({ security: one }) => one);
    const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList });
    for (const [i, snapshot] of snapshotList.entries()) {
      const { basic, equityExData: equity } = snapshot;
      if (basic === undefined || equity === undefined) continue;
      const figures = new Map(dataList[i]?.baseDataList.map(({ fieldName, value }) => [fieldName, value]));
      expect(figures.get(3)).toBe(basic.curPrice);
      expect(figures.get(4)).toBeCloseTo((100 * (basic.curPrice - basic.highest52WeeksPrice)) / basic.highest52WeeksPrice, 2);
      expect(figures.get(5)).toBeCloseTo((100 * (basic.curPrice - basic.lowest52WeeksPrice)) / basic.lowest52WeeksPrice, 2);
      expect(figures.get(9)).toBe(basic.bidAskRatio);
      expect(figures.get(11)).toBe(equity.issuedMarketVal);
      expect([12, 13, 14].map((field) => figures.get(field))).toEqual([equity.peRate, equity.peTTMRate, equity.pbRate]);
      expect([19, 20].map((field) => BigInt(figures.get(field) ?? 0))).toEqual([equity.issuedShares, equity.outstandingShares]);
      expect(figures.get(21)).toBe(equity.outstandingMarketVal);
    }
  });

  it('together return the intersection of their own results', async () => {
    const conditions = [
      { baseFilterList: [{ fieldName: 3, filterMax: 40, isNoFilter: false }] },
      { baseFilterList: [{ fieldName: 13, filterMin: 0, filterMax: 20, isNoFilter: false }] },
      { accumulateFilterList: [{ fieldName: 1, days: 5, filterMin: 0, isNoFilter: false }] },
      { financialFilterList: [{ fieldName: 8, quarter: 1, filterMin: 10, isNoFilter: false }] },
      { customIndicatorFilterList: [{ firstFieldName: 1, secondFieldName: 4, relativePosition: 1, klType: 2, isNoFilter: false }] },
    ];
    const alone = await Promise.all(conditions.map((condition) => symbols(condition)));
    const together = await symbols({
      ...conditions[2],
      ...conditions[3],
      ...conditions[4],
      baseFilterList: [...(conditions[0]?.baseFilterList ?? []), ...(conditions[1]?.baseFilterList ?? [])],
    });
    const [first = [], ...rest] = alone;
    expect(together).toEqual(first.filter((symbol) => rest.every((one) => one.includes(symbol))));
    expect(together.length).toBeGreaterThan(0);
  });

  it('do nothing where is_no_filter is left out', async () => {
    expect(await symbols({ baseFilterList: [{ fieldName: 3, filterMin: 1e9 }] })).toEqual(await symbols({}));
  });
});

describe('accumulated figures', () => {
  it.each([1, 3, 20])('over %i days agree with the daily bars', async (days) => {
    const { dataList } = await filter({ num: 8, accumulateFilterList: [1, 2, 3, 4, 5].map((fieldName) => shown(fieldName, { days })) });
    for (const { security: one, accumulateDataList } of dataList) {
      const { klList } = await simulated.payload(quote.getKline, { security: one, klType: 2, rehabType: 1, reqNum: days });
      const [base, last] = [klList[0]?.lastClosePrice ?? 0, klList.at(-1)?.closePrice ?? 0];
      const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / days;
      const values = accumulateDataList.map(({ value }) => value);
      expect(values[0]).toBeCloseTo((100 * (last - base)) / base, 2);
      expect(values[1]).toBeCloseTo(
        (100 * (Math.max(...klList.map((bar) => bar.highPrice)) - Math.min(...klList.map((bar) => bar.lowPrice)))) / base,
        2,
      );
      expect(values[2]).toBe(Math.floor(mean(klList.map((bar) => Number(bar.volume)))));
      expect(values[3]).toBeCloseTo(mean(klList.map((bar) => bar.turnover)), 1);
      expect(values[4]).toBeCloseTo(100 * mean(klList.map((bar) => bar.turnoverRate)) * days, 1);
    }
  });

  it.each([1, 2, 3, 4, 5])('field %i: what passes is what shows such a figure', async (fieldName) => {
    const all = await filter({ accumulateFilterList: [shown(fieldName, { days: 10 })] });
    const values = all.dataList.flatMap((one) => one.accumulateDataList.map(({ value }) => [named(one.security), value] as const));
    const condition = { fieldName, days: 10, ...halfOf(values.map(([, value]) => value)) };
    expect(await symbols({ accumulateFilterList: [condition] })).toEqual(
      values.filter(([, value]) => value >= condition.filterMin).map(([symbol]) => symbol),
    );
  });
});

describe('financial figures', () => {
  const fields = Array.from({ length: 46 }, (_, i) => i + 1);

  it.each(fields)('field %i: what passes is what shows such a figure, in every report', async (fieldName) => {
    for (const quarter of [1, 2, 3, 4, 5]) {
      const all = await filter({ financialFilterList: [shown(fieldName, { quarter })] });
      const values = all.dataList.flatMap((one) => one.financialDataList.map(({ value }) => [named(one.security), value] as const));
      expect([quarter, values.length > 40]).toEqual([quarter, true]);
      const condition = { fieldName, quarter, ...halfOf(values.map(([, value]) => value)) };
      expect(await symbols({ financialFilterList: [condition] })).toEqual(
        values.filter(([, value]) => value >= condition.filterMin).map(([symbol]) => symbol),
      );
    }
  });

  it('of the fiscal year agree with the snapshot', async () => {
    const { dataList } = await filter({ financialFilterList: [shown(1, { quarter: 1 }), shown(44, { quarter: 1 })] });
    const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList: dataList.map(({ security: one }) => one) });
    for (const [i, { equityExData: equity }] of snapshotList.entries()) {
      if (equity === undefined) continue;
      const [profit, perShare] = dataList[i]?.financialDataList.map(({ value }) => value) ?? [];
      // The snapshot shows the year as it now stands, restated or not.
      expect(Math.abs((profit ?? 0) / equity.netProfit - 1)).toBeLessThan(0.2);
      expect(perShare).toBeCloseTo((profit ?? 0) / Number(equity.issuedShares), 2);
    }
  });
});

describe('patterns and indicators', () => {
  async function closes(symbol: string, count: number): Promise<number[]> {
    const { klList } = await simulated.payload(quote.getKline, {
      security: security(symbol),
      klType: 2,
      rehabType: 1,
      reqNum: count,
    });
    return klList.map(({ closePrice }) => closePrice);
  }
  const mean = (values: readonly number[]) => Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1e8) / 1e8;

  it('find averages in order, and only those', async () => {
    const all = await symbols({});
    const expected: string[] = [];
    for (const symbol of all) {
      const values = await closes(symbol, 80);
      const inOrder = (end: number) => {
        const averages = [5, 10, 20, 30, 60].map((period) => mean(values.slice(end - period, end)));
        return averages.every((average, i) => i === 0 || (averages[i - 1] ?? 0) > average);
      };
      const [last = 0, before = 0] = [values.at(-1), values.at(-2)];
      if (values.length >= 61 && inOrder(values.length) && inOrder(values.length - 1) && last > before) expected.push(symbol);
    }
    expect(expected.length).toBeGreaterThan(0);
    expect(await symbols({ patternFilterList: [{ fieldName: 1, klType: 2, isNoFilter: false }] })).toEqual(expected);
  });

  it.each([
    [1, (a: number, b: number) => a > b],
    [2, (a: number, b: number) => a < b],
    [3, (a: number, b: number, before: number, beforeThat: number) => before < beforeThat && a > b],
    [4, (a: number, b: number, before: number, beforeThat: number) => before > beforeThat && a < b],
  ] as const)('position %i of the price to its average of 7 days', async (relativePosition, holds) => {
    const expected: string[] = [];
    for (const symbol of await symbols({})) {
      const values = await closes(symbol, 10);
      const [a = 0, before = 0] = [values.at(-1), values.at(-2)];
      if (holds(a, mean(values.slice(-7)), before, mean(values.slice(-8, -1)))) expected.push(symbol);
    }
    const filters = [{ firstFieldName: 1, secondFieldName: 30, secondFieldParaList: [7], relativePosition, klType: 2, isNoFilter: false }];
    const found = await filter({ customIndicatorFilterList: filters });
    expect(found.dataList.map(({ security: one }) => named(one))).toEqual(expected);
    for (const { security: one, customIndicatorDataList } of found.dataList.slice(0, 5)) {
      const values = await closes(named(one), 10);
      expect(customIndicatorDataList[0]?.value).toBeCloseTo(values.at(-1) ?? 0, 2);
      expect(customIndicatorDataList[1]?.value).toBeCloseTo(mean(values.slice(-7)), 2);
    }
  });

  it('hold on each of so many bars', async () => {
    const above = (consecutivePeriod: number) =>
      symbols({
        customIndicatorFilterList: [
          { firstFieldName: 1, secondFieldName: 3, relativePosition: 1, klType: 2, isNoFilter: false, consecutivePeriod },
        ],
      });
    const [one, three] = [await above(1), await above(3)];
    expect(three.every((symbol) => one.includes(symbol))).toBe(true);
    expect(three.length).toBeLessThan(one.length);
  });

  it.each(Array.from({ length: 20 }, (_, i) => i + 1))('pattern %i is looked for in bars of days, weeks and hours', async (fieldName) => {
    for (const klType of [2, 3, 9]) {
      const { allCount } = await filter({ plate: security('HK.LIST1001'), patternFilterList: [{ fieldName, klType, isNoFilter: false }] });
      expect(allCount).toBeLessThan(12);
    }
  });

  it('an index between two bounds: RSI above 50 and below', async () => {
    const of = (relativePosition: number) =>
      symbols({
        customIndicatorFilterList: [
          { firstFieldName: 9, secondFieldName: 17, fieldValue: 50, relativePosition, klType: 2, isNoFilter: false },
        ],
      });
    const [above, below] = [await of(1), await of(2)];
    expect(above.filter((symbol) => below.includes(symbol))).toEqual([]);
    expect(above.length + below.length).toBe((await symbols({})).length);
  });
});

describe('pages and order', () => {
  it('sort by what is asked, and the pages make up the whole', async () => {
    const sort = { baseFilterList: [shown(11, { sortDir: 2 })] };
    const all = await filter(sort);
    const values = all.dataList.map(({ baseDataList }) => baseDataList[0]?.value ?? 0);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    const pages = [];
    for (let begin = 0; ; begin += 50) {
      const page = await filter({ ...sort, begin, num: 50 });
      pages.push(...page.dataList);
      expect(page.allCount).toBe(all.allCount);
      if (page.lastPage) break;
      expect(page.dataList).toHaveLength(50);
    }
    expect(pages).toEqual(all.dataList);
  });

  it('none of a page is a count alone', async () => {
    const found = await filter({ num: 0 });
    expect([found.dataList, found.lastPage, found.allCount > 90]).toEqual([[], false, true]);
  });

  it('Shanghai and Shenzhen are one market', async () => {
    const [shanghai, shenzhen] = [await symbols({ market: 21 }), await symbols({ market: 22 })];
    expect(shanghai).toEqual(shenzhen);
    expect(new Set(shanghai.map((symbol) => symbol.slice(0, 2)))).toEqual(new Set(['SH', 'SZ']));
  });

  it('a plate narrows it to its members', async () => {
    const plate = security('HK.LIST1001');
    const { staticInfoList } = await simulated.payload(metadata.getPlateSecurity, { plate });
    expect(await symbols({ plate })).toEqual(staticInfoList.map(({ basic }) => named(basic?.security)));
  });

  it('nothing that is listed no more, and nothing twice', async () => {
    const us = await symbols({ market: 11 });
    expect(us).not.toContain('US.TWTR');
    expect(new Set(us).size).toBe(us.length);
  });
});

it.each([
  [{ market: 7 }, 'invalid market 7'],
  [{ begin: -1 }, 'begin: -1 is out of range, accepted: at least 0'],
  [{ num: 201 }, 'num: 201 is out of range, accepted: 0 to 200'],
  [{ baseFilterList: [{ fieldName: 99 }] }, 'base_filter_list[0].field_name: unknown 99; accepted: 1, 2, 3'],
  [{ baseFilterList: [{ fieldName: 1, filterMin: 1, isNoFilter: false }] }, 'base_filter_list[0]: a code or a name has no bounds'],
  [{ baseFilterList: [{ fieldName: 3, filterMin: 2, filterMax: 1, isNoFilter: false }] }, 'filter_min 2 is above filter_max 1'],
  [{ baseFilterList: [{ fieldName: 3, sortDir: 3 }] }, 'base_filter_list[0].sort_dir: 3 is out of range'],
  [{ accumulateFilterList: [{ fieldName: 1, days: 251 }] }, 'accumulate_filter_list[0].days: 251 is out of range, accepted: 1 to 250'],
  [{ accumulateFilterList: [{ fieldName: 6, days: 1 }] }, 'accumulate_filter_list[0].field_name: unknown 6'],
  [{ financialFilterList: [{ fieldName: 1, quarter: 6 }] }, 'financial_filter_list[0].quarter: 6 is out of range'],
  [{ patternFilterList: [{ fieldName: 21, klType: 2 }] }, 'pattern_filter_list[0].field_name: unknown 21'],
  [{ patternFilterList: [{ fieldName: 1, klType: 1 }] }, 'pattern_filter_list[0].kl_type: 1 is not accepted'],
  [
    { patternFilterList: [{ fieldName: 1, klType: 2, consecutivePeriod: 13 }] },
    'consecutive_period: 13 is out of range, accepted: 1 to 12',
  ],
  [
    { customIndicatorFilterList: [{ firstFieldName: 17, secondFieldName: 1, relativePosition: 1, klType: 2 }] },
    'a value can only be the second field',
  ],
  [
    { customIndicatorFilterList: [{ firstFieldName: 1, secondFieldName: 17, relativePosition: 1, klType: 2 }] },
    'field_value": required when',
  ],
  [
    { customIndicatorFilterList: [{ firstFieldName: 1, secondFieldName: 50, secondFieldParaList: [9], relativePosition: 1, klType: 2 }] },
    'expected 3 parameters, found 1',
  ],
  [
    { customIndicatorFilterList: [{ firstFieldName: 1, secondFieldName: 30, secondFieldParaList: [251], relativePosition: 1, klType: 2 }] },
    '251 is out of range',
  ],
])('refuses %j', async (fields, message) => {
  expect(await simulated.refusal(metadata.getStockFilter, { ...whole, ...fields })).toContain(message);
});
