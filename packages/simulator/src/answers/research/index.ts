export { getCompanyExecutiveBackground, getCompanyExecutives, getCompanyProfile } from './company.js';
export { getFinancialsEarningsPriceHistory, getFinancialsEarningsPriceMove } from './earnings-prices.js';
export { getCompanyOperationalEfficiency, getFinancialsRevenueBreakdown, getFinancialsStatements } from './financials.js';
export { getResearchMorningstarReport } from './get-research-morningstar-report.js';
export { getValuationDetail } from './get-valuation-detail.js';
export { getValuationPlateStockList } from './get-valuation-plate-stock-list.js';
export { getResearchAnalystConsensus, getResearchRatingSummary } from './ratings.js';
