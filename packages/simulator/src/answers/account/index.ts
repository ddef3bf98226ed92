import type { account as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getBizGroup } from './get-biz-group.js';
import { getCashDetail } from './get-cash-detail.js';
import { getCashLog } from './get-cash-log.js';
import { getComboMaxTrdQtys } from './get-combo-max-trd-qtys.js';
import { getDeals } from './get-deals.js';
import { getFlowSummary } from './get-flow-summary.js';
import { getFunds } from './get-funds.js';
import { getHistoryDeals } from './get-history-deals.js';
import { getHistoryOrders } from './get-history-orders.js';
import { getMarginInfo } from './get-margin-info.js';
import { getMarginRatio } from './get-margin-ratio.js';
import { getMaxTrdQtys } from './get-max-trd-qtys.js';
import { getOrderFee } from './get-order-fee.js';
import { getOrders } from './get-orders.js';
import { getPositionCorporateActions } from './get-position-corporate-actions.js';
import { getPositions } from './get-positions.js';
import { getReturnCalendar } from './get-return-calendar.js';
import { getYieldTrend } from './get-yield-trend.js';
import { listAccounts } from './list-accounts.js';

export const account = {
  listAccounts,
  getFunds,
  getPositions,
  getOrders,
  getDeals,
  getHistoryOrders,
  getHistoryDeals,
  getOrderFee,
  getMaxTrdQtys,
  getMarginRatio,
  getMarginInfo,
  getComboMaxTrdQtys,
  // One request of the protocol under two names.
  getAccCashFlow: getFlowSummary,
  getFlowSummary,
  getCashLog,
  getCashDetail,
  getBizGroup,
  getPositionCorporateActions,
  getReturnCalendar,
  getYieldTrend,
} satisfies AnswersTo<typeof declared>;
