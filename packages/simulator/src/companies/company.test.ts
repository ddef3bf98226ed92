import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCompany, companies, equities, sum, world, worldOf } from '../../../../test/support/any-company.js';
import { platesOf } from '../world/plates.js';
import { Companies } from './index.js';
import { freeFloat } from './ownership.js';

const apple = world.instrument('US.AAPL')!;

describe('holders', () => {
  test('add up to the distribution, which is all shares, with institutions within the free float', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const { institutions, insiders, distribution, issued, asOf, known: since } = company.holders(day);
        expect(asOf < since && since <= day && day - since < 95).toBe(true);
        expect(issued).toBe(company.ordinaryShares(asOf));
        expect(sum(institutions.map(({ shares }) => shares))).toBe(distribution.institutions);
        expect(sum(insiders.map(({ shares }) => shares))).toBe(distribution.insiders);
        expect(distribution.institutions + distribution.insiders + distribution.others).toBe(issued);
        const float = freeFloat(company.profile, issued);
        expect(distribution.insiders).toBe(issued - float);
        expect(distribution.institutions <= float && distribution.others > 0n).toBe(true);
        for (const { shares } of [...institutions, ...insiders]) expect(shares >= 0n).toBe(true);
        expect(new Set(institutions.map(({ holder }) => holder)).size).toBe(institutions.length);
      }),
    );
  });

  test('changes are the difference from the report before, in shares of today', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const now = company.holders(day);
        const before = company.holders(now.known - 1);
        const [was, is] = [company.shareFactor(before.asOf), company.shareFactor(now.asOf)];
        for (const list of ['institutions', 'insiders'] as const) {
          const then = new Map(before[list].map(({ holder, shares }) => [holder, shares]));
          for (const { holder, shares, previous, change } of now[list]) {
            expect(change).toBe(shares - previous);
            expect(previous).toBe(((then.get(holder) ?? 0n) * is.numerator * was.denominator) / (is.denominator * was.numerator));
            then.delete(holder);
          }
          // Nobody is forgotten: who is gone is listed with what was sold.
          expect([...then.values()].every((shares) => shares === 0n)).toBe(true);
        }
      }),
    );
  });

  test('a split is no purchase', () => {
    const split = equities
      .map((one) => companies(1).company(one))
      .flatMap((company) =>
        company.events.filter(({ kind, becomes }) => kind === 'split' && becomes >= 4).map((event) => ({ company, event })),
      )[0]!;
    const { institutions } = split.company.holders(split.event.ex + 140);
    const earlier = split.company.holders(split.event.ex - 1);
    expect(institutions.length > 0 && earlier.institutions.length > 0).toBe(true);
    for (const { shares, change, previous } of institutions)
      if (previous > 0n) expect(Number(change) / Number(previous) < 2, `${shares}`).toBe(true);
  });
});

describe('ratings', () => {
  test('lead from one to the next, on trading days, and sum up to what each broker said last', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const { home } = company.issuer;
        const changes = company.ratings(day - 800, day);
        const last = new Map<string, (typeof changes)[number]>();
        for (const change of changes) {
          expect(world.calendar(home).isTradingDay(new Date(change.day * 86_400_000).toISOString().slice(0, 10))).toBe(true);
          expect(change.target > 0n).toBe(true);
          const before = last.get(change.broker);
          if (before !== undefined) {
            expect(before.day < change.day).toBe(true);
            expect(change.previous?.rating).toBe(before.rating);
            if (company.shareFactor(before.day).numerator === company.shareFactor(change.day).numerator) {
              const factors = [before.day, change.day].map((one) => company.shareFactor(one));
              if (factors[0]!.denominator === factors[1]!.denominator) expect(change.previous?.target).toBe(before.target);
            }
          }
          last.set(change.broker, change);
        }
      }),
    );
  });

  test('a window is the sum of its parts', () => {
    fc.assert(
      fc.property(anyCompany, fc.nat(400), fc.nat(400), ({ company, day }, a, b) => {
        const parts = [...company.ratings(day - a, day), ...company.ratings(day + 1, day + b)];
        expect(parts).toEqual(company.ratings(day - a, day + b));
      }),
    );
  });

  test('mostly follow results within a week', () => {
    const company = companies(1).company(apple);
    const changes = company.ratings(requireDay('2025-01-01'), requireDay('2026-12-31'));
    const soon = changes.filter(({ day }) => day - company.published(company.lastPublished(day)) <= 8);
    expect(changes.length).toBeGreaterThan(20);
    expect(soon.length / changes.length).toBeGreaterThan(0.6);
  });
});

