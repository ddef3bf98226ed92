import { addDays } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import { businessDaysOf, daysBefore, monthAfter } from './business-days.js';
import type { FutureProduct } from './data/futures.js';
import { lastTradeDate } from './last-trade.js';

/** Trading days before its last one after which a contract hands over to the next: positions are rolled by then. */
const ROLL_DAYS = 2;
/** Months ahead that may be listed. */
export const LISTED_MONTHS = 12;
const LAST_DAYS_CACHED = 10_000;
const STRETCHES_CACHED = 2_000;

/** The order in which the months of a product stand on a day, and a day ("2026-11-20") since when they do. */
interface Stretch {
  readonly from: string;
  readonly order: readonly string[];
}

// All of it is pure, so that one memory serves every world.
const lastDays = new LruCache<string, string>(LAST_DAYS_CACHED);
const stretches = new LruCache<string, Stretch>(STRETCHES_CACHED);

/** Last trading day of the contract of a month, "2026-12". */
export function lastDayOf(product: FutureProduct, month: string): string {
  const { lastTrade, calendar } = product;
  return lastDays.get(`${lastTrade} ${calendar} ${month}`, () => lastTradeDate(lastTrade, month, businessDaysOf(calendar)));
}

export function listsMonth({ months }: FutureProduct, month: string): boolean {
  const number = Number(month.slice(5));
  if (number < 1 || number > 12) return false;
  if (months === 'monthly') return true;
  return months === 'quarterly' ? number % 3 === 0 : months.includes(number);
}

/** The months of a product that expire on `day` or later, as far ahead as any may be listed by then, in order. */
export function monthsFrom(product: FutureProduct, day: string): string[] {
  const months: string[] = [];
  // Energy expires in the month before the contract's own.
  for (let ahead = 0, month = day.slice(0, 7); ahead <= LISTED_MONTHS + 1; ahead += 1, month = monthAfter(month)) {
    if (listsMonth(product, month) && lastDayOf(product, month) >= day) months.push(month);
  }
  return months;
}

/** The first of them is the one that the continuous contract is. */
export function monthsByVolume(product: FutureProduct, day: string): readonly string[] {
  return stretchOf(product, day).order;
}

/** A day up to `day` since when the product's months have stood in the order of that day. */
export function orderedSince(product: FutureProduct, day: string): string {
  return stretchOf(product, day).from;
}

function stretchOf(product: FutureProduct, day: string): Stretch {
  return stretches.get(`${product.market}.${product.root} ${day}`, () => stretchAround(product, day));
}

/**
 * The front month trades most until its roll, two trading days before its last one. From the day after that on the next month does, and the
 * two have changed places.
 */
function stretchAround(product: FutureProduct, day: string): Stretch {
  const months = monthsFrom(product, day);
  const [front, next] = months;
  if (front === undefined || next === undefined) throw new Error(`${product.root} has no contract on ${day}`);
  const rolls = rollDay(product, front);
  if (day > rolls) return { from: addDays(rolls, 1), order: [next, front, ...months.slice(2)] };
  return { from: addDays(lastDayOf(product, monthBefore(product, front)), 1), order: months };
}

function rollDay(product: FutureProduct, month: string): string {
  return daysBefore(lastDayOf(product, month), ROLL_DAYS, businessDaysOf(product.calendar));
}

function monthBefore(product: FutureProduct, month: string): string {
  let before = monthAfter(month, -1);
  while (!listsMonth(product, before)) before = monthAfter(before, -1);
  return before;
}
