import { metadata, ranking, research } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { change, membersOf, named, pages, snapshots, worth } from '../../../../../test/support/plate-views.js';
import { type AskedBackend, security, sharedBackends } from '../../../../../test/support/sim-backend.js';

/** Worlds of several seeds, each on a day of its own: while New York trades, and on a morning in Hong Kong. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 16) },
  { seed: 'b', at: Date.UTC(2024, 6, 16, 3) },
] as const;
const fixtures = sharedBackends(worlds);

const INDUSTRY = 0;
const CONCEPT = 1;
const anyWorld = fc.nat(worlds.length - 1).map((index) => fixtures[index] as AskedBackend);
const anyMarket = fc.constantFrom(1, 11, 21, 22, 31, 41, 61);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

async function heatMap({ payload }: AskedBackend, market: number, fields: object = {}, count = 7) {
  return await pages(count, async (page) => {
    const answer = await payload(ranking.getHeatMapData, { market, ...fields, count, page });
    return { items: answer.plateDataList, next: answer.nextPage, allCount: answer.allCount };
  });
}

describe('the heat map', () => {
  test(
    'shows each plate’s own index and the sums of its members, by their snapshots',
    () =>
      fc.assert(
        fc.asyncProperty(anyWorld, anyMarket, fc.constantFrom(INDUSTRY, CONCEPT), async (fixture, market, plateType) => {
          const { plateInfoList } = await fixture.payload(metadata.listPlates, {
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
    const [fixture] = fixtures as [AskedBackend];
    const fields = await heatMap(fixture, 11);
    for (const { plate, peAvg } of fields.slice(0, 6)) {
      const [member] = await membersOf(fixture, plate!);
      const request = { security: security(member!), valuationType: 1 };
      const { plateDistribution } = await fixture.payload(research.getValuationDetail, request);
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
    const [fixture] = fixtures as [AskedBackend];
    const values = (await heatMap(fixture, 11, sortField === undefined ? {} : { sortField })).map(figure);
    expect(values.length).toBeGreaterThan(20);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    const reversed = (await heatMap(fixture, 11, { ...(sortField === undefined ? {} : { sortField }), ascend: true }, 11)).map(figure);
    expect(reversed).toEqual([...values].reverse());
  });

  test('is sorted by what is traded on usual days', async () => {
    const [fixture] = fixtures as [AskedBackend];
    const [hottest] = await heatMap(fixture, 11, { sortField: 4 });
    const usual = await heatMap(fixture, 11, { sortField: 3 });
    // Where most is traded today is among what is traded most.
    expect(usual.slice(0, 5).map(({ plateName }) => plateName)).toContain(hottest!.plateName);
  });

  test('knows no themes', async () => {
    const [{ payload }] = fixtures as [AskedBackend];
    expect(await payload(ranking.getHeatMapData, { market: 1, plateType: 2 })).toMatchObject({
      plateDataList: [],
      allCount: 0,
      nextPage: '',
    });
  });
});

type Field = Awaited<ReturnType<typeof heatMap>>[number];

test.each([
  [{ market: 0 }, 'unknown market 0'],
  [{ market: 1, plateType: 3 }, 'unknown plate_type 3'],
  [{ market: 1, sortField: 5 }, 'unknown sort_field 5'],
  [{ market: 1, count: 0 }, 'count: 0'],
])('%j is refused: %s', async (fields, text) => {
  expect(await fixtures[0]!.refusal(ranking.getHeatMapData, fields)).toContain(text);
});
