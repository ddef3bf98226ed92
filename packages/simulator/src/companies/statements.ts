/** Whole units of the currency of the accounts. Of quarters and sums of quarters: every line of a year is the sum of its quarters'. */
type Amount = bigint;

/** Income statement of a period. */
export interface IncomeStatement {
  readonly revenue: Amount;
  readonly costOfRevenue: Amount;
  readonly grossProfit: Amount;
  readonly researchAndDevelopment: Amount;
  readonly sellingAndAdministration: Amount;
  /** grossProfit less both expenses. */
  readonly operatingIncome: Amount;
  readonly interestExpense: Amount;
  readonly incomeBeforeTax: Amount;
  readonly incomeTax: Amount;
  readonly netIncome: Amount;
}

/** Balance sheet at a period's end. totalAssets = totalLiabilities + equity. */
export interface BalanceSheet {
  readonly cash: Amount;
  readonly receivables: Amount;
  readonly inventory: Amount;
  readonly fixedAssets: Amount;
  readonly investments: Amount;
  readonly totalAssets: Amount;
  readonly payables: Amount;
  readonly debt: Amount;
  readonly totalLiabilities: Amount;
  readonly equity: Amount;
}

/** Causes of a change in cash over a period: operating + investing + financing = netChange, which is the difference of the sheets' cash. */
export interface CashFlow {
  readonly netIncome: Amount;
  readonly depreciation: Amount;
  /** Change of receivables, inventory and payables; negative where they took cash. */
  readonly workingCapital: Amount;
  readonly operating: Amount;
  readonly capitalExpenditure: Amount;
  readonly investmentsMade: Amount;
  readonly investing: Amount;
  readonly debtRaised: Amount;
  readonly sharesIssued: Amount;
  readonly sharesBoughtBack: Amount;
  readonly dividendsPaid: Amount;
  readonly financing: Amount;
  readonly netChange: Amount;
}

/** One fiscal quarter of a company. */
export interface Statements {
  /** See {@link FiscalCalendar}. */
  readonly quarter: number;
  readonly fiscalYear: number;
  /** 1 to 4. */
  readonly number: 1 | 2 | 3 | 4;
  /** "2026-09-30". */
  readonly endDay: string;
  readonly income: IncomeStatement;
  readonly balance: BalanceSheet;
  readonly cashFlow: CashFlow;
}
