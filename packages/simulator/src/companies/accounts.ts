import { LruCache } from '../rng/lru-cache.js';
import { mix, normal, uniform } from '../rng/random.js';
import { compound, yearsTo } from './growth.js';
import { aspect, type CompanyProfile } from './profile.js';
import type { BalanceSheet, IncomeStatement, Statements } from './statements.js';

const CACHED_QUARTERS = 64;
/** Yearly interest on debt. */
const INTEREST = 0.04;
/** The most of its assets that a company holds in anything but cash. */
const INVESTED_MAX = 0.92;

/**
 * A company's books, quarter by quarter, each worked out for itself: sheets follow paths, and flows are what lies between two of them. So
 * the sheet balances, the flow explains the change of cash, and no quarter needs those before it.
 */
export class Accounts {
  readonly #statements = new LruCache<number, Statements>(CACHED_QUARTERS);
  readonly #incomes = new LruCache<number, IncomeStatement>(CACHED_QUARTERS);
  readonly #sheets = new LruCache<number, BalanceSheet>(CACHED_QUARTERS);
  readonly #earningsKey: number;
  readonly #salesKey: number;
  readonly #sheetKey: number;

  constructor(
    private readonly profile: CompanyProfile,
    /** Dividends whose payment falls into a quarter, and what rights issued in it brought: both in whole units. */
    private readonly owners: { paidIn(quarter: number): bigint; raisedIn(quarter: number): bigint },
  ) {
    this.#earningsKey = aspect(profile, 'earnings');
    this.#salesKey = aspect(profile, 'sales');
    this.#sheetKey = aspect(profile, 'sheet');
  }

  income(quarter: number): IncomeStatement {
    return this.#incomes.get(quarter, () => this.#makeIncome(quarter));
  }

  /** At the end of a quarter. */
  balance(quarter: number): BalanceSheet {
    return this.#sheets.get(quarter, () => this.#makeSheet(quarter));
  }

  statements(quarter: number): Statements {
    return this.#statements.get(quarter, () => this.#makeStatements(quarter));
  }

  /** Net income of the `count` quarters up to and including `last`. */
  netIncome(last: number, count: number): bigint {
    let sum = 0n;
    for (let quarter = last - count + 1; quarter <= last; quarter++) sum += this.income(quarter).netIncome;
    return sum;
  }

