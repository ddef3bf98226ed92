import type { ranking as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getDividendRank } from './get-dividend-rank.js';
import { getEarningsBeatRank } from './get-earnings-beat-rank.js';
import { getHeatMapData } from './get-heat-map-data.js';
import { getHighDividendSoeRank } from './get-high-dividend-soe-rank.js';
import { getPeriodChangeRank } from './get-period-change-rank.js';
import { getShortSellingRank } from './get-short-selling-rank.js';
import { getUsAfterHoursRank } from './get-us-after-hours-rank.js';
import { getUsOvernightRank } from './get-us-overnight-rank.js';
import { getUsPreMarketRank } from './get-us-pre-market-rank.js';

export const ranking = {
  getDividendRank,
  getEarningsBeatRank,
  getUsPreMarketRank,
  getUsAfterHoursRank,
  getUsOvernightRank,
  getShortSellingRank,
  getPeriodChangeRank,
  getHighDividendSoeRank,
  getHeatMapData,
} satisfies AnswersTo<typeof declared>;
