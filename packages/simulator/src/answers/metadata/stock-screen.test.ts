import type { StockScreenItem } from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { klinePattern, metadata, quote } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });

const HONG_KONG = { simpleFieldQuery: { simpleField: 1, screenValueList: [1n] } };
const [CODE, NAME, INDUSTRY] = [1101, 1102, 1103];
const basic = (name: number) => ({ basicProperty: { name } });
const simple = (name: number) => ({ simpleProperty: { name } });

async function screened(fields: object) {
  return simulated.payload(metadata.stockScreen, { filterList: [HONG_KONG], ...fields });
}

async function refusal(fields: object): Promise<string> {
  return simulated.refusal(metadata.stockScreen, { filterList: [HONG_KONG], ...fields });
}

/** The stocks of Hong Kong by the other screen. */
const stockFilter = (fields: object) => simulated.payload(metadata.getStockFilter, { begin: 0, num: 200, market: 1, ...fields });

async function codesIn(plate: object | undefined) {
  const { staticInfoList } = await simulated.payload(metadata.getPlateSecurity, { plate });
  return staticInfoList.map(({ basic: one }) => one?.security?.code).sort();
}

/** The values of an item, in the order in which they were asked for. */
function valuesOf({ results }: StockScreenItem): (string | number | undefined)[] {
  return results.map((result) => {
    if (result.basicPropertyResult !== undefined) return result.basicPropertyResult.sval;
    const of = result.simplePropertyResult ?? result.cumulativePropertyResult ?? result.financialPropertyResult;
    return of !== undefined && Object.hasOwn(of, 'dval') ? of.dval : undefined;
  });
}

/** The value of one column; undefined where the stock has none. */
function numberIn<T extends { dval: number }>(result: T | undefined): number | undefined {
  return result !== undefined && Object.hasOwn(result, 'dval') ? result.dval : undefined;
}

async function codes(fields: object): Promise<string[]> {
  const { dataList } = await screened({ retrieveList: [basic(CODE)], ...fields });
  return dataList.map((item) => String(valuesOf(item)[0]));
}

const bounded = (name: number, least?: number, most?: number, includes = true) => ({
  simplePropertyQuery: {
    property: { name },
    ...(least === undefined ? {} : { filterMin: { value: least, includes } }),
    ...(most === undefined ? {} : { filterMax: { value: most, includes } }),
  },
});

/** A condition on day bars: the price above its average of five. */
const above = (fields: object) => ({
  indicatorPositionalQuery: { position: 1, period: 11, firstIndicator: 1, secondIndicator: 11, ...fields },
});

