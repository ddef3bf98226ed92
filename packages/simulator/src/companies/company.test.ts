import { ManualClock } from '@svc-gateway/contract/clock';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWorld } from '../world/index.js';
import { platesOf } from '../world/plates.js';
import { companiesOf } from './index.js';
import { ratings } from './opinions.js';
import { freeFloat } from './ownership.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20));
const worldOf = (generatedInstruments: number) => createWorld({ clock, calendarMode: 'calendar', generatedInstruments, seed: 'w' });
const world = worldOf(200);
const equities = world.instruments({ kind: 'equity' });
const seeds = fc.integer({ min: 0, max: 20 });
const equity = fc.constantFrom(...equities);
const days = fc.integer({ min: requireDay('2016-01-01'), max: requireDay('2036-12-31') });
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const known = new Map<number, ReturnType<typeof companiesOf>>();
const apple = world.instrument('US.AAPL')!;

function companies(seed: number) {
  const found = known.get(seed) ?? companiesOf(world, seed);
  known.set(seed, found);
  return found;
}

/** A company, and a day on which it is traded. */
const anyCompany = fc
  .tuple(seeds, equity, days)
  .map(([seed, one, day]) => ({ company: companies(seed).company(one), day }))
  .filter(({ company: { issuer }, day }) => {
    const { listDate, lastTradingDay } = issuer.home;
    return day > requireDay(listDate) + 400 && day < requireDay(lastTradingDay ?? '2100-01-01');
  });

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
    const larger = companiesOf(worldOf(500), 1);
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

describe('segments and restatements', () => {
  test('segments add up to revenue, by business and by region', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const quarter = company.lastPublished(day);
        const { revenue } = company.accounts.income(quarter);
        const { business, region } = company.segments(quarter);
        for (const parts of [business, region]) {
          expect(sum(parts.map((part) => part.revenue))).toBe(revenue);
          expect(parts.every((part) => part.revenue >= 0n) && new Set(parts.map(({ name }) => name)).size === parts.length).toBe(true);
        }
        expect(company.segments(quarter - 4).business.map(({ name }) => name)).toEqual(business.map(({ name }) => name));
      }),
    );
  });

  test('restated figures tie with those first published: the same earnings, other heads', () => {
    let restated = 0;
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const quarter = company.lastPublished(day);
        expect(company.reported(quarter, company.published(quarter) - 1)).toBeUndefined();
        const first = company.reported(quarter, company.published(quarter))!;
        const last = company.reported(quarter, company.published(quarter + 4))!;
        expect(last).toEqual(company.accounts.statements(quarter));
        const change = company.restatement(quarter);
        if (change === undefined) {
          expect(first).toEqual(last);
          return;
        }
        restated += 1;
        expect(company.reported(quarter, company.published(quarter + 4) - 1)).toEqual(first);
        expect(first.income.costOfRevenue - last.income.costOfRevenue).toBe(change.moved);
        expect(last.income.sellingAndAdministration - first.income.sellingAndAdministration).toBe(change.moved);
        for (const { income } of [first, last]) {
          expect(income.revenue - income.costOfRevenue).toBe(income.grossProfit);
          expect(income.grossProfit - income.researchAndDevelopment - income.sellingAndAdministration).toBe(income.operatingIncome);
          expect(income.costOfRevenue >= 0n && income.grossProfit > 0n && income.sellingAndAdministration >= 0n).toBe(true);
        }
        expect({ ...first, income: 0 }).toEqual({ ...last, income: 0 });
        expect(first.income.netIncome).toBe(last.income.netIncome);
      }),
      { numRuns: 300 },
    );
    expect(restated).toBeGreaterThan(5);
  });
});

