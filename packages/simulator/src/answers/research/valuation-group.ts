import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
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

/** The shares of a group with the quotes of the minute, in the market's order. */
export function sharesIn({ columnSnapshots }: Needed, { market, members }: Group): readonly Hit[] {
  return screen(columnSnapshots.stocks(market), [], ({ listing }) => members?.has(listing) ?? true);
}

/** The same of a plate's members of today. */
export function sharesOfPlate(facts: Needed, plate: Plate): readonly Hit[] {
  return sharesIn(facts, { market: plate.market, members: new Set(membersOf(facts, plate)) });
}

/** Statistics over many values. */
export interface Spread {
  /** The whole value over what it is held against together, of those shares that have a positive value. */
  readonly mean: number | undefined;
  readonly median: number | undefined;
  /** Positive values, highest first. */
  readonly values: readonly number[];
}

/** The spread of shares by a measure, weighted by market value: the mean is the sum of market values over the sum of what they are held against. */
export function spreadOf(hits: readonly Hit[], measure: Measure): Spread {
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
    for (const [index, sum] of sums.entries()) {
      const { value, base } = pathParts(company, measure, days[index] ?? 0);
      if (base > 0) [sum.value, sum.base] = [sum.value + value * rate, sum.base + base * rate];
    }
  }
  return sums.map(({ value, base }) => (base > 0 ? places(value / base) : undefined));
}

export function places(value: number): number {
  return Math.round(value * 1000) / 1000;
}
