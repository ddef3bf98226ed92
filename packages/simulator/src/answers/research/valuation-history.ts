import { ValuationIntervalType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { addDays } from '@svc-gateway/contract/time';
import type { BarPeriod } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import type { Facts } from '../../view/facts.js';
import { newestBars } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { type Measure, valueAt } from './valuation-figures.js';

/** How far back, and how far apart the days are that it is told by: days up to a year, then weeks, then months. */
interface Interval {
  /** First day, by the current one. */
  readonly from: (today: string) => string;
  readonly period: BarPeriod;
  readonly barsMax: number;
}

const DAYS_A_YEAR = 365.25;
const years = (count: number) => (today: string) => addDays(today, -Math.round(count * DAYS_A_YEAR));
const daily: BarPeriod = { unit: 'day' };
const weekly: BarPeriod = { unit: 'week' };
const monthly: BarPeriod = { unit: 'month' };
const I = ValuationIntervalType;

const intervals: ReadonlyMap<ValuationIntervalType, Interval> = new Map([
  [I.ValuationIntervalType_Month3, { from: years(0.25), period: daily, barsMax: 70 }],
  [I.ValuationIntervalType_Month6, { from: years(0.5), period: daily, barsMax: 135 }],
  [I.ValuationIntervalType_Year1, { from: years(1), period: daily, barsMax: 270 }],
  [I.ValuationIntervalType_Year2, { from: years(2), period: weekly, barsMax: 106 }],
  [I.ValuationIntervalType_Year3, { from: years(3), period: weekly, barsMax: 158 }],
  [I.ValuationIntervalType_Year5, { from: years(5), period: weekly, barsMax: 263 }],
  [I.ValuationIntervalType_Year10, { from: years(10), period: monthly, barsMax: 122 }],
  [I.ValuationIntervalType_Since2019, { from: () => '2019-01-01', period: monthly, barsMax: 361 }],
  [I.ValuationIntervalType_Year20, { from: years(20), period: monthly, barsMax: 242 }],
  [I.ValuationIntervalType_Year30, { from: years(30), period: monthly, barsMax: 362 }],
]);

/** The interval of a number; a year by default, undefined for an unknown number. */
export function intervalOf(type: ValuationIntervalType | undefined): Interval | undefined {
  return intervals.get(type || I.ValuationIntervalType_Year1);
}

/** The value on the last trading day of a bar. */
export interface PastValue {
  readonly day: string;
  readonly value: number;
}

type Needed = Facts<'clock' | 'world' | 'companies' | 'market'>;

/** A share's values by a measure, oldest first, up to the day before the current one: close over what was known on that day. */
export function pastValues(facts: Needed, listing: Listing, measure: Measure, interval: Interval, today: string): readonly PastValue[] {
  const calendar = facts.world.calendar(listing.instrument);
  const first = interval.from(today);
  const bars = atOnce(newestBars(facts, listing, interval.period, 'none', interval.barsMax));
  const found: PastValue[] = [];
  for (const { end, close } of bars) {
    const day = calendar.tradingDay(end - 1);
    if (day < first || day >= today) continue;
    found.push({ day, value: valueAt(facts.companies, measure, { listing }, close, day) });
  }
  return found;
}
