import { addDays, requireDay } from '@svc-gateway/contract/time';
import { monthAfter } from './business-days.js';
import type { Bond, BondTerms } from './instrument.js';
import { governmentYield } from './risk-free-rate.js';

/** Coupons a year of every bond. */
const COUPONS = 2;
const MONTHS = 12 / COUPONS;
const YEAR_DAYS = 365.25;
/** How much yields move in a day, in basis points: that far apart are the two prices that say how much a bond moves. */
const DAILY_BASIS_POINTS = 5;
const DAILY_LEAST = 0.000_05;
/** Bisections of the range that yields are looked for in. */
const BISECTIONS = 60;
const YIELD_LEAST = -0.2;
const YIELD_MOST = 1;

/** Payments to a buyer on a day; all days are counted from 1970-01-01. */
interface Schedule {
  /** Days from the last coupon (or the issue) to the next, and from the day to the next. */
  readonly period: number;
  readonly left: number;
  /** Coupons after the next one. */
  readonly after: number;
}

/** The last coupon day up to a day and the next one. The day lies before the maturity. */
function scheduleOn({ issued, maturity }: BondTerms, day: number): Schedule {
  const due = requireDay(maturity);
  const text = new Date(Math.max(day, requireDay(issued)) * 86_400_000).toISOString().slice(0, 10);
  const [dueMonths, months] = [monthsOf(maturity), monthsOf(text)];
  // Coupons fall on the day of the month of the maturity, which every month has.
  let after = Math.floor((dueMonths - months) / MONTHS);
  if (requireDay(backFrom(maturity, after)) <= day && after > 0) after -= 1;
  const next = requireDay(backFrom(maturity, after));
  const last = requireDay(backFrom(maturity, after + 1));
  return { period: next - last, left: Math.max(0, Math.min(next, due) - day), after };
}

function monthsOf(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
}

function backFrom(maturity: string, periods: number): string {
  return `${monthAfter(maturity.slice(0, 7), -periods * MONTHS)}${maturity.slice(7)}`;
}

/** One coupon payment, in percent of the nominal. */
function couponOf({ coupon }: BondTerms): number {
  return Number(coupon) / 1e9 / COUPONS;
}

/** Interest since the last coupon, in percent of the nominal, that a buyer who settles on a day (counted from 1970-01-01) pays beside the price: actual/actual. */
export function accruedInterest({ bond }: Bond, day: number): number {
  if (day >= requireDay(bond.maturity)) return 0;
  const { period, left } = scheduleOn(bond, day);
  return couponOf(bond) * ((period - left) / period);
}

/**
 * The clean price of a yield (a year's, compounded twice, as a fraction), in percent of the nominal, settled on a day: the formula of the US Treasury (31 CFR 356, appendix B, II.A), P·(1 + (r/s)·(i/2)) = (C/2)·(r/s) + (C/2)·a + 100·v^n,
 * with simple interest up to the next coupon. From the maturity on it is the nominal.
 */
export function cleanPrice({ bond }: Bond, yearly: number, day: number): number {
  if (day >= requireDay(bond.maturity)) return 100;
  const { period, left, after } = scheduleOn(bond, day);
  const [coupon, rate] = [couponOf(bond), yearly / COUPONS];
  const discount = 1 / (1 + rate);
  let power = 1;
  let annuity = 0;
  for (let i = 0; i < after; i++) {
    power *= discount;
    annuity += power;
  }
  const dirty = (coupon + coupon * annuity + 100 * power) / (1 + (left / period) * rate);
  return dirty - coupon * ((period - left) / period);
}

/** The yield to maturity of a clean price: the other way round, to a millionth of a basis point. Undefined from the maturity on. */
export function yieldToMaturity(bond: Bond, price: number, day: number): number | undefined {
  if (day >= requireDay(bond.bond.maturity)) return undefined;
  let [low, high] = [YIELD_LEAST, YIELD_MOST];
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (low + high) / 2;
    if (cleanPrice(bond, middle, day) > price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The day (counted from 1970-01-01) on which a trade of a day settles, as far as prices are concerned: the next one. */
export function settlementOf(day: number): number {
  return day + 1;
}

/** Market yield of a bond at the end of a day (counted from 1970-01-01): the government's yield for its years plus the issuer's spread. */
export function marketYield({ market, bond }: Bond, day: number): number {
  const years = (requireDay(bond.maturity) - day) / YEAR_DAYS;
  return governmentYield(day, years, market === 'HK' ? 'hk' : 'us') + bond.spread / 10_000;
}

/** {@link cleanPrice} at the market's yield: where a bond closes on a day. */
export function closingPrice(bond: Bond, day: number): number {
  return cleanPrice(bond, marketYield(bond, day), settlementOf(day));
}

/** Deviation of a day's change, as a fraction of the price: of long bonds more than of short ones. */
export function dailyDeviation(bond: Bond, day: number): number {
  const middle = marketYield(bond, day);
  const half = DAILY_BASIS_POINTS / 20_000;
  const [up, down] = [cleanPrice(bond, middle + half, settlementOf(day)), cleanPrice(bond, middle - half, settlementOf(day))];
  return Math.max(DAILY_LEAST, (down - up) / up);
}

/** The next day ("2026-11-15") on which a coupon is paid after a day; undefined from the maturity on. */
export function nextCoupon({ bond }: Bond, day: string): string | undefined {
  const number = requireDay(day);
  return number >= requireDay(bond.maturity) ? undefined : addDays(day, scheduleOn(bond, number).left);
}
