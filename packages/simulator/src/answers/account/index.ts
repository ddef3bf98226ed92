export { getBizGroup } from './biz-groups.js';
export { getCashDetail, getCashLog } from './cash-log.js';
// One request of the protocol under two names.
export { getFlowSummary as getAccCashFlow, getFlowSummary } from './get-flow-summary.js';
export { getFunds, listAccounts } from './get-funds.js';
export { getComboMaxTrdQtys, getMaxTrdQtys } from './get-max-trd-qtys.js';
export { getDeals, getHistoryDeals, getHistoryOrders, getOrderFee, getOrders } from './get-orders.js';
export { getPositionCorporateActions } from './get-position-corporate-actions.js';
export { getPositions } from './get-positions.js';
export { getMarginInfo, getMarginRatio } from './margin.js';
export { getReturnCalendar, getYieldTrend } from './returns.js';
