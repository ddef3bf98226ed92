import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { ManualClock } from '../../../contract/clock.js';
import type { Security } from '../../../contract/generated/Qot_Common_pb.js';
import type { Snapshot } from '../../../contract/generated/Qot_GetSecuritySnapshot_pb.js';
import { symbolOf } from '../../../contract/markets.js';
import { industry, metadata, quote, research } from '../../../contract/operations/index.js';
import { chains, industrialPlates } from '../../world/chains.js';

/** Worlds of several seeds, each on a day of its own: while New York trades, and on a morning in Hong Kong. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 16) },
  { seed: 'b', at: Date.UTC(2024, 6, 16, 3) },
] as const;
const fixtures: Fixture[] = [];
beforeAll(async () => {
  for (const { seed, at } of worlds) fixtures.push(await startFixture({ seed, calendarMode: 'calendar', clock: new ManualClock(at) }));
});
afterAll(() => Promise.all(fixtures.map(({ backend }) => backend.stop())));

const MARKETS = [1, 11, 21, 22, 31, 41, 61] as const;
const INDUSTRY = 0;
const CONCEPT = 1;
const anyWorld = fc.nat(worlds.length - 1).map((index) => fixtures[index] as Fixture);
const anyMarket = fc.constantFrom(...MARKETS);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const named = (one: { readonly market: number; readonly code: string } | undefined) => symbolOf(one!) as string;

/** Every page of a list, none of which is longer than asked for. */
async function pages<Item>(
  count: number,
  ask: (page: string) => Promise<{ items: readonly Item[]; next: string; allCount: number }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let page = '';
  do {
    const answer = await ask(page);
    expect(answer.items.length).toBeLessThanOrEqual(count);
    items.push(...answer.items);
    page = answer.next;
    if (page === '') expect(items.length).toBe(answer.allCount);
    else expect(answer.items.length).toBe(count);
  } while (page !== '');
  return items;
}

async function chainsIn({ backend }: Fixture, market: number, fields: object = {}) {
  return await pages(5, async (page) => {
    const { dataList, nextPage, allCount } = await payload(backend, industry.getIndustrialChainList, { market, ...fields, count: 5, page });
    return { items: dataList, next: nextPage, allCount };
  });
}

/** Symbols of the stocks of a plate or chain. */
async function stocks({ backend }: Fixture, fields: object, count = 200): Promise<string[]> {
  return await pages(count, async (page) => {
    const answer = await payload(backend, industry.getIndustrialPlateStock, { ...fields, count, page });
    return { items: answer.stockList.map((stock) => named(stock.security)), next: answer.page, allCount: answer.allCount };
  });
}

async function heatMap({ backend }: Fixture, market: number, fields: object = {}, count = 7) {
  return await pages(count, async (page) => {
    const answer = await payload(backend, industry.getHeatMapData, { market, ...fields, count, page });
    return { items: answer.plateDataList, next: answer.nextPage, allCount: answer.allCount };
  });
}

async function snapshots({ backend }: Fixture, symbols: readonly string[]): Promise<readonly Snapshot[]> {
  if (symbols.length === 0) return [];
  return (await payload(backend, quote.getSnapshot, { securityList: symbols.map(security) })).snapshotList;
}

/** Symbols of the members of a market's plate. */
async function membersOf({ backend }: Fixture, plate: Security): Promise<string[]> {
  const { staticInfoList } = await payload(backend, metadata.getPlateSecurity, { plate });
  return staticInfoList.map(({ basic }) => named(basic!.security));
}

