import { ManualClock } from '@svc-gateway/contract/clock';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWorld } from '../world/index.js';
import { Companies } from './index.js';

const world = createWorld({
  clock: new ManualClock(Date.UTC(2026, 10, 20)),
  calendarMode: 'calendar',
  generatedInstruments: 200,
  seed: 'w',
});
const equities = world.instruments({ kind: 'equity' });
const funds = world.instruments({ kind: 'etf' });
const seeds = fc.integer({ min: 0, max: 50 });
const equity = fc.constantFrom(...equities);
const days = fc.integer({ min: requireDay('2016-01-01'), max: requireDay('2036-12-31') });
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const known = new Map<number, Companies>();

function companies(seed: number) {
  const found = known.get(seed) ?? new Companies(world, seed);
  known.set(seed, found);
  return found;
}

describe('the books of a company', () => {
  test('balance, and the flow explains the change of cash and of net assets', () => {
    fc.assert(
      fc.property(seeds, equity, days, (seed, one, day) => {
        const { accounts, profile } = companies(seed).company(one);
        const quarter = profile.fiscal.lastEnded(day);
        const { balance, income, cashFlow } = accounts.statements(quarter);
        const before = accounts.balance(quarter - 1);
        const { cash, receivables, inventory, fixedAssets, investments, payables, debt, equity: owned } = balance;
        expect(cash + receivables + inventory + fixedAssets + investments).toBe(balance.totalAssets);
        expect(payables + debt).toBe(balance.totalLiabilities);
        expect(balance.totalLiabilities + owned).toBe(balance.totalAssets);
        for (const amount of [cash, receivables, inventory, fixedAssets, payables, debt, owned]) expect(amount >= 0n).toBe(true);

        expect(income.revenue - income.costOfRevenue).toBe(income.grossProfit);
        expect(income.grossProfit - income.researchAndDevelopment - income.sellingAndAdministration).toBe(income.operatingIncome);
        expect(income.operatingIncome - income.interestExpense).toBe(income.incomeBeforeTax);
        expect(income.incomeBeforeTax - income.incomeTax).toBe(income.netIncome);
        expect(income.revenue > 0n && income.grossProfit > 0n && income.researchAndDevelopment >= 0n && income.incomeTax >= 0n).toBe(true);

        const { operating, investing, financing, netChange, dividendsPaid, sharesIssued, sharesBoughtBack } = cashFlow;
        expect(netChange).toBe(operating + investing + financing);
        expect(netChange).toBe(cash - before.cash);
        expect(income.netIncome - dividendsPaid + sharesIssued - sharesBoughtBack).toBe(owned - before.equity);
        expect(cashFlow.debtRaised).toBe(debt - before.debt);
        expect(dividendsPaid >= 0n && sharesIssued >= 0n && sharesBoughtBack >= 0n).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('have four quarters to a fiscal year, one after the other, that end where the year does', () => {
    fc.assert(
      fc.property(equity, days, (one, day) => {
        const { fiscal } = companies(1).company(one).profile;
        const last = fiscal.lastEnded(day);
        expect(fiscal.endOf(last) < day && fiscal.endOf(last + 1) >= day).toBe(true);
        const yearEnd = fiscal.lastOf(fiscal.fiscalYearOf(last));
        const year = [3, 2, 1, 0].map((back) => yearEnd - back);
        expect(year.map((quarter) => fiscal.numberOf(quarter))).toEqual([1, 2, 3, 4]);
        expect(new Set(year.map((quarter) => fiscal.fiscalYearOf(quarter))).size).toBe(1);
        expect(fiscal.endDayOf(yearEnd).slice(0, 7)).toBe(`${fiscal.fiscalYearOf(last)}-${String(fiscal.yearEndMonth).padStart(2, '0')}`);
      }),
    );
  });

  test('know fiscal years that do not end in December', () => {
    const yearEnd = (symbol: string) => companies(1).company(world.instrument(symbol)!).profile.fiscal.yearEndMonth;
    expect(['US.AAPL', 'US.MSFT', 'HK.09988', 'US.BABA', 'SH.600519'].map(yearEnd)).toEqual([9, 6, 3, 3, 12]);
  });

  test('are published after the period, in its season, and never before an earlier one', () => {
    fc.assert(
      fc.property(seeds, equity, days, (seed, one, day) => {
        const company = companies(seed).company(one);
        const quarter = company.profile.fiscal.lastEnded(day);
        const lag = company.published(quarter) - company.profile.fiscal.endOf(quarter);
        expect(lag >= 15 && lag <= 200, `${one.symbol} ${lag}`).toBe(true);
        expect(company.published(quarter) >= company.published(quarter - 1)).toBe(true);
        const last = company.lastPublished(day);
        expect(company.published(last) <= day && company.published(last + 1) > day).toBe(true);
      }),
    );
  });
});

describe('what is known of a share', () => {
  test('per share is the total over the shares of the day, as the books have it', () => {
    fc.assert(
      fc.property(seeds, equity, days, (seed, one, day) => {
        const text = dayOfNumber(day);
        const company = companies(seed).company(one);
        const figures = companies(seed).figures(one, text);
        // Facts published before the trading day began.
        const last = company.lastPublished(day - 1);
        if (one === company.issuer.home) {
          expect(figures.netIncomeTtm).toBe(company.accounts.netIncome(last, 4) * DECIMAL_ONE);
          expect(figures.netAssets).toBe(company.accounts.balance(last).equity * DECIMAL_ONE);
          expect(figures.issuedShares).toBe(company.ordinaryShares(day));
        }
        for (const [perShare, total] of [
          [figures.earningsPerShare, figures.netIncome],
          [figures.earningsPerShareTtm, figures.netIncomeTtm],
          [figures.netAssetsPerShare, figures.netAssets],
        ] as const) {
          const error = perShare * figures.issuedShares - total;
          expect((error < 0n ? -error : error) * 2n <= figures.issuedShares).toBe(true);
        }
        expect(figures.outstandingShares > 0n && figures.outstandingShares <= figures.issuedShares).toBe(true);
      }),
    );
  });

  test('no more depositary shares are outstanding than the company has issued', () => {
    const figures = companies(17).figures(world.instrument('US.XPEV')!, '2016-01-01');
    expect(figures.outstandingShares <= figures.issuedShares).toBe(true);
  });

  test('does not change between two events of the company', () => {
    const apple = world.instrument('US.AAPL')!;
    const company = companies(1).company(apple);
    for (let day = requireDay('2026-01-01'); day < requireDay('2026-12-31'); day++) {
      const [before, after] = [day, day + 1].map((one) => companies(1).figures(apple, dayOfNumber(one)));
      if (before!.netIncomeTtm !== after!.netIncomeTtm) expect(company.published(company.lastPublished(day))).toBe(day);
    }
  });

  test.each([
    ['HK.09988', 'US.BABA', 8n],
    ['HK.00005', 'US.HSBC', 5n],
    ['HK.01398', 'SH.601398', 1n],
    ['HK.01211', 'SZ.002594', 1n],
    ['JP.7203', 'US.TM', 10n],
    ['US.BRK.B', 'US.BRK.A', 1500n],
  ])('%s and %s are one company', (home, other, ordinary) => {
    const [a, b] = [world.instrument(home)!, world.instrument(other)!];
    fc.assert(
      fc.property(seeds, days, (seed, day) => {
        const text = dayOfNumber(day);
        const world = companies(seed);
        expect(world.company(a)).toBe(world.company(b));
        const [first, second] = [world.figures(a, text), world.figures(b, text)];
        expect(second.issuedShares).toBe(first.issuedShares / ordinary);
        const exDays = (symbol: string) =>
          world.corporateActions(symbol, '2016-01-01', '2036-12-31').map(({ exDay, kind }) => `${exDay} ${kind}`);
        const since = [a, b].map(({ listDate }) => listDate).sort()[1]!;
        expect(exDays(other).filter((one) => one > since)).toEqual(exDays(home).filter((one) => one > since));
        // Yields are the same but for the premium of one listing over the other, which is of today's prices.
        const rate = (Number(second.netIncomeTtm) / Number(first.netIncomeTtm)).toPrecision(6);
        expect((Number(second.netAssets) / Number(first.netAssets)).toPrecision(6)).toBe(rate);
      }),
      { numRuns: 20 },
    );
  });
});

describe('corporate actions', () => {
  test('are dated in order, on trading days, and worth something', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...equities, ...funds), fc.integer({ min: 1992, max: 2055 }), (seed, one, year) => {
        const actions = companies(seed).corporateActions(one.symbol, `${year}-01-01`, `${year + 1}-12-31`);
        const calendar = world.calendar(one);
        expect(actions.map(({ exDay }) => exDay)).toEqual(actions.map(({ exDay }) => exDay).sort());
        expect(new Set(actions.map(({ exDay, kind }) => `${exDay} ${kind}`)).size).toBe(actions.length);
        for (const action of actions) {
          const { announcedDay, exDay, recordDay, payDay } = action;
          // Shares of a split are there on the ex-day, before the register says so.
          const earliest = action.kind === 'dividend' || action.kind === 'rights' ? recordDay : exDay;
          expect(announcedDay < exDay && payDay >= exDay && payDay >= earliest, JSON.stringify([one.symbol, exDay, payDay])).toBe(true);
          for (const day of [exDay, recordDay, payDay]) expect(calendar.isTradingDay(day), `${one.symbol} ${day}`).toBe(true);
          if (action.kind === 'dividend') expect(action.cash > 0n && action.currency === one.currency).toBe(true);
          else expect(action.ratio[0] > 0n && action.ratio[1] > 0n).toBe(true);
        }
      }),
    );
  });

  test('a window is the sum of its parts', () => {
    fc.assert(
      fc.property(seeds, equity, days, days, days, (seed, one, ...three) => {
        const [from, middle, to] = three.sort((a, b) => a - b).map(dayOfNumber) as [string, string, string];
        const between = (a: string, b: string) => companies(seed).corporateActions(one.symbol, a, b);
        const after = dayOfNumber(requireDay(middle) + 1);
        expect([...between(from, middle), ...between(after, to)]).toEqual(between(from, to));
      }),
    );
  });

  test('dividends are what the cash flow says was paid', () => {
    fc.assert(
      fc.property(seeds, equity, fc.integer({ min: 2017, max: 2035 }), (seed, one, year) => {
        const company = companies(seed).company(one);
        const { fiscal } = company.profile;
        const quarter = fiscal.lastOf(year);
        const [from, to] = [fiscal.endOf(quarter - 4) + 1, fiscal.endOf(quarter)];
        const declared = [year - 2, year - 1, year, year + 1].flatMap((of) => company.dividendsIn(of));
        const paid = declared.filter(({ pay }) => pay >= from && pay <= to);
        const total = sum(paid.map(({ perShare, ex }) => (perShare * company.ordinaryShares(ex - 1)) / DECIMAL_ONE));
        expect(sum([3, 2, 1, 0].map((back) => company.accounts.statements(quarter - back).cashFlow.dividendsPaid))).toBe(total);
      }),
    );
  });

  test('come in every kind, and rarely but for dividends', () => {
    const counts = new Map<string, number>();
    for (const { symbol } of equities) {
      for (const { kind } of companies(1).corporateActions(symbol, '2016-01-01', '2036-12-31'))
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    const of = (kind: string) => (counts.get(kind) ?? 0) / equities.length;
    expect(of('dividend')).toBeGreaterThan(10);
    for (const kind of ['split', 'bonus', 'rights']) {
      expect(of(kind), kind).toBeGreaterThan(0);
      expect(of(kind), kind).toBeLessThan(1.5);
    }
  });

  test('an index, a future and a currency pair have none', () => {
    for (const symbol of ['HK.800000', 'HK.HSImain', 'FX.EURUSD', 'HK.NOBODY']) {
      expect(companies(1).corporateActions(symbol, '2016-01-01', '2036-12-31')).toEqual([]);
    }
  });
});

describe('timelines', () => {
  test('are the same in whatever order they are asked for, and others for another seed', () => {
    const ask = (of: readonly string[]) => {
      const fresh = new Companies(world, 7);
      return of.map((day) => fresh.figures(world.instrument('HK.00700')!, day));
    };
    const [a, b, c] = ['2016-05-05', '2026-11-20', '2036-03-03'];
    expect(ask([a!, b!, c!])).toEqual(ask([c!, b!, a!]).reverse());
    expect(companies(8).figures(world.instrument('HK.00700')!, b!)).not.toEqual(ask([b!])[0]);
  });

  test('cost no walk: a day far from now needs no more quarters than one near it', () => {
    const asked = (day: string) => {
      const fresh = new Companies(world, 3);
      const instrument = world.instrument('US.KO')!;
      const { accounts } = fresh.company(instrument);
      let quarters = 0;
      const income = accounts.income.bind(accounts);
      accounts.income = (quarter) => {
        quarters += 1;
        return income(quarter);
      };
      fresh.figures(instrument, day);
      return quarters;
    };
    const now = asked('2026-11-20');
    expect(asked('1995-11-20')).toBeLessThanOrEqual(now + 2);
    expect(asked('2055-11-20')).toBeLessThanOrEqual(now + 2);
  });
});

describe('loaded price history', () => {
  const coke = world.instrument('US.KO')!;
  const lastDay = requireDay('2026-06-30');
  const loaded = { firstDay: requireDay('2018-01-02'), lastDay, anchor: { number: lastDay, price: 7_500_000_000 } };
  const withHistory = new Companies(world, 1, (symbol) => (symbol === coke.symbol ? loaded : undefined));

  test('has no simulated action on its days: what happened then is in its prices', () => {
    expect(companies(1).corporateActions(coke.symbol, '2018-01-02', '2026-06-30').length).toBeGreaterThan(0);
    expect(withHistory.corporateActions(coke.symbol, '2018-01-02', '2026-06-30')).toEqual([]);
    expect(withHistory.corporateActions(coke.symbol, '2026-07-01', '2028-06-30').length).toBeGreaterThan(0);
  });

  test('says what the company is worth: its price goes on from there, and its books follow', () => {
    expect(withHistory.timeline(coke)!.priceAt(loaded.lastDay)).toBeCloseTo(loaded.anchor.price, 0);
    const ratio = (of: typeof withHistory, price: number) => price / Number(of.figures(coke, '2026-07-01').earningsPerShareTtm);
    const drawn = Number(coke.referencePrice) * companies(1).company(coke).prices.levelOn(loaded.lastDay);
    expect(ratio(withHistory, loaded.anchor.price) / ratio(companies(1), drawn)).toBeCloseTo(1, 3);
  });

  test('leaves other companies as they are', () => {
    const other = world.instrument('US.PEP')!;
    expect(withHistory.figures(other, '2026-11-20')).toEqual(companies(1).figures(other, '2026-11-20'));
  });
});
