import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { inSharesOf } from '../../companies/declared.js';
import { type Holding, institutionNames } from '../../companies/ownership.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { marketOf } from '../../view/requests.js';
import { marketCalendar } from '../../world/index.js';
import { type Industry, industryPlate } from '../../world/plates.js';
import { percentOf } from '../research/money.js';

/** An institution's holding of a company at home in this market, now and a quarter ago; per ordinary share, as companies report it. */
export interface Position {
  readonly listing: Listing;
  readonly holding: Holding;
  readonly industry: Industry;
  /** At the close of the quarter's last day, and of the one before. */
  readonly value: Decimal;
  readonly previousValue: Decimal;
  /** Percent of all shares. */
  readonly part: number;
  readonly previousPart: number;
}

/** All that institutions hold in a market as of a calendar quarter. */
interface Book {
  /** Last day of the quarter, and the day on which it is known. */
  readonly asOf: string;
  readonly known: string;
  /** By institution, each in the market's order; holdings that were sold in the quarter included. */
  readonly positions: ReadonlyMap<string, readonly Position[]>;
  /** Totals of the positions, by institution. */
  readonly sums: ReadonlyMap<string, Sums>;
}

type Needed = Facts<'world' | 'companies' | 'listings' | 'caches'>;

const books: CacheKind<Book> = { max: 16 };

/** The last quarter that is known in a market today; worked out once a day. */
export function bookOf(facts: Needed, market: QuoteMarket): Book {
  const day = facts.world.today(marketCalendar(market));
  return facts.caches.get(books, market, day, () => make(facts, market, day));
}

function make(facts: Needed, market: QuoteMarket, today: string): Book {
  const day = requireDay(today);
  const shares = facts.world.listed({ market, kind: 'equity' });
  const homes = shares.filter((one) => facts.companies.issuer(one).home === one);
  const found = homes.map((home) => positionsIn(facts, facts.listings.of(home), day));
  const positions = new Map<string, Position[]>();
  for (const position of found.flat()) {
    const { holder } = position.holding;
    const own = positions.get(holder);
    if (own === undefined) positions.set(holder, [position]);
    else own.push(position);
  }
  const sums = new Map<string, Sums>();
  for (const [institution, own] of positions) sums.set(institution, sumsOf(own));
  const [home] = homes;
  const holders = home === undefined ? undefined : facts.companies.company(home).holders(day);
  return { asOf: dayOfNumber(holders?.asOf ?? day), known: dayOfNumber(holders?.known ?? day), positions, sums };
}

function positionsIn({ companies }: Needed, listing: Listing, day: number): readonly Position[] {
  const { instrument } = listing;
  const company = companies.company(instrument);
  const now = company.holders(day);
  if (requireDay(instrument.listDate) > now.asOf) return [];
  // The report before this quarter became known.
  const before = company.holders(now.known - 1);
  const timeline = companies.timeline(instrument);
  const priceOn = (on: number) => BigInt(Math.round(timeline?.priceAt(on) ?? 0));
  const [price, previousPrice] = [priceOn(now.asOf), priceOn(before.asOf)];
  const wasListed = requireDay(instrument.listDate) <= before.asOf;
  const held = new Map(wasListed ? before.institutions.map(({ holder, shares }) => [holder, shares]) : []);
  const issuedBefore = inSharesOf(before.issued, company.shareFactor(now.asOf), company.shareFactor(before.asOf));
  return now.institutions.map((holding) => ({
    listing,
    holding,
    industry: company.industry,
    value: holding.shares * price,
    previousValue: (held.get(holding.holder) ?? 0n) * previousPrice,
    part: percentOf(Number(holding.shares), Number(now.issued)) ?? 0,
    previousPart: percentOf(Number(holding.previous), Number(issuedBefore)) ?? 0,
  }));
}

/** Holdings of an institution in a market. */
export interface Portfolio {
  readonly market: QuoteMarket;
  readonly institution: string;
  readonly book: Book;
  readonly positions: readonly Position[];
  readonly sums: Sums;
}

/** The portfolio that a request names, or why there is none. */
export function portfolioOf(facts: Needed, request: { readonly market: number; readonly institutionId: number }): Portfolio | Refusal {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const book = bookOf(facts, market);
  const sums = book.sums.get(institution) ?? sumsOf([]);
  return { market, institution, book, positions: book.positions.get(institution) ?? [], sums };
}

/** The institution of a number, which is its place in the list of all; or why there is none. */
function institutionOf(id: number): string | Refusal {
  return (
    institutionNames[id - 1] ?? new Refusal(`institution_id: there is no ${id}; accepted: 1 to ${institutionNames.length}`, 'broker.value')
  );
}

export function idOf(institution: string): number {
  return institutionNames.indexOf(institution) + 1;
}

/** Change of a position in the quarter. */
export type Change = 'new' | 'sold out' | 'increase' | 'decrease' | 'none';

export function changeOf({ shares, previous }: { readonly shares: bigint; readonly previous: bigint }): Change {
  if (shares === previous) return 'none';
  if (previous === 0n) return 'new';
  if (shares === 0n) return 'sold out';
  return shares > previous ? 'increase' : 'decrease';
}

/** Change in percent of the shares held before; undefined for new positions. */
export function changePercent({ holding: { change, previous } }: Position): number | undefined {
  return percentOf(Number(change), Number(previous));
}

/** Totals of an institution's positions. */
export interface Sums {
  readonly value: Decimal;
  readonly previousValue: Decimal;
  /** Companies held now, and a quarter before. */
  readonly count: number;
  readonly previousCount: number;
}

function sumsOf(positions: readonly Position[]): Sums {
  return {
    value: positions.reduce((sum, { value }) => sum + value, 0n),
    previousValue: positions.reduce((sum, { previousValue }) => sum + previousValue, 0n),
    count: positions.filter(({ holding }) => holding.shares > 0n).length,
    previousCount: positions.filter(({ holding }) => holding.previous > 0n).length,
  };
}

/** In percent of all that the institution holds in the market. */
export function portfolioPercent({ value }: Position, { value: whole }: Sums): number {
  return percentOf(Number(value), Number(whole)) ?? 0;
}

export function industryNameOf(market: QuoteMarket, industry: Industry): string {
  return industryPlate(market, industry)?.name ?? '';
}

/** Where a quarter's holdings are from. */
export function sourceOf(market: QuoteMarket): string {
  return market === 'US' ? '13F' : 'Quarterly report';
}

export function amount(value: Decimal): number {
  return Math.round(decimalToNumber(value) * 100) / 100;
}

/** By HoldingChangeType, which both messages number alike. */
const changes: readonly Change[] = ['new', 'sold out', 'increase', 'decrease'];

/** Filter for a change type, or a refusal of an unknown one. */
export function changesAsked(type: number): ((position: Position) => boolean) | Refusal {
  const wanted = changes[type - 1];
  if (wanted === undefined)
    return new Refusal(`change_type: unknown ${type}; accepted: 1 (new), 2 (sold out), 3 (increase), 4 (decrease)`, 'broker.value');
  return (position) => changeOf(position.holding) === wanted;
}
