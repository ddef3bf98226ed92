import { create } from '@bufbuild/protobuf';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as PlaceComboOrder from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import * as PlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { isBuying } from '../../brokerage/order.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import type { ComboRequest, LegRequest } from '../../brokerage/place-request.js';
import { orderHours, orderTypes, timesInForce, tradeSides } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given, messageOf } from '../../view/messages.js';
import { adjustmentOf, comboLegsOf, trailOf, writeOf } from '../../view/order-fields.js';

/** Trd_PlaceOrder: answered with the order's number once the order is on disk. */
export const placeOrder: Answer<'brokerage', PlaceOrder.C2S, PlaceOrder.S2C> = ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
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
};

function answered(header: TrdHeader, { orderId, orderIdEx }: PacketAnswer): PlaceOrder.S2C {
  const s2c = create(PlaceOrder.S2CSchema);
  s2c.header = header;
  s2c.orderID = orderId;
  s2c.orderIDEx = orderIdEx;
  return s2c;
}

/** Trd_PlaceComboOrder: answered with the order's text once the order is on disk. A quote of event contracts (`quoteID`) is none of this brokerage's. */
export const placeComboOrder: Answer<'brokerage', PlaceComboOrder.C2S, PlaceComboOrder.S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
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
};

/** One leg alone is an order for its security. Its price is what it costs: below zero where it is sold. */
function placeOnly(
  { desk }: Brokerage,
  { code, secMarket, side, ratio, positionId }: LegRequest,
  asked: Omit<ComboRequest, 'legs'>,
): Promise<PacketAnswer | Refusal> | Refusal {
  if (ratio !== 1) return new Refusal(`comboLegs[0].qtyRatio ${ratio} must be 1 where there is no other leg: put it into qty`);
  const price = asked.price === undefined || isBuying(side) ? asked.price : -asked.price;
  return desk.place({
    ...asked,
    ...{ code, secMarket, side, price, positionId: positionId ?? 0n },
    ...{ adjustment: undefined, auxPrice: undefined, trail: undefined, spread: undefined, extendedHours: false, hours: undefined },
  });
}
