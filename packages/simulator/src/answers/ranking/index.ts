export { getUsAfterHoursRank, getUsOvernightRank, getUsPreMarketRank } from './extended-hours.js';
export { getDividendRank } from './get-dividend-rank.js';
export { getEarningsBeatRank } from './get-earnings-beat-rank.js';
export { getHeatMapData } from './get-heat-map-data.js';
export { getHighDividendSoeRank } from './get-high-dividend-soe-rank.js';
export { getPeriodChangeRank } from './get-period-change-rank.js';
export { getShortSellingRank } from './get-short-selling-rank.js';