describe('what analysts expect', () => {
  test('stands between its lowest and highest, and closes with the day before the results', () => {
    fc.assert(
      fc.property(anyCompany, fc.integer({ min: -3, max: 8 }), ({ company, day }, ahead) => {
        const quarter = company.lastPublished(day) + ahead;
        const consensus = company.consensus(quarter, day);
        if (consensus === undefined) return;
        for (const { mean, low, high } of [consensus.revenue, consensus.netIncome, consensus.earningsPerShare]) {
          expect(low <= mean && mean <= high).toBe(true);
        }
        if (ahead <= 0) expect(consensus).toEqual(company.consensus(quarter, company.published(quarter) - 1));
      }),
    );
  });

  test('surprise is what was reported less what was expected before, and nobody knows it earlier', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const quarter = company.lastPublished(day);
        const published = company.published(quarter);
        expect(company.surprise(quarter, published - 1)).toBeUndefined();
        const surprise = company.surprise(quarter, day);
        const consensus = company.consensus(quarter, published - 1);
        expect(surprise === undefined).toBe(consensus === undefined);
        if (surprise === undefined || consensus === undefined) return;
        const { revenue, netIncome } = company.accounts.income(quarter);
        expect(surprise.difference.revenue).toBe(revenue - consensus.revenue.mean);
        expect(surprise.difference.netIncome).toBe(netIncome - consensus.netIncome.mean);
        const perShare = (netIncome * DECIMAL_ONE) / company.ordinaryShares(published - 1);
        expect(surprise.actual.earningsPerShare).toBe(perShare);
        expect(surprise.difference.earningsPerShare).toBe(perShare - consensus.earningsPerShare.mean);
      }),
    );
  });

  test('is now too high, now too low, and nothing beyond two years', () => {
    const company = companies(1).company(apple);
    const day = requireDay('2026-11-20');
    const last = company.lastPublished(day);
    const surprises = Array.from({ length: 24 }, (_, back) => company.surprise(last - back, day)!.difference.netIncome);
    expect(surprises.some((one) => one > 0n) && surprises.some((one) => one < 0n)).toBe(true);
    expect(company.consensus(last + 8, day)).toBeDefined();
    expect(company.consensus(last + 9, day)).toBeUndefined();
  });
});

describe('executives', () => {
  test('hold each post one after another without a gap, and one post at a time', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const now = company.executives(day);
        expect(new Set(now.map(({ post }) => post)).size).toBe(5);
        expect(now.length).toBe(5);
        for (const { person, post, since } of now) {
          expect(since <= day).toBe(true);
          // The day before, somebody else sat there.
          const before = company.executives(since - 1).find((one) => one.post === post);
          expect(before === undefined || before.person.id !== person.id).toBe(true);
          const career = company.career(person, day);
          expect(career.at(-1)).toEqual({ company: company.issuer.home, post, from: since, until: undefined });
          for (const [i, step] of career.entries()) {
            const next = career[i + 1];
            if (next !== undefined) expect(step.until !== undefined && step.until < next.from).toBe(true);
          }
          const age = new Date(day * 86_400_000).getUTCFullYear() - person.birthYear;
          expect(age >= 38 && age <= 75, `${person.name} ${age}`).toBe(true);
        }
      }),
    );
  });

  test('some served another company of the world before', () => {
    const moved = equities.slice(0, 60).flatMap((one) => {
      const company = companies(1).company(one);
      const day = requireDay('2026-11-20');
      return company.executives(day).flatMap(({ person }) => {
        const career = company.career(person, day);
        return career.filter((step) => step.company !== undefined && step.company !== company.issuer.home);
      });
    });
    expect(moved.length).toBeGreaterThan(5);
    // The other company knows them too.
    for (const { company: home, from, post } of moved) {
      expect(
        companies(1)
          .company(home!)
          .executives(from)
          .some((one) => one.post === post && one.since === from),
      ).toBe(true);
    }
  });

  test('are the same in a larger world', () => {
    const larger = new Companies(worldOf(500), 1);
    const day = requireDay('2026-11-20');
    for (const one of [apple, equities.at(-1)!]) {
      const names = companies(1).company(one).executives(day);
      expect(larger.company(one).executives(day)).toEqual(names);
    }
  });
});

describe('plates', () => {
  test('are those of the markets where it is traded: one industry, a seat, and concepts of its time', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const plates = company.plates(day);
        expect(new Set(plates).size).toBe(plates.length);
        for (const plate of plates) expect(platesOf(plate.market)).toContain(plate);
        const markets = new Set(plates.map(({ market }) => market));
        expect(markets.has(company.issuer.home.market)).toBe(true);
        for (const market of markets) {
          const of = (kind: string) => plates.filter((plate) => plate.market === market && plate.kind === kind).map(({ name }) => name);
          expect(of('industry').length).toBe(1);
          expect(of('region').length).toBe(1);
          expect(of('concept')).toEqual(
            plates.filter((plate) => plate.market === company.issuer.home.market && plate.kind === 'concept').map(({ name }) => name),
          );
        }
      }),
    );
  });

  test('have symbols of their own, and members that come and go', () => {
    const symbols =
      world.instruments().length > 0 && ['HK', 'US', 'SH', 'SZ', 'JP', 'SG', 'MY'].flatMap((market) => platesOf(market as 'HK'));
    expect(new Set((symbols || []).map(({ symbol }) => symbol)).size).toBe((symbols || []).length);
    for (const plate of symbols || []) expect(world.instrument(plate.symbol)).toMatchObject({ kind: 'plate', plate });
    expect(platesOf('FX')).toEqual([]);
    const members = (day: string) =>
      equities.filter((one) =>
        companies(1)
          .company(one)
          .plates(requireDay(day))
          .some(({ name }) => name === 'Artificial Intelligence'),
      ).length;
    expect(members('2016-01-04')).toBe(0);
    expect(members('2026-11-20')).toBeGreaterThan(5);
  });

  test('every company that the tables name has its own industry', () => {
    const real = worldOf(0).instruments({ kind: 'equity' });
    expect(real.filter(({ industry }) => industry === undefined).map(({ symbol }) => symbol)).toEqual([]);
    expect(companies(3).company(apple).industry).toBe('electronics');
  });
});
