import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import { addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { isBuying } from '../../brokerage/order.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import type { ComboRequest, LegRequest } from '../../brokerage/place-request.js';
import { orderTypes, timesInForce } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import { comboLegsOf } from '../../view/combo-legs.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { writeOf } from '../../view/order-fields.js';

/** Trd_PlaceComboOrder: answered with the order's text once the order is on disk. A quote of event contracts (`quoteID`) is none of this brokerage's. */
export const placeComboOrder: Answer<'brokerage', C2S, S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  if (request.quoteID !== '') return new Refusal('quoteID is of event contracts, which are not traded here', 'broker.market');
  const type = orderTypes.wordOf(request.orderType);
  if (type === undefined) return new Refusal(orderTypes.unknown(request.orderType), 'broker.enumeration');
  const timeInForce = timesInForce.wordOf(request.timeInForce);
  if (timeInForce === undefined) return new Refusal(timesInForce.unknown(request.timeInForce), 'broker.enumeration');
  const legs = comboLegsOf(request.comboLegs);
  if (legs instanceof Refusal) return legs;
  const answerOf = ({ orderIdEx }: PacketAnswer) => create(S2CSchema, { header: to.header, orderIDEx: orderIdEx });
  const write = writeOf(C2SSchema, request);
  const common = {
    ...write,
    account: to.account,
    tradeMarket: to.market,
    type,
    quantity: request.qty,
    timeInForce,
    expireTime: given(C2SSchema, request, 'expireTime'),
    remark: request.remark,
  };
  const price = given(C2SSchema, request, 'price');
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
