import { create } from '@bufbuild/protobuf';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as ModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import * as PlaceComboOrder from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import * as PlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as ReconfirmOrder from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import * as UnlockTrade from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { Account } from '../../brokerage/account.js';
import type { Brokerage } from '../../brokerage/index.js';
import { isBuying } from '../../brokerage/order.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import type { ComboRequest, LegRequest, Write } from '../../brokerage/place-request.js';
import {
  type ModifyOperation,
  modifyOperations,
  orderHours,
  orderTypes,
  reconfirmReasons,
  timesInForce,
  tradeMarkets,
  tradeSides,
} from '../../brokerage/terms.js';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given, messageOf } from '../../view/messages.js';
import { adjustmentOf, comboLegsOf, orderNamed, trailOf, writeOf } from '../../view/order-fields.js';
import { ofAccount } from '../account/amounts.js';

/** Trd_PlaceOrder: answered with the order's number once the order is on disk. */
export const placeOrder: Answer<'brokerage', PlaceOrder.C2S, PlaceOrder.S2C> = ofAccount(({ brokerage }, to, request) => {
  const side = tradeSides.wordOf(request.trdSide);
  if (side === undefined) return new Refusal(tradeSides.unknown(request.trdSide), 'broker.enumeration');
  const type = orderTypes.wordOf(request.orderType);
  if (type === undefined) return new Refusal(orderTypes.unknown(request.orderType), 'broker.enumeration');
  const timeInForce = timesInForce.wordOf(request.timeInForce);
  if (timeInForce === undefined) return new Refusal(timesInForce.unknown(request.timeInForce), 'broker.enumeration');
  const hours = orderHours.wordOf(request.session);
  if (hours === undefined && request.session !== 0) return new Refusal(orderHours.unknown(request.session), 'broker.enumeration');
  const trail = trailOf(request);
  if (trail instanceof Refusal) return trail;
  const placed = brokerage.desk.place({
    account: to.account,
    tradeMarket: to.market,
    code: request.code,
    secMarket: request.secMarket,
    side,
    type,
    quantity: request.qty,
    price: given(request, 'price'),
    adjustment: adjustmentOf(request),
    auxPrice: given(request, 'auxPrice'),
    trail,
    spread: given(request, 'trailSpread'),
    timeInForce,
    expireTime: given(request, 'expireTime'),
    // A session that is named decides.
    extendedHours: hours === undefined ? request.fillOutsideRTH : hours !== 'regular',
    hours,
    remark: request.remark,
    positionId: request.positionID,
    ...writeOf(PlaceOrder.C2SSchema, request),
  });
  return placed instanceof Refusal ? placed : placed.then((packet) => (packet instanceof Refusal ? packet : answered(to.header, packet)));
});

function answered(header: TrdHeader, { orderId, orderIdEx }: PacketAnswer): PlaceOrder.S2C {
  const s2c = create(PlaceOrder.S2CSchema);
  s2c.header = header;
  s2c.orderID = orderId;
  s2c.orderIDEx = orderIdEx;
  return s2c;
}

/** Trd_PlaceComboOrder: answered with the order's text once the order is on disk. A quote of event contracts (`quoteID`) is none of this brokerage's. */
export const placeComboOrder: Answer<'brokerage', PlaceComboOrder.C2S, PlaceComboOrder.S2C> = ofAccount(
  async ({ brokerage }, to, request) => {
    if (request.quoteID !== '') return new Refusal('quoteID is of event contracts, which are not traded here', 'broker.market');
    const type = orderTypes.wordOf(request.orderType);
    if (type === undefined) return new Refusal(orderTypes.unknown(request.orderType), 'broker.enumeration');
    const timeInForce = timesInForce.wordOf(request.timeInForce);
    if (timeInForce === undefined) return new Refusal(timesInForce.unknown(request.timeInForce), 'broker.enumeration');
    const legs = comboLegsOf(request.comboLegs);
    if (legs instanceof Refusal) return legs;
    const answerOf = ({ orderIdEx }: PacketAnswer) => messageOf(PlaceComboOrder.S2CSchema, { header: to.header, orderIDEx: orderIdEx });
    const write = writeOf(PlaceComboOrder.C2SSchema, request);
    const common = {
      ...write,
      account: to.account,
      tradeMarket: to.market,
      type,
      quantity: request.qty,
      timeInForce,
      expireTime: given(request, 'expireTime'),
      remark: request.remark,
    };
    const price = given(request, 'price');
    const [only, ...others] = legs;
    const placed =
      only === undefined || others.length > 0
        ? await brokerage.desk.placeCombo({ ...common, legs, price })
        : await placeOnly(brokerage, only, { ...common, price });
    return placed instanceof Refusal ? placed : answerOf(placed);
  },
);

