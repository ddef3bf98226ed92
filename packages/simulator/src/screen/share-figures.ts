import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import type { Accounts } from '../companies/accounts.js';
import type { ShareFigures } from '../companies/index.js';
import { multiple } from '../view/figures.js';
import { isIssuedByCompany } from '../world/kinds.js';
import type { Figure, Row, ScreenFacts } from './column-snapshot.js';

/** A company's figures of a day are worked out once. */
const SPEED = 20;

/** A figure of a company's share from what is known of its shares on the day; NaN for everything else. */
function ofShares(key: string, of: (figures: ShareFigures, row: Row) => number, lasts: Figure['lasts'] = 'moment'): Figure {
  return {
    key,
    lasts,
    speed: SPEED,
    of: (facts, row) => {
      const figures = shareFiguresOf(facts, row);
      return figures === undefined ? Number.NaN : of(figures, row);
    },
  };
}

function shareFiguresOf({ companies }: ScreenFacts, { listing: { instrument }, quote }: Row): ShareFigures | undefined {
  return isIssuedByCompany(instrument) ? companies.figures(instrument, quote.tradingDay) : undefined;
}

/** Shares of the whole company, in units of the listing. */
export const issuedShares = ofShares('issued shares', (figures) => Number(figures.issuedShares), 'day');
/** Shares of the listing that are traded. */
export const floatShares = ofShares('float shares', (figures) => Number(figures.outstandingShares), 'day');
export const marketValue = ofShares('market value', ({ issuedShares: shares }, { quote }) => decimalToNumber(quote.last * shares));
export const floatValue = ofShares('float value', ({ outstandingShares: shares }, { quote }) => decimalToNumber(quote.last * shares));
/** On the last fiscal year's earnings. */
export const peAnnual = ofShares('pe', (figures, { quote }) => multiple(quote.last, figures.earningsPerShare));
/** On the last four quarters' earnings. */
export const peTtm = ofShares('pe ttm', (figures, { quote }) => multiple(quote.last, figures.earningsPerShareTtm));
export const pb = ofShares('pb', (figures, { quote }) => multiple(quote.last, figures.netAssetsPerShare));
/** The whole company's value over a sum of the last four quarters that are known; NaN where the sum is not positive. */
function valueOver(key: string, of: (accounts: Accounts, quarter: number) => bigint): Figure {
  return {
    key,
    lasts: 'moment',
    speed: SPEED,
    of: ({ companies }, { listing: { instrument }, quote }) => {
      if (!isIssuedByCompany(instrument)) return Number.NaN;
      const company = companies.company(instrument);
      const last = company.lastKnown(requireDay(quote.tradingDay));
      const { accounts } = company;
      const sum = of(accounts, last) + of(accounts, last - 1) + of(accounts, last - 2) + of(accounts, last - 3);
      if (sum <= 0n) return Number.NaN;
      const value = quote.last * companies.figures(instrument, quote.tradingDay).issuedShares;
      return multiple(value, companies.inCurrencyOf(instrument, sum, quote.tradingDay));
    },
  };
}

/** Price over sales of the last four quarters. */
export const psTtm = valueOver('ps ttm', (accounts, quarter) => accounts.income(quarter).revenue);
/** Price over operating cash flow of the last four quarters. */
export const pcfTtm = valueOver('pcf ttm', (accounts, quarter) => accounts.statements(quarter).cashFlow.operating);
