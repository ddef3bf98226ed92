import type { Clock } from '@svc-gateway/contract/clock';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Companies } from '../companies/index.js';
import type { Quote } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import type { CacheKind, Caches } from '../view/caches.js';
import type { Listing, Listings } from '../view/listings.js';
import type { SecurityKind, World } from '../world/index.js';

/** Facts that figures are computed from. */
export interface ScreenFacts {
  readonly clock: Clock;
  readonly world: World;
  readonly companies: Companies;
  readonly market: Market;
  readonly listings: Listings;
  readonly caches: Caches;
}

/** An instrument as one moment shows it. */
export interface Row {
  readonly listing: Listing;
  readonly quote: Quote;
}

/** A figure that every instrument of a board may have: it becomes a column of the board as soon as somebody asks for it. */
export interface Figure {
  /** Names the column: figures of one key are the same figure. */
  readonly key: string;
  /** `day`: the same throughout a trading day. `moment`: moves with the quote. */
  readonly lasts: 'moment' | 'day';
  /** Rows in about a millisecond: what is cheaper is looked at first. */
  readonly speed: number;
  /** NaN where there is no such figure. */
  readonly of: (facts: ScreenFacts, row: Row) => number;
}

interface Column {
  readonly values: Float64Array;
  /** 1 for each row that has been worked out. */
  readonly known: Uint8Array;
}

/** Columns kept of a board, of each duration: the figures of a bounded number of conditions. */
const COLUMNS_MAX = 96;

/** The columns of one set of rows. When full, it starts anew: they can all be worked out again. */
class Columns {
  readonly #columns = new Map<string, Column>();

  of(key: string, rows: number): Column {
    let column = this.#columns.get(key);
    if (column === undefined) {
      if (this.#columns.size >= COLUMNS_MAX) this.#columns.clear();
      column = { values: new Float64Array(rows).fill(Number.NaN), known: new Uint8Array(rows) };
      this.#columns.set(key, column);
    }
    return column;
  }
}

/**
 * All that is listed of one kind in one market, with the quotes of one moment, and figures of them as columns. Every figure of a board is of
 * that moment, so that a screen, its sort order and its next page agree.
 */
export class ColumnSnapshot {
  readonly #moment = new Columns();

  constructor(
    private readonly facts: ScreenFacts,
    readonly rows: readonly Row[],
    /** Columns that outlast this board: those of the same instruments on the same trading days. */
    private readonly day: Columns,
  ) {}

  /** A figure's column, worked out at least for the given rows (all when not given). */
  column(figure: Figure, rows: readonly number[] = everyRow(this.rows.length)): Float64Array {
    const { values, known } = (figure.lasts === 'day' ? this.day : this.#moment).of(figure.key, this.rows.length);
    for (const index of rows) {
      const row = this.rows[index];
      if (known[index] === 1 || row === undefined) continue;
      values[index] = figure.of(this.facts, row);
      known[index] = 1;
    }
    return values;
  }
}

function everyRow(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Snapshots of every market and kind. */
const snapshots: CacheKind<ColumnSnapshot> = { max: 128 };

interface DayColumns {
  readonly listings: readonly Listing[];
  /** Days of the rows' quotes. */
  readonly days: string;
  readonly columns: Columns;
}

/** Column snapshots of the simulation's markets, each made when it is asked for and kept for the minute. */
export class ColumnSnapshots {
  readonly #days = new Map<string, DayColumns>();

  constructor(private readonly facts: ScreenFacts) {}

  /** Everything of a kind that is listed in a market now; the same snapshot for all who ask within the minute. */
  of(market: QuoteMarket, kind: SecurityKind): ColumnSnapshot {
    const key = `${market} ${kind}`;
    return this.facts.caches.ofMinute(snapshots, key, () => this.#make(key, market, kind));
  }

  /** The snapshots of what companies have issued in a market: shares and trusts. */
  stocks(market: QuoteMarket): readonly ColumnSnapshot[] {
    return [this.of(market, 'equity'), this.of(market, 'trust')];
  }

  #make(key: string, market: QuoteMarket, kind: SecurityKind): ColumnSnapshot {
    const instruments = this.facts.world.listed({ market, kind });
    const known = this.#days.get(key);
    const same =
      known !== undefined &&
      known.listings.length === instruments.length &&
      known.listings.every(({ instrument }, index) => instrument === instruments[index]);
    const rows = instruments.map((instrument) => ({
      listing: this.facts.listings.of(instrument),
      quote: this.facts.market.quote(instrument),
    }));
    const ofDays = [...new Set(rows.map(({ quote }) => quote.tradingDay))].sort().join(' ');
    const columns = same && known.days === ofDays ? known.columns : new Columns();
    this.#days.set(key, { listings: rows.map(({ listing }) => listing), days: ofDays, columns });
    return new ColumnSnapshot(this.facts, rows, columns);
  }
}
