import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { type Order, TimeInForce, TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { parseSymbol, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { finalStatuses, isCombo, legsText } from '../orders/order.js';
import * as names from '../trade-names.js';
import { type Adjustment, atLeast, mayHaveLimit, type TriggerTerms, trailsAlike } from '../valuation/pricing.js';
import type { ExitTerms, ModifyPreview, OrderTerms, PreviewBase, TrailTerms, WorkingOrder } from './preview.js';

/** Terms of a new order as requested; security and quantity are valued elsewhere. */
export function termsOf(request: PlaceC2S): Omit<OrderTerms, 'symbol' | 'name' | 'side' | 'qty' | 'exits'> {
  return {
    price: mayHaveLimit(request.orderType) ? given(request, 'price') : null,
    adjustment: adjustmentOf(request),
    triggerPrice: given(request, 'auxPrice'),
    trail: trailOf(request),
    orderType: names.orderTypeName(request.orderType),
    timeInForce: names.timeInForceName(request.timeInForce),
    expireTime: expireTimeOf(request),
    session: request.session === 0 ? null : names.sessionName(request.session),
    fillsOutsideRth: request.fillOutsideRTH,
    amount: request.amount === 0 ? null : atLeast(request.amount),
    positionId: request.positionID || null,
    predictionSide: request.predSide === 0 ? null : names.predictionSideName(request.predSide),
    remark: request.remark || null,
  };
}

/** Other orders than GTD do not end by it. */
export function expireTimeOf({ timeInForce, expireTime }: Pick<PlaceC2S, 'timeInForce' | 'expireTime'>): string | null {
  return timeInForce === TimeInForce.TimeInForce_GTD ? expireTime : null;
}

/** IANA zone of the market that a symbol trades in, and of the times in its orders; undefined for an unknown market. */
export function zoneOf(symbol: string): string | undefined {
  return parseSymbol(symbol)?.market.timeZone;
}

/** The orders that close what a bracket's entry opens. */
export function exitsOf(request: BracketC2S): ExitTerms {
  return {
    takeProfit: given(request, 'takeProfitPrice'),
    stopLoss: given(request, 'stopLossPrice'),
    stopLossLimit: given(request, 'stopLossLimitPrice'),
  };
}

/** Requested change of an order after valuation, which fills omitted fields from the order. */
export function changeOf(request: ModifyC2S, order: Order): Change {
  return {
    newQty: given(request, 'qty'),
    newPrice: given(request, 'price'),
    newTriggerPrice: request.auxPrice === order.auxPrice ? null : given(request, 'auxPrice'),
    newTrail: trailsAlike(request, order) ? null : trailOf(request),
    newAdjustment: adjustmentOf(request),
  };
}

type Change = Pick<ModifyPreview, 'newQty' | 'newPrice' | 'newTriggerPrice' | 'newTrail' | 'newAdjustment'>;

/** Change of an operation that leaves the order's terms alone. */
export const noChange: Change = { newQty: null, newPrice: null, newTriggerPrice: null, newTrail: null, newAdjustment: null };

/** How a trailing order follows the market; null for other orders. */
function trailOf({ trailType, trailValue, trailSpread }: TriggerTerms): TrailTerms | null {
  if (trailType === 0 && trailValue === 0 && trailSpread === 0) return null;
  return {
    type: names.trailTypeName(trailType),
    value: decimalFromNumber(trailValue) ?? 0n,
    spread: trailSpread === 0 ? null : (decimalFromNumber(trailSpread) ?? null),
  };
}

/** A field that was given; those that carry more places than are accepted have been refused before. */
export function given<F extends string>(request: { readonly [field in F]: number }, field: F): Decimal | null {
  return Object.hasOwn(request, field) ? (decimalFromNumber(request[field]) ?? null) : null;
}

function adjustmentOf({ adjustPrice, adjustSideAndLimit }: Adjustment): Decimal | null {
  return adjustPrice && adjustSideAndLimit !== 0 ? (decimalFromNumber(adjustSideAndLimit) ?? null) : null;
}

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
    side: names.sideName(order.trdSide) ?? String(order.trdSide),
    orderType: names.orderTypeName(order.orderType),
    status: names.orderStatusName(order.orderStatus),
    isOver: finalStatuses.has(order.orderStatus),
    qty,
    filledQty,
    remainingQty: qty - filledQty,
    price: price === 0n ? null : price,
    triggerPrice: trigger === 0n ? null : trigger,
    trail: trailOf(order),
    remark: order.remark || null,
  };
}

/** The protocol gives quantities two places and prices nine at most, so that none is lost. */
function exact(value: number): Decimal {
  return decimalFromNumber(value) ?? 0n;
}

/** Operation, account and market of a write. */
export function addressOf(
  operation: Operation,
  { accID, trdEnv, trdMarket }: TrdHeader,
): Pick<PreviewBase, 'operation' | 'accId' | 'env' | 'market'> {
  const env = trdEnv === TrdEnv.TrdEnv_Real ? 'real' : 'simulate';
  return { operation: operation.name, accId: accID, env, market: names.marketName(trdMarket) };
}
