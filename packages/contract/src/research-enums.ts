import { among, type FieldEnumerations, same } from './enumeration.js';

/** Enumerations of companies' statements, valuations and ratings, and of institutions and their holdings. */

/** Qot_Common.F10Type: single quarters, what a year comes to so far (H1, Q9), years, and which of them a list holds. */
export const reportType = same('financial_type', {
  ALL: 0,
  Q1: 1,
  Q2: 2,
  Q3: 3,
  Q4: 4,
  H1: 5,
  Q9: 6,
  ANNUAL: 7,
  QUARTERLY: 9,
  QUARTERLY_ANNUAL: 10,
  CUMULATIVE: 11,
});
const periods = ['ALL', 'Q1', 'Q2', 'Q3', 'Q4', 'H1', 'Q9', 'ANNUAL'];
/** Report types that name periods of one kind. */
export const singleReportType = among(reportType, ...periods);
export const breakdownReportType = among(reportType, ...periods, 'QUARTERLY');
export const statementType = same('statement_type', { UNKNOWN: 0, INCOME: 1, BALANCE_SHEET: 2, CASH_FLOW: 3, MAIN_INDEX: 4 });
const breakdownType = same('type', { PRODUCT: 1, INDUSTRY: 2, REGION: 4, BUSINESS: 8 });
const earningsPublication = same('pub_type', { PRE_MARKET: 1, AFTER_MARKET: 2, DURING_MARKET: 3 });
const analystRating = same('rating', { SELL: 1, UNDERPERFORM: 2, HOLD: 3, BUY: 4, STRONG_BUY: 5 });
export const ratingDimension = same('rating_dimension_type', { INSTITUTION: 1, ANALYST: 2 });
const starRatingType = same('rating_type', { QUANTITATIVE: 1, QUALITATIVE: 2 });
export const valuationType = same('valuation_type', { RECOMMENDED: 0, PE: 1, PB: 2, PS: 3 });
/** Valuation types of lists, which have no recommended one. */
export const listedValuationType = same('valuation_type', { PE: 1, PB: 2, PS: 3 });
export const valuationInterval = same('interval_type', {
  '3M': 1,
  '6M': 2,
  '1Y': 3,
  '3Y': 4,
  SINCE_2019: 5,
  '5Y': 6,
  '10Y': 7,
  '2Y': 8,
  '20Y': 9,
  '30Y': 10,
});
export const sortType = same('sort_type', { DESC: 1, ASC: 2 });
export const valuationSort = same('sort_id', { MARKET_CAP: 51, VALUATION: 52, FORWARD_VALUATION: 53, PERCENTILE: 54 });

/** By the fields that hold them. */
export const researchEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'Qot_GetCompanyOperationalEfficiency', fields: { financialType: singleReportType } },
  { prefix: 'Qot_GetFinancialsEarningsPrice', fields: { financialType: reportType, pubType: earningsPublication } },
  { prefix: 'Qot_GetFinancialsStatements', fields: { statementType, financialType: reportType } },
  { prefix: 'Qot_GetFinancialsRevenueBreakdown', fields: { financialType: breakdownReportType, type: breakdownType } },
  { prefix: 'Qot_GetResearchAnalystConsensus', fields: { rating: analystRating } },
  { prefix: 'Qot_GetResearchRatingSummary', fields: { ratingDimensionType: ratingDimension, rating: analystRating } },
  { prefix: 'Qot_GetResearchMorningstarReport', fields: { ratingType: starRatingType } },
  { prefix: 'Qot_GetValuationDetail', fields: { valuationType, intervalType: valuationInterval } },
  { prefix: 'Qot_GetValuationPlateStockList', fields: { valuationType: listedValuationType, sortType, sortId: valuationSort } },
];