describe('news', () => {
  test('is about events that the timeline has, on the day when they became known', () => {
    fc.assert(
      fc.property(anyCompany, ({ company, day }) => {
        const items = company.news(day - 365, day);
        const of = (kind: string) => items.filter(({ fact }) => fact.kind === kind);
        for (const { day: on, fact, time, headline } of items) {
          expect(on >= day - 365 && on <= day && Math.abs(time - on * 86_400_000) < 2 * 86_400_000).toBe(true);
          if (fact.kind === 'results') {
            expect(company.published(fact.quarter)).toBe(on);
            expect(company.lastPublished(on - 1) < fact.quarter).toBe(true);
            expect(fact.surprise).toEqual(company.surprise(fact.quarter, on));
          }
          if (fact.kind === 'dividend') expect(fact.declared.announced).toBe(on);
          if (fact.kind === 'restatement') expect(company.published(fact.quarter + 4)).toBe(on);
          if (fact.kind === 'rating') {
            expect(company.ratings(on, on)).toContainEqual(fact.change);
            const { rating, previous } = fact.change;
            expect(rating).not.toBe(previous?.rating);
            const better = previous !== undefined && ratings.indexOf(rating) < ratings.indexOf(previous.rating);
            expect(headline).toContain(previous === undefined ? 'initiates' : better ? 'upgrades' : 'downgrades');
          }
          if (fact.kind === 'executive') {
            const { post, person } = fact.term;
            expect(company.executives(on).find((one) => one.post === post)?.person).toBe(person);
            expect(company.executives(on - 1).find((one) => one.post === post)?.person).toBe(fact.follows?.person);
          }
        }
        expect(of('results').length).toBeGreaterThanOrEqual(company.profile.reporting.reports - 1);
        const years = [-1, 0, 1, 2].map((ahead) => new Date(day * 86_400_000).getUTCFullYear() + ahead);
        const declared = years
          .flatMap((year) => company.dividendsIn(year))
          .filter(({ announced }) => announced >= day - 365 && announced <= day);
        expect(of('dividend').length).toBe(declared.length);
      }),
    );
  });

  test('has ids that stay, rise with the days and are given once; the same seed says the same', () => {
    const [from, to] = [requireDay('2024-01-01'), requireDay('2026-11-20')];
    const all = equities.slice(0, 40).flatMap((one) => companies(4).company(one).news(from, to));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.every(({ id }) => id > 0n && id < 2n ** 63n)).toBe(true);
    const sorted = [...all].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ day }) => day);
    expect(sorted).toEqual([...sorted].sort((a, b) => a - b));
    const texts = (seed: number) =>
      companiesOf(world, seed)
        .company(apple)
        .news(from, to)
        .map(({ id, headline, text }) => `${id} ${headline} ${text}`);
    expect(texts(4)).toEqual(texts(4));
    expect(texts(5)).not.toEqual(texts(4));
    const parts = [from, from + 300].flatMap((start, i) =>
      companies(4)
        .company(apple)
        .news(start, i === 0 ? from + 299 : to),
    );
    expect(parts).toEqual(companies(4).company(apple).news(from, to));
  });

  test('begins with the listing and ends with the delisting', () => {
    const delisted = world.instrument('US.TWTR')!;
    const kinds = (symbol: string) =>
      companies(1)
        .company(world.instrument(symbol)!)
        .news(requireDay('1990-01-01'), requireDay('2060-12-31'))
        .map(({ fact }) => fact.kind);
    const twitter = companies(1).company(delisted).news(requireDay('1990-01-01'), requireDay('2060-12-31'));
    expect(twitter[0]).toMatchObject({ fact: { kind: 'listing' }, day: requireDay(delisted.listDate) });
    expect(twitter.at(-1)).toMatchObject({ fact: { kind: 'delisting' }, day: requireDay(delisted.lastTradingDay!) });
    const every = new Set(['US.AAPL', 'HK.00005', 'SH.600519', 'US.KO', 'SZ.000333', 'US.TWTR'].flatMap(kinds));
    expect([...every].sort()).toEqual([
      'delisting',
      'dividend',
      'executive',
      'letter',
      'listing',
      'rating',
      'restatement',
      'results',
      'shares',
    ]);
  });

  test('a day of it costs no more than its month', () => {
    const company = companiesOf(world, 6).company(apple);
    const { accounts } = company;
    let incomes = 0;
    const income = accounts.income.bind(accounts);
    accounts.income = (quarter) => {
      incomes += 1;
      return income(quarter);
    };
    company.news(requireDay('2050-05-05'), requireDay('2050-05-05'));
    expect(incomes).toBeLessThan(40);
  });
});
