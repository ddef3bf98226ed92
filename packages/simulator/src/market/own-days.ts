import { exPrice } from '../companies/ex-price.js';
import { mix, normal } from '../rng/random.js';
import { keyOfPart, type Part, partsOf } from './day-parts.js';
import { inSteps } from './filled-tape.js';
import type { DayPrices } from './market.js';
import type { PriceRange } from './price-range.js';
import type { Profile } from './profile.js';
import { clamp } from './segment.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** A day of an instrument that follows no other, before any of its trades is known. Prices in unrounded billionths. */
export interface DayOutline {
  /** Price that the day's change is measured from. */
  readonly previous: number;
  /** Billionths in one step of its prices. */
  readonly grid: number;
  readonly parts: readonly PartOutline[];
}

/** Where a part of a day goes, and its stream of randomness. */
export interface PartOutline extends Omit<PriceRange, 'mean'> {
  readonly part: Part;
  readonly key: number;
}

/** Draws of a day's key from which its parts' ends follow. */
const ENDS_DRAW = 8;
/** More than the days from 1970-01-01 to any that calendars name. */
const DAYS_MAX = 2 ** 23;
/** Closes remembered: each day asks for those of some days before, which the one before it had worked out. A power of two. */
const CLOSES = 64;

/** The days of instruments that go their own way: each from the close before to its own. */
export class OwnDays {
  readonly #keys = new Float64Array(CLOSES).fill(-1);
  readonly #closes = new Float64Array(CLOSES);

  /**
   * Unrounded close of a day. Where the exchange limits a day's change, the chain is held within it; as a held close moves the next
   * day's limits, the days before are looked at as well: three, beyond which a run of limit days does not occur.
   */
  close(profile: Profile, days: TradingDays, day: TradingDay, held = 3): number {
    const price = this.#closeOn(profile, day.number);
    if (profile.limit === undefined || held === 0) return price;
    const previous = this.close(profile, days, days.previous(day), held - 1);
    const band = limits(profile, rawReference(profile, day, previous));
    return clamp(price, band.low, band.high);
  }

  outline(profile: Profile, days: TradingDays, day: TradingDay): DayOutline {
    const yesterday = days.previous(day);
    const previous = rawReference(profile, day, this.close(profile, days, yesterday));
    const close = this.close(profile, days, day);
    const key = mix(profile.key, day.number);
    const deviation = previous * profile.daily(day.number);
    const band = limits(profile, previous);
    const gap = yesterday.end === day.start ? 0 : 0.25;
    const open = clamp(previous + gap * deviation * normal(key, 0), band.low, band.high);
    const parts: PartOutline[] = [];
    const all = partsOf(day);
    let [highest, lowest, from, left] = [open, open, open, 1];
    for (const [i, part] of all.entries()) {
      const { share } = part;
      // The prices at the ends of its parts are a walk between the day's own.
      const spread = i === all.length - 1 ? 0 : deviation * Math.sqrt((share * (left - share)) / left);
      const walked = () => clamp(from + (close - from) * (share / left) + spread * normal(key, ENDS_DRAW + i), band.low, band.high);
      const to = i === all.length - 1 ? close : walked();
      const partKey = keyOfPart(key, i);
      const reach = 0.45 * deviation * Math.sqrt(share);
      const high = Math.min(band.high, Math.max(from, to) + reach * Math.abs(normal(partKey, 1)));
      const low = Math.max(band.low, Math.min(from, to) - reach * Math.abs(normal(partKey, 2)));
      highest = Math.max(highest, high);
      lowest = Math.min(lowest, low);
      parts.push({ part, key: partKey, open: from, close: to, high, low });
      from = to;
      left -= share;
    }
    return { previous, grid: profile.ladder.commonTick(lowest, highest), parts };
  }

  /** Prices of a day's regular trades, in whole billionths: those that its tape has, which need not be made for them. */
  prices(profile: Profile, days: TradingDays, day: TradingDay): DayPrices {
    const { grid, parts } = this.outline(profile, days, day);
    const { start, end } = day.regular;
    const regular = parts.find(({ part }) => part.start >= start && part.end <= end);
    if (regular === undefined) throw new Error(`${day.day} has no regular trading`);
    const { open, high, low, close } = inSteps(regular, grid);
    return { open: open * grid, high: high * grid, low: low * grid, close: close * grid };
  }

  #closeOn(profile: Profile, day: number): number {
    const key = profile.index * DAYS_MAX + day;
    const slot = day & (CLOSES - 1);
    if (this.#keys[slot] === key) return this.#closes[slot] as number;
    const close = profile.closeOn(day);
    this.#keys[slot] = key;
    this.#closes[slot] = close;
    return close;
  }
}

/** As of `Background.reference`, of an unrounded price. */
function rawReference({ timeline }: Profile, day: TradingDay, price: number): number {
  const actions = timeline?.on(day.number) ?? [];
  return actions.length === 0 ? price : Number(exPrice(BigInt(Math.round(price)), actions));
}

/** The prices that a day may reach; a step is left free on both sides, as the exchange's own limits are rounded. */
function limits(profile: Profile, previous: number): { readonly low: number; readonly high: number } {
  if (profile.limit === undefined) return { low: 0, high: Infinity };
  const room = Math.max(0, previous * profile.limit - 2 * profile.ladder.finest);
  return { low: previous - room, high: previous + room };
}
