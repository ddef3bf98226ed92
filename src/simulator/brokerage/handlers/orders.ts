import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import type { C2S as HistoryC2S, S2C as HistoryS2C } from '../../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import { S2CSchema as HistoryS2CSchema } from '../../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import type { C2S as FeeC2S, S2C as FeeS2C } from '../../../contract/generated/Trd_GetOrderFee_pb.js';
import { S2CSchema as FeeS2CSchema } from '../../../contract/generated/Trd_GetOrderFee_pb.js';
import type { C2S, S2C } from '../../../contract/generated/Trd_GetOrderList_pb.js';
import { S2CSchema } from '../../../contract/generated/Trd_GetOrderList_pb.js';
import { type Handler, Refusal, type Simulation } from '../../handler.js';
import { totalFees } from '../fees.js';
import { type Filter, filterOf, passes, requiredTimes, statusesOf } from '../filter.js';
import { addressed } from '../header.js';
import { orderMessage } from '../messages.js';
import type { OrderRecord } from '../order.js';
import { isOpen } from '../order-status.js';
import type { OrderStatus } from '../terms.js';

/** Longest list of orders whose fees one request may ask for, as the public protocol has it. */
const FEE_ORDERS_MAX = 400;

/** Trd_GetOrderList: orders that are open, and those of today, newest first. */
export const getOrders: Handler<C2S, S2C> = (simulation, request) => {
  const { brokerage, world } = simulation;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  const orderList = [...brokerage.records.recentOrders(to.account)]
    .filter((order) => isCurrent(simulation, order) && isWanted(order, filter, statuses))
    .reverse()
    .map((order) => orderMessage(world, order));
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, orderList }));
};

/** Trd_GetHistoryOrderList: orders created between two times, newest first. */
export const getHistoryOrders: Handler<HistoryC2S, HistoryS2C> = async ({ brokerage, world }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const times = requiredTimes(filter);
  if (times instanceof Refusal) return times;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  await brokerage.records.journal.whenDurable(undefined);
  const orderList = [...brokerage.records.ordersBetween(to.account.id, times.from, times.to + 1)]
    .filter((order) => isWanted(order, filter, statuses))
    .reverse()
    .map((order) => orderMessage(world, order));
  return create(HistoryS2CSchema, { header: to.header, orderList });
};

/** Trd_GetOrderFee: what orders have been charged so far, item by item. */
export const getOrderFees: Handler<FeeC2S, FeeS2C> = ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  if (request.orderIdExList.length > FEE_ORDERS_MAX) {
    return new Refusal(`orderIdExList names ${request.orderIdExList.length} orders; at most ${FEE_ORDERS_MAX} are accepted`);
  }
  const orderFeeList: { orderIDEx: string; feeAmount: number; feeList: { title: string; value: number }[] }[] = [];
  for (const orderIDEx of request.orderIdExList) {
    const order = brokerage.orderByIdEx(orderIDEx);
    if (order?.accId !== to.account.id) return new Refusal(`account ${to.account.id} has no order ${JSON.stringify(orderIDEx)}`);
    orderFeeList.push({
      orderIDEx,
      feeAmount: decimalToNumber(totalFees(order.fees)),
      feeList: order.fees.map(({ title, value }) => ({ title, value: decimalToNumber(value) })),
    });
  }
  return brokerage.records.journal.whenDurable(create(FeeS2CSchema, { header: to.header, orderFeeList }));
};

function isWanted(order: OrderRecord, filter: Filter, statuses: ReadonlySet<OrderStatus>): boolean {
  const wanted = statuses.size === 0 ? order.status !== 'deleted' : statuses.has(order.status);
  return wanted && passes(filter, { ...order, orderIdEx: order.idEx, time: order.createdAt });
}

/** Open, or changed on the trading day that its market is in. */
function isCurrent({ clock, world }: Simulation, order: OrderRecord): boolean {
  if (isOpen(order.status) || order.status === 'disabled') return true;
  const instrument = world.instrument(order.symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(order.updatedAt) === calendar.tradingDay(clock.now());
}
