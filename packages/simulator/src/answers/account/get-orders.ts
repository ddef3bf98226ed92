import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { Order, OrderFill, TrdFilterConditions, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as HistoryFills from '@svc-gateway/contract/generated/Trd_GetHistoryOrderFillList_pb';
import * as HistoryOrders from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import * as OrderFee from '@svc-gateway/contract/generated/Trd_GetOrderFee_pb';
import * as FillList from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import * as OrderList from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../../brokerage/account.js';
import { totalFees } from '../../brokerage/fees.js';
import { type Filter, filterOf, isWanted, passes, requiredTimes, statusesOf } from '../../brokerage/filter.js';
import { type Addressed, addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { fillMessage, orderMessage } from '../../brokerage/messages.js';
import { mainLeg, type OrderRecord } from '../../brokerage/order.js';
import { isOpen } from '../../brokerage/order-status.js';
import type { EndedOrder } from '../../brokerage/tables.js';
import type { OrderStatus } from '../../brokerage/terms.js';
import { Pace } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { ofAccount } from './amounts.js';

/** Messages made in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 100;

/** Trd_GetOrderList: orders that are open, and those of today, newest first. Orders that are named are looked up, not searched for. */
export const getOrders: Answer<'clock' | 'world' | 'brokerage', OrderList.C2S, OrderList.S2C> = ofAccount((facts, to, request) => {
  const { brokerage, world } = facts;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  return brokerage.records.journal.durable(async () => {
    const named = ordersNamed(facts, to.account, filter)?.filter((order) => isWanted(order, filter, statuses));
    const orderList = named?.map((order) => orderMessage(world, order)) ?? (await listCurrent(facts, to, filter, statuses));
    return messageOf(OrderList.S2CSchema, { header: to.header, orderList });
  });
});

/** The current ones of the orders that a filter names, newest first; undefined where it names none. */
function ordersNamed(
  facts: Facts<'clock' | 'world' | 'brokerage'>,
  account: Account,
  { ids, orderIdExs }: Filter,
): OrderRecord[] | undefined {
  const { brokerage } = facts;
  if (ids.size === 0 && orderIdExs.size === 0) return undefined;
  const found = ids.size > 0 ? [...ids].map((id) => brokerage.order(id)) : [...orderIdExs].map((idEx) => brokerage.orderByIdEx(idEx));
  return found
    .filter((order) => order !== undefined)
    .filter((order) => order.accId === account.id && isCurrent(facts, order))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
}

async function listCurrent(
  facts: Facts<'clock' | 'world' | 'brokerage'>,
  to: Addressed,
  filter: Filter,
  statuses: ReadonlySet<OrderStatus>,
): Promise<Order[]> {
  const { brokerage, clock, world } = facts;
  const { records } = brokerage;
  const asksForEnded = statuses.size === 0 || [...statuses].some((status) => !isOpen(status) && status !== 'disabled');
  const isEndedToday = ({ symbol, time }: EndedOrder) => isToday(facts, symbol, time);
  const orders = await records.currentOrders(to.account, clock.now(), asksForEnded ? isEndedToday : undefined);
  const pace = new Pace(ORDERS_A_TURN);
  const orderList: Order[] = [];
  for (const order of orders) {
    if (isWanted(order, filter, statuses)) orderList.push(orderMessage(world, order));
    const wait = pace.step();
    if (wait !== undefined) await wait;
  }
  return orderList;
}

/** Open, or changed on the trading day that its market is in. */
function isCurrent(facts: Facts<'clock' | 'world'>, order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled' || isToday(facts, mainLeg(order).symbol, order.updatedAt);
}

/** Trd_GetOrderFillList: today's fills, newest first. */
export const getDeals: Answer<'clock' | 'world' | 'brokerage', FillList.C2S, FillList.S2C> = ofAccount(async (facts, to, request) => {
  const { brokerage, clock, world } = facts;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.recentFills(to.account, clock.now())) {
    if (isToday(facts, fill.symbol, fill.time) && passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return messageOf(FillList.S2CSchema, { header: to.header, orderFillList });
});

/** Parsed request of a history: account, filter, and time range (epoch ms, inclusive). */
interface HistoryQuery {
  readonly to: Addressed;
  readonly filter: Filter;
  readonly times: { readonly from: number; readonly to: number };
}

/** Reads the header and the conditions of a history of orders or fills. */
function historyQueryOf(
  brokerage: Brokerage,
  request: { readonly header?: TrdHeader | undefined; readonly filterConditions?: TrdFilterConditions | undefined },
): HistoryQuery | Refusal {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const times = requiredTimes(filter);
  return times instanceof Refusal ? times : { to, filter, times };
}

/** Trd_GetHistoryOrderList: orders created between two times, newest first. */
export const getHistoryOrders: Answer<'world' | 'brokerage', HistoryOrders.C2S, HistoryOrders.S2C> = async (
  { brokerage, world },
  request,
) => {
  const query = historyQueryOf(brokerage, request);
  if (query instanceof Refusal) return query;
  const { to, filter, times } = query;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  await brokerage.records.journal.durable(() => undefined);
  const orderList: Order[] = [];
  for await (const order of brokerage.records.ordersBetween(to.account.id, times.from, times.to + 1)) {
    if (isWanted(order, filter, statuses)) orderList.push(orderMessage(world, order));
  }
  return messageOf(HistoryOrders.S2CSchema, { header: to.header, orderList: orderList.reverse() });
};

/** Trd_GetHistoryOrderFillList: fills between two times, newest first. */
export const getHistoryDeals: Answer<'world' | 'brokerage', HistoryFills.C2S, HistoryFills.S2C> = async ({ brokerage, world }, request) => {
  const query = historyQueryOf(brokerage, request);
  if (query instanceof Refusal) return query;
  const { to, filter, times } = query;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.fillsBetween(to.account.id, times.from, times.to + 1)) {
    if (passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return messageOf(HistoryFills.S2CSchema, { header: to.header, orderFillList: orderFillList.reverse() });
};

/** Longest list of orders whose fees one request may ask for, as the public protocol has it. */
const ORDERS_MAX = 400;

/** Trd_GetOrderFee: what orders have been charged so far, item by item. */
export const getOrderFee: Answer<'brokerage', OrderFee.C2S, OrderFee.S2C> = ofAccount(({ brokerage }, to, request) => {
  if (request.orderIdExList.length > ORDERS_MAX) {
    return new Refusal(`orderIdExList names ${request.orderIdExList.length} orders; at most ${ORDERS_MAX} are accepted`, 'broker.value');
  }
  const orderFeeList: { orderIDEx: string; feeAmount: number; feeList: { title: string; value: number }[] }[] = [];
  for (const orderIDEx of request.orderIdExList) {
    const order = brokerage.orderByIdEx(orderIDEx);
    if (order?.accId !== to.account.id)
      return new Refusal(`account ${to.account.id} has no order ${quoted(orderIDEx)}`, 'broker.unknown_order');
    orderFeeList.push({
      orderIDEx,
      feeAmount: decimalToNumber(totalFees(order.fees)),
      feeList: order.fees.map(({ title, value }) => ({ title, value: decimalToNumber(value) })),
    });
  }
  return brokerage.records.journal.whenDurable(messageOf(OrderFee.S2CSchema, { header: to.header, orderFeeList }));
});

/** Whether a time (epoch ms) is on the trading day that the symbol's market is in. */
function isToday({ clock, world }: Facts<'clock' | 'world'>, symbol: string, time: number): boolean {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(time) === calendar.tradingDay(clock.now());
}