  #growth(quarter: number): number {
    return compound(this.profile.growth, yearsTo(this.profile.fiscal.endOf(quarter)));
  }

  /** 1 on average over a fiscal year, the same every year. */
  #season(quarter: number): number {
    const seasons = [1, 2, 3, 4].map((number) => 1 + this.profile.seasonality * (uniform(mix(this.#salesKey, number), 0) - 0.5));
    const sum = seasons.reduce((total, season) => total + season, 0);
    return (4 * (seasons[this.profile.fiscal.numberOf(quarter) - 1] ?? 1)) / sum;
  }

  #makeIncome(quarter: number): IncomeStatement {
    const { profile } = this;
    const scale = (this.#growth(quarter) * this.#season(quarter)) / 4;
    // Good and bad years last: half of the deviation is drawn for the year and a half around it.
    const swing = normal(this.#earningsKey, quarter) + normal(mix(this.#earningsKey, 1), Math.floor(quarter / 6));
    const revenue = whole(profile.revenue * scale * (1 + 0.3 * profile.surprise * normal(this.#salesKey, quarter)));
    const netIncome = whole(profile.earnings * scale * (1 + 0.7 * profile.surprise * swing));
    const incomeTax = netIncome > 0n ? whole((Number(netIncome) * profile.taxRate) / (1 - profile.taxRate)) : 0n;
    const incomeBeforeTax = netIncome + incomeTax;
    const interestExpense = whole((this.#debt(quarter - 1) * INTEREST) / 4);
    const operatingIncome = incomeBeforeTax + interestExpense;
    // The margin is as wide as it must be to leave something for expenses.
    const usual = whole(Number(revenue) * profile.grossMargin);
    const least = operatingIncome + revenue / 50n;
    const grossProfit = usual > least ? usual : least;
    const expenses = grossProfit - operatingIncome;
    const researchAndDevelopment = whole(Number(expenses) * profile.research);
    return {
      revenue,
      costOfRevenue: revenue - grossProfit,
      grossProfit,
      researchAndDevelopment,
      sellingAndAdministration: expenses - researchAndDevelopment,
      operatingIncome,
      interestExpense,
      incomeBeforeTax,
      incomeTax,
      netIncome,
    };
  }

  #debt(quarter: number): number {
    const { profile } = this;
    return profile.equity * profile.leverage * this.#growth(quarter) * (1 + 0.05 * normal(mix(this.#sheetKey, 1), quarter));
  }

  #makeSheet(quarter: number): BalanceSheet {
    const { profile } = this;
    const growth = this.#growth(quarter);
    const noise = (item: number) => 1 + 0.04 * normal(mix(this.#sheetKey, item), quarter);
    const sales = profile.revenue * growth;
    const equity = whole(profile.equity * growth * (1 + 0.01 * normal(this.#sheetKey, quarter)));
    const debt = whole(this.#debt(quarter));
    const payables = whole(sales * profile.payables * noise(2));
    const totalLiabilities = debt + payables;
    const totalAssets = equity + totalLiabilities;
    const wanted = {
      receivables: sales * profile.receivables * noise(3),
      inventory: sales * profile.inventory * noise(4),
      fixedAssets: (sales * profile.depreciation * 8 + Number(totalAssets) * 0.05) * noise(5),
    };
    const sum = wanted.receivables + wanted.inventory + wanted.fixedAssets;
    const fit = Math.min(1, (Number(totalAssets) * INVESTED_MAX) / sum);
    const receivables = whole(wanted.receivables * fit);
    const inventory = whole(wanted.inventory * fit);
    const fixedAssets = whole(wanted.fixedAssets * fit);
    // The rest is cash and its uses.
    const rest = totalAssets - receivables - inventory - fixedAssets;
    const investments = whole(Number(rest) * 0.6 * noise(6));
    return {
      cash: rest - investments,
      receivables,
      inventory,
      fixedAssets,
      investments,
      totalAssets,
      payables,
      debt,
      totalLiabilities,
      equity,
    };
  }

  #makeStatements(quarter: number): Statements {
    const { fiscal, depreciation: rate } = this.profile;
    const [before, balance, income] = [this.balance(quarter - 1), this.balance(quarter), this.income(quarter)];
    const { netIncome } = income;
    const depreciation = whole(Number(income.revenue) * rate);
    const workingCapital =
      before.receivables - balance.receivables + (before.inventory - balance.inventory) + (balance.payables - before.payables);
    const operating = netIncome + depreciation + workingCapital;
    const capitalExpenditure = balance.fixedAssets - before.fixedAssets + depreciation;
    const investmentsMade = balance.investments - before.investments;
    const investing = -capitalExpenditure - investmentsMade;
    const debtRaised = balance.debt - before.debt;
    const dividendsPaid = this.owners.paidIn(quarter);
    const raised = this.owners.raisedIn(quarter);
    // Any other change of net assets came from owners, or went to them for their shares.
    const exchanged = balance.equity - before.equity - netIncome + dividendsPaid - raised;
    const sharesIssued = raised + (exchanged > 0n ? exchanged : 0n);
    const sharesBoughtBack = exchanged < 0n ? -exchanged : 0n;
    const financing = debtRaised + sharesIssued - sharesBoughtBack - dividendsPaid;
    return {
      quarter,
      fiscalYear: fiscal.fiscalYearOf(quarter),
      number: fiscal.numberOf(quarter),
      endDay: fiscal.endDayOf(quarter),
      income,
      balance,
      cashFlow: {
        netIncome,
        depreciation,
        workingCapital,
        operating,
        capitalExpenditure,
        investmentsMade,
        investing,
        debtRaised,
        sharesIssued,
        sharesBoughtBack,
        dividendsPaid,
        financing,
        netChange: operating + investing + financing,
      },
    };
  }
}

/** A drawn amount as the whole units that the books hold. */
function whole(amount: number): bigint {
  return BigInt(Math.round(amount));
}
