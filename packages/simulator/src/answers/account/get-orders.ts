import { create } from '@bufbuild/protobuf';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { S2CSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { Account } from '../../brokerage/account.js';
import { type Filter, filterOf, isWanted, statusesOf } from '../../brokerage/filter.js';
import { type Addressed, addressed } from '../../brokerage/header.js';
import { orderMessage } from '../../brokerage/messages.js';
import { mainLeg, type OrderRecord } from '../../brokerage/order.js';
import { isOpen } from '../../brokerage/order-status.js';
import type { EndedOrder } from '../../brokerage/tables.js';
import type { OrderStatus } from '../../brokerage/terms.js';
import { Pace } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { isToday } from '../../view/dates.js';
import type { Answer, Facts } from '../../view/facts.js';

/** Messages made in one turn of the event loop: a few milliseconds' worth. */
const ORDERS_A_TURN = 100;

/** Trd_GetOrderList: orders that are open, and those of today, newest first. Orders that are named are looked up, not searched for. */
export const getOrders: Answer<'clock' | 'world' | 'brokerage', C2S, S2C> = (facts, request) => {
  const { brokerage, world } = facts;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  const named = ordersNamed(facts, to.account, filter);
  if (named === undefined) return listCurrent(facts, to, filter, statuses);
  const orderList = named.filter((order) => isWanted(order, filter, statuses)).map((order) => orderMessage(world, order));
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, orderList }));
};

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
): Promise<S2C> {
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
  return records.journal.whenDurable(create(S2CSchema, { header: to.header, orderList }));
}

/** Open, or changed on the trading day that its market is in. */
function isCurrent(facts: Facts<'clock' | 'world'>, order: OrderRecord): boolean {
  return isOpen(order.status) || order.status === 'disabled' || isToday(facts, mainLeg(order).symbol, order.updatedAt);
}
