import { atOnce } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import { type Aggregate, aggregateOfTotals } from './aggregate.js';
import type { Background } from './background.js';
import type { History } from './history.js';
import type { Prints } from './prints.js';
import type { TradingDay, TradingDays } from './trading-days.js';

const MINUTE = 60_000;
/** Days of plates in the cache: a few hundred bytes each, and some twenty kilobytes with minutes. */
const CACHED_DAYS = 4_000;
const CACHED_MINUTES = 100;

/** Volume and turnover. */
type Traded = Pick<Aggregate, 'volume' | 'turnover'>;

/** The tape of what plates are made of. */
export interface MemberTape {
  readonly background: Background;
  /** Whether callers traded anything. */
  readonly hasPrints: boolean;
  days(instrument: Instrument): TradingDays;
  firstDay(instrument: Instrument): number;
  historyOf(instrument: Instrument, day: TradingDay): History | undefined;
  /** Totals of the day's regular trades up to `now` (inclusive). */
  dayTotals(instrument: Instrument, day: TradingDay, now: number): Aggregate | undefined;
  printsOf(instrument: Instrument): Prints;
}

const NOTHING: Traded = { volume: 0n, turnover: 0n };

/**
 * The tape of plates: their indices' own paths, with what their members traded. A large plate has thousands of members, so what the background trades in them is
 * summed once for each day, in turns; callers' trades are added when they are asked for.
 */
export class PlateTape {
  readonly #days = new LruCache<string, Traded>(CACHED_DAYS);
  /** Sums up to the end of each minute of a day, its beginning first. */
  readonly #minutes = new LruCache<string, readonly Traded[]>(CACHED_MINUTES);

  constructor(private readonly tape: MemberTape) {}

