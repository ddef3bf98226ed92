import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import type { Companies } from '../companies/companies.js';
import type { DayMove } from '../companies/market-prices.js';
import { atOnce } from '../pace.js';
import type { Calendar } from '../world/calendar.js';
import { continuousOf } from '../world/futures.js';
import { type Instrument, isDerived, type Option, type Warrant } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import { Adjustments } from './adjustment.js';
import { Background } from './background.js';
import type { Side } from './background-book.js';
import { Bars } from './bars.js';
import type { CallerChange, Followed } from './caller-changes.js';
import { Currencies } from './currencies.js';
import type { History } from './history.js';
import { LiveEvents } from './live-events.js';
import type {
  Bar,
  BarPeriod,
  BarsRange,
  Book,
  ContractValuation,
  DetailedBook,
  Execution,
  MarketEvent,
  PastDays,
  PriceAdjustment,
  PriceBounds,
  Quote,
  RestingOrder,
  Tick,
  TickDirection,
} from './market.js';
import { OrderBook } from './order-book.js';
import { pastDaysOf, rangeOf } from './range.js';
import { anchorOf } from './spot-anchor.js';
import { Tape } from './tape.js';
import { TradingDays } from './trading-days.js';
import { type View, Views } from './views.js';

export interface MarketOptions {
  readonly clock: Clock;
  /** The same seed and clock give the same world. */
  readonly seed: number | string;
  readonly calendarOf: (instrument: Instrument) => Calendar;
  /** The currency pairs of the world. */
  readonly pairs: readonly Instrument[];
  readonly companies: Companies;
  /** By symbol, what stands in for its past: see {@link pastsOf}. The companies are to know of it as well. */
  readonly history?: ReadonlyMap<string, History>;
}

/** The market as accounts and answers see it; the rest keeps a copy of it, and the world, up to date. */
export type Market = Omit<
  SimulatedMarket,
  'dayTicks' | 'callerChanges' | 'adopt' | 'calledBefore' | 'closeBefore' | 'levelBefore' | 'dayMove'
>;

const REGULAR = new Set(['regular'] as const);
/** The book of symbols that no caller touched. */
const NO_ORDERS = new OrderBook();

/**
 * The simulated market of every instrument, as of the clock's now.
 *
 * The background flow is a pure function of (seed, symbol, time); what callers add (their resting orders and their
 * trades) is laid over it. Symbols that nobody watches cost nothing: they are computed when somebody asks.
 */
export class SimulatedMarket {
  protected readonly clock: Clock;
  readonly #tape: Tape;
  readonly #bars: Bars;
  readonly #adjustments: Adjustments;
  protected readonly live: LiveEvents;
  readonly #books = new Map<string, OrderBook>();
  readonly #views: Views;

