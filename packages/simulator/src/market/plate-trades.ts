import { atOnce } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import type { Aggregate } from './aggregate.js';
import type { TradingDay } from './trading-days.js';

const MINUTE = 60_000;
/** Days of plates in the cache: a few hundred bytes each, and some twenty kilobytes with slices. */
const CACHED_DAYS = 4_000;
const CACHED_MINUTES = 100;

/** Volume and turnover of one or the other. */
export type Traded = Pick<Aggregate, 'volume' | 'turnover'>;

/** Background trading of members, without callers' trades. */
export interface MemberSource {
  readonly members: (plate: PlateIndex, day: TradingDay) => readonly Instrument[];
  /** All of regular trading of a plate's day. */
  readonly whole: (member: Instrument, day: TradingDay) => Traded | undefined;
  /** Totals of each [boundaries[i], boundaries[i + 1]) of the day. */
  readonly slices: (member: Instrument, day: TradingDay, boundaries: readonly number[]) => readonly (Traded | undefined)[];
}

/** Sums up to the end of each minute of a day, its beginning first. */
type Minutes = readonly Traded[];

const NOTHING: Traded = { volume: 0n, turnover: 0n };

/** Totals of the background's trades in all members of a plate. A large plate has thousands, so each day is summed once, in turns. */
export class PlateTrades {
  readonly #days = new LruCache<string, Traded>(CACHED_DAYS);
  readonly #minutes = new LruCache<string, Minutes>(CACHED_MINUTES);

  constructor(private readonly source: MemberSource) {}

  /** Totals of a whole day. */
  day(plate: PlateIndex, day: TradingDay): Traded {
    return this.#days.get(keyOf(plate, day), () => atOnce(this.#sumDay(plate, day)));
  }

  /** Works out what {@link day} takes long for, ready to pause. */
  *prepareDay(plate: PlateIndex, day: TradingDay): Generator<void, void> {
    if (this.#days.peek(keyOf(plate, day)) !== undefined) return;
    const sum = yield* this.#sumDay(plate, day);
    this.#days.get(keyOf(plate, day), () => sum);
  }

  /** Works out the sums of all minutes of a day, ready to pause. */
  *prepareMinutes(plate: PlateIndex, day: TradingDay): Generator<void, void> {
    if (this.#minutes.peek(keyOf(plate, day)) !== undefined) return;
    const minutes = yield* this.#sumMinutes(plate, day);
    this.#minutes.get(keyOf(plate, day), () => minutes);
  }

  /** From the beginning of a day up to a moment; undefined where that is no whole minute, or nobody has prepared the day's. */
  upTo(plate: PlateIndex, day: TradingDay, time: number): Traded | undefined {
    const minutes = this.#minutes.peek(keyOf(plate, day));
    return time >= day.end ? minutes?.at(-1) : minutes?.[(time - day.start) / MINUTE];
  }

  *#sumDay(plate: PlateIndex, day: TradingDay): Generator<void, Traded> {
    let sum = NOTHING;
    for (const member of this.source.members(plate, day)) {
      sum = plus(sum, this.source.whole(member, day));
      yield;
    }
    return sum;
  }

  *#sumMinutes(plate: PlateIndex, day: TradingDay): Generator<void, Minutes> {
    const count = Math.ceil((day.end - day.start) / MINUTE);
    const boundaries = Array.from({ length: count + 1 }, (_, index) => Math.min(day.start + index * MINUTE, day.end));
    const sums = new Array<Traded>(count).fill(NOTHING);
    for (const member of this.source.members(plate, day)) {
      for (const [index, traded] of this.source.slices(member, day, boundaries).entries()) {
        if (traded !== undefined) sums[index] = plus(sums[index] ?? NOTHING, traded);
      }
      yield;
    }
    const minutes = [NOTHING];
    for (const sum of sums) minutes.push(plus(minutes.at(-1) ?? NOTHING, sum));
    return minutes;
  }
}

function plus(one: Traded, other: Traded | undefined): Traded {
  return other === undefined ? one : { volume: one.volume + other.volume, turnover: one.turnover + other.turnover };
}

function keyOf({ symbol }: PlateIndex, { number }: TradingDay): string {
  return `${symbol} ${number}`;
}
