import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber, divide } from '@svc-gateway/contract/decimal';
import { type ComboLeg, ComboLegSchema, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type Order,
  type OrderFill,
  OrderFillSchema,
  OrderFillStatus,
  OrderSchema,
  type TrdHeader,
  TrdHeaderSchema,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type Response as OrderPush, ResponseSchema as OrderPushSchema } from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { type Response as FillPush, ResponseSchema as FillPushSchema } from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { localDateTime } from '@svc-gateway/contract/time';
import type { World } from '../world/index.js';
import type { Account } from './account.js';
import { averagePrice, type FillRecord, isCombo, mainLeg, type OrderLeg, type OrderRecord } from './order.js';
import { known } from './resolve.js';
import {
  currencies,
  orderHours,
  orderStatuses,
  orderTypes,
  type TradeMarket,
  timesInForce,
  tradeEnvironments,
  tradeMarkets,
  tradeSides,
  trailTypes,
} from './terms.js';

/** "2026-11-20 09:30:00.250" on the clocks of an IANA zone. */
function timeText(time: number, timeZone: string): string {
  return `${localDateTime(time, timeZone)}.${String(((time % 1000) + 1000) % 1000).padStart(3, '0')}`;
}

/** a ÷ b as a protocol number, in percent; undefined when b is 0. */
export function percentOf(a: Decimal, b: Decimal): number | undefined {
  return b === 0n ? undefined : decimalToNumber(divide(a * 100n, b));
}

/** Names the account in answers and pushes. */
function headerOf(account: Account, market: TradeMarket): TrdHeader {
  return create(TrdHeaderSchema, {
    trdEnv: tradeEnvironments.numberOf(account.environment),
    accID: account.id,
    trdMarket: tradeMarkets.numberOf(market),
  });
}

export function orderMessage(world: World, order: OrderRecord): Order {
  const leg = mainLeg(order);
  const instrument = known(world, leg.symbol);
  const { timeZone } = world.calendar(instrument);
  const { trigger } = order;
  // A fill of a cancelled trade is void.
  const isVoid = order.status === 'fill_cancelled';
  return create(OrderSchema, {
    trdSide: tradeSides.numberOf(leg.side),
    orderType: orderTypes.numberOf(order.type),
    orderStatus: orderStatuses.numberOf(order.status),
    orderID: order.id,
    orderIDEx: order.idEx,
    code: instrument.code,
    name: instrument.name,
    qty: Number(order.quantity),
    price: decimalToNumber(order.price),
    createTime: timeText(order.createdAt, timeZone),
    updateTime: timeText(order.updatedAt, timeZone),
    fillQty: isVoid ? 0 : Number(order.filledQuantity),
    fillAvgPrice: isVoid ? 0 : decimalToNumber(averagePrice(order)),
    lastErrMsg: order.lastError,
    secMarket: quoteMarket(instrument.market).secMarket,
    createTimestamp: order.createdAt / 1000,
    updateTimestamp: order.updatedAt / 1000,
    remark: order.remark,
    timeInForce: timesInForce.numberOf(order.timeInForce),
    fillOutsideRTH: order.extendedHours,
    ...(order.hours === undefined ? {} : { session: orderHours.numberOf(order.hours) }),
    ...(trigger === undefined ? {} : { auxPrice: decimalToNumber(trigger.price) }),
    ...(trigger?.trail === undefined
      ? {}
      : { trailType: trailTypes.numberOf(trigger.trail.type), trailValue: decimalToNumber(trigger.trail.value) }),
    ...(trigger?.spread === undefined ? {} : { trailSpread: decimalToNumber(trigger.spread) }),
    currency: currencies.numberOf(order.currency),
    trdMarket: tradeMarkets.numberOf(order.tradeMarket),
    ...(isCombo(order) ? { comboLegs: order.legs.map((one) => legMessage(world, one)) } : {}),
    ...(order.timeInForce === 'gtd' ? { expireTime: order.expireTime ?? localDateTime(order.expiresAt, timeZone) } : {}),
  });
}

function legMessage(world: World, { symbol, side, ratio }: OrderLeg): ComboLeg {
  const { market, code } = known(world, symbol);
  const security = create(SecuritySchema, { market: quoteMarket(market).number, code });
  return create(ComboLegSchema, { security, side: tradeSides.numberOf(side), qtyRatio: Number(ratio) });
}

export function fillMessage(world: World, fill: FillRecord): OrderFill {
  const instrument = known(world, fill.symbol);
  const { timeZone } = world.calendar(instrument);
  return create(OrderFillSchema, {
    trdSide: tradeSides.numberOf(fill.side),
    fillID: fill.id,
    fillIDEx: fill.idEx,
    orderID: fill.orderId,
    orderIDEx: fill.orderIdEx,
    code: instrument.code,
    name: instrument.name,
    qty: Number(fill.quantity),
    price: decimalToNumber(fill.price),
    createTime: timeText(fill.time, timeZone),
    secMarket: quoteMarket(instrument.market).secMarket,
    createTimestamp: fill.time / 1000,
    updateTimestamp: fill.time / 1000,
    status: fill.cancelled ? OrderFillStatus.OrderFillStatus_Cancelled : OrderFillStatus.OrderFillStatus_OK,
    trdMarket: tradeMarkets.numberOf(fill.tradeMarket),
  });
}

/** The push of an order's new state (2208). */
export function orderPush(world: World, account: Account, order: OrderRecord): OrderPush {
  return create(OrderPushSchema, { retType: 0, s2c: { header: headerOf(account, order.tradeMarket), order: orderMessage(world, order) } });
}

/** The push of a fill (2218). */
export function fillPush(world: World, account: Account, fill: FillRecord): FillPush {
  return create(FillPushSchema, { retType: 0, s2c: { header: headerOf(account, fill.tradeMarket), orderFill: fillMessage(world, fill) } });
}
