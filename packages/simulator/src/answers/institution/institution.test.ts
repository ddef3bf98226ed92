import { ManualClock } from '@svc-gateway/contract/clock';
import { institution, quote, research } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AskedBackend, ownBackend, security, sharedBackends } from '../../../../../test/support/sim-backend.js';
import { institutionNames } from '../../companies/ownership.js';

/** Worlds of several seeds, each on a day of its own: evenings in New York. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 23) },
  { seed: 'b', at: Date.UTC(2024, 6, 16, 23) },
] as const;
const fixtures = sharedBackends(worlds);

const markets = { 1: 'HK', 11: 'US', 21: 'SH', 41: 'JP' } as const;
const anyBook = fc.tuple(fc.nat(worlds.length - 1), fc.constantFrom(1, 11, 21, 41), fc.integer({ min: 1, max: institutionNames.length }));
const everyBook = (check: (fixture: AskedBackend, market: keyof typeof markets, institutionId: number) => Promise<void>) =>
  fc.assert(
    fc.asyncProperty(anyBook, ([world, market, id]) => check(fixtures[world]!, market as keyof typeof markets, id)),
    { numRuns: 12 },
  );
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Every page of a list. */
async function all<Item>(ask: (page: string) => Promise<{ dataList: Item[]; nextPage: string; allCount: number }>): Promise<Item[]> {
  const items: Item[] = [];
  let page = '';
  do {
    const answer = await ask(page);
    items.push(...answer.dataList);
    page = answer.nextPage;
    if (page === '') expect(items.length).toBe(answer.allCount);
  } while (page !== '');
  return items;
}

const holdings = ({ payload }: AskedBackend, fields: object) =>
  all((page) => payload(institution.getInstitutionHoldingList, { count: 15, ...fields, page }));

