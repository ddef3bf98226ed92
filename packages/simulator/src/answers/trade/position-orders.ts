import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S as ReverseC2S,
  type S2C as ReverseS2C,
  S2CSchema as ReverseS2CSchema,
} from '@svc-gateway/contract/generated/svc/reverse_position_pb';
import { type C2S as RollC2S, type S2C as RollS2C, S2CSchema as RollS2CSchema } from '@svc-gateway/contract/generated/svc/roll_position_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { type Addressed, addressed } from '../../brokerage/header.js';
import { mainLeg } from '../../brokerage/order.js';
import type { PlaceRequest } from '../../brokerage/place-request.js';
import type { PositionRecord } from '../../brokerage/position.js';
import { resolve } from '../../brokerage/resolve.js';
import { type RelationType, relationTypes } from '../../brokerage/tables.js';
import { orderStatuses, tradeSides } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { type Instrument, linkageId } from '../../world/index.js';

type Needed = 'world' | 'market' | 'brokerage';
const MARKET = 1;

/** Svc reverse_position: both orders are for the contract of the position, on the side that closes it. */
export const reversePosition: Answer<Needed, ReverseC2S, ReverseS2C> = async (facts, { header, initial }) => {
  const held = holdingOf(facts, header, initial?.positionId ?? 0n);
  if (held instanceof Refusal) return held;
  const order = requestFor(facts, held, held.instrument, -1n, initial?.priceType ?? MARKET);
  const group = await placed(facts, 'reverse', held, order, order);
  if (group instanceof Refusal) return group;
  return messageOf(ReverseS2CSchema, { header: held.to.header, positionId: held.position.id, group });
};

/** Svc roll_position: the second order opens in another month what the first closes. */
export const rollPosition: Answer<Needed, RollC2S, RollS2C> = async (facts, { header, initial }) => {
  const held = holdingOf(facts, header, initial?.positionId ?? 0n);
  if (held instanceof Refusal) return held;
  const { to, instrument: source } = held;
  const found = resolve(facts.world, to.account, to.market, initial?.targetCode ?? '', initial?.targetSecMarket ?? 0);
  if (found instanceof Refusal) return found;
  const target = found.instrument;
  const wrong = monthly(target);
  if (wrong !== undefined) return wrong;
  if (target.symbol === source.symbol) return new Refusal(`${target.symbol} is the contract that the position is in`, 'broker.legs');
  if (linkageId(target) !== linkageId(source)) {
    return new Refusal(
      `${target.symbol} is no month of the contract of ${source.symbol}: linkage id ${linkageId(target)} in place of ${linkageId(source)}`,
      'broker.legs',
    );
  }
  const closing = requestFor(facts, held, source, -1n, MARKET);
  const opening = requestFor(facts, held, target, 1n, MARKET);
  const group = await placed(facts, 'roll', held, closing, opening);
  if (group instanceof Refusal) return group;
  return messageOf(RollS2CSchema, { header: to.header, positionId: held.position.id, group });
};

interface Holding {
  readonly to: Addressed;
  readonly position: PositionRecord;
  readonly instrument: Instrument;
}

/** A position that can be reversed and rolled: open, in an ordinary monthly future, of a real account. */
function holdingOf({ world, brokerage }: Facts<Needed>, header: ReverseC2S['header'], id: bigint): Holding | Refusal {
  const to = addressed(brokerage, header);
  if (to instanceof Refusal) return to;
  if (to.account.environment !== 'real')
    return new Refusal(`account ${to.account.id} is simulated: positions are reversed and rolled in real accounts`, 'broker.account');
  const position = [...brokerage.records.ledger.positions(to.account)].find((held) => held.id === id);
  if (position === undefined || position.quantity === 0n)
    return new Refusal(`account ${to.account.id} has no open position ${id}`, 'broker.position');
  const instrument = world.instrument(position.symbol);
  if (instrument === undefined) throw new Error(`the world does not know ${position.symbol}`);
  return monthly(instrument) ?? { to, position, instrument };
}

function monthly({ kind, symbol, ...instrument }: Instrument): Refusal | undefined {
  const isMonthly = kind === 'future' && 'future' in instrument && instrument.future.month !== undefined;
  return isMonthly ? undefined : new Refusal(`${symbol} is no ordinary monthly future`, 'broker.market');
}

/** An order for as much as the position is. `direction`: 1 on its side, -1 against it. */
function requestFor(
  { market }: Facts<Needed>,
  { to, position: { quantity } }: Holding,
  instrument: Instrument,
  direction: 1n | -1n,
  priceType: number,
): PlaceRequest {
  const isBuy = quantity * direction > 0n;
  const size = Number(quantity < 0n ? -quantity : quantity);
  return {
    account: to.account,
    tradeMarket: to.market,
    code: instrument.code,
    secMarket: quoteMarket(instrument.market).secMarket,
    side: isBuy ? 'buy' : 'sell',
    quantity: size,
    ...(priceType === MARKET ? { type: 'market' } : { type: 'normal', price: decimalToNumber(market.quote(instrument).last) }),
    timeInForce: 'day',
    extendedHours: false,
    remark: '',
    packet: undefined,
    fingerprint: '',
  };
}

/** Places both orders. */
async function placed(
  { brokerage }: Facts<Needed>,
  relation: RelationType,
  { instrument }: Holding,
  closing: PlaceRequest,
  opening: PlaceRequest,
) {
  const made = await brokerage.desk.placeGroup(relation, closing, opening);
  if (made instanceof Refusal) return made;
  return {
    groupId: made.id,
    relationType: relationTypes[made.relation],
    linkageId: linkageId(instrument),
    orderList: made.orderIds.map((id, index) =>
      orderMessage(brokerage, id, index === 0 ? closing : opening, index === 0 ? 'close' : 'open'),
    ),
  };
}

function orderMessage(brokerage: Facts<Needed>['brokerage'], id: bigint, { code, secMarket }: PlaceRequest, role: string) {
  const order = brokerage.order(id);
  if (order === undefined) throw new Error(`order ${id} is on disk`);
  return {
    orderId: order.id,
    orderIdEx: order.idEx,
    role,
    code,
    secMarket,
    trdSide: tradeSides.numberOf(mainLeg(order).side),
    qty: Number(order.quantity),
    ...(order.price === 0n ? {} : { price: decimalToNumber(order.price) }),
    orderStatus: orderStatuses.numberOf(order.status),
  };
}
