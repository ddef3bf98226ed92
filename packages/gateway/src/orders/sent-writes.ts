import type { Message } from '@bufbuild/protobuf';
import type { AuditTrade, OrderFacts } from '@svc-gateway/access';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { OrderGroup } from '@svc-gateway/contract/generated/svc/position_orders_pb';
import { ModifyOrderOp, type Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from '../backend.js';
import type { Call } from '../call.js';
import type { Identity } from '../identity.js';
import { type Answer, RET_SUCCEED } from '../responses.js';
import { sideName } from '../trade-names.js';
import { isOfPosition } from '../valuation/position-orders.js';
import { securitiesOf } from '../visibility.js';
import type { PlacedTerms } from './account-orders.js';
import { legsText, nameOfOrder, namesOf, type OrderName, symbolOfOrder } from './order.js';
import type { PutToWork } from './unanswered-writes.js';
import type { ClosingClaim } from './unsettled-trades.js';

/** A write on its way to the brokerage. */
export interface Write {
  readonly operation: Operation;
  readonly request: Message;
  readonly identity: Identity;
  readonly call: Call;
}

/** Operations that make a new order. */
export const places: ReadonlySet<Operation> = new Set<Operation>([trade.placeOrder, trade.placeComboOrder, trade.placeBracketOrder]);

/** The orders that an answer acknowledges. One of several legs has no number. */
export function acknowledged(answer: Answer | undefined): readonly OrderName[] {
  if (answer === undefined || answer instanceof Rejection || answer.retType !== RET_SUCCEED) return [];
  const { s2c } = answer as ResponseMessage & { s2c?: { orderID?: bigint; orderIDEx?: string; group?: OrderGroup } };
  if (s2c?.group !== undefined) return s2c.group.orderList.map(({ orderId, orderIdEx }) => ({ orderID: orderId, orderIDEx: orderIdEx }));
  const { orderID = 0n, orderIDEx = '' } = s2c ?? {};
  return orderID === 0n && orderIDEx === '' ? [] : [{ orderID, orderIDEx }];
}

/** True if a write was carried out; undefined if unknown. */
export function isAccepted(answer: Answer | undefined): boolean | undefined {
  return answer && !(answer instanceof Rejection) && answer.retType === RET_SUCCEED;
}

/** Settles a claim by its order's outcome; an unknown outcome keeps it. */
export async function settling(claim: ClosingClaim, answer: Promise<Answer>): Promise<Answer> {
  let name: string | undefined = '';
  try {
    const response = await answer;
    const [order] = acknowledged(response);
    name = isAccepted(response) ? (order === undefined ? '' : nameOfOrder(order)) : undefined;
    return response;
  } finally {
    claim.settle(name);
  }
}

/** A new order of one security with its terms, where a write makes one. */
export function placedTerms({ operation, request }: Write): { terms?: PlacedTerms } {
  if (operation !== trade.placeOrder && operation !== trade.placeBracketOrder) return {};
  const { code, secMarket, orderType, trdSide } = request as PlaceC2S;
  return { terms: { code, secMarket, orderType, trdSide } };
}

/** Refusal of a change where an earlier one is not answered: the terms that it would replace are not known. */
export function unansweredChange(order: OrderName): Rejection {
  const message = `an earlier change of order ${shown(nameOfOrder(order))} is not answered yet, and what it makes of the order is not known: nothing was sent; a cancel does not wait for it`;
  return new Rejection('backend.not_ready', message, { retryAfterSeconds: RETRY_SECONDS });
}

/** Seconds until a change may find the one before it answered. */
const RETRY_SECONDS = 5;

/** The orders that a write puts to work: the one that it changes, or new ones, to be recognised in pushes. */
export function putToWork({ operation, request }: Write, { legs }: OrderFacts, changed: Order | undefined): PutToWork {
  if (changed !== undefined) {
    const { modifyOrderOp, qty } = request as ModifyC2S;
    const names = namesOf(changed);
    const changedQty = modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Normal ? qty : undefined;
    return { changed, changedQty, isOneOf: (order) => namesOf(order).some((name) => names.includes(name)) };
  }
  const { header, qty, orderType } = request as Partial<PlaceC2S>;
  const isSingle = legs.length === 1;
  const isOneOf = (order: Order) => {
    const securities = securitiesOf(order, header?.trdMarket ?? 0);
    const isCombo = securities.length > 1;
    const isKnown = securities.every(({ symbol }) =>
      legs.some((leg) => leg.symbol === symbol && (isCombo || leg.side === sideName(order.trdSide))),
    );
    // The two orders for a position have a leg each, and quantities that only the brokerage says.
    if (isOfPosition(operation)) return isKnown && !isCombo;
    return isKnown && isSingle !== isCombo && order.qty === qty && order.orderType === orderType;
  };
  return { isOneOf };
}

/** Audit fields of a write that was sent or is about to be. */
export function auditTrade(request: Message, response?: ResponseMessage): AuditTrade {
  const order = request as Message &
    Partial<Omit<PlaceC2S, '$typeName'> & Pick<ModifyC2S, 'orderID' | 'orderIDEx'> & Pick<ComboC2S, 'comboLegs'>> & {
      bracketId?: string;
    };
  const answered = (response as (ResponseMessage & { s2c?: { bracketId?: string } }) | undefined)?.s2c;
  const orderIds = acknowledged(response).map(nameOfOrder).join(' + ');
  const { code, secMarket = 0, comboLegs = [] } = order;
  const isKnown = Boolean(code) && quoteMarketOfSecMarket(secMarket) !== undefined;
  return {
    accId: order.header?.accID ?? 0n,
    orderId: orderIds || order.orderIDEx || (order.orderID ? String(order.orderID) : undefined),
    bracketId: order.bracketId || answered?.bracketId,
    symbol: comboLegs.length > 0 ? legsText(comboLegs) : isKnown ? symbolOfOrder({ code: code ?? '', secMarket }) : undefined,
    side: order.trdSide === undefined ? undefined : sideName(order.trdSide),
    qty: Object.hasOwn(order, 'qty') ? decimalFromNumber(order.qty ?? 0) : undefined,
    price: Object.hasOwn(order, 'price') ? decimalFromNumber(order.price ?? 0) : undefined,
  };
}
