import { requireDay } from '@svc-gateway/contract/time';
import { atOnce } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import { type Aggregate, aggregateOfTotals, type Traded } from './aggregate.js';
import type { Background } from './background.js';
import type { Prints } from './prints.js';
import type { TradingDay } from './trading-days.js';

const MINUTE = 60_000;
/** Days of plates in the cache: a few hundred bytes each, and some twenty kilobytes with minutes. */
const CACHED_DAYS = 4_000;
const CACHED_MINUTES = 100;

const NOTHING: Traded = { volume: 0n, turnover: 0n };

/**
 * The tape of plates: their indices' own paths, with what their members traded. A large plate has thousands of members, so what the background trades in them is
 * summed once for each day, ready to pause (250 days of a plate of 40 take 250 ms, of a thousand 4 s); callers' trades are added when they are asked for.
 */
export class PlateTape {
  readonly #days = new LruCache<string, readonly Traded[]>(CACHED_DAYS);
  /** Sums up to the end of each minute of a day, its beginning first. */
  readonly #minutes = new LruCache<string, readonly Traded[]>(CACHED_MINUTES);

  /** @param prints callers' trades by symbol */
  constructor(
    private readonly background: Background,
    private readonly prints: ReadonlyMap<string, Prints>,
  ) {}

  /** Totals of a day up to `now`. */
  totals(plate: PlateIndex, day: TradingDay, now: number): Aggregate | undefined {
    if (day.start > now || this.#members(plate, day).length === 0) return undefined;
    const until = Math.min(now + 1, day.end);
    const isOver = until === day.end;
    const background = isOver ? atOnce(this.#sumOfDay(plate, day)) : this.#upTo(plate, day, until);
    const path = isOver ? this.background.regularTotals(plate, day) : this.#paths(plate, day, [day.start, until])[0];
    return withTraded(path, this.#printed(background, plate, day, day.start, until), () => this.#openOf(plate, day));
  }

  /** Totals of each [boundaries[i], boundaries[i + 1]) of a day: whole minutes, but for a last boundary that may be "now". */
  slices(plate: PlateIndex, day: TradingDay, boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    if (this.#members(plate, day).length === 0) return boundaries.slice(1).map(() => undefined);
    const minutes = atOnce(this.#sumsOfMinutes(plate, day));
    const sums = boundaries.map((time) => {
      const sum = time >= day.end ? minutes.at(-1) : minutes[(time - day.start) / MINUTE];
      return sum ?? this.#upTo(plate, day, time);
    });
    let last: Aggregate | undefined;
    return this.#paths(plate, day, boundaries).map((path, i) => {
      const before = last;
      last = path ?? last;
      const [from, to] = [sums[i] ?? NOTHING, sums[i + 1] ?? NOTHING];
      const background = { volume: to.volume - from.volume, turnover: to.turnover - from.turnover };
      const traded = this.#printed(background, plate, day, boundaries[i] ?? 0, boundaries[i + 1] ?? 0);
      return withTraded(path, traded, () => (before === undefined ? this.#openOf(plate, day) : flat(before)));
    });
  }

  /** Works out what the first look at an index on its day takes long for, ready to pause. After that, a look costs microseconds for each member. */
  *prepare(plate: PlateIndex, now: number): Generator<void, void> {
    const today = this.background.tradingDays(plate).at(now);
    yield* this.#preparePaths(plate, today);
    for (const member of this.#members(plate, today)) {
      this.#memberUpTo(member, today, now + 1);
      yield;
    }
    yield* this.background.plates.prepareFollowing(plate, today);
  }

  /** Works out what bars of a day take long for, ready to pause; for those of minutes, what it did within the day. */
  *prepareBars(plate: PlateIndex, day: TradingDay, ofMinutes: boolean): Generator<void, void> {
    yield* this.#preparePaths(plate, day);
    if (!ofMinutes) {
      yield* this.#sumOfDay(plate, day);
      return;
    }
    yield* this.#sumsOfMinutes(plate, day);
    yield* this.background.plates.prepareFollowing(plate, day);
  }

  /** A day's path, and that of the one before, whose close it is compared with. */
  *#preparePaths(plate: PlateIndex, day: TradingDay): Generator<void, void> {
    const { companies, plates } = this.background;
    yield* companies.platesOf(plate.market);
    const previous = this.background.tradingDays(plate).previous(day);
    if (previous.number >= requireDay(plate.listDate)) yield* plates.prepare(plate, previous);
    yield* plates.prepare(plate, day);
  }

  #members(plate: PlateIndex, day: TradingDay): readonly Instrument[] {
    return this.background.plates.weights(plate, day).map(({ instrument }) => instrument);
  }

  /** Background trades in all members on a whole day. */
  *#sumOfDay(plate: PlateIndex, plateDay: TradingDay): Generator<void, Traded> {
    const [sum = NOTHING] = yield* this.#kept(this.#days, plate, plateDay, (member, day) => {
      const loaded = this.background.historyOf(member, day);
      return [loaded === undefined ? this.background.memberDay(member, day) : loaded.day(day.number)];
    });
    return sum;
  }

