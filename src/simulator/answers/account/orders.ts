import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import type { Order } from '../../../contract/generated/Trd_Common_pb.js';
import type { C2S as HistoryC2S, S2C as HistoryS2C } from '../../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import { S2CSchema as HistoryS2CSchema } from '../../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import type { C2S as FeeC2S, S2C as FeeS2C } from '../../../contract/generated/Trd_GetOrderFee_pb.js';
import { S2CSchema as FeeS2CSchema } from '../../../contract/generated/Trd_GetOrderFee_pb.js';
import type { C2S, S2C } from '../../../contract/generated/Trd_GetOrderList_pb.js';
import { S2CSchema } from '../../../contract/generated/Trd_GetOrderList_pb.js';
import type { Account } from '../../brokerage/account.js';
import { totalFees } from '../../brokerage/fees.js';
import { type Filter, filterOf, passes, requiredTimes, statusesOf } from '../../brokerage/filter.js';
import { type Addressed, addressed } from '../../brokerage/header.js';
import { orderMessage } from '../../brokerage/messages.js';
import type { OrderRecord } from '../../brokerage/order.js';
import { isOpen } from '../../brokerage/order-status.js';
import type { EndedOrder } from '../../brokerage/tables.js';
import type { OrderStatus } from '../../brokerage/terms.js';
import { type Handler, Refusal, type Simulation } from '../../handler.js';
import { Pace } from '../../pace.js';

/** Longest list of orders whose fees one request may ask for, as the public protocol has it. */
const FEE_ORDERS_MAX = 400;

/** Messages made in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 100;

/** Trd_GetOrderList: orders that are open, and those of today, newest first. Orders that are named are looked up, not searched for. */
export const getOrders: Handler<C2S, S2C> = (simulation, request) => {
  const { brokerage, world } = simulation;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  const named = ordersNamed(simulation, to.account, filter);
  if (named === undefined) return listCurrent(simulation, to, filter, statuses);
  const orderList = named.filter((order) => isWanted(order, filter, statuses)).map((order) => orderMessage(world, order));
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, orderList }));
};

/** The current ones of the orders that a filter names, newest first; undefined where it names none. */
function ordersNamed(simulation: Simulation, account: Account, { ids, orderIdExs }: Filter): OrderRecord[] | undefined {
  const { brokerage } = simulation;
  if (ids.size === 0 && orderIdExs.size === 0) return undefined;
  const found = ids.size > 0 ? [...ids].map((id) => brokerage.order(id)) : [...orderIdExs].map((idEx) => brokerage.orderByIdEx(idEx));
  return found
    .filter((order) => order !== undefined)
    .filter((order) => order.accId === account.id && isCurrent(simulation, order))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}

async function listCurrent(simulation: Simulation, to: Addressed, filter: Filter, statuses: ReadonlySet<OrderStatus>): Promise<S2C> {
  const { brokerage, clock, world } = simulation;
  const { records } = brokerage;
  const asksForEnded = statuses.size === 0 || [...statuses].some((status) => !isOpen(status) && status !== 'disabled');
  const isEndedToday = ({ symbol, time }: EndedOrder) => isToday(simulation, symbol, time);
  const orders = await records.currentOrders(to.account, clock.now(), asksForEnded ? isEndedToday : undefined);
  const pace = new Pace(ORDERS_A_TURN);
  const orderList: Order[] = [];
  for (const order of orders) {
    if (isWanted(order, filter, statuses)) orderList.push(orderMessage(world, order));
    const wait = pace.step();
    if (wait !== undefined) await wait;
  }
  return records.journal.whenDurable(create(S2CSchema, { header: to.header, orderList }));
}

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
  const orderList: Order[] = [];
  for await (const order of brokerage.records.ordersBetween(to.account.id, times.from, times.to + 1)) {
    if (isWanted(order, filter, statuses)) orderList.push(orderMessage(world, order));
  }
  return create(HistoryS2CSchema, { header: to.header, orderList: orderList.reverse() });
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
function isCurrent(simulation: Simulation, order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled' || isToday(simulation, order.symbol, order.updatedAt);
}

/** Whether a time (epoch ms) is on the trading day that the symbol's market is in. */
function isToday({ clock, world }: Simulation, symbol: string, time: number): boolean {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(time) === calendar.tradingDay(clock.now());
}
