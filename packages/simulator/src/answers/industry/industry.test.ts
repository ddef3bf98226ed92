import type { Snapshot } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { industry, metadata } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { change, membersOf, named, pages, snapshots, worth } from '../../../../../test/support/plate-views.js';
import { type AskedBackend, sharedBackends } from '../../../../../test/support/sim-backend.js';
import { chains, industrialPlates } from '../../world/chains.js';

/** Worlds of several seeds, each on a day of its own: while New York trades, and on a morning in Hong Kong. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 16) },
  { seed: 'b', at: Date.UTC(2024, 6, 16, 3) },
] as const;
const fixtures = sharedBackends(worlds);

const MARKETS = [1, 11, 21, 22, 31, 41, 61] as const;
const anyWorld = fc.nat(worlds.length - 1).map((index) => fixtures[index] as AskedBackend);
const anyMarket = fc.constantFrom(...MARKETS);

async function chainsIn({ payload }: AskedBackend, market: number, fields: object = {}) {
  return await pages(5, async (page) => {
    const { dataList, nextPage, allCount } = await payload(industry.getIndustrialChainList, { market, ...fields, count: 5, page });
    return { items: dataList, next: nextPage, allCount };
  });
}

/** Symbols of the stocks of a plate or chain. */
async function stocks({ payload }: AskedBackend, fields: object, count = 200): Promise<string[]> {
  return await pages(count, async (page) => {
    const answer = await payload(industry.getIndustrialPlateStock, { ...fields, count, page });
    return { items: answer.stockList.map((stock) => named(stock.security)), next: answer.page, allCount: answer.allCount };
  });
}

describe('chains', () => {
  test('lead through every industry and concept, as trees whose layers follow one another', async () => {
    const [{ payload }] = fixtures as [AskedBackend];
    const used = new Set<number>();
    const forms = new Set<number>();
    const ids: number[] = [];
    for (const { id } of chains) {
      const { nodeList, chainType, name } = await payload(industry.getIndustrialChainDetail, { chainId: BigInt(id) });
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
          const { payload } = fixture;
          const { nodeList } = await payload(industry.getIndustrialChainDetail, { chainId: BigInt(id) });
          const { plateInfoList } = await payload(metadata.listPlates, { market, plateSetType: 0 });
          const ofChain = new Set<string>();
          for (const { plateId } of nodeList) {
            if (plateId === 0n) continue;
            const { summary } = await payload(industry.getIndustrialPlateInfo, { plateId });
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
    const [fixture] = fixtures as [AskedBackend];
    const { companies, world } = fixture.simulation;
    const plateId = 3012n;
    const { relatedChainList } = await fixture.payload(industry.getIndustrialChainByPlate, { plateId });
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
    const [fixture] = fixtures as [AskedBackend];
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
    const [fixture] = fixtures as [AskedBackend];
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
    const [fixture] = fixtures as [AskedBackend];
    expect(await stocks(fixture, { plateId: 1015n, chainId: 7n, marketList: [11] })).toEqual(
      await stocks(fixture, { plateId: 1015n, marketList: [11] }),
    );
  });
});

describe('what is refused', () => {
  test.each([
    ['getIndustrialChainList', { market: 81 }, 'unknown market 81'],
    ['getIndustrialChainList', { market: 1, count: 51 }, 'count: 51 is out of range, accepted: 1 to 50'],
    ['getIndustrialChainList', { market: 1, page: '99' }, 'page "99"'],
    ['getIndustrialChainDetail', { chainId: 999n }, `chain_id: there is no chain 999; accepted: 1 to ${chains.length}`],
    ['getIndustrialChainByPlate', { plateId: 1n }, 'plate_id: there is no industrial plate 1; accepted: 1001 to 1026, 3001 to 3016'],
    ['getIndustrialPlateInfo', { plateId: 2001n }, 'plate_id: there is no industrial plate 2001'],
    ['getIndustrialPlateStock', {}, 'plate_id'],
    ['getIndustrialPlateStock', { plateId: 1001n, marketList: [1, 51] }, 'unknown market_list[1] 51'],
    ['getIndustrialPlateStock', { plateId: 1001n, sortField: 9 }, 'unknown sort_field 9'],
    ['getIndustrialPlateStock', { plateId: 1001n, count: 201 }, 'count: 201'],
    ['getIndustrialPlateStock', { plateId: 1001n, page: 'HK.99999' }, 'page "HK.99999"'],
  ] as const)('%s %o', async (name, fields, text) => {
    expect(await fixtures[0]!.refusal(industry[name], fields)).toContain(text);
  });
});
