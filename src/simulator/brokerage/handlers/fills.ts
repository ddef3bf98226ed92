import { create } from '@bufbuild/protobuf';
import type { C2S as HistoryC2S, S2C as HistoryS2C } from '../../../contract/generated/Trd_GetHistoryOrderFillList_pb.js';
import { S2CSchema as HistoryS2CSchema } from '../../../contract/generated/Trd_GetHistoryOrderFillList_pb.js';
import type { C2S, S2C } from '../../../contract/generated/Trd_GetOrderFillList_pb.js';
import { S2CSchema } from '../../../contract/generated/Trd_GetOrderFillList_pb.js';
import { type Handler, Refusal, type Simulation } from '../../handler.js';
import { filterOf, passes, requiredTimes } from '../filter.js';
import { addressed } from '../header.js';
import { fillMessage } from '../messages.js';
import type { FillRecord } from '../order.js';

/** Trd_GetOrderFillList: today's fills, newest first. */
export const getFills: Handler<C2S, S2C> = (simulation, request) => {
  const { brokerage, world } = simulation;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const orderFillList = brokerage.records
    .recentFills(to.account)
    .filter((fill) => isToday(simulation, fill) && passes(filter, fill))
    .reverse()
    .map((fill) => fillMessage(world, fill));
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, orderFillList }));
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
  const orderFillList = [...brokerage.records.fillsBetween(to.account.id, times.from, times.to + 1)]
    .filter((fill) => passes(filter, fill))
    .reverse()
    .map((fill) => fillMessage(world, fill));
  return create(HistoryS2CSchema, { header: to.header, orderFillList });
};

function isToday({ clock, world }: Simulation, fill: FillRecord): boolean {
  const instrument = world.instrument(fill.symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(fill.time) === calendar.tradingDay(clock.now());
}
