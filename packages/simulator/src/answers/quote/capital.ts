import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { C2S } from '@svc-gateway/contract/generated/Qot_GetCapitalFlow_pb';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { addDays, localDate, localDateTime, parseLocal, weekday } from '@svc-gateway/contract/time';
import { type Bar, type BySize, type CapitalFlow, capitalFlow } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { labelTime } from '../../view/bars.js';
import type { Facts } from '../../view/facts.js';
import { trait } from '../../view/fundamentals.js';
import { historyPage } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { locateTraded } from '../../view/locate.js';
import { dayRange, noDay } from '../../view/requests.js';
import type { Instrument } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';

/** Qot_GetCapitalDistribution: the trading day's money by order size, buyers as aggressors flowing in; undirected (auction) trades do not count. */
export const getCapitalDistribution: AnswerTo<typeof declared.getCapitalDistribution> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const flow = capitalFlow(facts.tradeStatistics, listing.instrument);
  const quote = facts.market.quote(listing.instrument);
  return {
    capitalInSuper: decimalToNumber(flow.in.super),
    capitalInBig: decimalToNumber(flow.in.big),
    capitalInMid: decimalToNumber(flow.in.mid),
    capitalInSmall: decimalToNumber(flow.in.small),
    capitalOutSuper: decimalToNumber(flow.out.super),
    capitalOutBig: decimalToNumber(flow.out.big),
    capitalOutMid: decimalToNumber(flow.out.mid),
    capitalOutSmall: decimalToNumber(flow.out.small),
    updateTime: localDateTime(quote.time, listing.market.timeZone),
    updateTimestamp: quote.time / 1000,
  };
};

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
export const getCapitalFlow: AnswerTo<typeof declared.getCapitalFlow> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const flowItemList = itemsOf(facts, listing, request);
  if (flowItemList instanceof Refusal) return flowItemList;
  const { time } = facts.market.quote(listing.instrument);
  return { flowItemList, lastValidTime: localDateTime(time, listing.market.timeZone), lastValidTimestamp: time / 1000 };
};

type Needed = Facts<'clock' | 'world' | 'market' | 'tradeStatistics'>;

function itemsOf(facts: Needed, listing: Listing, request: C2S) {
  switch (request.periodType || PeriodType.intraday) {
    case PeriodType.intraday: {
      const { minutes } = capitalFlow(facts.tradeStatistics, listing.instrument);
      return minutes.map(({ time, net }) => itemOf(listing, time + MINUTE_MS, net));
    }
    case PeriodType.day:
      return byDays(facts, listing, request, (label) => label);
    case PeriodType.week:
      return byDays(facts, listing, request, mondayOf);
    case PeriodType.month:
      return byDays(facts, listing, request, (label) => label.slice(0, 7));
    default:
      return new Refusal(`unknown period_type ${request.periodType}; accepted: 1 (intraday), 2 (day), 3 (week), 4 (month)`, 'broker.value');
  }
}

function byDays(facts: Needed, listing: Listing, request: C2S, groupOf: (day: string) => string) {
  const range = datesOf(facts, listing, request);
  if (range instanceof Refusal) return range;
  const whole = { period: day, adjustment: 'none', hours: 'all', ...range } as const;
  const { bars } = atOnce(historyPage(facts, listing, whole, RANGE_DAYS_MAX, undefined));
  const today = capitalFlow(facts.tradeStatistics, listing.instrument);
  const groups = new Map<string, { readonly time: number; readonly flow: BySize }>();
  for (const bar of bars) {
    const time = labelTime(facts, listing, day, bar);
    const tradingDay = localDate(time, listing.market.timeZone);
    const name = groupOf(tradingDay);
    const { time: first, flow } = groups.get(name) ?? { time, flow: noFlow };
    const ofDay = tradingDay === today.tradingDay ? netOf(today) : netOfBar(listing.instrument, bar);
    groups.set(name, { time: first, flow: addFlows(flow, ofDay) });
  }
  // The protocol has the main inflow for whole periods only.
  return [...groups.values()].map(({ time, flow }) => ({
    ...itemOf(listing, time, flow),
    mainInFlow: decimalToNumber(flow.super + flow.big),
  }));
}

function datesOf(facts: Facts<'market'>, listing: Listing, request: C2S): { first: number; last: number } | Refusal {
  const { timeZone } = listing.market;
  // A night session belongs to a trading day that is yet to come.
  const endDay = request.endTime === '' ? facts.market.quote(listing.instrument).tradingDay : request.endTime.slice(0, 10);
  const last = parseLocal(endDay, timeZone);
  if (last === undefined) return noDay('end_time', endDay);
  const beginDay = request.beginTime === '' ? addDays(endDay, 1 - RANGE_DAYS_DEFAULT) : request.beginTime.slice(0, 10);
  const first = parseLocal(beginDay, timeZone);
  if (first === undefined) return noDay('begin_time', beginDay);
  return dayRange(beginDay, endDay, RANGE_DAYS_MAX) ?? { first, last };
}

/** The Monday of a day's week. */
function mondayOf(label: string): string {
  return addDays(label, -((weekday(label) + 6) % 7));
}

function itemOf(listing: Listing, time: number, flow: BySize) {
  return {
    time: localDateTime(time, listing.market.timeZone),
    timestamp: time / 1000,
    inFlow: decimalToNumber(flow.super + flow.big + flow.mid + flow.small),
    superInFlow: decimalToNumber(flow.super),
    bigInFlow: decimalToNumber(flow.big),
    midInFlow: decimalToNumber(flow.mid),
    smlInFlow: decimalToNumber(flow.small),
  };
}

const THOUSAND = 1000n;
/** Typical shares of the turnover in thousandths; each instrument differs a little. The rest is small orders. */
const typicalShare = { super: 180, big: 260, mid: 310 } as const;
/** How far a close at the day's extreme tilts each size of order, in thousandths of its turnover. */
const tilt: Readonly<Record<keyof BySize, bigint>> = { super: 420n, big: 330n, mid: 200n, small: 120n };

const noFlow: BySize = { super: 0n, big: 0n, mid: 0n, small: 0n };

/** Net inflow of the current day. */
function netOf({ in: bought, out: sold }: CapitalFlow): BySize {
  return {
    super: bought.super - sold.super,
    big: bought.big - sold.big,
    mid: bought.mid - sold.mid,
    small: bought.small - sold.small,
  };
}

/**
 * The net inflow of a day that is over, taken from its bar alone (its trades are not looked at again): the turnover is
 * divided among the sizes, and in each the buyers had the larger part, the nearer the day came to a rise through its whole range.
 */
function netOfBar(instrument: Instrument, { open, high, low, close, turnover }: Bar): BySize {
  if (high === low) return noFlow;
  const part = (size: keyof typeof typicalShare) => {
    const share = BigInt(typicalShare[size] + Math.round(40 * (trait(instrument, `${size} orders`) - 0.5)));
    return (turnover * share) / THOUSAND;
  };
  const parts = { super: part('super'), big: part('big'), mid: part('mid') };
  const net = (size: keyof BySize, amount: bigint) => (amount * tilt[size] * (close - open)) / (THOUSAND * (high - low));
  return {
    super: net('super', parts.super),
    big: net('big', parts.big),
    mid: net('mid', parts.mid),
    small: net('small', turnover - parts.super - parts.big - parts.mid),
  };
}

function addFlows(a: BySize, b: BySize): BySize {
  return { super: a.super + b.super, big: a.big + b.big, mid: a.mid + b.mid, small: a.small + b.small };
}
