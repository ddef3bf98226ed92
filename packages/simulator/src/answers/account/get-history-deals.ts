import { create } from '@bufbuild/protobuf';
import type { OrderFill } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderFillList_pb';
import { passes } from '../../brokerage/filter.js';
import { fillMessage } from '../../brokerage/messages.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { historyQueryOf } from './history-query.js';

/** Trd_GetHistoryOrderFillList: fills between two times, newest first. */
export const getHistoryDeals: Answer<'world' | 'brokerage', C2S, S2C> = async ({ brokerage, world }, request) => {
  const query = historyQueryOf(brokerage, request);
  if (query instanceof Refusal) return query;
  const { to, filter, times } = query;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.fillsBetween(to.account.id, times.from, times.to + 1)) {
    if (passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return create(S2CSchema, { header: to.header, orderFillList: orderFillList.reverse() });
};
