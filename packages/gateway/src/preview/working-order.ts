import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { isCombo } from '../orders/combo-facts.js';
import { legsText } from '../orders/legs-text.js';
import { orderStatusName, orderTypeName, sideName } from '../trade-names.js';
import type { WorkingOrder } from './preview.js';
import { trailOf } from './terms.js';

/** An order of the protocol in a preview's terms. */
export function workingOrder(order: Order): WorkingOrder {
  const market = quoteMarketOfSecMarket(order.secMarket);
  const qty = exact(order.qty);
  const filledQty = exact(order.fillQty);
  const price = exact(order.price);
  const trigger = exact(order.auxPrice);
  return {
    orderId: order.orderID,
    orderIdEx: order.orderIDEx,
    symbol: isCombo(order) ? legsText(order.comboLegs) : market === undefined ? order.code : `${market.name}.${order.code}`,
    name: order.name,
    side: sideName(order.trdSide) ?? String(order.trdSide),
    orderType: orderTypeName(order.orderType),
    status: orderStatusName(order.orderStatus),
    qty,
    filledQty,
    remainingQty: qty - filledQty,
    price: price === 0n ? null : price,
    triggerPrice: trigger === 0n ? null : trigger,
    trail: trailOf(order),
  };
}

/** The protocol gives quantities two places and prices nine at most, so that none is lost. */
function exact(value: number): Decimal {
  return decimalFromNumber(value) ?? 0n;
}