describe('institutions', () => {
  test('holdings are those that the companies report, and add up to the distribution, the profile and the list', () =>
    everyBook(async (fixture, market, institutionId) => {
      const { companies, world } = fixture.simulation;
      const one = { market, institutionId };
      const profile = await fixture.payload(institution.getInstitutionProfile, one);
      const rows = await holdings(fixture, one);
      for (const { security: held, holdingPct, holdingValue, changeShares } of rows) {
        const home = world.instrument(`${markets[market]}.${held!.code}`)!;
        const company = companies.company(home);
        const { institutions: holders, issued, asOf } = company.holders(requireDay(world.today(home)));
        const holding = holders.find(({ holder }) => holder === profile.institutionName)!;
        expect(changeShares).toBe(holding.change);
        expect(holdingPct).toBeCloseTo((100 * Number(holding.shares)) / Number(issued), 2);
        const close = companies.timeline(home)!.priceAt(asOf) / 1e9;
        expect(holdingValue / (Number(holding.shares) * close)).toBeCloseTo(1, 6);
      }
      const value = sum(rows.map(({ holdingValue }) => holdingValue));
      expect(value / profile.positionValue).toBeCloseTo(1, 9);
      expect(Number(profile.totalHoldingCount)).toBe(rows.length);
      const { dataList: industries } = await fixture.payload(institution.getInstitutionDistribution, one);
      expect(sum(industries.map(({ positionValue }) => positionValue)) / value).toBeCloseTo(1, 9);
      expect(sum(industries.map(({ portfolioPct }) => portfolioPct))).toBeCloseTo(100, 1);
      for (const { industryName, positionValue } of industries) {
        const own = rows.filter((row) => row.industryName === industryName).map(({ holdingValue }) => holdingValue);
        expect(sum(own) / positionValue).toBeCloseTo(1, 9);
      }
      const list = await all((page) => fixture.payload(institution.getInstitutionList, { market, count: 7, page }));
      const row = list.find((each) => each.institutionId === institutionId)!;
      expect([row.positionValue, row.positionCount, row.disclosureDate]).toEqual([
        profile.positionValue,
        rows.length,
        profile.disclosureDate,
      ]);
      expect(row.positionValueChange).toBeCloseTo(profile.positionValue - profile.lastPositionValue, 1);
      expect(row.positionCountChange).toBe(Number(profile.holdingChangeCount));
      expect(rows.map(({ holdingValue }) => holdingValue)).toEqual([...rows.map(({ holdingValue }) => holdingValue)].sort((a, b) => b - a));
    }));

  test('changes are of one kind each, and their numbers are the profile’s', () =>
    everyBook(async (fixture, market, institutionId) => {
      const one = { market, institutionId };
      const profile = await fixture.payload(institution.getInstitutionProfile, one);
      const counts = [profile.newCount, profile.soldOutCount, profile.increaseCount, profile.decreaseCount];
      for (const [index, count] of counts.entries()) {
        const changeType = index + 1;
        const rows = await all((page) => fixture.payload(institution.getInstitutionHoldingChange, { ...one, changeType, count: 50, page }));
        expect(rows.length).toBe(count);
        for (const { changeShares } of rows) expect(changeShares > 0n).toBe(changeType === 1 || changeType === 3);
        const listed = await holdings(fixture, { ...one, changeType });
        const codes = (of: readonly { readonly security?: { readonly code: string } | undefined }[]) =>
          of.map(({ security: held }) => held!.code).sort();
        expect(codes(listed)).toEqual(codes(rows));
      }
      expect(profile.newCount - profile.soldOutCount).toBe(Number(profile.holdingChangeCount));
    }));

  test('a quarter later, what was held is what is compared with', async () => {
    const [fixture] = fixtures as [AskedBackend];
    const later = await ownBackend({ seed: 'a', calendarMode: 'calendar', clock: new ManualClock(worlds[0].at + 92 * 86_400_000) });
    const one = { market: 11, institutionId: 2 };
    const before = new Map((await holdings(fixture, one)).map((row) => [row.security!.code, row]));
    const now = await holdings(later, one);
    let compared = 0;
    for (const { security: held, lastHoldingPct } of now) {
      const then = before.get(held!.code);
      if (then === undefined) continue;
      expect(lastHoldingPct).toBeCloseTo(then.holdingPct, 2);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(10);
    const [first, second] = [fixture, later].map(({ payload }) => payload(institution.getInstitutionProfile, one));
    // But for what has been delisted since.
    const part = (await second!).lastPositionValue / (await first!).positionValue;
    expect(part).toBeLessThan(1 + 1e-9);
    expect(part).toBeGreaterThan(0.9);
  });

  test('names and keywords narrow the lists', async () => {
    const [{ payload }] = fixtures as [AskedBackend];
    const { dataList } = await payload(institution.getInstitutionList, { market: 11, namePart: 'fund' });
    expect(dataList.length).toBeGreaterThan(2);
    for (const { institutionName } of dataList) expect(institutionName).toMatch(/fund/i);
    const { dataList: found } = await payload(institution.getInstitutionHoldingList, {
      market: 11,
      institutionId: 1,
      keyword: 'aapl',
    });
    for (const { security: held } of found) expect(held!.code).toBe('AAPL');
  });
});

describe('ARK', () => {
  test('weights add up to the whole, values are at the close, and changes are differences of positions', async () => {
    for (const fixture of fixtures) {
      const { dataList } = await fixture.payload(institution.getArkFundHolding, { count: 200 });
      expect(dataList.length).toBeGreaterThan(15);
      expect(sum(dataList.map(({ weight }) => weight))).toBeCloseTo(100, 1);
      const { snapshotList } = await fixture.payload(quote.getSnapshot, {
        securityList: dataList.map(({ security: held }) => held!),
      });
      for (const [index, { shares, marketValue }] of dataList.entries()) {
        expect(marketValue / (Number(shares) * snapshotList[index]!.basic!.curPrice)).toBeCloseTo(1, 6);
      }
      const dayBefore = await ownBackend({
        seed: worlds[fixtures.indexOf(fixture)]!.seed,
        calendarMode: 'calendar',
        clock: new ManualClock(fixture.clock.now() - 86_400_000),
      });
      const { dataList: before } = await dayBefore.payload(institution.getArkFundHolding, { count: 200 });
      for (const { security: held, shares, sharesChange } of dataList) {
        const then = before.find((row) => row.security!.code === held!.code)?.shares ?? 0n;
        expect(shares - then).toBe(sharesChange);
      }
    }
  });

  test('transactions over a cycle are the changes of the positions, each kind by itself', async () => {
    for (const { payload } of fixtures) {
      for (const cycleType of [0, 2, 4]) {
        for (const [holdingType, arkType] of [1, 2, 3, 4].entries()) {
          const { dataList } = await payload(institution.getArkActiveTransaction, { holdingType, cycleType, count: 200 });
          const { dataList: held } = await payload(institution.getArkFundHolding, { holdingType: arkType, cycleType, count: 200 });
          const changes = (rows: readonly (readonly [string, bigint])[]) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
          expect(changes(dataList.map((row) => [row.security!.code, row.changeShares]))).toEqual(
            changes(held.map((row) => [row.security!.code, row.sharesChange])),
          );
          for (const { changeShares } of dataList) expect(changeShares > 0n).toBe(holdingType === 0 || holdingType === 2);
        }
      }
    }
  });

  test('a stock’s dynamic counts the transactions of its last days', async () => {
    const seen = new Set<number>();
    for (const { payload } of fixtures) {
      const { dataList } = await payload(institution.getArkFundHolding, { count: 200 });
      for (const { security: held } of dataList) {
        const { dynamicType, transactionCount, netShares, lastTransactionTime } = await payload(institution.getArkStockDynamic, {
          security: held!,
        });
        seen.add(dynamicType);
        if (dynamicType === 4) continue;
        expect(transactionCount).toBeGreaterThan(dynamicType === 1 ? 1 : 0);
        expect(lastTransactionTime).toMatch(/^\d{4}-\d\d-\d\d$/);
        if (dynamicType === 3) expect(transactionCount).toBe(1);
        if (dynamicType !== 2) expect(netShares).not.toBe(0n);
      }
      const none = await payload(institution.getArkStockDynamic, { security: security('HK.00005') });
      expect(none).toMatchObject({ dynamicType: 4, transactionCount: 0 });
    }
    expect(seen.size).toBeGreaterThan(2);
  });
});

describe('rating changes', () => {
  test('are in the ratings of their stocks, with what was said before', async () => {
    for (const { payload } of fixtures) {
      for (const changeType of [1, 2, 3]) {
        const rows = await all((page) => payload(institution.getRatingChange, { market: 11, changeType, count: 20, page }));
        if (changeType < 3) expect(rows.length).toBeGreaterThan(3);
        expect(rows.map(({ recommendationDate }) => recommendationDate)).toEqual(
          rows
            .map(({ recommendationDate }) => recommendationDate)
            .sort()
            .reverse(),
        );
        for (const row of rows.slice(0, 5)) {
          expect(row.changeType).toBe(changeType);
          if (changeType === 1) expect(row.rating).toBeGreaterThan(row.lastRating);
          if (changeType === 2) expect(row.rating).toBeLessThan(row.lastRating);
          const { instRatingSummaryList } = await payload(research.getResearchRatingSummary, { security: row.security!, num: 20 });
          const broker = instRatingSummaryList.find(({ institutionInfo }) => institutionInfo!.institutionName === row.institutionName)!;
          const at = broker.ratingItemList.findIndex(({ recommendationDateStr }) => recommendationDateStr === row.recommendationDate);
          expect(broker.ratingItemList[at]!.targetPrice).toBe(row.targetPrice);
          if (changeType < 3) expect(broker.ratingItemList[at + 1]!.recommendationDateStr).toBe(row.lastRecommendationDate);
        }
      }
    }
  });
});

const refused = [
  [institution.getInstitutionProfile, { market: 1, institutionId: 99 }, /^institution_id: there is no 99; accepted: 1 to 24$/],
  [institution.getInstitutionList, { market: 81 }, /^unknown market 81/],
  [institution.getInstitutionList, { market: 1, count: 201 }, /^count: 201 is out of range, accepted: 1 to 200$/],
  [institution.getInstitutionHoldingList, { market: 1, institutionId: 1, page: 'x' }, /^page "x": expected that of the page before/],
  [institution.getInstitutionHoldingChange, { market: 1, institutionId: 1, changeType: 5 }, /^change_type: unknown 5/],
  [institution.getArkFundHolding, { cycleType: 5, holdingType: 1 }, /^cycle_type: unknown 5/],
  [institution.getArkActiveTransaction, { holdingType: 4 }, /^holding_type: unknown 4/],
  [institution.getRatingChange, { market: 1 }, /^unknown market 1; accepted: 11/],
] as const;

test.each(refused.map(([operation, fields, message]) => [operation.name, fields, operation, message] as const))(
  '%s of %j is refused by name',
  async (_, fields, operation, message) => {
    expect(await fixtures[0]!.refusal(operation, fields)).toMatch(message);
  },
);
