import { atOnce } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import { REFERENCE_DAY } from './growth.js';
import type { Span } from './plate-membership.js';
import type { PricePath } from './price-path.js';

/** A listing that belongs to a plate on some days. */
export interface PlateMember extends Span {
  readonly instrument: Instrument;
  /** Computed on the first read of the index. */
  readonly prices: () => PricePath;
}

/** Weight of a member: the index is the sum of price × weight, both in the same unit. */
export interface Weighted {
  readonly instrument: Instrument;
  readonly weight: number;
}

/** Days [from, until) with the same members. */
class Stage implements Span {
  #members: readonly PlateMember[] | undefined;

  constructor(
    readonly from: number,
    readonly until: number,
    private readonly all: readonly PlateMember[],
  ) {}

  /** Computed on demand: a large plate has hundreds of stages. */
  get members(): readonly PlateMember[] {
    this.#members ??= this.all.filter((one) => one.from <= this.from && one.until >= this.until);
    return this.#members;
  }
}

/** How a stage is counted. */
interface Scale {
  /** Capitalisation over level. */
  readonly divisor: number;
  /** The level at which it met the stage that it was worked out from: where the index stays while nobody is in the plate. */
  readonly level: number;
}

/** Points of the index at the end of the reference day, in billionths. */
const BASE = 1000 * 1e9;
const CACHED_DAYS = 64;

/**
 * The index of a plate: its members by capitalisation, as of the shares of the world's reference day. Where members come and go, the divisor changes so that the index
 * does not; splits, bonus and rights issues are taken off the prices, dividends are not. Days are counted from 1970-01-01.
 */
export class PlateComposition {
  readonly #members: readonly PlateMember[];
  #made: readonly Stage[] | undefined;
  /** By stage; worked out from the one of the reference day on, as far as somebody asked. */
  readonly #scales = new Map<number, Scale>();
  readonly #weights = new LruCache<number, readonly Weighted[]>(CACHED_DAYS);

  constructor(members: readonly PlateMember[]) {
    this.#members = members;
  }

  members(day: number): readonly Instrument[] {
    return this.#stages[this.#at(day)]?.members.map(({ instrument }) => instrument) ?? [];
  }

  weights(day: number): readonly Weighted[] {
    return this.#weights.get(day, () => {
      const number = this.#at(day);
      const { divisor } = this.#scale(number);
      const members = this.#stages[number]?.members ?? [];
      return members.map((member) => ({ instrument: member.instrument, weight: sharesOn(member, day) / divisor }));
    });
  }

  /**
   * Works out what {@link weights} takes long for on days not asked for yet, ready to pause: of a plate of a thousand members, half a second from the reference
   * day on.
   */
  *prepare(day: number): Generator<void, void> {
    yield* this.#scaled(this.#at(day));
  }

  /** Where the index stands on a day on which nobody is in the plate, in billionths. */
  emptyLevel(day: number): number {
    return this.#scale(this.#at(day)).level;
  }

  get #stages(): readonly Stage[] {
    this.#made ??= stagesOf(this.#members);
    return this.#made;
  }

  #at(day: number): number {
    return this.#stages.findIndex(({ from, until }) => day >= from && day < until);
  }

  #scale(wanted: number): Scale {
    return this.#scales.get(wanted) ?? atOnce(this.#scaled(wanted));
  }

  *#scaled(wanted: number): Generator<void, Scale> {
    const base = this.#at(REFERENCE_DAY);
    const step = wanted < base ? -1 : 1;
    let scale: Scale | undefined;
    for (let number = base; ; number += step) {
      scale = this.#scales.get(number) ?? (yield* this.#goOn(scale, number - step, number));
      this.#scales.set(number, scale);
      if (number === wanted) return scale;
    }
  }

  /** A stage's scale from its neighbour's: they meet at the end of the last day of the earlier of the two. The first one's is that of the reference day. */
  *#goOn(scale: Scale | undefined, known: number, next: number): Generator<void, Scale> {
    const [here, there] = [this.#stages[known]?.members ?? [], this.#stages[next]?.members ?? []];
    if (scale === undefined) return { divisor: (yield* capitalisation(there, REFERENCE_DAY)) / BASE, level: BASE };
    const day = (this.#stages[Math.max(known, next)]?.from ?? REFERENCE_DAY) - 1;
    const met = here.length === 0 ? scale.level : (yield* capitalisation(here, day)) / scale.divisor;
    return { divisor: (yield* capitalisation(there, day)) / met, level: met };
  }
}

function stagesOf(all: readonly PlateMember[]): readonly Stage[] {
  const changes = [...new Set(all.flatMap(({ from, until }) => [from, until]))].filter(Number.isFinite).sort((a, b) => a - b);
  const edges = [-Infinity, ...changes, Infinity];
  return edges.slice(0, -1).map((from, i) => new Stage(from, edges[i + 1] ?? Infinity, all));
}

function* capitalisation(members: readonly PlateMember[], day: number): Generator<void, number> {
  let sum = 0;
  for (const member of members) {
    sum += member.prices().at(member.instrument, day) * sharesOn(member, day);
    yield;
  }
  return sum;
}

/** The reference day's shares, as share events have changed their number since. */
function sharesOn({ instrument, prices }: PlateMember, day: number): number {
  return Number(instrument.sharesIssued) / prices().eventLevel(day);
}
