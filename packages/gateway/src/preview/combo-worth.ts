import { create } from '@bufbuild/protobuf';
import { isUnknown } from '@svc-gateway/access';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as MaxQtysC2S } from '@svc-gateway/contract/generated/Trd_GetComboMaxTrdQtys_pb';
import { C2SSchema as PlaceC2SSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { account } from '@svc-gateway/contract/operations';
import type { Backend, CallContext, FeeEstimate } from '../backend.js';
import type { Valued } from '../orders/order-facts.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import type { Capacity, PreviewFees, Worth } from './preview.js';

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
    fees: await feesOf(backend, asked, valued, context),
    capacity: mayReadAccount ? await capacityOf(backend, asked, context) : null,
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
async function feesOf(backend: Backend, asked: ComboInput, { legs }: Valued, context: CallContext): Promise<PreviewFees | null> {
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

async function capacityOf(backend: Backend, asked: ComboInput, context: CallContext): Promise<Capacity | null> {
  const { header, comboLegs, qty, price, orderType, orderIDEx } = asked;
  const query = create(MaxQtysC2S, { header, comboLegs, qty, price, orderType, ...(orderIDEx === '' ? {} : { orderIDEx }) });
  const response = await backend.call(account.getComboMaxTrdQtys, query, context);
  if (response.retType !== RET_SUCCEED) return { maxQty: null, enough: null, message: response.retMsg, errCode: response.errCode };
  const effect = payloadOf(account.getComboMaxTrdQtys, response)?.maxTrdQtys;
  const says = effect !== undefined && Object.hasOwn(effect, 'optionBuyPower') && Object.hasOwn(effect, 'buyPowerDecrease');
  return { maxQty: null, enough: says ? effect.buyPowerDecrease <= effect.optionBuyPower : null, message: null };
}