describe('a stock screen', () => {
  it('shows figures that agree with the snapshots and terms', async () => {
    const names = [2201, 2202, 2203, 2204, 2205, 2207, 2208, 2301];
    const { dataList, allCount } = await screened({ retrieveList: [basic(CODE), basic(NAME), ...names.map(simple)] });
    expect(dataList.length).toBe(Math.min(200, allCount));
    const rows = dataList.map(valuesOf);
    const securityList = rows.map(([code]) => security(`HK.${code}`));
    const { snapshotList } = await simulated.payload(quote.getSnapshot, { securityList });
    const { staticInfoList } = await simulated.payload(quote.getStaticInfo, { securityList });
    for (const [i, { basic: shown, equityExData }] of snapshotList.entries()) {
      if (shown === undefined) throw new Error('no snapshot');
      const [, name, ...figures] = rows[i] ?? [];
      const { curPrice, openPrice, lastClosePrice, highPrice, lowPrice, bidPrice, askPrice } = shown;
      expect([name, ...figures.slice(0, 7)]).toEqual([
        shown.name,
        ...[curPrice, openPrice, lastClosePrice, highPrice, lowPrice, bidPrice, askPrice],
      ]);
      if (equityExData !== undefined) expect(figures[7]).toBe(equityExData.issuedMarketVal);
      expect(dataList[i]?.stockId).toBe(BigInt(staticInfoList[i]?.basic?.id ?? 0n));
    }
  });

  it('knows indicators and the volatility of options by their published numbers, and pages of 300', async () => {
    const indicator = (name: number) => ({ indicatorProperty: { name, period: 11 } });
    const of = (item: StockScreenItem) =>
      item.results.map((one) => one.indicatorPropertyResult?.dval ?? one.optionPropertyResult?.dval ?? one.basicPropertyResult?.sval);
    const retrieveList = [basic(CODE), indicator(1), indicator(11), { optionProperty: { name: 1000 } }, { optionProperty: { name: 1001 } }];
    const { dataList, allCount } = await screened({ retrieveList, pageCount: 300 });
    expect(dataList).toHaveLength(Math.min(300, allCount));
    const rows = dataList.map(of) as [string, number, number, number?, number?][];
    const expected = rows.filter(([, price, average]) => price > average).map(([code]) => code);
    expect(expected.length).toBeGreaterThan(0);
    expect(await codes({ filterList: [HONG_KONG, above({})], pageCount: 300 })).toEqual(expected);
    const volatile = rows.filter(([, , , implied = 0]) => implied >= 30).map(([code]) => code);
    const optionQuery = { property: { name: 1000 }, intervals: [{ filterMin: { value: 30, includes: true } }] };
    expect(await codes({ filterList: [HONG_KONG, { optionQuery }], pageCount: 300 })).toEqual(volatile);
    const ranks = (await screened({ retrieveList, sort: { direction: 2, optionProperty: { name: 1001 } }, pageCount: 300 })).dataList.map(
      of,
    );
    const known = ranks.map((row) => row[4]).filter((rank) => rank !== undefined);
    expect(known.length).toBeGreaterThan(3);
    expect(known).toEqual([...known].sort((a, b) => Number(b) - Number(a)));
  });

  it('leaves what meets every condition, bounds included or not', async () => {
    const { dataList } = await screened({ retrieveList: [basic(CODE), simple(2201)] });
    const prices = new Map(dataList.map((item) => valuesOf(item) as [string, number]));
    const middle = [...prices.values()].sort((a, b) => a - b)[Math.floor(prices.size / 2)] ?? 0;
    const passing = (test: (price: number) => boolean) => [...prices].filter(([, price]) => test(price)).map(([code]) => code);
    expect(await codes({ filterList: [HONG_KONG, bounded(2201, middle)] })).toEqual(passing((price) => price >= middle));
    expect(await codes({ filterList: [HONG_KONG, bounded(2201, middle, undefined, false)] })).toEqual(passing((price) => price > middle));
    const both = [HONG_KONG, bounded(2201, 5), bounded(2201, undefined, middle)];
    expect(await codes({ filterList: both })).toEqual(passing((price) => price >= 5 && price <= middle));
  });

  it('agrees with the stock filter on changes and earnings', async () => {
    const retrieveList = [
      basic(CODE),
      { cumulativeProperty: { name: 3102, days: 5 } },
      { cumulativeProperty: { name: 3101, days: 1 } },
      { financialProperty: { name: 4101, term: 100 } },
      { financialProperty: { name: 4102, term: 10 } },
    ];
    const { dataList } = await screened({ retrieveList });
    const filtered = await stockFilter({
      accumulateFilterList: [{ fieldName: 1, days: 5, isNoFilter: true }],
      financialFilterList: [
        { fieldName: 1, quarter: 1, isNoFilter: true },
        { fieldName: 2, quarter: 5, isNoFilter: true },
      ],
    });
    const theirs = new Map(filtered.dataList.map((one) => [one.security?.code, one]));
    for (const item of dataList) {
      const [code, change, , profit, growth] = valuesOf(item);
      const other = theirs.get(String(code));
      expect(change === undefined ? undefined : Number(change) * 100).toEqual(
        other?.accumulateDataList[0] === undefined ? undefined : expect.closeTo(other.accumulateDataList[0].value, 6),
      );
      const financial = new Map(other?.financialDataList.map(({ fieldName, value }) => [fieldName, value]));
      expect([profit, growth]).toEqual([financial.get(1), financial.get(2)]);
    }
    const listed = dataList.map((item) => security(`HK.${valuesOf(item)[0]}`));
    const { basicQotList } = await simulated.payload(quote.getQuote, { securityList: listed.slice(0, 50) });
    for (const [i, { curPrice, lastClosePrice }] of basicQotList.entries()) {
      const change = valuesOf(dataList[i]!)[2];
      if (change !== undefined) expect(change).toBeCloseTo(curPrice - lastClosePrice, 2);
    }
  });

  it('sorts by any property, pages, and counts all', async () => {
    const whole = await screened({ retrieveList: [basic(CODE), simple(2301)], sort: { direction: 2, simpleProperty: { name: 2301 } } });
    const values = whole.dataList.map((item) => Number(valuesOf(item)[1]));
    expect(values).toEqual([...values].sort((a, b) => b - a));
    const sortList = [{ direction: 2, simpleProperty: { name: 2301 } }];
    const second = await screened({ retrieveList: [basic(CODE), simple(2301)], sortList, pageFrom: 10, pageCount: 10 });
    expect(second.dataList).toEqual(whole.dataList.slice(10, 20));
    expect([second.allCount, second.lastPage]).toEqual([whole.allCount, 0]);
    const last = await screened({ pageFrom: whole.allCount - 1, pageCount: 10 });
    expect([last.dataList.length, last.lastPage]).toEqual([1, 1]);
    const byCode = await codes({ sort: { direction: 2, basicProperty: { name: CODE } } });
    expect(byCode).toEqual([...byCode].sort().reverse());
  });

  it('looks at the markets, plates and stocks that are named', async () => {
    const plates = await simulated.payload(metadata.listPlates, { market: 1, plateSetType: 1 });
    const plate = plates.plateInfoList[0]?.plate;
    const expected = await codesIn(plate);
    const query = { plateQuery: { plateList: [{ plateIdList: [plate?.code] }] } };
    expect(await codes({ filterList: [HONG_KONG, query] })).toEqual(expected);
    const other = { plateQuery: { plateList: [{ plateIdList: [plates.plateInfoList[1]?.plate?.code] }] } };
    expect(await codes({ filterList: [HONG_KONG, query, other] })).toEqual([]);
    const industries = (await screened({ filterList: [HONG_KONG, query], retrieveList: [basic(INDUSTRY)] })).dataList.map(valuesOf);
    expect(new Set(industries.flat())).toEqual(new Set([plates.plateInfoList[0]?.name]));
    const [first, second] = (await screened({})).dataList;
    const watched = { simpleFieldQuery: { simpleField: 4, screenValueList: [1n] } };
    const chosen = await screened({ filterList: [watched], watchlistStockIds: [first?.stockId, second?.stockId] });
    expect(chosen.dataList.map(({ stockId }) => stockId)).toEqual([first?.stockId, second?.stockId]);
    const mainland = await screened({ filterList: [{ simpleFieldQuery: { simpleField: 1, screenValueList: [3n] } }] });
    expect(mainland.allCount).toBeGreaterThan(50);
    const canada = await screened({ filterList: [{ simpleFieldQuery: { simpleField: 1, screenValueList: [5n] } }] });
    expect([canada.allCount, canada.lastPage]).toEqual([0, 1]);
  });

  it('finds the patterns of the stock filter by their own numbers, and where they do not stand', async () => {
    const filtered = async (fieldName: number) => {
      const { dataList } = await stockFilter({ patternFilterList: [{ fieldName, klType: 2, isNoFilter: false }] });
      return dataList.map(({ security: one }) => one?.code).sort();
    };
    const pattern = (fields: object) => ({ filterList: [HONG_KONG, { indicatorPatternQuery: { period: 11, ...fields } }], pageCount: 300 });
    let found = 0;
    const theirs = [1, 4, 9, 16, 7, 20];
    for (const [i, number] of [1, 4, 11, 24, 33, 44].entries()) {
      const expected = await filtered(theirs[i]!);
      found += expected.length;
      expect([number, await codes(pattern({ name: number }))]).toEqual([number, expected]);
      const others = await codes(pattern({ pattern: number, isMatching: false }));
      expect(others.filter((code) => expected.includes(code))).toEqual([]);
      expect(others.length).toBeGreaterThan(100);
    }
    expect(found).toBeGreaterThan(0);
  });

  it('looks at exchanges and at indices', async () => {
    const field = (simpleField: number, ...screenValueList: bigint[]) => ({ simpleFieldQuery: { simpleField, screenValueList } });
    const count = async (...filterList: object[]) => (await screened({ filterList })).allCount;
    const [MAIN_BOARD, SHANGHAI] = [1n, 14n];
    expect(await count(field(2, SHANGHAI))).toBeGreaterThan(50);
    expect(await count(field(2, SHANGHAI), HONG_KONG)).toBe(0);
    expect(await count(field(2, SHANGHAI, MAIN_BOARD))).toBe((await count(field(2, SHANGHAI))) + (await count(field(2, MAIN_BOARD))));
    const idOf = (symbol: string) => simulated.simulation.world.instrument(symbol)?.id ?? 0n;
    expect(await count(field(3, idOf('HK.800000')))).toBe(await count(HONG_KONG));
    const { plateInfoList } = await simulated.payload(metadata.listPlates, { market: 1, plateSetType: 1 });
    const plate = plateInfoList[0]?.plate;
    const expected = await codesIn(plate);
    expect(await codes({ filterList: [field(3, idOf(`HK.${plate?.code}`))] })).toEqual(expected);
    expect(await refusal({ filterList: [field(3, idOf('HK.00700'))] })).toContain('is HK.00700; expected the id of an index or of a plate');
  });

  it('knows which part of a share was bought below its price', async () => {
    const featured = { featuredProperty: { name: 5101 } };
    const sort = { direction: 1, ...featured };
    const { dataList } = await screened({ retrieveList: [basic(CODE), featured], sort, pageCount: 300 });
    const rows = dataList.map(
      ({ results }) => [results[0]?.basicPropertyResult?.sval, numberIn(results[1]?.featuredPropertyResult)] as const,
    );
    const known = rows.flatMap(([, part]) => (part === undefined ? [] : [part]));
    expect(known).toEqual([...known].sort((a, b) => a - b));
    expect([known.every((part) => part >= 0 && part <= 100), new Set(known).size > 50]).toEqual([true, true]);
    const intervals = [{ filterMax: { value: 20, includes: false } }, { filterMin: { value: 80, includes: true } }];
    const filterList = [HONG_KONG, { featuredPropertyQuery: { property: { name: 5101 }, intervals } }];
    const expected = rows.flatMap(([code, part = 50]) => (part < 20 || part >= 80 ? [String(code)] : []));
    expect((await codes({ filterList, pageCount: 300 })).sort()).toEqual(expected.sort());
    const { klList } = await simulated.payload(quote.getHistoryKline, {
      security: security('HK.00700'),
      rehabType: 1,
      klType: 2,
      beginTime: '2025-01-01',
      endTime: '2026-11-20',
    });
    const last = klList.at(-1)?.closePrice ?? 0;
    let [held, below] = [0, 0];
    for (const { turnoverRate, lowPrice, highPrice } of klList.slice(-250)) {
      held = held * (1 - turnoverRate) + turnoverRate;
      below = below * (1 - turnoverRate) + turnoverRate * Math.min(1, Math.max(0, (last - lowPrice) / (highPrice - lowPrice)));
    }
    expect(rows.find(([code]) => code === '00700')?.[1]).toBeCloseTo((100 * below) / held, 1);
  });

  it('knows who holds a share of Hong Kong', async () => {
    const broker = (fields: object) => ({ brokerProperty: fields });
    const retrieveList = [
      basic(CODE),
      broker({ name: 6101, param: '1' }),
      broker({ name: 6101 }),
      broker({ name: 6101, param: '100', days: 5 }),
      broker({ name: 6102, days: 20 }),
      broker({ name: 6103 }),
    ];
    const valuesIn = async (fields: object) => {
      const { dataList } = await screened({ retrieveList, pageCount: 300, ...fields });
      return dataList.map(({ results }) => results.slice(1).map((one) => numberIn(one.brokerPropertyResult)));
    };
    const rows = (await valuesIn({})) as number[][];
    for (const [one = 0, ten = 0, hundred = 0, change = 0, count = 0] of rows) {
      expect([one > 0, one < ten, ten < 100, hundred > ten && hundred <= 100, Math.abs(change) < 100, count > 20]).toEqual(
        Array(6).fill(true),
      );
    }
    const most = Math.max(...rows.map(([one = 0]) => one));
    const intervals = [{ filterMin: { value: most, includes: true } }];
    const brokerHoldingsQuery = { property: { name: 6101, param: '1' }, intervals };
    expect(await codes({ filterList: [HONG_KONG, { brokerHoldingsQuery }] })).toHaveLength(1);
    const american = await valuesIn({ filterList: [{ simpleFieldQuery: { simpleField: 1, screenValueList: [2n] } }], pageCount: 20 });
    expect(new Set(american.flat())).toEqual(new Set([undefined]));
  });

  it('finds shapes as the patterns of K-lines are found, with how often they held', async () => {
    const types = [1, 2, 3, 10, 1001, 1002, 1003, 1010];
    const shapes = [101, 103, 105, 107, 102, 104, 106, 108];
    const property = { name: 6200, period: 11 };
    const retrieveList = [basic(CODE), { klineShapeProperty: property }, { klineShapeProperty: { name: 6201, period: 11 } }];
    const ofUnitedStates = { simpleFieldQuery: { simpleField: 1, screenValueList: [2n] } };
    const shaped = async (...valueSet: bigint[]) => {
      const filterList = [ofUnitedStates, { klineShapeQuery: { property, valueSet } }];
      const { dataList } = await screened({ filterList, retrieveList, pageCount: 300 });
      return dataList.map(({ results: [code, shape, probability] }) => ({
        code: String(code?.basicPropertyResult?.sval),
        type: Number(shape?.klineShapePropertyResult?.ival),
        name: shape?.klineShapePropertyResult?.enumName,
        valueTypes: [shape?.klineShapePropertyResult?.valueType, probability?.klineShapePropertyResult?.valueType],
        probability: numberIn(probability?.klineShapePropertyResult),
      }));
    };
    const all = await shaped(2000n, 2001n);
    expect(all.length).toBeGreaterThan(0);
    for (const [i, type] of types.entries()) {
      const { stockList } = await simulated.payload(klinePattern.klinePatternStocks, {
        klineType: 2,
        shape: shapes[i],
        market: 11,
        sortOrder: 1,
        sortType: -1,
        count: 0,
        startCount: 0,
        userStockListMode: 0,
        extensionVersion: 1,
      });
      const theirs = new Set(stockList.map(({ security: one }) => one?.code));
      for (const one of await shaped(BigInt(type))) expect([type, theirs.has(one.code), one.type]).toEqual([type, true, type]);
      for (const code of theirs) expect(all.map((one) => one.code)).toContain(code);
    }
    const bullish = await shaped(2000n);
    expect(bullish.every(({ type }) => type < 1000)).toBe(true);
    expect(all.filter(({ type }) => type < 1000)).toEqual(bullish);
    for (const { code, type, name, valueTypes, probability } of all) {
      expect([valueTypes, name]).toEqual([[2, 4], expect.stringMatching(type < 1000 ? /BOTTOM|TRIANGLE$/ : /PEAK|DOWN$/)]);
      const { statisticsList } = await simulated.payload(klinePattern.klinePatternStatistics, {
        security: security(`US.${code}`),
        klineType: 2,
        shape: shapes[types.indexOf(type)],
        extensionVersion: 1,
      });
      const outcome = statisticsList[0]?.outcomeList.find(({ duration }) => duration === 5);
      if (type < 1000) expect(probability).toBe(outcome?.sampleCount === 0 ? undefined : outcome?.riseRatio);
    }
  });

  it('knows bars of minutes, and the second quarter by itself', async () => {
    const indicatorProperty = { name: 1, period: 1 };
    const retrieveList = [
      basic(CODE),
      simple(2201),
      { financialProperty: { name: 4101, term: 1 } },
      { financialProperty: { name: 4101, term: 2 } },
      { indicatorProperty },
    ];
    const { dataList } = await screened({ retrieveList, pageCount: 20 });
    const filtered = await stockFilter({ financialFilterList: [{ fieldName: 1, quarter: 3, isNoFilter: true }] });
    const interim = new Map(filtered.dataList.map((one) => [one.security?.code, one.financialDataList[0]?.value]));
    let agreed = 0;
    for (const item of dataList) {
      const [code, price, first, second] = valuesOf(item);
      expect(item.results[4]?.indicatorPropertyResult?.dval).toBe(price);
      if (Math.abs(Number(first) + Number(second) - Number(interim.get(String(code)))) <= 2) agreed += 1;
    }
    // A fiscal year may have had its first quarter reported again, and its second not yet.
    expect(agreed).toBeGreaterThan(dataList.length / 2);
  });

  it.each([
    [{ filterList: [bounded(2404, 1)] }, 'property 2404 is not served; served: 2201, 2202'],
    [{ filterList: [bounded(2201, 5, 1)] }, 'filter_min 5 exceeds filter_max 1'],
    [{ filterList: [{}] }, 'expected one condition, found none'],
    [{ filterList: [{ ...HONG_KONG, ...bounded(2201, 1) }] }, 'expected one condition, found simpleFieldQuery, simplePropertyQuery'],
    [
      { filterList: [{ simpleFieldQuery: { simpleField: 5, screenValueList: [1n] } }] },
      'field 5 is not served; served: 1 market, 2 exchange',
    ],
    [{ filterList: [{ simpleFieldQuery: { simpleField: 2, screenValueList: [99n] } }] }, 'exchange 99 is none; accepted: 1, 2'],
    [{ filterList: [{ simpleFieldQuery: { simpleField: 3, screenValueList: [99n] } }] }, 'screen_value_list: index stock_id 99'],
    [{ filterList: [{ simpleFieldQuery: { simpleField: 1, screenValueList: [9n] } }] }, 'market 9 is none'],
    [{ filterList: [{ indicatorPatternQuery: { period: 11 } }] }, 'indicator_pattern_query.name: pattern 0 is not served; served: 1, 2'],
    [{ filterList: [{ indicatorPatternQuery: { period: 11, name: 1, subPatterns: [2] } }] }, 'sub_patterns: not served'],
    [{ filterList: [{ featuredPropertyQuery: { property: { name: 5201 } } }] }, 'property 5201 is not served; served: 5101'],
    [{ filterList: [{ featuredPropertyQuery: { property: { name: 5101 }, valueSet: [1n] } }] }, 'value_set: not served; give intervals'],
    [{ filterList: [{ brokerHoldingsQuery: { property: { name: 6104 } } }] }, 'property 6104 is not served; served: 6101, 6102, 6103'],
    [{ retrieveList: [{ brokerProperty: { name: 6101, param: 'x' } }] }, 'param: expected a positive whole number as text'],
    [{ retrieveList: [{ klineShapeProperty: { name: 6202, period: 11 } }] }, 'property 6202 is not served; served: 6200, 6201'],
    [{ retrieveList: [{ klineShapeProperty: { name: 6200, period: 21 } }] }, 'period: 21 is not served; served: 5 (60 minutes), 11 (day)'],
    [
      { filterList: [{ klineShapeQuery: { property: { name: 6200, period: 11 }, valueSet: [4n] } }] },
      'shape 4 is not served; served: 1, 2, 3, 10',
    ],
    [{ filterList: [{ klineShapeQuery: { property: { name: 6201, period: 11 }, valueSet: [1n] } }] }, '6201 is no condition'],
    [{ filterList: [above({ firstIndicator: 2 })] }, 'indicator 2 is not served; served: 1, 11, 12'],
    [
      { filterList: [above({ period: 7 })] },
      'period 7 is not served; served: 1, 2, 3, 4, 6 and 5 (1, 3, 5, 15, 30 and 60 minutes), 11 (day)',
    ],
    [{ filterList: [above({ position: 5 })] }, 'position: unknown 5; accepted: 1 (above)'],
    [{ filterList: [above({ secondValue: 1n })] }, 'expected one of second_indicator and second_value'],
    [{ filterList: [{ optionQuery: { property: { name: 1002 } } }] }, 'property 1002 is not served; served: 1000, 1001'],
    [{ filterList: [{ plateQuery: { plateList: [{ plateIdList: ['BK0'] }] } }] }, 'unknown plate'],
    [{ retrieveList: [basic(1104)] }, 'property 1104 is not served; served: 1101, 1102, 1103'],
    [{ retrieveList: [{ cumulativeProperty: { name: 3102, days: 251 } }] }, 'days: 251 is out of range'],
    [{ retrieveList: [{ financialProperty: { name: 4101, term: 3 } }] }, 'term: 3 is not served; served: 1, 2, 10, 100'],
    [{ sort: { direction: 5, simpleProperty: { name: 2201 } } }, 'direction: 5 is none'],
    [{ pageCount: 301 }, 'page_count: 301 is out of range, accepted: 1 to 300'],
    [{ pageFrom: -1 }, 'page_from: -1 is out of range'],
  ])('refuses what it does not serve (%#)', async (fields, says) => {
    expect(await refusal(fields)).toContain(says);
  });
});
