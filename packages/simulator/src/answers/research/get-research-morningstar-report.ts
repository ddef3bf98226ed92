import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { MorningstarRatingType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { research as declared } from '@svc-gateway/contract/operations';
import { dayOfNumber } from '@svc-gateway/contract/time';
import { secondsOf } from '../../view/listings.js';
import type { AnswerTo } from '../table.js';
import { changeRate, percentOf } from './money.js';
import { latestOpinions, targetPrice } from './ratings.js';
import { earlier, type StatementSums, statementSums } from './statements.js';
import { dated, ofCompany, periodEnding } from './subject.js';

/** Opinions that count, and how many of them make a report that somebody has written. */
const OPINION_DAYS = 366;
const WRITTEN_FROM = 3;
/** Discount rate of a twelve-month target. */
const COST_OF_EQUITY = 0.09;
/** Returns on equity above which a moat is narrow and wide. */
const MOAT = { narrow: 0.12, wide: 0.2 };

/**
 * Qot_GetResearchMorningstarReport, in that report's terms: the fair value is the mean of the brokers' targets in twelve months, discounted by a year's
 * cost of equity; stars compare the price with it, and labels and texts follow from the last four quarters. Empty where nobody covers the company.
 */
export const getResearchMorningstarReport: AnswerTo<typeof declared.getResearchMorningstarReport> = ofCompany((facts, subject) => {
  const { listing, company } = subject;
  const { instrument } = listing;
  const opinions = latestOpinions(subject, OPINION_DAYS);
  const [newest] = opinions;
  if (newest === undefined) return {};
  const targets = opinions.map((one) => targetPrice(facts, subject, one.target, one.day));
  const mean = targets.reduce((sum, target) => sum + target, 0) / targets.length;
  const fairValue = Math.round((mean / (1 + COST_OF_EQUITY)) * 100) / 100;
  const quote = facts.market.quote(instrument);
  const price = decimalToNumber(quote.last);
  const uncertainty = uncertaintyOf(instrument.volatility);
  const last = company.lastPublished(subject.reported);
  const year = statementSums(subject, { ...periodEnding(company, last, 1), quarters: 4 });
  const figures = figuresOf(year);
  const growth = changeRate(Number(year.income.revenue), Number(earlier(subject, year.period, 4).income.revenue)) ?? 0;
  const [said, reported] = [dayOfNumber(newest.day), dayOfNumber(company.published(last))];
  const text = (context: string, on: string) => ({ context, updateTime: BigInt(secondsOf(listing, on)), updateTimeStr: on });
  const { name } = company.issuer.home;
  const moat = figures.roe > MOAT.wide ? 'Wide' : figures.roe > MOAT.narrow ? 'Narrow' : 'None';
  const health = figures.leverage < 0.35 ? 'Strong' : figures.leverage < 0.75 ? 'Moderate' : 'Weak';
  const allocation = figures.roe > MOAT.narrow && figures.leverage < 0.75 ? 'Exemplary' : figures.roe > 0.06 ? 'Standard' : 'Poor';
  const gap = percentOf(price - fairValue, fairValue) ?? 0;
  const stand = `The price stands ${Math.abs(gap)} % ${gap < 0 ? 'below' : 'above'} the fair value of ${fairValue} ${instrument.currency}.`;
  const isWritten = opinions.length >= WRITTEN_FROM;
  return {
    ratingType: isWritten
      ? MorningstarRatingType.MorningstarRatingType_Qualitative
      : MorningstarRatingType.MorningstarRatingType_Quantitative,
    starRating: starsOf(price, fairValue, uncertainty),
    ...dated(listing, 'starUpdateTime', quote.tradingDay),
    fairValue,
    fairValueContent: text(
      `The mean of ${opinions.length} target prices in twelve months, discounted at ${100 * COST_OF_EQUITY} %. ${stand}`,
      said,
    ),
    economicMoatLabel: moat,
    economicMoatContent: text(`${name} earned ${places(100 * figures.roe)} % on its equity in the last four quarters.`, reported),
    uncertaintyLabel: uncertainty,
    uncertaintyContent: text(`The price deviates by ${places(100 * instrument.volatility)} % a year.`, reported),
    financialHealthLabel: health,
    financialHealthContent: text(`Debt is ${places(100 * figures.leverage)} % of equity.`, reported),
    ...(isWritten ? { analystReportByLine: opinions.slice(0, 2).map(({ analyst, broker }) => `${analyst}, ${broker}`) } : {}),
    ...dated(listing, 'analystReportUpdateTime', said),
    bullSay: [
      text(`The gross margin of ${places(100 * figures.grossMargin)} % leaves room to invest.`, reported),
      ...figures.bulls.map((one) => text(one, reported)),
    ],
    bearSay: [
      text(`Interest takes ${places(100 * figures.interestPart)} % of operating income.`, reported),
      ...figures.bears.map((one) => text(one, reported)),
    ],
    capitalAllocationLabel: allocation,
    capitalAllocationContent: text(`${places(100 * figures.paidOut)} % of net income was paid out or used to buy back shares.`, reported),
    analystNoteTitle: text(`${newest.broker}: ${newest.rating}`, said),
    analystNoteContent: text(`${newest.analyst} of ${newest.broker} rates ${name} ${newest.rating}.`, said),
    investmentThesisContent: text(
      `The revenue of ${name} changed by ${growth} % over the year before, its net margin is ${places(100 * figures.netMargin)} %.`,
      reported,
    ),
    fundamentalsContent: text(`The net margin of the last four quarters was ${places(100 * figures.netMargin)} %.`, reported),
    valuationContent: text(stand, said),
  };
});

function figuresOf({ income, balance, cashFlow }: StatementSums) {
  const over = (part: bigint, whole: bigint) => (whole === 0n ? 0 : Number(part) / Number(whole));
  const freeCash = cashFlow.operating - cashFlow.capitalExpenditure;
  return {
    roe: over(income.netIncome, balance.equity),
    leverage: over(balance.debt, balance.equity),
    grossMargin: over(income.grossProfit, income.revenue),
    netMargin: over(income.netIncome, income.revenue),
    interestPart: over(income.interestExpense, income.operatingIncome),
    paidOut: income.netIncome > 0n ? over(cashFlow.dividendsPaid + cashFlow.sharesBoughtBack, income.netIncome) : 0,
    bulls: freeCash > 0n ? ['Operations bring in more cash than is invested in them.'] : [],
    bears: freeCash > 0n ? [] : ['More cash is invested than operations bring in.'],
  };
}

function places(value: number): number {
  return Math.round(value * 10) / 10;
}

/** How sure a fair value is. */
const uncertainties = ['Low', 'Medium', 'High', 'Very High', 'Extreme'] as const;
type Uncertainty = (typeof uncertainties)[number];

/** Yearly volatility below which an uncertainty holds. */
const volatilityBelow: readonly number[] = [0.2, 0.3, 0.42, 0.6];

/** Price over fair value up to which five, four, three and two stars are given: wider, the less sure the fair value is. */
const bands: Readonly<Record<Uncertainty, readonly [five: number, four: number, three: number, two: number]>> = {
  Low: [0.8, 0.95, 1.05, 1.25],
  Medium: [0.7, 0.9, 1.1, 1.35],
  High: [0.6, 0.85, 1.15, 1.55],
  'Very High': [0.5, 0.8, 1.25, 1.75],
  Extreme: [0.25, 0.7, 1.4, 3],
};

/** From the volatility of the stock, a fraction a year. */
function uncertaintyOf(volatility: number): Uncertainty {
  const at = volatilityBelow.findIndex((bound) => volatility < bound);
  return uncertainties[at < 0 ? volatilityBelow.length : at] ?? 'Extreme';
}

/** 5 for a price far below the fair value, 1 for one far above. */
function starsOf(price: number, fairValue: number, uncertainty: Uncertainty): number {
  const at = bands[uncertainty].findIndex((bound) => price / fairValue <= bound);
  return at < 0 ? 1 : 5 - at;
}
