import { create } from '@bufbuild/protobuf';
import { isUnknown } from '@svc-gateway/access';
import { type Decimal, decimalFromNumber, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { MaxTrdQtys, Order, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as ComboMaxQtysC2S } from '@svc-gateway/contract/generated/Trd_GetComboMaxTrdQtys_pb';
import { C2SSchema as MaxQtysC2S } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceC2SSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { account } from '@svc-gateway/contract/operations';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext, FeeEstimate } from '../backend.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import type { Valued, ValuedLeg } from '../valuation/single-orders.js';
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

/** As {@link worthOf}, of an order as a modify would leave it: what the account holds for it already counts as free. */
export function changedWorthOf(backend: Backend, request: ModifyC2S, order: Order, leg: ValuedLeg, context: CallContext): Promise<Worth> {
  const { pricing, qty } = leg;
  const { trdSide, orderType, code, secMarket } = order;
  const { header, adjustPrice, adjustSideAndLimit } = request;
  const changed = create(PlaceC2SSchema, {
    ...{ header, trdSide, orderType, code, secMarket, adjustPrice, adjustSideAndLimit, qty: decimalToNumber(qty) },
    ...(pricing === undefined ? {} : { price: decimalToNumber(pricing.tradable) }),
  });
  return worthOf(backend, changed, leg, true, context, { orderId: order.orderID, orderIdEx: order.orderIDEx });
}

/** An order of several legs as it would stand. */
export interface ComboInput {
  readonly header: TrdHeader;
  readonly comboLegs: ComboLeg[];
  readonly orderType: number;
  readonly timeInForce: number;
  readonly qty: number;
  readonly price: number;
  /** The order that it would replace; empty for a new one. */
  readonly orderIDEx: string;
}

/** Value and cost of an order of several legs, and whether the account can pay for it; see `worthOf`. */
export async function comboWorthOf(
  backend: Backend,
  asked: ComboInput,
  valued: Valued,
  mayReadAccount: boolean,
  context: CallContext,
): Promise<Worth> {
  const [{ currency, multiplier }] = valued.legs;
  return {
    value: sumOf(valued),
    currency,
    pricing: null,
    multiplier: multiplier ?? null,
    fees: await comboFeesOf(backend, asked, valued, context),
    capacity: mayReadAccount ? await comboCapacityOf(backend, asked, context) : null,
  };
}

/** Sum that the gates compare with the caps; null where it is not known, or in several currencies. */
function sumOf({ legs }: Valued): Decimal | null {
  let sum = 0n;
  for (const { worth, currency } of legs) {
    if (isUnknown(worth) || currency !== legs[0].currency) return null;
    sum += worth.value;
  }
  return sum;
}

/** The fees of each leg as an order of its own, which is how exchanges charge them. */
async function comboFeesOf(backend: Backend, asked: ComboInput, { legs }: Valued, context: CallContext): Promise<PreviewFees | null> {
  const sums = new Map<string, Decimal>();
  for (const [i, { pricing, qty, currency }] of legs.entries()) {
    const leg = asked.comboLegs[i];
    if (pricing === undefined || leg?.security === undefined || currency !== legs[0].currency) return null;
    const request = create(PlaceC2SSchema, {
      header: asked.header,
      trdSide: leg.side,
      orderType: asked.orderType,
      timeInForce: asked.timeInForce,
      code: leg.security.code,
      secMarket: quoteMarketNumbered(leg.security.market)?.secMarket ?? 0,
      qty: decimalToNumber(qty),
      price: decimalToNumber(pricing.tradable),
    });
    const estimate: FeeEstimate | undefined = await backend.estimateFees?.(request, pricing.tradable, context);
    if (estimate === undefined) return null;
    for (const { title, amount } of estimate.items) sums.set(title, (sums.get(title) ?? 0n) + amount);
  }
  const items = Array.from(sums, ([title, amount]) => ({ title, amount }));
  return { currency: legs[0].currency, items, total: items.reduce((sum, { amount }) => sum + amount, 0n) };
}

async function comboCapacityOf(backend: Backend, asked: ComboInput, context: CallContext): Promise<Capacity | null> {
  const { header, comboLegs, qty, price, orderType, orderIDEx } = asked;
  const query = create(ComboMaxQtysC2S, { header, comboLegs, qty, price, orderType, ...(orderIDEx === '' ? {} : { orderIDEx }) });
  const response = await backend.call(account.getComboMaxTrdQtys, query, context);
  if (response.retType !== RET_SUCCEED) return { maxQty: null, enough: null, message: response.retMsg, errCode: response.errCode };
  const effect = payloadOf(account.getComboMaxTrdQtys, response)?.maxTrdQtys;
  const says = effect !== undefined && Object.hasOwn(effect, 'optionBuyPower') && Object.hasOwn(effect, 'buyPowerDecrease');
  return { maxQty: null, enough: says ? effect.buyPowerDecrease <= effect.optionBuyPower : null, message: null };
}
