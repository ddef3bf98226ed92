import { create } from '@bufbuild/protobuf';
import type { OrderFill } from '../../../contract/generated/Trd_Common_pb.js';
import type { C2S as HistoryC2S, S2C as HistoryS2C } from '../../../contract/generated/Trd_GetHistoryOrderFillList_pb.js';
import { S2CSchema as HistoryS2CSchema } from '../../../contract/generated/Trd_GetHistoryOrderFillList_pb.js';
import type { C2S, S2C } from '../../../contract/generated/Trd_GetOrderFillList_pb.js';
import { S2CSchema } from '../../../contract/generated/Trd_GetOrderFillList_pb.js';
import { filterOf, passes, requiredTimes } from '../../brokerage/filter.js';
import { addressed } from '../../brokerage/header.js';
import { fillMessage } from '../../brokerage/messages.js';
import type { FillRecord } from '../../brokerage/order.js';
import { type Handler, Refusal, type Simulation } from '../../handler.js';

/** Trd_GetOrderFillList: today's fills, newest first. */
export const getFills: Handler<C2S, S2C> = async (simulation, request) => {
  const { brokerage, clock, world } = simulation;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.recentFills(to.account, clock.now())) {
    if (isToday(simulation, fill) && passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return create(S2CSchema, { header: to.header, orderFillList });
};

/** Trd_GetHistoryOrderFillList: fills between two times, newest first. */
export const getHistoryFills: Handler<HistoryC2S, HistoryS2C> = async ({ brokerage, world }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const times = requiredTimes(filter);
  if (times instanceof Refusal) return times;
  await brokerage.records.journal.whenDurable(undefined);
  const orderFillList: OrderFill[] = [];
  for await (const fill of brokerage.records.fillsBetween(to.account.id, times.from, times.to + 1)) {
    if (passes(filter, fill)) orderFillList.push(fillMessage(world, fill));
  }
  return create(HistoryS2CSchema, { header: to.header, orderFillList: orderFillList.reverse() });
};

function isToday({ clock, world }: Simulation, fill: FillRecord): boolean {
  const instrument = world.instrument(fill.symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(fill.time) === calendar.tradingDay(clock.now());
}
