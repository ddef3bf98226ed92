import { create } from '@bufbuild/protobuf';
import type { OrderFill } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import { S2CSchema } from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import { filterOf, passes } from '../../brokerage/filter.js';
import { addressed } from '../../brokerage/header.js';
import { fillMessage } from '../../brokerage/messages.js';
import { Refusal } from '../../refusal.js';
import { isToday } from '../../view/dates.js';
import type { Answer } from '../../view/facts.js';

/** Trd_GetOrderFillList: today's fills, newest first. */
export const getDeals: Answer<'clock' | 'world' | 'brokerage', C2S, S2C> = async (facts, request) => {
  const { brokerage, clock, world } = facts;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.recentFills(to.account, clock.now())) {
    if (isToday(facts, fill.symbol, fill.time) && passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return create(S2CSchema, { header: to.header, orderFillList });
};
