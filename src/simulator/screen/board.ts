import type { Clock } from '../../contract/clock.js';
import type { QuoteMarket } from '../../contract/markets.js';
import type { Companies } from '../companies/index.js';
import type { Market, Quote } from '../market/market.js';
import { Turn } from '../pace.js';
import { Kept, minuteOf } from '../view/kept.js';
import type { Listing, Listings } from '../view/listings.js';
import type { SecurityKind, World } from '../world/index.js';

/** What figures are worked out from. */
export interface ScreenFacts {
  readonly clock: Clock;
  readonly world: World;
  readonly companies: Companies;
  readonly market: Market;
  readonly listings: Listings;
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
  /** About how many rows one turn of the event loop has time for: what is cheaper is looked at first. */
  readonly rowsATurn: number;
  /** NaN where there is no such figure. What takes long may pause, and be a promise. */
  readonly of: (facts: ScreenFacts, row: Row) => number | Promise<number>;
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

  /** Rows of a column that have been worked out. */
  known(key: string): readonly number[] {
    const { known } = this.#columns.get(key) ?? {};
    return known === undefined ? [] : everyRow(known.length).filter((index) => known[index] === 1);
  }

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
export class Board {
  readonly #moment = new Columns();
  /** Figures of the moment that somebody asked for. */
  readonly #asked = new Map<string, Figure>();

  constructor(
    private readonly facts: ScreenFacts,
    readonly rows: readonly Row[],
    /** Columns that outlast this board: those of the same instruments on the same trading days. */
    private readonly day: Columns,
  ) {}

  /** A figure's column, worked out at least for the given rows (all when not given), some a turn. */
  column(figure: Figure, rows: readonly number[] = everyRow(this.rows.length)): Promise<Float64Array> {
    if (figure.lasts === 'moment' && this.#asked.size < COLUMNS_MAX) this.#asked.set(figure.key, figure);
    return this.#worked(figure, rows);
  }

  /** Works out what was asked for of an earlier board of the same instruments, in the same order. */
  async follow(earlier: Board): Promise<void> {
    for (const figure of earlier.#asked.values()) await this.#worked(figure, earlier.#moment.known(figure.key));
  }

  async #worked(figure: Figure, rows: readonly number[]): Promise<Float64Array> {
    const { values, known } = (figure.lasts === 'day' ? this.day : this.#moment).of(figure.key, this.rows.length);
    const turn = new Turn();
    for (const index of rows) {
      const row = this.rows[index];
      if (known[index] === 1 || row === undefined) continue;
      const value = figure.of(this.facts, row);
      values[index] = typeof value === 'number' ? value : await value;
      known[index] = 1;
      const pause = turn.pause();
      if (pause !== undefined) await pause;
    }
    return values;
  }
}

function everyRow(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** A board of so many rows is not made while somebody waits, if there is one of the minute before. */
const LARGE_BOARD = 1_000;

/** Boards kept: of every market and kind. */
const BOARDS_MAX = 128;

interface DayColumns {
  readonly listings: readonly Listing[];
  /** Of the rows' quotes. */
  readonly days: string;
  readonly columns: Columns;
}

/** The boards of the simulation's markets, each made when it is asked for and kept for the minute. */
export class Boards {
  readonly #boards = new Kept<Board>(BOARDS_MAX);
  readonly #days = new Map<string, DayColumns>();

  constructor(
    private readonly facts: ScreenFacts,
    private readonly listings: Listings,
  ) {}

  /**
   * Everything of a kind that is listed in a market now; the same board for all who ask within the minute. Where that is much, those who ask
   * while it is made get the board of the minute before, if it is of the same day.
   */
  async of(market: QuoteMarket, kind: SecurityKind): Promise<Board> {
    const key = `${market} ${kind}`;
    const minute = minuteOf(this.facts.clock.now());
    return this.#boards.get(key, minute, {
      make: (before) => this.#make(key, market, kind, before),
      standsIn: (earlier, stamp) => stamp === minute - 1 && earlier.rows.length >= LARGE_BOARD && this.#isOfToday(earlier),
    });
  }

  #isOfToday({ rows }: Board): boolean {
    const { clock, world } = this.facts;
    return rows.every(({ listing: { instrument }, quote }) => world.calendar(instrument).tradingDay(clock.now()) === quote.tradingDay);
  }

  async #make(key: string, market: QuoteMarket, kind: SecurityKind, before: Board | undefined): Promise<Board> {
    const turn = new Turn();
    const instruments = this.facts.world.listed({ market, kind });
    const known = this.#days.get(key);
    const same =
      known !== undefined &&
      known.listings.length === instruments.length &&
      known.listings.every(({ instrument }, index) => instrument === instruments[index]);
    const rows: Row[] = [];
    const days = new Set<string>();
    for (const instrument of instruments) {
      const pause = turn.pause();
      if (pause !== undefined) await pause;
      const preparing = this.facts.market.prepare(instrument);
      if (preparing !== undefined) await preparing;
      const quote = this.facts.market.quote(instrument);
      days.add(quote.tradingDay);
      rows.push({ listing: this.listings.of(instrument), quote });
    }
    const ofDays = [...days].sort().join(' ');
    const columns = same && known.days === ofDays ? known.columns : new Columns();
    this.#days.set(key, { listings: rows.map(({ listing }) => listing), days: ofDays, columns });
    const board = new Board(this.facts, rows, columns);
    if (before !== undefined && columns === known?.columns) await board.follow(before);
    return board;
  }
}
