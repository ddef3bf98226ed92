import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { EarningsPubTimeType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Bar } from '../../market/index.js';
import { type EarningsReport, publicationOf, reportsBetween } from '../../view/earnings.js';
import type { Facts } from '../../view/facts.js';
import { type Period, periodEnding } from './periods.js';
import { type Subject, secondsOf } from './subject.js';

/** Results on the day on which the listing's market took note of them. */
export interface Publication {
  readonly period: Period;
  /** Epoch ms. */
  readonly time: number;
  /** "2026-11-20": the day of the publication, or the first trading day after it. */
  readonly tradingDay: string;
  readonly pubType: EarningsPubTimeType;
}

/** Longer than fifty reports of who reports twice a year. */
const LOOK_BACK_DAYS = 26 * 366;

const pubTypes = {
  before: EarningsPubTimeType.EarningsPubTimeType_PreMarket,
  during: EarningsPubTimeType.EarningsPubTimeType_DuringMarket,
  after: EarningsPubTimeType.EarningsPubTimeType_AfterMarket,
} as const;

/** The newest publications of results up to now, newest first; of what is published together the shortest period. */
export function publicationsOf(
  { clock, world }: Facts<'clock' | 'world'>,
  { listing, company, day }: Subject,
  count: number,
): readonly Publication[] {
  const { instrument } = listing;
  const calendar = world.calendar(instrument);
  const listed = instrument.listDate;
  const newest = new Map<number, EarningsReport>();
  for (const report of reportsBetween(company, day - LOOK_BACK_DAYS, day + 1)) {
    if (report.time > clock.now() || newest.has(report.time)) continue;
    if (publicationOf(instrument, report.time).day <= listed) break;
    newest.set(report.time, report);
    if (newest.size === count) break;
  }
  return [...newest.values()].map(({ last, quarters, time }) => {
    const { day: on, at } = publicationOf(instrument, time);
    const tradingDay = calendar.isTradingDay(on) ? on : calendar.nextTradingDay(on);
    return { period: periodEnding(company, last, quarters), time, tradingDay, pubType: pubTypes[at] };
  });
}

/** A day's bar, and how many trading days after the publication's day it is. */
export interface DayAround {
  readonly day: string;
  readonly offset: number;
  readonly bar: Bar;
}

/** A day and its prices, as messages of prices around results have them. */
export function dayPrices({ listing }: Subject, { day, bar }: DayAround) {
  return {
    tradingDay: BigInt(secondsOf(listing, day)),
    tradingDayStr: day,
    closePrice: decimalToNumber(bar.close),
    openPrice: decimalToNumber(bar.open),
    highestPrice: decimalToNumber(bar.high),
    lowestPrice: decimalToNumber(bar.low),
    lastClosePrice: decimalToNumber(bar.previousClose),
  };
}

/** The bars of the trading days from `before` days before a day to `after` days after it, as far as they have begun; forward adjusted, as of now. */
export function daysAround(
  { world, market, clock }: Facts<'clock' | 'world' | 'market'>,
  { listing: { instrument } }: Subject,
  tradingDay: string,
  before: number,
  after: number,
): readonly DayAround[] {
  const calendar = world.calendar(instrument);
  let [first, last] = [tradingDay, tradingDay];
  for (let step = 0; step < before; step++) first = calendar.previousTradingDay(first);
  for (let step = 0; step < after; step++) last = calendar.nextTradingDay(last);
  const from = calendar.sessions(first)[0]?.start ?? 0;
  const to = Math.min(clock.now() + 1, calendar.sessions(calendar.nextTradingDay(last))[0]?.start ?? 0);
  const days = market
    .bars(instrument, { unit: 'day' }, { from, to }, 'forward')
    .map((bar) => ({ day: calendar.tradingDay(bar.start), bar }));
  const at = days.findIndex(({ day }) => day >= tradingDay);
  const zero = at < 0 ? days.length : at;
  return days.map(({ day, bar }, index) => ({ day, bar, offset: index - zero }));
}
