import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import type { Companies } from '../companies/companies.js';
import type { DayMove } from '../companies/market-prices.js';
import { inTurns } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Calendar } from '../world/calendar.js';
import { continuousOf } from '../world/futures.js';
import { hasMakers, type Instrument, isDerived, type Option, type PlateIndex, type Warrant } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import { roundToTick } from '../world/ticks.js';
import { Adjustments } from './adjustment.js';
import type { Aggregate } from './aggregate.js';
import { Background } from './background.js';
import { type BookState, bookState, type PricedTrade, refreshAt, refreshesOf, type Side } from './background-book.js';
import { BarBlocks } from './bar-blocks.js';
import { barsOf, daysOfBars } from './bars.js';
import type { CallerChange, Followed } from './caller-changes.js';
import { Currencies } from './currencies.js';
import type { History } from './history.js';
import { EMITTED_TICKS_MAX, LiveEvents } from './live-events.js';
import type {
  Bar,
  BarPeriod,
  Book,
  ContractValuation,
  DetailedBook,
  Execution,
  ExtendedTrades,
  Market,
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
import { pastDaysOf } from './past-days.js';
import { rangeOf } from './range.js';
import { anchorOf } from './spot-anchor.js';
import { Tape } from './tape.js';
import { type TradingDay, TradingDays } from './trading-days.js';

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

/** A {@link Market} whose prints can be put back after a restart, and whose whole day can be read. */
export interface SimulatedMarket extends Market {
  /** All ticks of the current trading day's regular hours with a sequence above `after`, oldest first (of callers' own prints, the newest thousand), in pieces. */
  dayTicks(instrument: Instrument, after: bigint): Iterable<readonly Tick[]>;
  /** Puts ticks that callers' trades printed in an earlier run back on the tape. Called before the first trade of this run. */
  restorePrints(instrument: Instrument, ticks: readonly Tick[]): void;
  /** Callers' trades and orders that a copy of this market lacks; `followed` is brought up to now. */
  callerChanges(followed: Followed): CallerChange[];
  /** Takes in changes of the market that this is a copy of. Those of instruments that are no more are passed over. */
  adopt(changes: readonly (CallerChange & { readonly instrument: Instrument })[]): void;
  /** Price of an instrument at the end of its last trading day before a day, less what goes off on that day, whether that is past or to come; callers' trades do not count. */
  closeBefore(instrument: Instrument, day: string): Decimal;
  /** About {@link SimulatedMarket.closeBefore}, to a fraction of a percent: new contracts are listed around it. */
  levelBefore(instrument: Instrument, day: string): Decimal;
  /** The day ("2026-11-20"), before another, on which a callable contract was called; undefined while it was not. */
  calledBefore(warrant: Warrant, day: string): string | undefined;
  /** Regular close of a day ("2026-11-20") and what it is compared with; callers' trades do not count. Undefined on days without trading. */
  dayMove(instrument: Instrument, day: string): DayMove | undefined;
}

export function createMarket(options: MarketOptions): SimulatedMarket {
  return new MarketOfTape(options);
}

/** State of one symbol until the background or a caller next changes it. */
interface View {
  /** Holds in [from, until), epoch ms. */
  readonly from: number;
  readonly until: number;
  /** When the background next trades or changes the book. */
  readonly nextChange: number;
  /** Callers' trades in any symbol when an index of members was computed. */
  readonly prints: number;
  /** The last moment of trading, when no session is open. */
  readonly closedAt: number | undefined;
  readonly quote: Quote;
  readonly book: BookState;
  /** Books already answered, by depth. */
  readonly books: Map<number, Book>;
  /** Time of the background's last trade or refresh, epoch ms. */
  readonly bookTime: number;
}

/** The day (from 1970-01-01) for which a plate has been worked out, or is about to be. */
interface Prepared {
  day: number | undefined;
  working: Promise<void> | undefined;
}

const REGULAR = new Set(['regular'] as const);
const CACHED_VIEWS = 10_000;
const DAY_MS = 86_400_000;
/** The book of symbols that no caller touched. */
const NO_ORDERS = new OrderBook();
/** Nobody quotes a contract that has been called. */
const NO_BOOK: BookState = { shown: { buy: [], sell: [] } };
/** More than there are plates. */
const CACHED_PLATES = 1_000;
const noDay = (): Prepared => ({ day: undefined, working: undefined });
const noView = (): { view: View | undefined } => ({ view: undefined });

class MarketOfTape implements SimulatedMarket {
  readonly #clock: Clock;
  readonly #tape: Tape;
  readonly #blocks = new BarBlocks();
  readonly #adjustments: Adjustments;
  readonly #live: LiveEvents;
  readonly #books = new Map<string, OrderBook>();
  #prints = 0;
  readonly #prepared = new LruCache<string, Prepared>(CACHED_PLATES);
  readonly #views = new LruCache<string, { view: View | undefined }>(CACHED_VIEWS);

  constructor({ clock, seed, calendarOf, pairs, companies, history = new Map() }: MarketOptions) {
    this.#clock = clock;
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
    const currencies = pair === undefined ? undefined : Currencies.of(seed, pairs, daysOf(pair), anchor);
    this.#tape = new Tape(new Background(seed, daysOf, anchor, currencies, companies, history), history);
    this.#adjustments = new Adjustments(
      (instrument) => companies.timeline(instrument),
      (instrument, ex) => this.#tape.drop(instrument, ex),
      (instrument) => this.#tape.firstDay(instrument),
    );
    this.#live = new LiveEvents(clock, {
      newest: (instrument) => this.#tape.ticks(instrument, this.#now(instrument), 1).at(-1)?.sequence ?? 0n,
      ticksAfter: (instrument, sequence) => this.#tape.ticks(instrument, this.#now(instrument), EMITTED_TICKS_MAX, Number(sequence)),
      nextChange: (instrument) => this.#view(instrument).nextChange,
      prepare: (instrument) => this.prepare(instrument),
    });
  }

  quote(instrument: Instrument): Quote {
    return this.#view(instrument).quote;
  }

  prepare(instrument: Instrument): Promise<void> | undefined {
    if (instrument.kind !== 'plate') return this.#prepareFirstLook(instrument);
    const today = this.#today(instrument);
    const known = this.#prepared.get(instrument.symbol, noDay);
    if (known.day === today) return known.working;
    known.day = today;
    const working = inTurns(this.#forToday(instrument, () => this.#tape.preparePlate(instrument, this.#clock.now())));
    if (!(working instanceof Promise)) return undefined;
    const done = () => {
      if (known.working === finished) known.working = undefined;
    };
    const finished = working.finally(done);
    known.working = finished;
    return finished;
  }

  /** Prepares the company and the day of anything but a plate. */
  #prepareFirstLook(instrument: Instrument): Promise<void> | undefined {
    if (this.#views.peek(instrument.symbol) !== undefined) return undefined;
    const looking = inTurns(this.#firstLook(instrument));
    return looking instanceof Promise ? looking : undefined;
  }

  *#firstLook(instrument: Instrument): Generator<void, void> {
    const { background } = this.#tape;
    const day = this.#tape.days(instrument).at(this.#now(instrument));
    background.profile(instrument);
    yield;
    background.day(instrument, day);
    yield;
    this.#view(instrument);
  }

  book(instrument: Instrument, depth: number): Book {
    const view = this.#view(instrument);
    const known = view.books.get(depth);
    if (known !== undefined) return known;
    const book = this.#book(instrument, view, depth);
    view.books.set(depth, book);
    return book;
  }

  ticks(instrument: Instrument, count: number): readonly Tick[] {
    if (!kinds[instrument.kind].hasTrades) return [];
    return this.#tape.ticks(instrument, this.#now(instrument), count);
  }

  dayTicks(instrument: Instrument, after: bigint): Iterable<readonly Tick[]> {
    if (!kinds[instrument.kind].hasTrades) return [];
    return this.#tape.dayTicks(instrument, this.#now(instrument), Number(after));
  }

  bars(
    instrument: Instrument,
    period: BarPeriod,
    range: { from?: number; to?: number; limit?: number },
    adjustment: PriceAdjustment = 'none',
  ): readonly Bar[] {
    const now = this.#now(instrument);
    const today = this.#tape.days(instrument).at(now).number;
    const factors = this.#adjustments.factors(instrument, adjustment, today);
    const factor = ({ number }: TradingDay) => factors(number);
    return barsOf({ tape: this.#tape, blocks: this.#blocks }, instrument, period, { ...range, to: range.to ?? now + 1, factor }, now);
  }

  *prepareBars(instrument: Instrument, period: BarPeriod, range: { from?: number; to?: number; limit?: number }): Generator<void, void> {
    if (instrument.kind !== 'plate') return;
    yield* this.#forToday(instrument, () => this.#prepareBars(instrument, period, range));
  }

  *#prepareBars(plate: PlateIndex, period: BarPeriod, range: { from?: number; to?: number; limit?: number }): Generator<void, void> {
    const now = this.#now(plate);
    for (const day of daysOfBars(this.#tape, plate, period, { ...range, to: range.to ?? now + 1 }, now)) {
      yield* this.#tape.prepareBars(plate, day, period.unit === 'minute');
    }
  }

  /** Work that pauses, for the trading day that it is: once more where another began before it was done. */
  *#forToday(instrument: Instrument, work: () => Generator<void, void>): Generator<void, void> {
    let day: number;
    do {
      day = this.#today(instrument);
      yield* work();
    } while (this.#today(instrument) !== day);
  }

  /** The number of the trading day that it is. */
  #today(instrument: Instrument): number {
    return this.#tape.days(instrument).at(this.#clock.now()).number;
  }

  adjustmentFactor(instrument: Instrument, adjustment: PriceAdjustment, time = this.#now(instrument)): bigint {
    const days = this.#tape.days(instrument);
    const now = this.#now(instrument);
    // Instruments that trade no more have no ex-dates after their last day.
    return this.#adjustments.factors(instrument, adjustment, days.at(now).number)(days.at(Math.min(time, now)).number);
  }

  range(instrument: Instrument, from: number, to: number): PriceBounds | undefined {
    const now = this.#now(instrument);
    const days = this.#tape.days(instrument);
    const factors = this.#adjustments.factors(instrument, 'forward', days.at(now).number);
    return rangeOf(this.#tape, instrument, { from, to: Math.min(to, now + 1) }, now, factors);
  }

  pastDays(instrument: Instrument, newest: string, max: number): PastDays {
    const today = this.#tape.days(instrument).at(this.#now(instrument)).number;
    return pastDaysOf(this.#tape, instrument, { newest, max }, this.#adjustments.factors(instrument, 'forward', today));
  }

  watch(instrument: Instrument): void {
    this.#live.watch(instrument);
  }

  unwatch(instrument: Instrument): void {
    this.#live.unwatch(instrument);
  }

  onEvent(listener: (event: MarketEvent) => void): () => void {
    return this.#live.onEvent(listener);
  }

  take(instrument: Instrument, side: Side, volume: bigint, limit?: Decimal): readonly Execution[] {
    const { book, closedAt } = this.#view(instrument);
    if (!kinds[instrument.kind].hasBook || closedAt !== undefined) return [];
    const now = this.#clock.now();
    const executions = this.#orders(instrument).take(book, side, volume, limit);
    for (const { price, volume: part, resting } of executions) {
      // A print against a resting order came from the background, which then was the aggressor.
      this.#tape.print(instrument, now, price, part, (side === 'buy') === !resting ? 1 : -1);
    }
    if (executions.length > 0) this.#changed(instrument);
    return executions.map(({ price, volume: part }) => ({ price, volume: part }));
  }

  volumeAt(instrument: Instrument, side: Side, price: Decimal): bigint {
    if (!kinds[instrument.kind].hasBook) return 0n;
    return (this.#books.get(instrument.symbol) ?? NO_ORDERS).volumeAt(this.#view(instrument).book, side, price);
  }

  show(instrument: Instrument, side: Side, price: Decimal, volumeChange: bigint, orderCountChange: number, order: RestingOrder): void {
    this.#orders(instrument).show(side, price, volumeChange, orderCountChange, order);
    // The background and the tape are as they were.
    this.#views.get(instrument.symbol, noView).view?.books.clear();
    this.#tellChange(instrument);
  }

  print(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void {
    // A print outside the sessions belongs to the end of the last one, as a closing cross does.
    const time = this.#view(instrument).closedAt ?? this.#clock.now();
    this.#tape.print(instrument, time, price, volume, direction);
    this.#changed(instrument);
  }

  restorePrints(instrument: Instrument, ticks: readonly Tick[]): void {
    this.#tape.restore(instrument, ticks);
    this.#changed(instrument);
  }

  callerChanges(followed: Followed): CallerChange[] {
    const changes = new Map<string, CallerChange>();
    for (const [symbol, prints] of this.#tape.printed()) {
      const known = followed.prints.get(symbol);
      const { version, lastSequence: sequence } = prints;
      if (known?.version === version) continue;
      followed.prints.set(symbol, { sequence, version });
      changes.set(symbol, { symbol, prints: prints.changeAfter(known?.sequence ?? -1) });
    }
    for (const [symbol, book] of this.#books) {
      const known = followed.books.get(symbol);
      const { version, changedAt } = book;
      if (known?.version === version && known.changedAt === changedAt) continue;
      followed.books.set(symbol, { version, changedAt });
      changes.set(symbol, { symbol, ...changes.get(symbol), book: book.state() });
    }
    return [...changes.values()];
  }

  adopt(changes: readonly (CallerChange & { readonly instrument: Instrument })[]): void {
    for (const { instrument, prints, book } of changes) {
      if (prints !== undefined) this.#tape.adopt(instrument, prints);
      if (book !== undefined) this.#orders(instrument).adopt(book);
      this.#prints += 1;
      for (const one of this.#onTape(instrument)) this.#views.get(one.symbol, noView).view = undefined;
    }
  }

  settlementPrice(contract: Instrument): Decimal {
    const { background } = this.#tape;
    if (contract.kind === 'future') return background.settlementPrice(contract) ?? this.quote(contract).last;
    return isDerived(contract) ? background.payout(contract, this.#clock.now()) : this.quote(contract).last;
  }

  valuation(contract: Option | Warrant): ContractValuation {
    const now = this.#now(contract);
    const day = this.#tape.days(contract).at(now);
    // Between sessions nothing is traded, and nothing is worth anything else.
    const last = day.sessions.findLast(({ start }) => start <= now) ?? day.sessions[0];
    return this.#tape.background.derived(contract).valuation(day, Math.min(now, (last?.end ?? day.end) - 1));
  }

  volatilityAtTheMoney(underlying: Instrument, day: string, years: number): number {
    return this.#tape.background.volatilityAtTheMoney(underlying, requireDay(day), years);
  }

  isCalled(contract: Warrant): boolean {
    const now = this.#now(contract);
    return this.#tape.background.isCalled(contract, this.#tape.days(contract).at(now), now);
  }

  calledBefore(warrant: Warrant, day: string): string | undefined {
    return this.#tape.background.calledOn(warrant, requireDay(day) - 1)?.day;
  }

  closeBefore(instrument: Instrument, day: string): Decimal {
    return this.#tape.closeBefore(instrument, day);
  }

  levelBefore(instrument: Instrument, day: string): Decimal {
    return this.#tape.levelBefore(instrument, requireDay(day) - 1);
  }

  dayMove(instrument: Instrument, day: string): DayMove | undefined {
    return this.#tape.dayMove(instrument, day);
  }

  /** The clock's time; of what is traded no more, the end of its last day. */
  #now(instrument: Instrument): number {
    const now = this.#clock.now();
    if (instrument.lastTradingDay === undefined) return now;
    return Math.min(now, this.#tape.days(instrument).on(instrument.lastTradingDay).end - 1);
  }

  #orders(instrument: Instrument): OrderBook {
    const orders = this.#books.get(instrument.symbol) ?? new OrderBook();
    this.#books.set(instrument.symbol, orders);
    return orders;
  }

  /** A print is on the tapes of a contract and of the continuous one that it is at the time. */
  #changed(instrument: Instrument): void {
    this.#prints += 1;
    for (const one of this.#onTape(instrument)) {
      this.#views.get(one.symbol, noView).view = undefined;
      this.#tellChange(one);
    }
  }

  #onTape(instrument: Instrument): readonly Instrument[] {
    if (instrument.kind !== 'future') return [instrument];
    const traded = this.#tradedNow(instrument);
    const continuous = continuousOf(traded);
    return continuous === undefined || this.#tradedNow(continuous) !== traded ? [instrument] : [traded, continuous];
  }

  #tradedNow(instrument: Instrument): Instrument {
    return this.#tape.background.traded(instrument, this.#tape.days(instrument).at(this.#now(instrument)));
  }

  #tellChange(instrument: Instrument): void {
    const orders = this.#books.get(instrument.symbol);
    if (orders !== undefined) orders.changedAt = this.#clock.now();
    this.#live.changed(instrument);
  }

  #view(instrument: Instrument): View {
    const remembered = this.#views.get(instrument.symbol, noView);
    const now = this.#clock.now();
    const known = remembered.view;
    const isFresh = known !== undefined && now >= known.from && now < known.until;
    if (isFresh && (instrument.kind !== 'plate' || known.prints === this.#prints)) return known;
    const view = this.#look(instrument, now);
    remembered.view = view;
    return view;
  }

  #look(instrument: Instrument, time: number): View {
    const background = this.#tape.background;
    const daysOf = this.#tape.days(instrument);
    const now = this.#now(instrument);
    // Expired and delisted instruments stay as their last day left them.
    const isOver = now < time;
    const day = daysOf.at(now);
    const isCalled = instrument.kind === 'warrant' && this.#tape.background.isCalled(instrument, day, now);
    const open = isOver || isCalled ? undefined : day.sessions.find(({ start, end }) => start <= now && now < end);
    // The last moment of what is over lies in its last session still.
    const closedAt = open === undefined ? (day.sessions.findLast(({ end }) => end - 1 <= now)?.end ?? day.start) - 1 : undefined;
    const today = background.day(instrument, day);
    const traded = background.traded(instrument, day);
    const profile = background.profile(traded);
    const refresh = hasMakers(traded)
      ? background.quoting(traded, closedAt ?? now)
      : refreshAt(refreshesOf(profile, today), closedAt ?? now);
    const nextSession = day.sessions.find(({ start }) => start > now)?.start ?? daysOf.next(day).start;
    const happened = today.tape.countBefore(now + 1);
    const [newest] = today.tape.trades(happened - 1, happened);
    const [next] = today.tape.trades(happened, happened + 1);
    const last = newest === undefined ? undefined : { ...newest, price: newest.price * today.grid };
    const around = this.#quoted(traded, day, refresh.time, last);
    const quote = this.#quote(instrument, day, now);
    const reference = background.reference(traded, day, background.close(traded, daysOf.previous(day)));
    const changes = isOver
      ? time + DAY_MS
      : Math.min(next?.time ?? Infinity, open === undefined ? nextSession : Math.min(refresh.next, open.end));
    return {
      from: time,
      // The index of a plate is worked out now and then, what its members trade changes meanwhile.
      until: instrument.kind === 'plate' ? time + 1 : changes,
      nextChange: changes,
      prints: this.#prints,
      closedAt,
      quote,
      book: isCalled ? NO_BOOK : bookState(profile, today, around, Number(reference), refresh.number, instrument.lotSize),
      books: new Map(),
      bookTime: Math.max(newest?.time ?? 0, refresh.time),
    };
  }

  /** Centre of a book: the last trade. Market makers quote a contract's value, whatever was traded last. */
  #quoted(traded: Instrument, day: TradingDay, time: number, last: PricedTrade | undefined): PricedTrade | undefined {
    if (!hasMakers(traded)) return last;
    const value = this.#tape.background.worth(traded, day, Math.max(day.start, time));
    const bid = roundToTick(traded.tickTable, BigInt(Math.floor(value)), 'down');
    return { index: last?.index ?? -1, direction: -1, price: Number(bid) };
  }

  #book(instrument: Instrument, { book, bookTime }: View, depth: number): Book {
    if (!kinds[instrument.kind].hasBook) return { time: bookTime, bids: [], asks: [] };
    const orders = this.#books.get(instrument.symbol) ?? NO_ORDERS;
    const time = Math.max(bookTime, orders.changedAt);
    return { time, bids: orders.levels(book, 'buy', depth), asks: orders.levels(book, 'sell', depth) };
  }

  detailedBook(instrument: Instrument, depth: number): DetailedBook {
    const { time, bids, asks } = this.book(instrument, depth);
    const { book } = this.#view(instrument);
    const orders = this.#books.get(instrument.symbol) ?? NO_ORDERS;
    return { time, bids: orders.detailed(book, 'buy', bids), asks: orders.detailed(book, 'sell', asks) };
  }

  /** Before the day's first regular trade, every price is the close before. */
  #quote(instrument: Instrument, day: TradingDay, now: number): Quote {
    const previousClose = this.#tape.previousClose(instrument, day);
    const totals = this.#tape.dayTotals(instrument, day, now);
    const none = { open: previousClose, high: previousClose, low: previousClose, close: previousClose, volume: 0n, turnover: 0n };
    const { open, high, low, close, volume, turnover } = totals ?? none;
    const time = this.#tape.ticks(instrument, now, 1).at(-1)?.time ?? day.start;
    const { pre, after } = this.#tape.extendedTotals(instrument, day, now);
    return {
      time,
      tradingDay: day.day,
      last: close,
      open,
      high,
      low,
      previousClose,
      volume,
      turnover,
      ...(pre === undefined ? {} : { preMarket: extendedTrades(pre) }),
      ...(after === undefined ? {} : { afterMarket: extendedTrades(after) }),
    };
  }
}

function extendedTrades({ close, high, low, volume, turnover }: Aggregate): ExtendedTrades {
  return { last: close, high, low, volume, turnover };
}
