import type { QuoteMarket } from '../../../contract/markets.js';
import type { Companies, Company } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import { LruCache } from '../../rng/lru-cache.js';
import type { ColumnSnapshot } from '../../screen/column-snapshot.js';
import { type Hit, screen, valuesOf } from '../../screen/index.js';
import { marketValue } from '../../screen/share-figures.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { membersOf } from '../../view/plates.js';
import { kinds } from '../../world/kinds.js';
import type { Plate } from '../../world/plates.js';
import { type Measure, pathParts } from './valuation-figures.js';

type Needed = Facts<'world' | 'companies' | 'listings' | 'columnSnapshots'>;

/** Shares that are valued beside each other: the members of a plate, or of an index all of its market. */
export interface Group {
  readonly market: QuoteMarket;
  /** Undefined: everything that companies have issued in the market. */
  readonly members: ReadonlySet<Listing> | undefined;
}

/** Members of a plate or an index; a refusal for anything else. */
export function groupOf(facts: Facts<'world' | 'companies' | 'listings'>, { instrument }: Listing): Group | Refusal {
  const { market, kind, symbol } = instrument;
  if (kind === 'plate') return { market, members: new Set(membersOf(facts, instrument.plate)) };
  if (kind === 'index') return { market, members: undefined };
  return new Refusal(`security: ${symbol} is ${kinds[kind].noun}; expected a plate or an index`);
}

/** Results already computed from the boards of this minute. */
interface Asked {
  readonly whole: readonly Hit[];
  readonly ofPlates: Map<Plate, readonly Hit[]>;
}

/** By the boards of a market's shares and trusts. */
const askedOf = new WeakMap<ColumnSnapshot, WeakMap<ColumnSnapshot, Asked>>();

function boardsOf({ columnSnapshots: boards }: Needed, market: QuoteMarket): readonly [ColumnSnapshot, ColumnSnapshot] {
  return [boards.of(market, 'equity'), boards.of(market, 'trust')];
}

function asked([shares, trusts]: readonly [ColumnSnapshot, ColumnSnapshot]): Asked {
  const known = askedOf.get(shares) ?? new WeakMap<ColumnSnapshot, Asked>();
  askedOf.set(shares, known);
  const made = known.get(trusts) ?? { whole: screen([shares, trusts], []), ofPlates: new Map() };
  known.set(trusts, made);
  return made;
}

/** The shares of a group with the quotes of the minute, in the market's order; of a whole market, the same list for all who ask within it. */
export function sharesIn(facts: Needed, { market, members }: Group): readonly Hit[] {
  const boards = boardsOf(facts, market);
  return members === undefined ? asked(boards).whole : screen(boards, [], ({ listing }) => members.has(listing));
}

/** The same of a plate's members of today: the same list within the minute. */
export function sharesOfPlate(facts: Needed, plate: Plate): readonly Hit[] {
  const boards = boardsOf(facts, plate.market);
  const { ofPlates } = asked(boards);
  let shares = ofPlates.get(plate);
  if (shares === undefined) {
    shares = membersIn(facts, plate, boards);
    ofPlates.set(plate, shares);
  }
  return shares;
}

function membersIn(facts: Needed, plate: Plate, boards: readonly ColumnSnapshot[]): readonly Hit[] {
  const members = new Set(membersOf(facts, plate));
  return screen(boards, [], ({ listing }) => members.has(listing));
}

/** Statistics over many values. */
export interface Spread {
  /** The whole value over what it is held against together, of those shares that have a positive value. */
  readonly mean: number | undefined;
  readonly median: number | undefined;
  /** Positive values, highest first. */
  readonly values: readonly number[];
}

const spreads = new WeakMap<readonly Hit[], Map<Measure, Spread>>();

/**
 * Statistics of shares by a measure, weighted by market value: the mean is total market value over the total of the measure.
 * Computed once per list of shares.
 */
