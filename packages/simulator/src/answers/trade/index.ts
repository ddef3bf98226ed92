// A modification's declaration fixes what it does.
export { modifyOrder, modifyOrder as cancelOrder, modifyOrder as cancelAllOrder, reconfirmOrder, unlockTrade } from './modify-order.js';
export { placeComboOrder, placeOrder } from './place-order.js';
export { reversePosition, rollPosition } from './position-orders.js';
