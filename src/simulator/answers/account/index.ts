import type { account as declared } from '../../../contract/operations/index.js';
import type { AnswersTo } from '../table.js';
import { getDeals } from './get-deals.js';
import { getFunds } from './get-funds.js';
import { getHistoryDeals } from './get-history-deals.js';
import { getHistoryOrders } from './get-history-orders.js';
import { getMarginRatio } from './get-margin-ratio.js';
import { getMaxTrdQtys } from './get-max-trd-qtys.js';
import { getOrderFee } from './get-order-fee.js';
import { getOrders } from './get-orders.js';
import { getPositions } from './get-positions.js';
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
} satisfies AnswersTo<typeof declared>;
