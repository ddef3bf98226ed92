import type { Weighted } from '../companies/index.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import type { FollowedMarket, RegularDay } from './followed-market.js';
import type { PriceRange } from './price-range.js';
import type { TradingDay } from './trading-days.js';

const DAYS_PER_YEAR = 365;
/** Equal parts of a day, between whose ends the index goes straight, but for its own steps: members are looked at there alone. */
const PARTS = 16;
/** Days of plates, at some kilobytes each. */
const CACHED_DAYS = 500;
/** How far a segment of a day goes beyond its ends, in deviations of its length. */
const REACH = 0.6;
/** Within a day, the index goes with its heaviest members: those that make up this part of its variance, and so many at the most. */
const GUIDED_VARIANCE = 0.9;
const GUIDES_MAX = 24;

/** A day of a plate's index, in unrounded billionths. */
export interface PlatePath {
  readonly open: number;
  readonly close: number;
  readonly mean: number;
  /** Deviation of its change, from those of its members, which go their own ways. */
  readonly deviation: number;
  /** Price range of [from, until); undefined where the members' days are loaded, which have an end and no path. */
  readonly follows: ((from: number, until: number) => PriceRange) | undefined;
}

/** Contribution of a member to a day of the index. */
interface Counted extends Weighted {
  readonly own: RegularDay;
  /** Variance of its change in a year, as a part of the index. */
  readonly variance: number;
}

/** Where a part of a day begins, epoch ms. */
function momentOf({ start, end }: TradingDay, place: number): number {
  return start + ((end - start) * place) / PARTS;
}

/** The members whose trades the index follows within a day. */
function guidesOf(members: readonly Counted[], variance: number): readonly Counted[] {
  const guides: Counted[] = [];
  let guided = 0;
  for (const member of [...members].sort((a, b) => b.variance - a.variance)) {
    if (guides.length === GUIDES_MAX || guided >= GUIDED_VARIANCE * variance) break;
    guides.push(member);
    guided += member.variance;
  }
  return guides;
}

/** Where the index of a plate goes: with its members, whatever callers trade in them. */
export class PlatePaths {
  readonly #paths = new LruCache<string, PlatePath>(CACHED_DAYS);

  constructor(private readonly background: FollowedMarket) {}

  /** Members on a day of the plate's, with their weights. */
  weights(plate: PlateIndex, day: TradingDay): readonly Weighted[] {
    return this.background.companies.plate(plate.plate).weights(day.number);
  }

  /** Works out what {@link on} takes long for on a day not asked for yet, ready to pause. */
  *prepare(plate: PlateIndex, day: TradingDay): Generator<void, void> {
    if (this.#paths.peek(keyOf(plate, day)) !== undefined) return;
    yield* this.background.companies.plate(plate.plate).prepare(day.number);
    for (const { instrument } of this.weights(plate, day)) {
      this.#regular(instrument, day);
      yield;
    }
    this.on(plate, day);
  }

  /** The same for what it does within the day. */
  *prepareFollowing(plate: PlateIndex, day: TradingDay): Generator<void, void> {
    const { follows } = this.on(plate, day);
    for (let place = 0; follows !== undefined && place <= PARTS; place++) {
      follows(momentOf(day, place), momentOf(day, place));
      yield;
    }
  }

  on(plate: PlateIndex, day: TradingDay): PlatePath {
    return this.#paths.get(keyOf(plate, day), () => this.#makePath(plate, day));
  }

  #makePath(plate: PlateIndex, day: TradingDay): PlatePath {
    const weights = this.weights(plate, day);
    if (weights.length === 0) {
      const level = this.background.companies.plate(plate.plate).emptyLevel(day.number);
      return { open: level, close: level, mean: level, deviation: 0, follows: undefined };
    }
    let [open, close, mean, variance] = [0, 0, 0, 0];
    const counted: Counted[] = [];
    for (const { instrument, weight } of weights) {
      const own = this.#regular(instrument, day);
      const ofVariance = (own.open * weight * instrument.volatility) ** 2;
      open += own.open * weight;
      close += own.close * weight;
      mean += own.mean * weight;
      variance += ofVariance;
      counted.push({ instrument, weight, own, variance: ofVariance });
    }
    const isLoaded = weights.some(({ instrument }) => this.background.historyOf(instrument, day) !== undefined);
    const deviation = Math.sqrt(variance / DAYS_PER_YEAR);
    const follows = isLoaded ? undefined : this.#following(guidesOf(counted, variance), { open, close }, day, deviation);
    return { open, close, mean, deviation, follows };
  }

  #regular(instrument: Instrument, day: TradingDay): RegularDay {
    const loaded = this.background.historyOf(instrument, day);
    if (loaded === undefined) return this.background.memberDay(instrument, this.background.tradingDays(instrument).on(day.day));
    const last = Number(loaded.lastAt(day.number)?.close ?? instrument.referencePrice);
    const on = loaded.day(day.number);
    const [open, close] = on === undefined ? [last, last] : [Number(on.open), Number(on.close)];
    return { open, close, mean: (open + close) / 2 };
  }

  /** The guides as they trade, and all others together straight from where they open to where they close. */
  #following(
    guides: readonly Counted[],
    all: Pick<RegularDay, 'open' | 'close'>,
    day: TradingDay,
    deviation: number,
  ): NonNullable<PlatePath['follows']> {
    let { open: restOpen, close: restClose } = all;
    for (const { own, weight } of guides) {
      restOpen -= own.open * weight;
      restClose -= own.close * weight;
    }
    // Where the index stands at the ends of the parts; NaN where nobody has asked.
    const knots = new Float64Array(PARTS + 1).fill(Number.NaN);
    const knot = (place: number) => {
      const known = knots[place] as number;
      if (!Number.isNaN(known)) return known;
      let level = restOpen + (restClose - restOpen) * (place / PARTS);
      for (const { instrument, weight } of guides) level += this.#priceAt(instrument, day, momentOf(day, place)) * weight;
      knots[place] = level;
      return level;
    };
    const at = (time: number) => {
      const place = (PARTS * (time - day.start)) / (day.end - day.start);
      const before = Math.floor(place);
      const level = knot(before);
      return place === before ? level : level + (knot(before + 1) - level) * (place - before);
    };
    return (from, until) => {
      const [open, close] = [at(from), at(until)];
      const reach = REACH * deviation * Math.sqrt((until - from) / (day.end - day.start));
      return { open, close, high: Math.max(open, close) + reach, low: Math.min(open, close) - reach, mean: (open + close) / 2 };
    };
  }

  /** Price of the last trade before a moment of regular trading, or of the day's first where there is none. */
  #priceAt(instrument: Instrument, day: TradingDay, time: number): number {
    const { tape, grid } = this.background.day(instrument, this.background.tradingDays(instrument).on(day.day));
    const happened = tape.countBefore(time);
    const [last] = happened === 0 ? [] : tape.trades(happened - 1, happened);
    return last === undefined ? this.#regular(instrument, day).open : last.price * grid;
  }
}

function keyOf({ symbol }: PlateIndex, { number }: TradingDay): string {
  return `${symbol} ${number}`;
}