  *#sumsOfMinutes(plate: PlateIndex, plateDay: TradingDay): Generator<void, readonly Traded[]> {
    const { start, end } = plateDay;
    const count = Math.ceil((end - start) / MINUTE);
    const edges = Array.from({ length: count + 1 }, (_, index) => Math.min(start + index * MINUTE, end));
    return yield* this.#kept(this.#minutes, plate, plateDay, (member, day) => {
      const sums = [NOTHING];
      const slices = this.background.historyOf(member, day)?.slices(edges) ?? this.background.tradedIn(member, day, edges);
      for (const traded of slices) sums.push(plus(sums.at(-1) ?? NOTHING, traded));
      return sums;
    });
  }

  /** Sums over the members of a plate, place by place, from a cache where they are there. */
  *#kept(
    cache: LruCache<string, readonly Traded[]>,
    plate: PlateIndex,
    day: TradingDay,
    traded: (member: Instrument, day: TradingDay) => readonly (Traded | undefined)[],
  ): Generator<void, readonly Traded[]> {
    const key = `${plate.symbol} ${day.number}`;
    const known = cache.peek(key);
    if (known !== undefined) return cache.get(key, () => known);
    const sums: Traded[] = [];
    for (const member of this.#members(plate, day)) {
      for (const [place, one] of traded(member, this.background.tradingDays(member).on(day.day)).entries())
        sums[place] = plus(sums[place] ?? NOTHING, one);
      yield;
    }
    return cache.get(key, () => sums);
  }

  /** Background trades in all members up to a moment of a day. */
  #upTo(plate: PlateIndex, plateDay: TradingDay, time: number): Traded {
    return this.#members(plate, plateDay).reduce((sum, member) => plus(sum, this.#memberUpTo(member, plateDay, time)), NOTHING);
  }

  #memberUpTo(member: Instrument, plateDay: TradingDay, time: number): Traded | undefined {
    const day = this.background.tradingDays(member).on(plateDay.day);
    const loaded = this.background.historyOf(member, day);
    if (loaded !== undefined) return loaded.slices([plateDay.start, time])[0];
    return this.background.tradedUpTo(member, day, time);
  }

  /** With callers' trades in the members of a plate in [from, until) of a day whose trades are made. */
  #printed(background: Traded, plate: PlateIndex, day: TradingDay, from: number, until: number): Traded {
    if (this.prints.size === 0) return background;
    const made = this.#members(plate, day).filter((member) => this.background.historyOf(member, day) === undefined);
    return made.reduce((sum, { symbol }) => plus(sum, this.prints.get(symbol)?.totals(from, until)), background);
  }

  #paths(plate: PlateIndex, day: TradingDay, boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    const background = this.background.day(plate, day);
    return background.tape.totals(boundaries).map((totals) => (totals === undefined ? undefined : aggregateOfTotals(totals, background)));
  }

  /** The first price of a plate's day, as a bar without volume. */
  #openOf(plate: PlateIndex, day: TradingDay): Aggregate {
    const background = this.background.day(plate, day);
    const { first, open } = background.tape.root;
    return aggregateOfTotals({ first, last: first, open, high: open, low: open, close: open, lots: 0, amount: 0 }, background);
  }
}

function plus(one: Traded, other: Traded | undefined): Traded {
  return other === undefined ? one : { volume: one.volume + other.volume, turnover: one.turnover + other.turnover };
}

/** A plate's path with what its members traded. Where only they did, the index stands where `otherwise` says. */
function withTraded(path: Aggregate | undefined, { volume, turnover }: Traded, otherwise: () => Aggregate): Aggregate | undefined {
  if (path === undefined && volume === 0n) return undefined;
  return { ...(path ?? otherwise()), volume, turnover };
}

/** End of a path. */
function flat({ lastSequence, close }: Aggregate): Aggregate {
  return { firstSequence: lastSequence, lastSequence, open: close, high: close, low: close, close, volume: 0n, turnover: 0n };
}
