// A modification's declaration fixes what it does.
export {
  modifyOrder,
  modifyOrder as cancelOrder,
  modifyOrder as cancelAllOrder,
  placeComboOrder,
  placeOrder,
  reconfirmOrder,
  unlockTrade,
} from './orders.js';
export { reversePosition, rollPosition } from './position-orders.js';
