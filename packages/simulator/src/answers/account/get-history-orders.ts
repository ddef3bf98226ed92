import { create } from '@bufbuild/protobuf';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import { isWanted, statusesOf } from '../../brokerage/filter.js';
import { orderMessage } from '../../brokerage/messages.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { historyQueryOf } from './history-query.js';

/** Trd_GetHistoryOrderList: orders created between two times, newest first. */
export const getHistoryOrders: Answer<'world' | 'brokerage', C2S, S2C> = async ({ brokerage, world }, request) => {
  const query = historyQueryOf(brokerage, request);
  if (query instanceof Refusal) return query;
  const { to, filter, times } = query;
  const statuses = statusesOf(request.filterStatusList);
  if (statuses instanceof Refusal) return statuses;
  await brokerage.records.journal.whenDurable(undefined);
  const orderList: Order[] = [];
  for await (const order of brokerage.records.ordersBetween(to.account.id, times.from, times.to + 1)) {
    if (isWanted(order, filter, statuses)) orderList.push(orderMessage(world, order));
  }
  return create(S2CSchema, { header: to.header, orderList: orderList.reverse() });
};
