import { uniform } from '../rng/random.js';
import { SEGMENTS } from './currencies.js';
import type { DayOfTrades, DaySummary, Totals } from './day-tape.js';
import { firstIndex } from './prints.js';
import type { Trade } from './trades.js';
import type { TradingDay } from './trading-days.js';

/** Ticks from one knot to the next: one in about three seconds of a day of 24 hours. */
const TICKS = 112;
/** How far a tick may lie from the straight way between two knots, as a part of it. */
const BOUNCE = 0.1;
/** Part of a tick's time that its moment is drawn from: ticks keep their order. */
const JITTER = 0.9;

/** Inputs of the ticks of one pair on one day. */
export interface PairDay {
  readonly day: TradingDay;
  /** Dollars for one of each of the pair's currencies, at the knots of the day: {@link SEGMENTS} + 1. */
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Billionths in one step of the pair's prices. */
  readonly grid: number;
  /** Stream of what all pairs share on this day: when they tick, and where between two knots. */
  readonly shared: number;
  /** Stream of the pair's own day. */
  readonly key: number;
}

/**
 * One day of a currency pair. All pairs tick at the same moments, and each rate is the quotient of the two currencies' paths there,
 * rounded up to the ask or down to the bid: the rate itself always lies between the two, so that no round of pairs gains anything.
 *
 * Between two knots both currencies go straight, and their quotient is monotone: the extremes of any segment are those of its
 * knots and of the few ticks outside whole segments. There is no exchange that would report volumes: they are 0.
 */
export class PairTape implements DayOfTrades {
  /** Prices at the knots, in steps of the grid. */
  readonly #knots: readonly number[];
  readonly root: DaySummary;

  constructor(readonly pair: PairDay) {
    this.#knots = Array.from({ length: SEGMENTS + 1 }, (_, knot) => this.#rounded(this.#rate(knot, 0), knot * TICKS));
    const whole = this.#between(0, LAST + 1);
    if (whole === undefined) throw new Error('a day has ticks');
    this.root = { ...whole, count: LAST + 1 };
  }

  totals(boundaries: readonly number[]): readonly (Totals | undefined)[] {
    const counts = boundaries.map((time) => this.countBefore(time));
    return counts.slice(1).map((end, i) => this.#between(counts[i] ?? end, end));
  }

  countBefore(time: number): number {
    return firstIndex(LAST + 1, (index) => this.#time(index) >= time);
  }

  trades(first: number, end: number): Trade[] {
    const found: Trade[] = [];
    for (let index = Math.max(0, first); index < Math.min(end, LAST + 1); index++) {
      const price = this.#price(index);
      const direction = price * this.pair.grid >= this.#exact(index) ? 1 : -1;
      found.push({ index, time: this.#time(index), price, lots: 0, direction });
    }
    return found;
  }

  /** Totals of the ticks with indices in [from, end). */
  #between(from: number, end: number): Totals | undefined {
    if (from >= end) return undefined;
    const open = this.#price(from);
    const close = this.#price(end - 1);
    let high = Math.max(open, close);
    let low = Math.min(open, close);
    const count = (price: number) => {
      high = Math.max(high, price);
      low = Math.min(low, price);
    };
    for (let index = from + 1; index < end - 1; ) {
      const knot = index / TICKS;
      if (Number.isInteger(knot) && index + TICKS < end) {
        // The segment's other end is counted where the next one begins.
        count(this.#knots[knot] ?? open);
        index += TICKS;
      } else {
        count(this.#price(index));
        index += 1;
      }
    }
    return { first: from, last: end - 1, open, high, low, close, lots: 0, amount: 0 };
  }

  #time(index: number): number {
    const { day, shared } = this.pair;
    if (index === LAST) return day.end - 1;
    const share = (index + (index % TICKS === 0 ? 0 : JITTER * uniform(shared, index))) / LAST;
    return Math.min(day.end - 1, day.activity.timeAt(share));
  }

  #price(index: number): number {
    const knot = Math.floor(index / TICKS);
    const known = this.#knots[knot];
    if (known === undefined) throw new Error(`no tick ${index}`);
    if (index % TICKS === 0) return known;
    const next = this.#knots[knot + 1] ?? known;
    const exact = this.#exact(index) / this.pair.grid;
    const price = this.#rounded(exact * this.pair.grid, index);
    // Beyond both ends, the other way of rounding is meant: extremes are the knots'.
    const least = Math.min(known, next);
    const most = Math.max(known, next);
    return price > most ? Math.floor(exact) : price < least ? Math.ceil(exact) : price;
  }

  /** The rate at a tick, in billionths. */
  #exact(index: number): number {
    const place = (index % TICKS) / TICKS;
    const bounce = place === 0 ? 0 : BOUNCE * (2 * uniform(this.pair.shared, LAST + 1 + index) - 1);
    return this.#rate(Math.floor(index / TICKS), Math.min(1, Math.max(0, place + bounce)));
  }

  #rate(knot: number, part: number): number {
    const { first, second } = this.pair;
    return (at(first, knot, part) / at(second, knot, part)) * 1e9;
  }

  #rounded(rate: number, index: number): number {
    const steps = rate / this.pair.grid;
    return Math.max(1, uniform(this.pair.key, index) < 0.5 ? Math.floor(steps) : Math.ceil(steps));
  }
}

/** Index of the day's last tick. */
const LAST = SEGMENTS * TICKS;

function at(path: readonly number[], knot: number, part: number): number {
  const from = path[knot] ?? 1;
  return part === 0 ? from : from + ((path[knot + 1] ?? from) - from) * part;
}