export function spreadOf(hits: readonly Hit[], measure: Measure): Spread {
  const known = spreads.get(hits) ?? new Map<Measure, Spread>();
  spreads.set(hits, known);
  const spread = known.get(measure) ?? workSpread(hits, measure);
  known.set(measure, spread);
  return spread;
}

function workSpread(hits: readonly Hit[], measure: Measure): Spread {
  const [values, sizes] = [valuesOf(hits, measure.now), valuesOf(hits, marketValue)];
  const kept = hits.map((_, index) => [values[index] ?? Number.NaN, sizes[index] ?? 0] as const).filter(([value]) => value > 0);
  const sorted = kept.map(([value]) => value).sort((a, b) => b - a);
  const whole = kept.reduce((sum, [, size]) => sum + size, 0);
  const base = kept.reduce((sum, [value, size]) => sum + size / value, 0);
  const middle = Math.floor((sorted.length - 1) / 2);
  const [upper, lower] = [sorted[middle], sorted[sorted.length - 1 - middle]];
  return {
    mean: base > 0 ? places(whole / base) : undefined,
    median: upper === undefined || lower === undefined ? undefined : places((upper + lower) / 2),
    values: sorted,
  };
}

/** The largest members that a plate's past is told by. */
const PAST_MEMBERS = 30;

/**
 * The mean of a group on each of some days (counted from 1970-01-01), by the paths of the prices of its thirty largest members of today; undefined on days
 * on which none has a positive base.
 */
export function pastMeans(facts: Needed, hits: readonly Hit[], measure: Measure, days: readonly number[]): readonly (number | undefined)[] {
  const size = ({ row: { listing, quote } }: Hit) => Number(quote.last) * Number(listing.instrument.sharesIssued);
  const largest = [...hits].sort((a, b) => size(b) - size(a)).slice(0, PAST_MEMBERS);
  const sums = days.map(() => ({ value: 0, base: 0 }));
  for (const { row } of largest) {
    const { instrument } = row.listing;
    const [company, today] = [facts.companies.company(instrument), facts.world.today(instrument)];
    const rate = Number(facts.companies.inCurrency(1_000_000_000n, company.issuer.home.currency, instrument.currency, today)) / 1e9;
    const { values, bases } = pastParts(facts, company, measure, days);
    for (const [index, sum] of sums.entries()) {
      const [value, base] = [values[index] ?? 0, bases[index] ?? 0];
      if (base > 0) [sum.value, sum.base] = [sum.value + value * rate, sum.base + base * rate];
    }
  }
  return sums.map(({ value, base }) => (base > 0 ? places(value / base) : undefined));
}

/** A company's past market values and the measure's amounts on the same days. */
interface PastParts {
  readonly days: readonly number[];
  readonly values: Float64Array;
  readonly bases: Float64Array;
}

/** Companies, each by one measure, at some kilobytes. */
const REMEMBERED = 500;
const remembered = new WeakMap<Companies, LruCache<string, { parts: PastParts | undefined }>>();

/** The parts of a company on each of some days, kept until others are asked for: a year has the same days for all shares of a market. */
function pastParts({ companies }: Needed, company: Company, measure: Measure, days: readonly number[]): PastParts {
  const known = remembered.get(companies) ?? new LruCache<string, { parts: PastParts | undefined }>(REMEMBERED);
  remembered.set(companies, known);
  const kept = known.get(`${company.issuer.home.symbol} ${measure.type}`, () => ({ parts: undefined }));
  if (kept.parts !== undefined && isSame(kept.parts.days, days)) return kept.parts;
  const parts = { days, values: new Float64Array(days.length), bases: new Float64Array(days.length) };
  for (const [index, day] of days.entries()) {
    const { value, base } = pathParts(company, measure, day);
    parts.values[index] = value;
    parts.bases[index] = base;
  }
  kept.parts = parts;
  return parts;
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((day, index) => day === other[index]);
}

export function places(value: number): number {
  return Math.round(value * 1000) / 1000;
}
