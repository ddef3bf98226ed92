import { create } from '@bufbuild/protobuf';
import { isUnknown } from '@svc-gateway/access';
import { type Decimal, decimalFromNumber, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { MaxTrdQtys } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as MaxQtysC2S } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account } from '@svc-gateway/contract/operations';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext } from '../backend.js';
import type { ValuedLeg } from '../orders/order-facts.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import type { Capacity, PreviewFees, Worth } from './preview.js';

/** The order that an open one would be changed into: what it holds already counts as free. */
export interface Replaced {
  readonly orderId: bigint;
  readonly orderIdEx: string;
}

/**
 * Value and cost of an order, and whether the account can pay for it.
 *
 * @param request the order as it would stand.
 * @param mayReadAccount tradable quantities reveal holdings, which the trading scope alone does not.
 */
export async function worthOf(
  backend: Backend,
  request: PlaceC2S,
  valued: ValuedLeg,
  mayReadAccount: boolean,
  context: CallContext,
  replaced?: Replaced,
): Promise<Worth> {
  const fees = await feesOf(backend, request, valued, context);
  return {
    value: isUnknown(valued.worth) ? null : valued.worth.value,
    currency: valued.currency,
    pricing: valued.pricing ?? null,
    multiplier: valued.multiplier ?? null,
    fees,
    capacity: mayReadAccount ? await capacityOf(backend, request, valued, context, replaced) : null,
  };
}

async function feesOf(backend: Backend, request: PlaceC2S, { pricing }: ValuedLeg, context: CallContext): Promise<PreviewFees | null> {
  if (pricing === undefined) return null;
  const estimate = await backend.estimateFees?.(request, pricing.price, context);
  if (estimate === undefined) return null;
  return { ...estimate, total: estimate.items.reduce((sum, { amount }) => sum + amount, 0n) };
}

async function capacityOf(
  backend: Backend,
  request: PlaceC2S,
  { side, qty, pricing }: ValuedLeg,
  context: CallContext,
  replaced: Replaced | undefined,
): Promise<Capacity | null> {
  if (pricing === undefined || request.header === undefined) return null;
  const query = create(MaxQtysC2S, {
    header: request.header,
    orderType: request.orderType,
    code: request.code,
    secMarket: request.secMarket,
    price: decimalToNumber(pricing.tradable),
    ...(request.adjustPrice ? { adjustPrice: true, adjustSideAndLimit: request.adjustSideAndLimit } : {}),
    ...(Object.hasOwn(request, 'session') ? { session: request.session } : {}),
    ...(replaced === undefined ? {} : { orderID: replaced.orderId, orderIDEx: replaced.orderIdEx }),
  });
  const response = await backend.call(account.getMaxTrdQtys, query, context);
  // An order without a limit has no price that could be wrong.
  if (response.retType !== RET_SUCCEED)
    return hasLimit(request.orderType) ? { maxQty: null, enough: null, message: response.retMsg, errCode: response.errCode } : null;
  const maxQty = maximumFor(side, payloadOf(account.getMaxTrdQtys, response)?.maxTrdQtys);
  return { maxQty, enough: maxQty === null ? null : qty <= maxQty, message: null };
}

/** Futures have no such maximum: what they may open depends on margin, which is answered per contract. */
function maximumFor(side: ValuedLeg['side'], maximum: MaxTrdQtys | undefined): Decimal | null {
  if (maximum === undefined || Object.hasOwn(maximum, 'longRequiredIM')) return null;
  const given = <F extends 'maxCashAndMarginBuy' | 'maxSellShort' | 'maxBuyBack'>(field: F) =>
    Object.hasOwn(maximum, field) ? maximum[field] : undefined;
  const bought = given('maxCashAndMarginBuy') ?? maximum.maxCashBuy;
  const figure = {
    // A short position is bought back by an ordinary purchase too.
    BUY: Math.max(bought, given('maxBuyBack') ?? 0),
    SELL: maximum.maxPositionSell,
    SELL_SHORT: given('maxSellShort'),
    BUY_BACK: given('maxBuyBack'),
  }[side];
  return figure === undefined ? null : (decimalFromNumber(figure) ?? null);
}
