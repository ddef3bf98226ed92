import { requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCompany, companies, equities, sum, world } from '../../../../test/support/any-company.js';
import { Companies } from './index.js';
import { ratings } from './opinions.js';

const apple = world.instrument('US.AAPL')!;

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
      new Companies(world, seed)
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
    const company = new Companies(world, 6).company(apple);
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
