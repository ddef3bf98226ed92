import { decimalToNumber } from '../../contract/decimal.js';
import type { BasicQot } from '../../contract/generated/Qot_Common_pb.js';
import type { EquitySnapshotExData } from '../../contract/generated/Qot_GetSecuritySnapshot_pb.js';
import type { QuoteMarket } from '../../contract/markets.js';
import type { Quote } from '../market/index.js';
import type { Market } from '../market/market.js';
import { marketCalendar } from '../world/index.js';
import { industryPlate } from '../world/plates.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';
import { equityData } from './snapshot-kinds.js';
import { minuteOf, StampedCache } from './stamped-cache.js';

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard'>;

/** Figures of a share in lists and rankings: those of its quote and its snapshot, as of one moment. Computed on demand. */
export class StockFigures {
  #board: BasicQot | undefined;
  #equity: EquitySnapshotExData | undefined;

  constructor(
    private readonly facts: Facts<'companies' | 'quoteBoard'>,
    readonly listing: Listing,
    readonly quote: Quote,
  ) {}

  /** Shared: nothing may write to it. */
  get board(): BasicQot {
    this.#board ??= this.facts.quoteBoard.of(this.listing, this.quote);
    return this.#board;
  }

  get equity(): EquitySnapshotExData {
    this.#equity ??= equityData(this.facts, this.listing.instrument, this.quote);
    return this.#equity;
  }

  /** Percent, from the previous close (the reference price, on an ex-day). */
  get changeRate(): number {
    return percent(this.quote.last - this.quote.previousClose, this.quote.previousClose);
  }

  get changeAmount(): number {
    return decimalToNumber(this.quote.last - this.quote.previousClose);
  }
}

/** The figures of one share, now. */
export function stockFigures(facts: Omit<Needed, 'listings'>, listing: Listing): StockFigures {
  return new StockFigures(facts, listing, facts.market.quote(listing.instrument));
}

const MARKETS = 16;
const stocks = new WeakMap<Market, StampedCache<readonly StockFigures[]>>();

/** The figures of all shares of a market that are listed today, of this minute, in the world's order. */
export function stocksOf(facts: Needed, market: QuoteMarket): readonly StockFigures[] {
  const kept = stocks.get(facts.market) ?? new StampedCache<readonly StockFigures[]>(MARKETS);
  stocks.set(facts.market, kept);
  const make = () => sharesOf(facts, market).map((share) => stockFigures(facts, share));
  return kept.get(market, minuteOf(facts.clock.now()), make);
}

/** The shares of a market that are listed today, in the world's order. */
export function sharesOf({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): readonly Listing[] {
  return world.listed({ market, kind: 'equity' }).map((share) => listings.of(share));
}

/** So many rows are not made while somebody waits, if there are those of the minute before. */
const MANY_ROWS = 1_000;

/** The rows that a ranking makes of a whole market, of this minute. */
export class Standings<Row> {
  readonly #kept = new WeakMap<Market, StampedCache<readonly Row[]>>();

  /** @param max how many rankings are kept */
  constructor(private readonly max: number = MARKETS) {}

  /**
   * Where the rows are many, the first answer of a minute has those of the minute before, if they are of the same trading day.
   *
   * @param key names what is ranked within the market
   */
  of(facts: Facts<'clock' | 'world' | 'market'>, market: QuoteMarket, key: string, make: () => readonly Row[]): readonly Row[] {
    const kept = this.#kept.get(facts.market) ?? new StampedCache<readonly Row[]>(this.max);
    this.#kept.set(facts.market, kept);
    const minute = minuteOf(facts.clock.now());
    const standsIn = (earlier: readonly Row[], stamp: string | number) =>
      earlier.length >= MANY_ROWS && stamp === minute - 1 && isSameDay(facts, market);
    return kept.get(`${market} ${key}`, minute, make, standsIn);
  }
}

/** Whether the minute before is of today's trading. */
function isSameDay({ clock, world }: Facts<'clock' | 'world'>, market: QuoteMarket): boolean {
  const calendar = world.calendar(marketCalendar(market));
  const now = clock.now();
  return calendar.tradingDay(now) === calendar.tradingDay((minuteOf(now) - 1) * 60_000);
}

/** Name of what a share's company does. */
export function industryName({ companies }: Facts<'companies'>, { instrument }: Listing): string {
  return industryPlate(instrument.market, companies.company(instrument).industry)?.name ?? '';
}
