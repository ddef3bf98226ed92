import type { research as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getCompanyExecutiveBackground } from './get-company-executive-background.js';
import { getCompanyExecutives } from './get-company-executives.js';
import { getCompanyOperationalEfficiency } from './get-company-operational-efficiency.js';
import { getCompanyProfile } from './get-company-profile.js';
import { getFinancialsEarningsPriceHistory } from './get-financials-earnings-price-history.js';
import { getFinancialsEarningsPriceMove } from './get-financials-earnings-price-move.js';
import { getFinancialsRevenueBreakdown } from './get-financials-revenue-breakdown.js';
import { getFinancialsStatements } from './get-financials-statements.js';
import { getResearchAnalystConsensus } from './get-research-analyst-consensus.js';
import { getResearchMorningstarReport } from './get-research-morningstar-report.js';
import { getResearchRatingSummary } from './get-research-rating-summary.js';
import { getValuationDetail } from './get-valuation-detail.js';
import { getValuationPlateStockList } from './get-valuation-plate-stock-list.js';

export const research = {
  getCompanyProfile,
  getCompanyExecutives,
  getCompanyExecutiveBackground,
  getCompanyOperationalEfficiency,
  getFinancialsEarningsPriceMove,
  getFinancialsEarningsPriceHistory,
  getFinancialsStatements,
  getFinancialsRevenueBreakdown,
  getResearchAnalystConsensus,
  getResearchRatingSummary,
  getResearchMorningstarReport,
  getValuationDetail,
  getValuationPlateStockList,
} satisfies AnswersTo<typeof declared>;
