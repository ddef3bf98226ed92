import type { Clock } from '@svc-gateway/contract/clock';
import type { CheckedLeg, CheckedOrder } from './check-order.js';
import { textOfId } from './ids.js';
import { holding, type OrderLeg, type OrderRecord } from './order.js';
import type { PlaceRequest } from './place-request.js';
import { reconfirmTexts } from './reconfirm.js';
import type { Records } from './records.js';
import type { Routing } from './routing.js';
import type { ReconfirmReason } from './terms.js';

/** One for all: most orders have paid none. */
const noFees: OrderRecord['fees'] = [];

/** Terms of a new order that its caller names, beside those that are checked. */
type NewTerms = Pick<PlaceRequest, 'account' | 'type' | 'timeInForce' | 'expireTime' | 'remark' | 'extendedHours' | 'hours'>;

export interface NewOrderDeps {
  readonly clock: Clock;
  readonly records: Records;
  readonly routing: Routing;
}

/** A new order that has been checked. `slip`: why it waits to be confirmed. */
export function newOrder(
  { clock, records, routing }: NewOrderDeps,
  request: NewTerms,
  checked: CheckedOrder,
  slip?: ReconfirmReason,
): OrderRecord {
  const { legs, tradeMarket, quantity, price, worstPrice, trigger, holds, expiresAt } = checked;
  const { account, type, timeInForce, expireTime, remark, extendedHours, hours } = request;
  const now = clock.now();
  const id = records.nextId(now);
  const terms = { legs: [emptyLeg(legs[0]), ...legs.slice(1).map(emptyLeg)] as const, type, extendedHours, trigger };
  const status = slip === undefined ? routing.firstStatus(terms) : 'unsubmitted';
  const bare: OrderRecord = {
    id,
    idEx: textOfId(id),
    accId: account.id,
    legs: terms.legs,
    tradeMarket,
    currency: legs[0].instrument.currency,
    timeInForce,
    remark,
    quantity,
    price,
    worstPrice,
    status,
    filledQuantity: 0n,
    filledValue: 0n,
    fees: noFees,
    feeReserve: 0n,
    priority: id,
    createdAt: now,
    updatedAt: now,
    expiresAt,
    lastError: slip === undefined ? '' : reconfirmTexts[slip],
    type,
    extendedHours,
    trigger,
    hours,
    expireTime: timeInForce === 'gtd' ? expireTime : undefined,
    arrivesAt: status === 'submitting' ? routing.latency.nextArrival(now) : undefined,
  };
  return holding(bare, holds);
}

function emptyLeg({ instrument: { symbol }, side, ratio }: CheckedLeg): OrderLeg {
  return { symbol, side, ratio, filledQuantity: 0n, filledValue: 0n, cashPerUnit: 0n, marginPerUnit: 0n };
}
