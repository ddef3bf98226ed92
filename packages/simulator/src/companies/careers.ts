import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { mix, uniform } from '../rng/random.js';
import { FIRST_YEAR, firstOf, LAST_YEAR, yearOf } from './growth.js';
import { type Person, personName } from './people.js';

const posts = [
  'Chair of the Board',
  'Chief Executive Officer',
  'Chief Financial Officer',
  'Chief Operating Officer',
  'General Counsel',
] as const;

export type Post = (typeof posts)[number];

/** One person in one post. Days are counted from 1970-01-01. */
export interface Term {
  readonly person: Person;
  readonly post: Post;
  /** Number of the company in its circle: 0 to {@link CIRCLE_SIZE} - 1. */
  readonly place: number;
  readonly from: number;
  /** Last day; undefined while no end is known. */
  readonly until: number | undefined;
}

/** So many companies of a market draw on the same people. */
export const CIRCLE_SIZE = 8;

/** Mean years in a post; the age limit ends it earlier. */
const YEARS_IN_POST = 7;
const AGE_MAX = 68;
const NEW_AGE = { least: 40, most: 55 };
/** Minimum days in a post; and the maximum chain of moves after one vacancy. */
const DAYS_IN_POST_MIN = 270;
const MOVES_MAX = 3;
/** Chances that a vacancy is filled from the company itself, or from the same post elsewhere in the circle; else by somebody new. */
const FROM_WITHIN = 0.3;
const FROM_ANOTHER = 0.35;

interface Seat {
  readonly post: Post;
  readonly place: number;
  holder: Person;
  from: number;
}

/**
 * Executives of the companies of one circle, by post, from 1990 to 2060. A vacancy is filled on the next day, perhaps by
 * somebody who leaves another seat: so nobody sits on two, and careers lead from company to company. Computed as a whole
 * on first use.
 */
export class Careers {
  #terms: readonly Term[] | undefined;

  constructor(
    private readonly key: number,
    private readonly market: QuoteMarket,
  ) {}

  /** Terms at a company of the circle that touch the days [from, to], by their first day. */
  at(place: number, from: number, to: number): readonly Term[] {
    return this.#all().filter((term) => term.place === place && term.from <= to && (term.until ?? Infinity) >= from);
  }

  /** Everything that a person did in the circle, in order; none for somebody of another one. */
  of({ id }: Person): readonly Term[] {
    return this.#all().filter(({ person }) => person.id === id);
  }

  #all(): readonly Term[] {
    this.#terms ??= this.#play();
    return this.#terms;
  }

  #play(): readonly Term[] {
    const start = firstOf(FIRST_YEAR, 1);
    const seats: readonly Seat[] = Array.from({ length: CIRCLE_SIZE }, (_, place) =>
      posts.map((post, number) => {
        const stream = mix(mix(this.key, place), number);
        const from = start - Math.floor(YEARS_IN_POST * 365 * uniform(stream, 0));
        return { post, place, holder: this.#newcomer(mix(stream, 1), FIRST_YEAR), from };
      }),
    ).flat();
    const ended: Term[] = [];
    for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
      for (const { seat, day, stream } of this.#vacancies(seats, year)) this.#vacate(seats, seat, day, stream, ended);
    }
    const open = seats.map(({ holder: person, post, place, from }) => ({ person, post, place, from, until: undefined }));
    return [...ended, ...open].sort((a, b) => a.from - b.from);
  }

  /** In order of their days. */
  #vacancies(seats: readonly Seat[], year: number): readonly { readonly seat: Seat; readonly day: number; readonly stream: number }[] {
    return seats
      .map((seat, number) => {
        const stream = mix(mix(this.key, 1000 + number), year);
        return { seat, stream, day: firstOf(year, 1) + Math.floor(365 * uniform(stream, 0)) };
      })
      .filter(({ seat, stream }) => uniform(stream, 1) < 1 / YEARS_IN_POST || year - seat.holder.birthYear >= AGE_MAX)
      .sort((a, b) => a.day - b.day);
  }

  /** Whoever sits there leaves on `day`; who follows may leave a seat of their own. */
  #vacate(seats: readonly Seat[], first: Seat, day: number, stream: number, ended: Term[]): void {
    let seat = first;
    if (day - seat.from < DAYS_IN_POST_MIN) return;
    for (let move = 0; move <= MOVES_MAX; move++) {
      ended.push({ person: seat.holder, post: seat.post, place: seat.place, from: seat.from, until: day });
      const left: Seat | undefined = move < MOVES_MAX ? successor(seats, seat, day, mix(stream, move)) : undefined;
      seat.holder = left?.holder ?? this.#newcomer(mix(mix(stream, 100 + move), day), yearOf(day));
      seat.from = day + 1;
      if (left === undefined) return;
      seat = left;
    }
  }

  #newcomer(key: number, year: number): Person {
    const age = NEW_AGE.least + Math.floor((NEW_AGE.most - NEW_AGE.least + 1) * uniform(key, 2));
    const id = (BigInt(this.key >>> 0) << 31n) | BigInt(key >>> 1);
    return { id, name: personName(key, this.market), birthYear: year - age };
  }
}

/** The seat of the successor to a vacant one, if any. */
function successor(seats: readonly Seat[], vacant: Seat, day: number, stream: number): Seat | undefined {
  const chance = uniform(stream, 2);
  if (chance >= FROM_WITHIN + FROM_ANOTHER) return undefined;
  const year = yearOf(day);
  const candidates = seats.filter((seat) => {
    const fits = chance < FROM_WITHIN ? seat.place === vacant.place : seat.post === vacant.post && seat.place !== vacant.place;
    return fits && seat !== vacant && day - seat.from >= DAYS_IN_POST_MIN && year - seat.holder.birthYear < AGE_MAX - 2;
  });
  return candidates[Math.floor(uniform(stream, 3) * candidates.length)];
}