/** One leg alone is an order for its security. Its price is what it costs: below zero where it is sold. */
function placeOnly(
  { desk }: Brokerage,
  { code, secMarket, side, ratio, positionId }: LegRequest,
  asked: Omit<ComboRequest, 'legs'>,
): Promise<PacketAnswer | Refusal> | Refusal {
  if (ratio !== 1)
    return new Refusal(`comboLegs[0].qtyRatio ${ratio} must be 1 where there is no other leg: put it into qty`, 'broker.legs');
  const isSale = !isBuying(side);
  if (isSale && asked.type !== 'market' && asked.price !== undefined && asked.price > 0) {
    const message = `price ${asked.price} must be below 0: it is what the order costs, and its only leg is sold; to sell at ${asked.price} give -${asked.price}`;
    return new Refusal(message, 'broker.price');
  }
  const price = asked.price === undefined || !isSale ? asked.price : -asked.price;
  return desk.place({
    ...asked,
    ...{ code, secMarket, side, price, positionId: positionId ?? 0n },
    ...{ adjustment: undefined, auxPrice: undefined, trail: undefined, spread: undefined, extendedHours: false, hours: undefined },
  });
}

/** Trd_ModifyOrder: new quantity and prices, cancel, disable, enable, delete; or the cancellation of every open order. */
export const modifyOrder: Answer<'brokerage', ModifyOrder.C2S, ModifyOrder.S2C> = ofAccount(async ({ brokerage }, to, request) => {
  const operation = modifyOperations.wordOf(request.modifyOrderOp);
  if (operation === undefined) return new Refusal(modifyOperations.unknown(request.modifyOrderOp), 'broker.enumeration');
  const answerOf = ({ orderId, orderIdEx }: PacketAnswer) =>
    messageOf(ModifyOrder.S2CSchema, { header: to.header, orderID: orderId, ...(orderIdEx === '' ? {} : { orderIDEx: orderIdEx }) });
  const write = writeOf(ModifyOrder.C2SSchema, request);
  const done = request.forAll
    ? await cancelAll(brokerage, to.account, operation, request, write)
    : await modifyOne(brokerage, to.account, operation, request, write);
  return done instanceof Refusal ? done : answerOf(done);
});

async function cancelAll(
  brokerage: Brokerage,
  account: Account,
  operation: ModifyOperation,
  request: ModifyOrder.C2S,
  write: Write,
): Promise<PacketAnswer | Refusal> {
  if (operation !== 'cancel') return new Refusal('forAll is for modifyOrderOp 2 (cancel) only', 'broker.enumeration');
  const market = request.trdMarket === 0 ? undefined : tradeMarkets.wordOf(request.trdMarket);
  if (request.trdMarket !== 0 && market === undefined) return new Refusal(tradeMarkets.unknown(request.trdMarket), 'broker.enumeration');
  return brokerage.desk.cancelAll(account, market, write);
}

async function modifyOne(
  brokerage: Brokerage,
  account: Account,
  operation: ModifyOperation,
  request: ModifyOrder.C2S,
  write: Write,
): Promise<PacketAnswer | Refusal> {
  const { orderID, orderIDEx } = request;
  if (orderIDEx === '' && orderID === 0n) return missing(['orderID'], 'one of orderID, orderIDEx is required');
  const order = orderNamed(brokerage, account, { orderID, orderIDEx });
  if (order instanceof Refusal) return order;
  const { desk } = brokerage;
  switch (operation) {
    case 'cancel':
      return desk.cancel(account, order, write);
    case 'disable':
      return desk.disable(account, order, write);
    case 'enable':
      return desk.enable(account, order, write);
    case 'delete':
      return desk.delete(account, order, write);
    case 'normal': {
      const trail = trailOf(request);
      if (trail instanceof Refusal) return trail;
      return desk.replace(
        account,
        order,
        {
          quantity: given(request, 'qty'),
          price: given(request, 'price'),
          adjustment: adjustmentOf(request),
          auxPrice: given(request, 'auxPrice'),
          trail,
          spread: given(request, 'trailSpread'),
        },
        write,
      );
    }
  }
}

/** Trd_ReconfirmOrder: sends an order that was kept back because it looked like a slip. */
export const reconfirmOrder: Answer<'brokerage', ReconfirmOrder.C2S, ReconfirmOrder.S2C> = ofAccount(async ({ brokerage }, to, request) => {
  const reason = reconfirmReasons.wordOf(request.reconfirmReason);
  if (reason === undefined) return new Refusal(reconfirmReasons.unknown(request.reconfirmReason), 'broker.enumeration');
  const order = orderNamed(brokerage, to.account, { orderID: request.orderID });
  if (order instanceof Refusal) return order;
  const done = await brokerage.desk.reconfirm(to.account, order, reason, writeOf(ReconfirmOrder.C2SSchema, request));
  return done instanceof Refusal ? done : messageOf(ReconfirmOrder.S2CSchema, { header: to.header, orderID: done.orderId });
});

/** Trd_UnlockTrade: opens the real accounts of a firm for orders, or closes them again (which needs no password). */
export const unlockTrade: Answer<'brokerage', UnlockTrade.C2S, UnlockTrade.S2C> = ({ brokerage }, { unlock, pwdMD5, securityFirm }) => {
  if (unlock) return brokerage.lock.unlock(pwdMD5, securityFirm) ?? create(UnlockTrade.S2CSchema);
  brokerage.lock.lock();
  return create(UnlockTrade.S2CSchema);
};
