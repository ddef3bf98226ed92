import type { trade as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { modifyOrder } from './modify-order.js';
import { placeComboOrder } from './place-combo-order.js';
import { placeOrder } from './place-order.js';
import { reversePosition, rollPosition } from './position-orders.js';
import { reconfirmOrder } from './reconfirm-order.js';
import { unlockTrade } from './unlock-trade.js';

export const trade = {
  placeOrder,
  placeComboOrder,
  modifyOrder,
  // A modification whose declaration fixes what it does.
  cancelOrder: modifyOrder,
  cancelAllOrder: modifyOrder,
  reconfirmOrder,
  unlockTrade,
  reversePosition,
  rollPosition,
} satisfies AnswersTo<typeof declared>;