  /** Totals of a day up to `now`. */
  totals(plate: PlateIndex, day: TradingDay, now: number): Aggregate | undefined {
    const members = this.#members(plate, day);
    if (day.start > now || members.length === 0) return undefined;
    if (day.end > now) {
      const traded = members.map((member) => this.#tradedBy(member, day.day, now));
      return withTraded(this.#paths(plate, day, [day.start, now + 1])[0], traded, () => this.#openOf(plate, day));
    }
    const background = this.#days.get(keyOf(plate, day), () => atOnce(this.#sumDay(plate, day)));
    const traded = [background, ...this.#printedIn(plate, day, day.start, day.end)];
    return withTraded(this.tape.background.regularTotals(plate, day), traded, () => this.#openOf(plate, day));
  }

  /** Totals of each [boundaries[i], boundaries[i + 1]) of a day: whole minutes, but for a last boundary that may be "now". */
  slices(plate: PlateIndex, day: TradingDay, boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    if (this.#members(plate, day).length === 0) return boundaries.slice(1).map(() => undefined);
    const minutes = this.#minutes.get(keyOf(plate, day), () => atOnce(this.#sumMinutes(plate, day)));
    const sums = boundaries.map((time) => {
      const sum = time >= day.end ? minutes.at(-1) : minutes[(time - day.start) / MINUTE];
      return sum ?? this.#backgroundUpTo(plate, day, time);
    });
    let last: Aggregate | undefined;
    return this.#paths(plate, day, boundaries).map((path, i) => {
      const before = last;
      last = path ?? last;
      const [from, to] = [sums[i] ?? NOTHING, sums[i + 1] ?? NOTHING];
      const background = { volume: to.volume - from.volume, turnover: to.turnover - from.turnover };
      const traded = [background, ...this.#printedIn(plate, day, boundaries[i] ?? 0, boundaries[i + 1] ?? 0)];
      return withTraded(path, traded, () => (before === undefined ? this.#openOf(plate, day) : flat(before)));
    });
  }

  /** Works out what the first look at an index on its day takes long for, ready to pause. After that, a look costs microseconds for each member. */
  *prepare(plate: PlateIndex, now: number): Generator<void, void> {
    const { companies, plates } = this.tape.background;
    yield* companies.preparePlates(plate.market);
    const today = this.tape.days(plate).at(now);
    for (const day of [this.tape.days(plate).previous(today), today]) {
      yield* plates.prepare(plate, day);
      for (const member of this.#members(plate, day)) {
        this.#tradedBy(member, day.day, now);
        yield;
      }
    }
    yield* plates.prepareFollowing(plate, today);
  }

  /** Works out what bars of a day take long for, ready to pause; for those of minutes, what it did within the day. */
  *prepareBars(plate: PlateIndex, day: TradingDay, ofMinutes: boolean): Generator<void, void> {
    const { companies, plates } = this.tape.background;
    yield* companies.preparePlates(plate.market);
    const previous = this.tape.days(plate).previous(day);
    if (previous.number >= this.tape.firstDay(plate)) yield* plates.prepare(plate, previous);
    yield* plates.prepare(plate, day);
    if (ofMinutes) {
      yield* prepared(this.#minutes, keyOf(plate, day), () => this.#sumMinutes(plate, day));
      yield* plates.prepareFollowing(plate, day);
    } else yield* prepared(this.#days, keyOf(plate, day), () => this.#sumDay(plate, day));
  }

  #members(plate: PlateIndex, day: TradingDay): readonly Instrument[] {
    return this.tape.background.plates.weights(plate, day).map(({ instrument }) => instrument);
  }

  #dayOf(member: Instrument, { day }: TradingDay): TradingDay {
    return this.tape.days(member).on(day);
  }

  /** Background trades in all members on a whole day. */
  *#sumDay(plate: PlateIndex, plateDay: TradingDay): Generator<void, Traded> {
    const { tape } = this;
    let sum = NOTHING;
    for (const member of this.#members(plate, plateDay)) {
      const day = this.#dayOf(member, plateDay);
      const isLoaded = tape.historyOf(member, day) !== undefined;
      sum = plus(sum, isLoaded ? tape.dayTotals(member, day, Infinity) : tape.background.memberDay(member, day));
      yield;
    }
    return sum;
  }

  *#sumMinutes(plate: PlateIndex, plateDay: TradingDay): Generator<void, readonly Traded[]> {
    const { start, end } = plateDay;
    const count = Math.ceil((end - start) / MINUTE);
    const boundaries = Array.from({ length: count + 1 }, (_, index) => Math.min(start + index * MINUTE, end));
    const sums = new Array<Traded>(count).fill(NOTHING);
    for (const member of this.#members(plate, plateDay)) {
      const day = this.#dayOf(member, plateDay);
      const slices = this.tape.historyOf(member, day)?.slices(boundaries) ?? this.tape.background.tradedIn(member, day, boundaries);
      for (const [index, traded] of slices.entries()) sums[index] = plus(sums[index] ?? NOTHING, traded);
      yield;
    }
    const minutes = [NOTHING];
    for (const sum of sums) minutes.push(plus(minutes.at(-1) ?? NOTHING, sum));
    return minutes;
  }

  /** Volume and turnover of a member's day up to `now`: see {@link MemberTape.dayTotals}, of which no more is needed. */
  #tradedBy(member: Instrument, date: string, now: number): Traded | undefined {
    const { background } = this.tape;
    const day = this.tape.days(member).on(date);
    const { start, end } = day.regular;
    if (start > now || this.tape.historyOf(member, day) !== undefined) return this.tape.dayTotals(member, day, now);
    const traded =
      end <= now ? background.memberDay(member, day) : background.memberTrades.upTo(member, background.profile(member).index, day, now + 1);
    return plus(traded, this.tape.printsOf(member).totals(start, Math.min(now + 1, end)));
  }

  /** Background trades in all members up to a moment of a day. */
  #backgroundUpTo(plate: PlateIndex, plateDay: TradingDay, time: number): Traded {
    const { background } = this.tape;
    let sum = NOTHING;
    for (const member of this.#members(plate, plateDay)) {
      const day = this.#dayOf(member, plateDay);
      const loaded = this.tape.historyOf(member, day)?.slices([plateDay.start, time])[0];
      sum = plus(sum, loaded ?? background.memberTrades.upTo(member, background.profile(member).index, day, time));
    }
    return sum;
  }

  /** Callers' trades in each member of a plate in [from, until) of a day whose trades are made. */
  #printedIn(plate: PlateIndex, day: TradingDay, from: number, until: number): readonly (Traded | undefined)[] {
    if (!this.tape.hasPrints) return [];
    const made = this.#members(plate, day).filter((member) => this.tape.historyOf(member, day) === undefined);
    return made.map((member) => this.tape.printsOf(member).totals(from, until));
  }

  #paths(plate: PlateIndex, day: TradingDay, boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    const background = this.tape.background.day(plate, day);
    return background.tape.totals(boundaries).map((totals) => (totals === undefined ? undefined : aggregateOfTotals(totals, background)));
  }

  /** The first price of a plate's day, as a bar without volume. */
  #openOf(plate: PlateIndex, day: TradingDay): Aggregate {
    const background = this.tape.background.day(plate, day);
    const { first, open } = background.tape.root;
    return aggregateOfTotals({ first, last: first, open, high: open, low: open, close: open, lots: 0, amount: 0 }, background);
  }
}

/** Puts what takes long into a cache, ready to pause. */
function* prepared<T>(cache: LruCache<string, T>, key: string, make: () => Generator<void, T>): Generator<void, void> {
  if (cache.peek(key) !== undefined) return;
  const value = yield* make();
  cache.get(key, () => value);
}

function plus(one: Traded, other: Traded | undefined): Traded {
  return other === undefined ? one : { volume: one.volume + other.volume, turnover: one.turnover + other.turnover };
}

function keyOf({ symbol }: PlateIndex, { number }: TradingDay): string {
  return `${symbol} ${number}`;
}

/** A plate's path with what its members traded. Where only they did, the index stands where `otherwise` says. */
function withTraded(
  path: Aggregate | undefined,
  members: readonly (Traded | undefined)[],
  otherwise: () => Aggregate,
): Aggregate | undefined {
  const { volume, turnover } = members.reduce<Traded>(plus, NOTHING);
  if (path === undefined && volume === 0n) return undefined;
  return { ...(path ?? otherwise()), volume, turnover };
}

/** End of a path. */
function flat({ lastSequence, close }: Aggregate): Aggregate {
  return { firstSequence: lastSequence, lastSequence, open: close, high: close, low: close, close, volume: 0n, turnover: 0n };
}
