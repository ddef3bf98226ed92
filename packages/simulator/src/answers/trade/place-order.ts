import { create } from '@bufbuild/protobuf';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { addressed } from '../../brokerage/header.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import { orderHours, orderTypes, timesInForce, tradeSides } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { adjustmentOf, trailOf, writeOf } from '../../view/order-fields.js';

/** Trd_PlaceOrder: answered with the order's number once the order is on disk. */
export const placeOrder: Answer<'brokerage', C2S, S2C> = ({ brokerage }, request) => {
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
    price: given(C2SSchema, request, 'price'),
    adjustment: adjustmentOf(request),
    auxPrice: given(C2SSchema, request, 'auxPrice'),
    trail,
    spread: given(C2SSchema, request, 'trailSpread'),
    timeInForce,
    expireTime: given(C2SSchema, request, 'expireTime'),
    // A session that is named decides.
    extendedHours: hours === undefined ? request.fillOutsideRTH : hours !== 'regular',
    hours,
    remark: request.remark,
    positionId: request.positionID,
    ...writeOf(C2SSchema, request),
  });
  return placed instanceof Refusal ? placed : placed.then((packet) => (packet instanceof Refusal ? packet : answered(to.header, packet)));
};

function answered(header: TrdHeader, { orderId, orderIdEx }: PacketAnswer): S2C {
  const s2c = create(S2CSchema);
  s2c.header = header;
  s2c.orderID = orderId;
  s2c.orderIDEx = orderIdEx;
  return s2c;
}
