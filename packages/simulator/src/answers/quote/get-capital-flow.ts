import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type CapitalFlowItem,
  CapitalFlowItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetCapitalFlow_pb';
import { addDays, localDate, localDateTime, parseLocal, weekday } from '@svc-gateway/contract/time';
import type { BySize } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { labelTime } from '../../view/bars.js';
import { addFlows, netOf, netOfBar, noFlow } from '../../view/capital.js';
import type { Answer, Facts } from '../../view/facts.js';
import { historyPage } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { locateTraded } from '../../view/locate.js';

/** Qot_Common.PeriodType. */
const PeriodType = { intraday: 1, day: 2, week: 3, month: 4 } as const;

/** Without a begin date, this many days up to the end date; and the most days that one request may span. */
const RANGE_DAYS_DEFAULT = 365;
const RANGE_DAYS_MAX = 3660;

const MINUTE_MS = 60_000;
const day = { unit: 'day' } as const;

/**
 * Qot_GetCapitalFlow: net money flowing in. Intraday: what flowed in since the day began, as of the end of each minute that traded. Day, week,
 * month: what flowed in during each, a week or month being the sum of its days within the dates asked for; it is named by the first of them.
 */
export const getCapitalFlow: Answer<'clock' | 'world' | 'market' | 'listings' | 'capitalFlows', C2S, S2C> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const periodType = request.periodType === 0 ? PeriodType.intraday : request.periodType;
  return answer(facts, listing, periodType, request);
};

function answer(
  facts: Facts<'clock' | 'world' | 'market' | 'capitalFlows'>,
  listing: Listing,
  periodType: number,
  request: C2S,
): S2C | Refusal {
  const items = itemsOf(facts, listing, periodType, request);
  if (items instanceof Refusal) return items;
  const { time } = facts.market.quote(listing.instrument);
  const payload = create(S2CSchema);
  payload.flowItemList = items;
  payload.lastValidTime = localDateTime(time, listing.market.timeZone);
  payload.lastValidTimestamp = time / 1000;
  return payload;
}

function itemsOf(
  facts: Facts<'clock' | 'world' | 'market' | 'capitalFlows'>,
  listing: Listing,
  periodType: number,
  request: C2S,
): CapitalFlowItem[] | Refusal {
  switch (periodType) {
    case PeriodType.intraday:
      return intraday(facts, listing);
    case PeriodType.day:
      return byDays(facts, listing, request, (label) => label);
    case PeriodType.week:
      return byDays(facts, listing, request, mondayOf);
    case PeriodType.month:
      return byDays(facts, listing, request, (label) => label.slice(0, 7));
    default:
      return new Refusal(`unknown period_type ${periodType}; accepted: 1 (intraday), 2 (day), 3 (week), 4 (month)`, 'broker.value');
  }
}

function intraday(facts: Facts<'capitalFlows'>, listing: Listing): CapitalFlowItem[] {
  const { minutes } = facts.capitalFlows.of(listing.instrument);
  return minutes.map(({ time, net }) => item(listing, time + MINUTE_MS, net, false));
}

function byDays(
  facts: Facts<'clock' | 'world' | 'market' | 'capitalFlows'>,
  listing: Listing,
  request: C2S,
  groupOf: (day: string) => string,
): CapitalFlowItem[] | Refusal {
  const range = datesOf(facts, listing, request);
  if (range instanceof Refusal) return range;
  const whole = { period: day, adjustment: 'none', hours: 'all', ...range } as const;
  const { bars } = atOnce(historyPage(facts, listing, whole, RANGE_DAYS_MAX, undefined));
  const today = facts.capitalFlows.of(listing.instrument);
  const items: CapitalFlowItem[] = [];
  let group: { name: string; time: number; flow: BySize } | undefined;
  const close = () => {
    if (group !== undefined) items.push(item(listing, group.time, group.flow, true));
  };
  for (const bar of bars) {
    const time = labelTime(facts, listing, day, bar);
    const tradingDay = localDate(time, listing.market.timeZone);
    const name = groupOf(tradingDay);
    if (group?.name !== name) {
      close();
      group = { name, time, flow: noFlow };
    }
    group.flow = addFlows(group.flow, tradingDay === today.tradingDay ? netOf(today) : netOfBar(listing.instrument, bar));
  }
  close();
  return items;
}

function datesOf(facts: Facts<'market'>, listing: Listing, request: C2S): { first: number; last: number } | Refusal {
  const { timeZone } = listing.market;
  // A night session belongs to a trading day that is yet to come.
  const endDay = request.endTime === '' ? facts.market.quote(listing.instrument).tradingDay : request.endTime.slice(0, 10);
  const last = parseLocal(endDay, timeZone);
  if (last === undefined) return new Refusal('end_time: expected yyyy-MM-dd');
  const beginDay = request.beginTime === '' ? addDays(endDay, 1 - RANGE_DAYS_DEFAULT) : request.beginTime.slice(0, 10);
  const first = parseLocal(beginDay, timeZone);
  if (first === undefined) return new Refusal('begin_time: expected yyyy-MM-dd');
  if (first > last) return new Refusal('begin_time is after end_time');
  if (addDays(beginDay, RANGE_DAYS_MAX) <= endDay)
    return new Refusal(`begin_time to end_time: at most ${RANGE_DAYS_MAX} days`, 'broker.value');
  return { first, last };
}

/** The Monday of a day's week. */
function mondayOf(label: string): string {
  return addDays(label, -((weekday(label) + 6) % 7));
}

function item(listing: Listing, time: number, flow: BySize, withMain: boolean): CapitalFlowItem {
  const message = create(CapitalFlowItemSchema);
  message.time = localDateTime(time, listing.market.timeZone);
  message.timestamp = time / 1000;
  message.inFlow = decimalToNumber(flow.super + flow.big + flow.mid + flow.small);
  message.superInFlow = decimalToNumber(flow.super);
  message.bigInFlow = decimalToNumber(flow.big);
  message.midInFlow = decimalToNumber(flow.mid);
  message.smlInFlow = decimalToNumber(flow.small);
  // The protocol has it for whole periods only.
  if (withMain) message.mainInFlow = decimalToNumber(flow.super + flow.big);
  return message;
}
