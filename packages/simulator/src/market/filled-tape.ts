import { normal, uniform } from '../rng/random.js';
import { typicalVolume } from '../world/futures.js';
import type { Instrument } from '../world/instrument.js';
import type { Part } from './day-parts.js';
import { DayTape } from './day-tape.js';
import type { PriceRange } from './price-range.js';
import type { Profile } from './profile.js';
import { clamp, type Flow, marks, type Segment } from './segment.js';
import type { TradingDay } from './trading-days.js';

const LOTS_PER_TRADE = 6;
/** Lots a trade of an instrument that follows a path: cuts may lie where the path calls for them. */
const FOLLOWING_LOTS_PER_TRADE = 12;
/** At most one trade a second: with refreshes of the book in between, a liquid symbol shows about three events a second. */
const TRADES_PER_SECOND_MAX = 1;
const TRADES_A_DAY_MIN = 12;

export interface Filling {
  readonly day: TradingDay;
  readonly part: Part;
  readonly key: number;
  readonly grid: number;
  /** Price that the day's change is measured from. */
  readonly previous: number;
  /** Deviation of a whole day's change, in billionths; the instrument's own where it is not given. */
  readonly deviation?: number;
  /** Shares (contracts, units) traded on a typical day like this; the instrument's own where it is not given. */
  readonly typical?: number;
}

/** A range in whole steps of the grid: of the prices within it where there are any, and no less than one. */
export function inSteps({ open, close, high, low }: Omit<PriceRange, 'mean'>, grid: number): Omit<PriceRange, 'mean'> {
  const [first, last] = [Math.max(1, Math.round(open / grid)), Math.max(1, Math.round(close / grid))];
  return {
    open: first,
    close: last,
    high: Math.max(first, last, Math.floor(high / grid)),
    low: Math.max(1, Math.min(first, last, Math.ceil(low / grid))),
  };
}

/** Part of a day that goes so, with volume, and its trades in order to be split. `mean` is the price around which it trades. */
export function filledTape(
  instrument: Instrument,
  profile: Profile,
  { day, part, key, grid, previous, ...own }: Filling,
  { open, close, high, low, mean }: Omit<PriceRange, 'mean'> & { readonly mean?: number },
  follows?: Flow['follows'],
): DayTape {
  const daily = own.deviation ?? previous * profile.daily(day.number);
  const deviation = daily * Math.sqrt(part.share);
  const range = inSteps({ open, close, high, low }, grid);
  const { high: highest, low: lowest } = range;

  const bustle = 0.55 + 0.3 * uniform(key, 3) + 0.25 * normal(key, 4) ** 2 + (0.3 * Math.abs(close - previous)) / daily;
  const traded = own.typical ?? typicalVolume(instrument, day.day);
  const typical = part.share * traded * (profile.timeline?.shareFactor(day.number) ?? 1);
  const lots = Math.max(4 * TRADES_A_DAY_MIN, Math.round((typical / profile.lotSize) * bustle));
  const countMax = Math.max(TRADES_A_DAY_MIN, Math.floor(part.activity.seconds * TRADES_PER_SECOND_MAX));
  const lotsPerTrade = follows === undefined ? LOTS_PER_TRADE : FOLLOWING_LOTS_PER_TRADE;
  const count = clamp(Math.floor(lots / lotsPerTrade), TRADES_A_DAY_MIN, countMax);
  const markLots = Math.max(1, Math.floor(lots / ((follows === undefined ? 4 : 16) * count)));
  const called = marks(range.open, range.close, highest, lowest);
  const freeLots = lots - markLots * called.count;
  // Between the mean of the ends and that of the extremes, and well inside: a mean near an extreme would mean a day spent there.
  const middle = (range.open + range.close + highest + lowest) / 4;
  const quarter = (highest - lowest) / 4;
  const inside = clamp(middle + 0.4 * quarter * normal(key, 5), lowest + quarter, highest - quarter);
  const average = mean === undefined ? inside : clamp(mean / grid, lowest, highest);
  const root: Segment = {
    node: 1,
    first: 0,
    count,
    from: part.start,
    until: part.end,
    activityFrom: 0,
    activityUntil: 1,
    open: range.open,
    close: range.close,
    high: highest,
    low: lowest,
    lots,
    amount: markLots * called.sum + Math.round(average * freeLots),
  };
  const flow: Flow = { key, markLots, step: deviation / grid / Math.sqrt(count), activity: part.activity };
  return new DayTape(root, follows === undefined ? flow : { ...flow, follows });
}