/** What companies are worth by their snapshots, each once: at home where that is among them, or at the first of its listings. */
async function worth(fixture: Fixture, symbols: readonly string[], rateOf: (shown: Snapshot) => number = () => 1): Promise<number> {
  const { companies, world } = fixture.simulation;
  const chosen = new Map<unknown, string>();
  for (const symbol of symbols) {
    const instrument = world.instrument(symbol)!;
    const issuer = companies.issuer(instrument);
    if (!chosen.has(issuer) || issuer.home === instrument) chosen.set(issuer, symbol);
  }
  const shown = await snapshots(fixture, [...chosen.values()]);
  return sum(
    shown.map((one) => {
      const { equityExData, trustExData, basic } = one;
      const value = equityExData?.issuedMarketVal ?? Number(trustExData!.outstandingUnits) * basic!.curPrice;
      return value * rateOf(one);
    }),
  );
}

const change = ({ basic }: Snapshot) => Math.round(((basic!.curPrice - basic!.lastClosePrice) / basic!.lastClosePrice) * 100_000) / 1000;

describe('chains', () => {
  test('lead through every industry and concept, as trees whose layers follow one another', async () => {
    const [{ backend }] = fixtures as [Fixture];
    const used = new Set<number>();
    const forms = new Set<number>();
    const ids: number[] = [];
    for (const { id } of chains) {
      const { nodeList, chainType, name } = await payload(backend, industry.getIndustrialChainDetail, { chainId: BigInt(id) });
      forms.add(chainType);
      const nodes = new Map(nodeList.map((node) => [node.nodeId, node]));
      expect(nodes.size).toBe(nodeList.length);
      expect(name).not.toBe('');
      for (const { nodeId, parentNodeId, layerSth, plateId } of nodeList) {
        ids.push(Number(nodeId));
        expect(layerSth).toBe(parentNodeId === 0n ? 1n : nodes.get(parentNodeId)!.layerSth + 1n);
        const isGroup = nodeList.some((node) => node.parentNodeId === nodeId) && chainType !== 1;
        expect(plateId === 0n).toBe(isGroup);
        if (plateId !== 0n) used.add(Number(plateId));
      }
      const layers = nodeList.map(({ layerSth }) => layerSth);
      expect(layers).toEqual([...layers].sort((a, b) => Number(a - b)));
    }
    expect([...used].sort((a, b) => a - b)).toEqual(industrialPlates.map(({ id }) => id));
    expect([...forms].sort()).toEqual([1, 2, 3]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test(
    'members of a node are those of the plates of its name in every market, and those of a chain are its nodes’ together',
    () =>
      fc.assert(
        fc.asyncProperty(anyWorld, fc.constantFrom(...chains), anyMarket, async (fixture, { id }, market) => {
          const { backend } = fixture;
          const { nodeList } = await payload(backend, industry.getIndustrialChainDetail, { chainId: BigInt(id) });
          const { plateInfoList } = await payload(backend, metadata.listPlates, { market, plateSetType: 0 });
          const ofChain = new Set<string>();
          for (const { plateId } of nodeList) {
            if (plateId === 0n) continue;
            const { summary } = await payload(backend, industry.getIndustrialPlateInfo, { plateId });
            const plate = plateInfoList.find(({ name, plateType }) => plateType !== 2 && summary.startsWith(`${name}: `));
            const members = plate === undefined ? [] : await membersOf(fixture, plate.plate!);
            expect((await stocks(fixture, { plateId, marketList: [market] })).sort()).toEqual(members.sort());
            for (const member of members) ofChain.add(member);
          }
          const all = await stocks(fixture, { chainId: BigInt(id), marketList: [market] }, 40);
          expect(all.length).toBe(new Set(all).size);
          expect(new Set(all)).toEqual(ofChain);
          const listed = (await chainsIn(fixture, market)).find(({ chainId }) => chainId === BigInt(id));
          expect(Number(listed?.stocksNum ?? 0n)).toBe(all.length);
          expect((listed?.marketCap ?? 0) / Math.max(1, await worth(fixture, all))).toBeCloseTo(all.length === 0 ? 0 : 1, 9);
          // The default order is by market value.
          expect(listed?.relationSecurityList.map(named) ?? []).toEqual(all.slice(0, 10));
        }),
        { numRuns: 8 },
      ),
    120_000,
  );

  test('of a plate are those with a step of it, with their figures over all markets in US dollars', async () => {
    const [fixture] = fixtures as [Fixture];
    const { companies, world } = fixture.simulation;
    const plateId = 3012n;
    const { relatedChainList } = await payload(fixture.backend, industry.getIndustrialChainByPlate, { plateId });
    const having = chains.filter(({ plates }) => plates.some(({ id }) => BigInt(id) === plateId));
    expect(relatedChainList.map(({ chainId }) => Number(chainId))).toEqual(having.map(({ id }) => id));
    expect(having.length).toBeGreaterThan(0);
    for (const { chainId, stocksNum, marketCap } of relatedChainList) {
      const all = await stocks(fixture, { chainId });
      expect(Number(stocksNum)).toBe(all.length);
      const dollars = ({ basic }: Snapshot) => {
        const { currency } = world.instrument(named(basic!.security))!;
        return Number(companies.inCurrency(10n ** 12n, currency, 'USD', basic!.updateTime.slice(0, 10))) / 1e12;
      };
      expect(marketCap / (await worth(fixture, all, dollars))).toBeCloseTo(1, 6);
    }
  }, 120_000);

  test('are found by a word of their name, of their steps or of the plates of these', async () => {
    const [fixture] = fixtures as [Fixture];
    const names = async (keyword: string) => (await chainsIn(fixture, 1, { keyword })).map(({ name }) => name);
    expect(await names('oil & gas')).toEqual(expect.arrayContaining(['Oil & Gas']));
    expect(await names('LITHIUM')).toContain('Electric Vehicles');
    expect(await names('Telecommunications')).toContain('Mobile Communication');
    expect(await names('nothing of the sort')).toEqual([]);
    expect(await names('')).toEqual((await chainsIn(fixture, 1)).map(({ name }) => name));
  });
});

describe('stocks of a plate', () => {
  test(
    'are in the order asked for, whichever way, and pages partition them',
    () =>
      fc.assert(
        fc.asyncProperty(
          anyWorld,
          anyMarket,
          fc.constantFrom(...industrialPlates),
          fc.integer({ min: 1, max: 9 }),
          async (fixture, market, { id }, count) => {
            const one = { plateId: BigInt(id), marketList: [market] };
            const figures: Readonly<Record<number, (shown: Snapshot) => number>> = {
              1: change,
              2: ({ basic }) => basic!.turnover,
              3: ({ basic }) => Number(basic!.volume),
              4: ({ equityExData, trustExData, basic }) =>
                equityExData?.issuedMarketVal ?? Number(trustExData!.outstandingUnits) * basic!.curPrice,
            };
            const all = await stocks(fixture, one);
            for (const [field, figure] of Object.entries(figures)) {
              for (const ascend of [false, true]) {
                const symbols = await stocks(fixture, { ...one, sortField: Number(field), ascend }, count);
                expect([...symbols].sort()).toEqual([...all].sort());
                const values = (await snapshots(fixture, symbols)).map(figure);
                for (const [i, value] of values.entries()) {
                  if (i > 0) expect((value - values[i - 1]!) * (ascend ? 1 : -1)).toBeGreaterThanOrEqual(-1e-3);
                }
              }
            }
            const codes = await stocks(fixture, { ...one, sortField: 0, ascend: true }, count);
            expect(codes).toEqual([...all].sort());
            expect(await stocks(fixture, { ...one, sortField: 0 }, count)).toEqual(codes.reverse());
          },
        ),
        { numRuns: 4 },
      ),
    120_000,
  );

  test('of several markets are compared in one currency; without a market they are of all', async () => {
    const [fixture] = fixtures as [Fixture];
    const plateId = 1015n;
    const all = await stocks(fixture, { plateId });
    const each = await Promise.all(MARKETS.map((market) => stocks(fixture, { plateId, marketList: [market] })));
    expect([...all].sort()).toEqual(each.flat().sort());
    const two = await stocks(fixture, { plateId, marketList: [11, 41] });
    expect(all.filter((symbol) => symbol.startsWith('US.') || symbol.startsWith('JP.'))).toEqual(two);
    const { companies, world } = fixture.simulation;
    const values = (await snapshots(fixture, two)).map(({ basic, equityExData }) => {
      const instrument = world.instrument(named(basic!.security))!;
      return equityExData!.issuedMarketVal * Number(companies.inCurrency(10n ** 12n, instrument.currency, 'USD', world.today(instrument)));
    });
    expect(values).toEqual([...values].sort((a, b) => b - a));
    // In yen they would all come first.
    expect(two.findIndex((symbol) => symbol.startsWith('US.'))).toBeLessThan(two.filter((symbol) => symbol.startsWith('JP.')).length);
  });

  test('a plate goes before a chain', async () => {
    const [fixture] = fixtures as [Fixture];
    expect(await stocks(fixture, { plateId: 1015n, chainId: 7n, marketList: [11] })).toEqual(
      await stocks(fixture, { plateId: 1015n, marketList: [11] }),
    );
  });
});

describe('the heat map', () => {
  test(
    'shows each plate’s own index and the sums of its members, by their snapshots',
    () =>
      fc.assert(
        fc.asyncProperty(anyWorld, anyMarket, fc.constantFrom(INDUSTRY, CONCEPT), async (fixture, market, plateType) => {
          const { plateInfoList } = await payload(fixture.backend, metadata.listPlates, {
            market,
            plateSetType: plateType === INDUSTRY ? 1 : 3,
          });
          const fields = await heatMap(fixture, market, { plateType });
          const shownPlates = new Set(fields.map(({ plate }) => named(plate)));
          for (const { plate } of plateInfoList) {
            if (!shownPlates.has(named(plate))) expect(await membersOf(fixture, plate!)).toEqual([]);
          }
          for (const field of fields) {
            const members = await membersOf(fixture, field.plate!);
            const shown = await snapshots(fixture, members);
            const [index] = await snapshots(fixture, [named(field.plate)]);
            const { basic, plateExData } = index!;
            expect(field.plateName).toBe(basic!.name);
            expect(field.description).not.toBe('');
            expect([field.curPrice, field.turnover, field.volume]).toEqual([basic!.curPrice, basic!.turnover, basic!.volume]);
            expect(field.changeRate).toBeCloseTo(change(index!), 2);
            expect([field.riseCount, field.fallCount, field.equalCount]).toEqual([
              plateExData!.raiseCount,
              plateExData!.fallCount,
              plateExData!.equalCount,
            ]);
            expect(field.riseCount + field.fallCount + field.equalCount).toBe(members.length);
            expect(field.turnover / Math.max(1, sum(shown.map((one) => one.basic!.turnover)))).toBeCloseTo(field.turnover === 0 ? 0 : 1, 9);
            expect(Number(field.volume)).toBe(sum(shown.map((one) => Number(one.basic!.volume))));
            expect(field.marketVal / (await worth(fixture, members))).toBeCloseTo(1, 9);
            const leader = shown.find((one) => named(one.basic!.security) === named(field.leaderStock))!;
            expect(change(leader)).toBeGreaterThanOrEqual(Math.max(...shown.map(change)) - 1e-3);
          }
        }),
        { numRuns: 5 },
      ),
    120_000,
  );

  test('has the mean P/E of the valuations', async () => {
    const [fixture] = fixtures as [Fixture];
    const fields = await heatMap(fixture, 11);
    for (const { plate, peAvg } of fields.slice(0, 6)) {
      const [member] = await membersOf(fixture, plate!);
      const request = { security: security(member!), valuationType: 1 };
      const { plateDistribution } = await payload(fixture.backend, research.getValuationDetail, request);
      expect(named(plateDistribution!.plate)).toBe(named(plate));
      expect(peAvg).toBe(plateDistribution!.plateAverageValue);
    }
  });

  test.each([
    ['change rate, which is the default', undefined, ({ changeRate }: Field) => changeRate],
    ['change rate', 1, ({ changeRate }: Field) => changeRate],
    ['market value', 2, ({ marketVal }: Field) => marketVal],
    ['turnover', 3, ({ turnover }: Field) => turnover],
  ])('is sorted by %s', async (_, sortField, figure) => {
    const [fixture] = fixtures as [Fixture];
    const values = (await heatMap(fixture, 11, sortField === undefined ? {} : { sortField })).map(figure);
    expect(values.length).toBeGreaterThan(20);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    const reversed = (await heatMap(fixture, 11, { ...(sortField === undefined ? {} : { sortField }), ascend: true }, 11)).map(figure);
    expect(reversed).toEqual([...values].reverse());
  });

  test('is sorted by what is traded on usual days', async () => {
    const [fixture] = fixtures as [Fixture];
    const [hottest] = await heatMap(fixture, 11, { sortField: 4 });
    const usual = await heatMap(fixture, 11, { sortField: 3 });
    // Where most is traded today is among what is traded most.
    expect(usual.slice(0, 5).map(({ plateName }) => plateName)).toContain(hottest!.plateName);
  });

  test('knows no themes', async () => {
    const [{ backend }] = fixtures as [Fixture];
    expect(await payload(backend, industry.getHeatMapData, { market: 1, plateType: 2 })).toMatchObject({
      plateDataList: [],
      allCount: 0,
      nextPage: '',
    });
  });
});

type Field = Awaited<ReturnType<typeof heatMap>>[number];

describe('what is refused', () => {
  test.each(
    [
      [industry.getIndustrialChainList, { market: 81 }, 'unknown market 81'],
      [industry.getIndustrialChainList, { market: 1, count: 51 }, 'count: 51 is out of range, accepted: 1 to 50'],
      [industry.getIndustrialChainList, { market: 1, page: '99' }, 'page "99"'],
      [industry.getIndustrialChainDetail, { chainId: 999n }, `chain_id: there is no chain 999; accepted: 1 to ${chains.length}`],
      [
        industry.getIndustrialChainByPlate,
        { plateId: 1n },
        'plate_id: there is no industrial plate 1; accepted: 1001 to 1026, 3001 to 3016',
      ],
      [industry.getIndustrialPlateInfo, { plateId: 2001n }, 'plate_id: there is no industrial plate 2001'],
      [industry.getIndustrialPlateStock, {}, 'plate_id'],
      [industry.getIndustrialPlateStock, { plateId: 1001n, marketList: [1, 51] }, 'unknown market_list[1] 51'],
      [industry.getIndustrialPlateStock, { plateId: 1001n, sortField: 9 }, 'unknown sort_field 9'],
      [industry.getIndustrialPlateStock, { plateId: 1001n, count: 201 }, 'count: 201'],
      [industry.getIndustrialPlateStock, { plateId: 1001n, page: 'HK.99999' }, 'page "HK.99999"'],
      [industry.getHeatMapData, { market: 0 }, 'unknown market 0'],
      [industry.getHeatMapData, { market: 1, plateType: 3 }, 'unknown plate_type 3'],
      [industry.getHeatMapData, { market: 1, sortField: 5 }, 'unknown sort_field 5'],
      [industry.getHeatMapData, { market: 1, count: 0 }, 'count: 0'],
    ].map(([operation, fields, text]) => ({
      operation: operation as typeof industry.getHeatMapData,
      name: (operation as { name: string }).name,
      fields,
      text: text as string,
    })),
  )('$name $fields', async ({ operation, fields, text }) => {
    const [{ backend }] = fixtures as [Fixture];
    const answer = await call(backend, operation, fields as object);
    expect(answer.retType).not.toBe(0);
    expect(answer.retMsg).toContain(text);
  });
});
