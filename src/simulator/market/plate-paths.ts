import { Remembered } from '../chance/remembered.js';
import type { PlateComposition, Weighted } from '../companies/index.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import type { BackgroundDay } from './background-day.js';
import type { History } from './history.js';
import type { PriceRange } from './price-range.js';
import type { TradingDay, TradingDays } from './trading-days.js';

const DAYS_PER_YEAR = 365;
const REMEMBERED_MOMENTS = 64;
/** How far a stretch of a day goes beyond its ends, in deviations of its length. */
const REACH = 0.6;

/** What indices of plates need to know of their members. */
export interface MemberPrices {
  readonly composition: (plate: PlateIndex) => PlateComposition;
  readonly history: (instrument: Instrument) => History | undefined;
  readonly days: (instrument: Instrument) => TradingDays;
  readonly day: (instrument: Instrument, day: TradingDay) => BackgroundDay;
  readonly regular: (instrument: Instrument, day: TradingDay) => MemberDay;
}

/** Regular trading of a day, in billionths: where it began and ended, and its mean. */
export interface MemberDay {
  readonly open: number;
  readonly close: number;
  readonly mean: number;
}

/** A day of a plate's index, in unrounded billionths. */
export interface PlatePath {
  readonly open: number;
  readonly close: number;
  readonly mean: number;
  /** Deviation of its change, from those of its members, which go their own ways. */
  readonly deviation: number;
  /** What it does in [from, until); undefined where the members' days are loaded, which say how they end and no more. */
  readonly follows: ((from: number, until: number) => PriceRange) | undefined;
}

/** Where the index of a plate goes: with its members, whatever callers trade in them. */
export class PlatePaths {
  constructor(private readonly members: MemberPrices) {}

  /** Members on a day of the plate's, with their weights. */
  weights(plate: PlateIndex, day: TradingDay): readonly Weighted[] {
    return this.members.composition(plate).weights(day.number);
  }

  on(plate: PlateIndex, day: TradingDay): PlatePath {
    const weights = this.weights(plate, day);
    if (weights.length === 0) {
      const level = this.members.composition(plate).emptyLevel(day.number);
      return { open: level, close: level, mean: level, deviation: 0, follows: undefined };
    }
    let [open, close, mean, variance] = [0, 0, 0, 0];
    for (const { instrument, weight } of weights) {
      const own = this.#regular(instrument, day);
      open += own.open * weight;
      close += own.close * weight;
      mean += own.mean * weight;
      variance += (own.open * weight * instrument.volatility) ** 2;
    }
    const isLoaded = weights.some(({ instrument }) => this.#loaded(instrument, day) !== undefined);
    const deviation = Math.sqrt(variance / DAYS_PER_YEAR);
    return { open, close, mean, deviation, follows: isLoaded ? undefined : this.#following(weights, day, deviation) };
  }

  #regular(instrument: Instrument, day: TradingDay): MemberDay {
    const loaded = this.#loaded(instrument, day);
    if (loaded === undefined) return this.members.regular(instrument, this.members.days(instrument).on(day.day));
    const last = Number(loaded.lastAt(day.number)?.close ?? instrument.referencePrice);
    const on = loaded.day(day.number);
    const [open, close] = on === undefined ? [last, last] : [Number(on.open), Number(on.close)];
    return { open, close, mean: (open + close) / 2 };
  }

  #loaded(instrument: Instrument, { number }: TradingDay): History | undefined {
    const history = this.members.history(instrument);
    return history !== undefined && number <= history.lastDay ? history : undefined;
  }

  #following(weights: readonly Weighted[], day: TradingDay, deviation: number): NonNullable<PlatePath['follows']> {
    const moments = new Remembered<number, number>(REMEMBERED_MOMENTS);
    const at = (time: number) =>
      moments.get(time, () => {
        let level = 0;
        for (const { instrument, weight } of weights) level += this.#priceAt(instrument, day, time) * weight;
        return level;
      });
    return (from, until) => {
      const [open, close] = [at(from), at(until)];
      const reach = REACH * deviation * Math.sqrt((until - from) / (day.end - day.start));
      return { open, close, high: Math.max(open, close) + reach, low: Math.min(open, close) - reach, mean: (open + close) / 2 };
    };
  }

  /** Of the last trade before a moment of regular trading; of the day's first one before that. */
  #priceAt(instrument: Instrument, day: TradingDay, time: number): number {
    const memberDay = this.members.days(instrument).on(day.day);
    const { tape, grid } = this.members.day(instrument, memberDay);
    const happened = tape.countBefore(time);
    const [last] = happened === 0 ? [] : tape.trades(happened - 1, happened);
    return last === undefined ? this.#regular(instrument, day).open : last.price * grid;
  }
}