  constructor({ clock, seed, calendarOf, pairs, companies, history = new Map() }: MarketOptions) {
    this.clock = clock;
    const [ofAll, ofRegular] = [new Map<Calendar, TradingDays>(), new Map<Calendar, TradingDays>()];
    const daysOf = (instrument: Instrument): TradingDays => {
      const calendar = calendarOf(instrument);
      // Nobody works an index out before its stocks open, nor after they have closed; and options have no extended hours.
      const regularOnly = instrument.kind === 'index' || instrument.kind === 'plate' || instrument.kind === 'option';
      const calendars = regularOnly ? ofRegular : ofAll;
      const days = calendars.get(calendar) ?? new TradingDays(calendar, regularOnly ? REGULAR : undefined);
      calendars.set(calendar, days);
      return days;
    };
    const anchor = (instrument: Instrument) => anchorOf(instrument, (symbol) => history.get(symbol)?.anchor);
    const [pair] = pairs;
    const currencies = pair === undefined ? undefined : new Currencies(seed, pairs, daysOf(pair), anchor);
    this.#tape = new Tape(new Background(seed, daysOf, anchor, currencies, companies, history));
    this.#bars = new Bars(this.#tape);
    this.#views = new Views(clock, this.#tape);
    this.#adjustments = new Adjustments(
      (instrument) => companies.timeline(instrument),
      (instrument, ex) => this.#tape.drop(instrument, ex),
      (instrument) => this.#tape.firstDay(instrument),
    );
    this.live = new LiveEvents(clock, {
      ticksAfter: (instrument, sequence, count) => this.#tape.ticks(instrument, this.#views.now(instrument), count, Number(sequence)),
      nextChange: (instrument) => this.view(instrument).nextChange,
      prepare: (instrument) => this.prepare(instrument),
    });
  }

  /** State of an instrument until it next changes. */
  protected view(instrument: Instrument): View {
    return this.#views.of(instrument);
  }

  quote(instrument: Instrument): Quote {
    return this.view(instrument).quote;
  }

  /**
   * The first look at an instrument on its day, ready to pause: that at a plate of a thousand members takes up to a second. For `inTurns`; done at once when a
   * look costs next to nothing already.
   */
  *prepare(instrument: Instrument): Generator<void, void> {
    if (this.#views.isKnownToday(instrument)) return;
    if (instrument.kind === 'plate') yield* this.#forToday(instrument, () => this.#tape.plates.prepare(instrument, this.clock.now()));
    this.view(instrument);
  }

  /** Work that pauses, for the trading day that it is: once more where another began before it was done. */
  *#forToday(instrument: Instrument, work: () => Generator<void, unknown>): Generator<void, void> {
    const today = () => this.#tape.days(instrument).at(this.clock.now()).number;
    let day: number;
    do {
      day = today();
      yield* work();
    } while (today() !== day);
  }

  book(instrument: Instrument, depth: number): Book {
    const view = this.view(instrument);
    const known = view.books.get(depth);
    if (known !== undefined) return known;
    const book = this.#book(instrument, view, depth);
    view.books.set(depth, book);
    return book;
  }

  /** The newest `count` ticks, oldest first. */
  ticks(instrument: Instrument, count: number): readonly Tick[] {
    if (!kinds[instrument.kind].hasTrades) return [];
    return this.#tape.ticks(instrument, this.#views.now(instrument), count);
  }

  /** All ticks of the current trading day's regular hours with a sequence above `after`, oldest first; of callers' own prints, the newest thousand. */
  dayTicks(instrument: Instrument, after: bigint): readonly Tick[] {
    if (!kinds[instrument.kind].hasTrades) return [];
    return this.#tape.dayTicks(instrument, this.#views.now(instrument), Number(after));
  }

  /** Bars of a range, oldest first, the running one included. Prices are as traded unless an adjustment is named. */
  bars(instrument: Instrument, period: BarPeriod, range: BarsRange, adjustment: PriceAdjustment = 'none'): readonly Bar[] {
    return atOnce(this.#barsOf(instrument, period, range, adjustment));
  }

  /** As {@link bars}, ready to pause: those of the index of a plate are made of what all its members traded. For `inTurns`. */
  *barsInTurns(
    instrument: Instrument,
    period: BarPeriod,
    range: BarsRange,
    adjustment: PriceAdjustment = 'none',
  ): Generator<void, readonly Bar[]> {
    // The first round fills the caches, the second one is of one moment.
    if (instrument.kind === 'plate') yield* this.#forToday(instrument, () => this.#barsOf(instrument, period, range, adjustment));
    return this.bars(instrument, period, range, adjustment);
  }

  #barsOf(instrument: Instrument, period: BarPeriod, range: BarsRange, adjustment: PriceAdjustment): Generator<void, readonly Bar[]> {
    const now = this.#views.now(instrument);
    return this.#bars.of({ ...range, to: range.to ?? now + 1, instrument, period, now, factor: this.#factors(instrument, adjustment) });
  }

  /** Factors by which prices of a day (counted from 1970-01-01) are multiplied, as of now. */
  #factors(instrument: Instrument, adjustment: PriceAdjustment): (day: number) => bigint {
    return this.#adjustments.factors(instrument, adjustment, this.#tape.days(instrument).at(this.#views.now(instrument)).number);
  }

  /** Factor by which a price at `time` (default: now) is multiplied to be adjusted as of now: see `adjustedPrice`. */
  adjustmentFactor(instrument: Instrument, adjustment: PriceAdjustment, time = this.#views.now(instrument)): bigint {
    // Instruments that trade no more have no ex-dates after their last day.
    const day = this.#tape.days(instrument).at(Math.min(time, this.#views.now(instrument)));
    return this.#factors(instrument, adjustment)(day.number);
  }

  /**
   * The highest and the lowest price of the day bars that start in [from, to), forward adjusted; undefined where there is none. It costs a fraction of
   * the bars.
   */
  range(instrument: Instrument, from: number, to: number): PriceBounds | undefined {
    const now = this.#views.now(instrument);
    return rangeOf(this.#tape, instrument, { from, to: Math.min(to, now + 1) }, now, this.#factors(instrument, 'forward'));
  }

  /** The newest `max` days since an instrument's first one, up to `newest` ("2026-11-20"), whose regular trading is over. */
  pastDays(instrument: Instrument, newest: string, max: number): PastDays {
    return pastDaysOf(this.#tape, instrument, newest, max, this.#factors(instrument, 'forward'));
  }

  /** Starts (or stops) live events of a symbol. Calls nest: each watch needs its own unwatch. */
  watch(instrument: Instrument): void {
    this.live.watch(instrument);
  }

  unwatch(instrument: Instrument): void {
    this.live.unwatch(instrument);
  }

  /** Called for each event of a watched symbol, in order of time. Returns its own removal. */
  onEvent(listener: (event: MarketEvent) => void): () => void {
    return this.live.onEvent(listener);
  }

  /**
   * Takes background liquidity at `limit` or better (any price when undefined), best first, up to `volume`.
   * Taken liquidity is gone from the book until the background renews that level, and is printed on the tape.
   *
   * Background levels that callers' resting orders on the other side would cross are hidden from the book. They are taken too, at the
   * resting price (at `limit`, when that is less): so a resting order is filled by calling this with its own price after each event,
   * and the caller then takes what was filled off the book with {@link show}. Nothing can be taken outside the sessions.
   */
  take(instrument: Instrument, side: Side, volume: bigint, limit?: Decimal): readonly Execution[] {
    const { book, closedAt } = this.view(instrument);
    if (!kinds[instrument.kind].hasBook || closedAt !== undefined) return [];
    const now = this.clock.now();
    const executions = this.#orders(instrument).take(book, side, volume, limit);
    for (const { price, volume: part, resting } of executions) {
      // A print against a resting order came from the background, which then was the aggressor.
      this.addPrint(instrument, now, price, part, (side === 'buy') === !resting ? 1 : -1);
    }
    if (executions.length > 0) this.#changed(instrument);
    return executions.map(({ price, volume: part }) => ({ price, volume: part }));
  }

  /** Volume of the background shown at exactly this price on the given side of the book. */
  volumeAt(instrument: Instrument, side: Side, price: Decimal): bigint {
    if (!kinds[instrument.kind].hasBook) return 0n;
    return (this.#books.get(instrument.symbol) ?? NO_ORDERS).volumeAt(this.view(instrument).book, side, price);
  }

  /**
   * Adds (negative: removes) volume of a caller's resting order to what the book shows at a price. `orderCountChange` is 1 when it comes to
   * rest there, -1 when it leaves, else 0.
   */
  show(instrument: Instrument, side: Side, price: Decimal, volumeChange: bigint, orderCountChange: number, order: RestingOrder): void {
    this.#orders(instrument).show(side, price, volumeChange, orderCountChange, order);
    // The background and the tape are as they were.
    this.#views.bookChanged(instrument);
    this.tellChange(instrument);
  }

  /**
   * Prints a trade on the tape: a resting order that was filled by the flow at the moment of a background tick needs
   * none, a cross between two callers' orders does.
   */
  print(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void {
    // A print outside the sessions belongs to the end of the last one, as a closing cross does.
    const time = this.view(instrument).closedAt ?? this.clock.now();
    this.addPrint(instrument, time, price, volume, direction);
    this.#changed(instrument);
  }

  /** Puts a caller's trade on the tape. */
  protected addPrint(instrument: Instrument, time: number, price: Decimal, volume: bigint, direction: TickDirection): void {
    this.#tape.print(instrument, time, price, volume, direction);
  }

  /** Puts ticks that callers' trades printed in an earlier run back on the tape. Called before the first trade of this run. */
  restorePrints(instrument: Instrument, ticks: readonly Tick[]): void {
    this.#tape.restore(instrument, ticks);
    this.#changed(instrument);
  }

  /** Callers' trades and orders that a copy of this market lacks; `followed` is brought up to now. */
  callerChanges(followed: Followed): CallerChange[] {
    return followed.changes(this.#tape.printed(), this.#books);
  }

  /** Takes in changes of the market that this is a copy of. Those of instruments that are no more are passed over. */
  adopt(changes: readonly (CallerChange & { readonly instrument: Instrument })[]): void {
    for (const { instrument, prints, book } of changes) {
      if (prints !== undefined) this.#tape.adopt(instrument, prints);
      if (book !== undefined) this.#orders(instrument).adopt(book);
      this.#views.traded(this.#onTape(instrument));
    }
  }

  /**
   * The price at which a contract that has expired is settled: by its product's rule, or its own last price. Of options what exercise pays, of warrants the cash
   * that one unit is paid; before that, what they are worth now.
   */
  settlementPrice(contract: Instrument): Decimal {
    const { contracts } = this.#tape.background;
    if (contract.kind === 'future') return contracts.settlementPrice(contract) ?? this.#views.of(contract).quote.last;
    return isDerived(contract) ? contracts.payout(contract, this.clock.now()) : this.#views.of(contract).quote.last;
  }

  /** Valuation now, or at the last moment of an expired or delisted contract, by the background's price of the underlying. */
  valuation(contract: Option | Warrant): ContractValuation {
    const now = this.#views.now(contract);
    const day = this.#tape.days(contract).at(now);
    // Between sessions nothing is traded, and nothing is worth anything else.
    const last = day.sessions.findLast(({ start }) => start <= now) ?? day.sessions[0];
    return this.#tape.background.contracts.derived(contract).valuation(day, Math.min(now, (last?.end ?? day.end) - 1));
  }

  /** At-the-money volatility, a fraction a year, of options that end in `years`, on a day ("2026-11-20"). */
  volatilityAtTheMoney(underlying: Instrument, day: string, years: number): number {
    return this.#tape.background.contracts.volatilityAtTheMoney(underlying, requireDay(day), years);
  }

  /** True once a callable contract has been called: it no longer trades. */
  isCalled(contract: Warrant): boolean {
    const now = this.#views.now(contract);
    return this.#tape.background.contracts.isCalled(contract, this.#tape.days(contract).at(now), now);
  }

  /** The day ("2026-11-20"), before another, on which a callable contract was called; undefined while it was not. */
  calledBefore(warrant: Warrant, day: string): string | undefined {
    return this.#tape.background.contracts.calledOn(warrant, requireDay(day) - 1)?.day;
  }

  /** Price of an instrument at the end of its last trading day before a day, less what goes off on that day, whether that is past or to come; callers' trades do not count. */
  closeBefore(instrument: Instrument, day: string): Decimal {
    return this.#tape.closeBefore(instrument, day);
  }

  /** About {@link SimulatedMarket.closeBefore}, to a fraction of a percent: new contracts are listed around it. */
  levelBefore(instrument: Instrument, day: string): Decimal {
    return this.#tape.levelBefore(instrument, requireDay(day) - 1);
  }

  /** Regular close of a day ("2026-11-20") and what it is compared with; callers' trades do not count. Undefined on days without trading. */
  dayMove(instrument: Instrument, day: string): DayMove | undefined {
    return this.#tape.dayMove(instrument, day);
  }

  #orders(instrument: Instrument): OrderBook {
    const orders = this.#books.get(instrument.symbol) ?? new OrderBook();
    this.#books.set(instrument.symbol, orders);
    return orders;
  }

  /** A print is on the tapes of a contract and of the continuous one that it is at the time. */
  #changed(instrument: Instrument): void {
    const onTape = this.#onTape(instrument);
    this.#views.traded(onTape);
    for (const one of onTape) this.tellChange(one);
  }

  #onTape(instrument: Instrument): readonly Instrument[] {
    if (instrument.kind !== 'future') return [instrument];
    const traded = this.#tradedNow(instrument);
    const continuous = continuousOf(traded);
    return continuous === undefined || this.#tradedNow(continuous) !== traded ? [instrument] : [traded, continuous];
  }

  #tradedNow(instrument: Instrument): Instrument {
    return this.#tape.background.traded(instrument, this.#tape.days(instrument).at(this.#views.now(instrument)));
  }

  /** A caller changed the book or the tape. */
  protected tellChange(instrument: Instrument): void {
    const orders = this.#books.get(instrument.symbol);
    if (orders !== undefined) orders.changedAt = this.clock.now();
    this.live.changed(instrument);
  }

  #book(instrument: Instrument, { book, bookTime }: View, depth: number): Book {
    if (!kinds[instrument.kind].hasBook) return { time: bookTime, bids: [], asks: [] };
    const orders = this.#books.get(instrument.symbol) ?? NO_ORDERS;
    const time = Math.max(bookTime, orders.changedAt);
    return { time, bids: orders.levels(book, 'buy', depth), asks: orders.levels(book, 'sell', depth) };
  }

  /** The same with the orders behind each level: of any instrument, whether its exchange publishes them or not. */
  detailedBook(instrument: Instrument, depth: number): DetailedBook {
    const { time, bids, asks } = this.book(instrument, depth);
    const { book } = this.view(instrument);
    const orders = this.#books.get(instrument.symbol) ?? NO_ORDERS;
    return { time, bids: orders.detailed(book, 'buy', bids), asks: orders.detailed(book, 'sell', asks) };
  }
}
