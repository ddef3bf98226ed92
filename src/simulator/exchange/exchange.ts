import type { Clock } from '../../contract/clock.js';
import type { Market, MarketEvent, Tick } from '../market/market.js';
import type { Calendar, CalendarName, TradingSession } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import { CallerBook, type Incoming, type Matching } from './caller-book.js';

/**
 * What becomes of an arriving order's volume that finds no counterpart at once: `rest` waits in the book; `cancel` gives
 * it up; `all_or_none` trades only if all of it can; `exact_price` trades only if the best price is the limit itself, and
 * gives the rest up.
 */
export type Remainder = 'rest' | 'cancel' | 'all_or_none' | 'exact_price';

export interface Arrival extends Matching {
  /** Still in the book. */
  readonly resting: boolean;
}

export interface ExchangeListener {
  /** Resting orders traded with the flow. */
  matched(instrument: Instrument, matching: Matching): void;
  /** The flow traded; called before resting orders meet the ticks. */
  ticked(instrument: Instrument, ticks: readonly Tick[]): void;
}

/** The matching of callers' orders, per instrument. Only instruments with an order or a watcher are listened to. */
export class Exchange {
  readonly #books = new Map<string, CallerBook>();
  readonly #watchers = new Map<string, number>();
  readonly #stopListening: () => void;
  /** Sequences of ticks that callers' trades made and that the market has not told yet: they are no flow to meet. */
  readonly #ownTicks = new Map<string, Set<bigint>>();

  constructor(
    private readonly clock: Clock,
    private readonly market: Market,
    private readonly calendar: (name: CalendarName) => Calendar,
    private readonly listener: ExchangeListener,
  ) {
    this.#stopListening = market.onEvent((event) => this.#onEvent(event));
  }

  /** Brings an order to the market: it trades by price and time, and what is left is dealt with by `remainder`. */
  arrive(instrument: Instrument, order: Incoming, remainder: Remainder): Arrival {
    const extended = this.#inExtendedSession(instrument);
    let book = this.#books.get(instrument.symbol);
    if (book === undefined) book = new CallerBook(this.market, instrument);
    if (!this.#mayTrade(book, order, remainder, extended)) return { matches: [], prints: [], resting: false };
    const matching = book.aggress(order, extended);
    let left = order.volume;
    for (const match of matching.matches) if (match.orderId === order.id) left -= match.volume;
    this.#remember(instrument, matching);
    const resting = left > 0n && remainder === 'rest';
    if (resting) {
      if (!this.#books.has(instrument.symbol)) {
        this.#books.set(instrument.symbol, book);
        this.watch(instrument);
      }
      book.rest(order, left, this.clock.now());
    } else this.#dropIfEmpty(book);
    return { matches: matching.matches, prints: matching.prints, resting };
  }

  /** Takes an order out of its book; false when it is in none. */
  withdraw(instrument: Instrument, id: bigint): boolean {
    const book = this.#books.get(instrument.symbol);
    if (book === undefined || !book.withdraw(id)) return false;
    this.#dropIfEmpty(book);
    return true;
  }

  /** Lowers a resting order's open volume, keeping its place; false when it does not rest. */
  reduce(instrument: Instrument, id: bigint, remaining: bigint): boolean {
    const book = this.#books.get(instrument.symbol);
    if (book === undefined || !book.has(id)) return false;
    book.reduce(id, remaining);
    return true;
  }

  /** The session now open for an order of this instrument, or undefined. */
  session(instrument: Instrument, extendedHours: boolean): TradingSession | undefined {
    const session = this.calendar(instrument.calendar).sessionAt(this.clock.now());
    return session !== undefined && (session.kind === 'regular' || extendedHours) ? session : undefined;
  }

  /** Listens to an instrument's ticks until as many `unwatch` follow. */
  watch(instrument: Instrument): void {
    const count = this.#watchers.get(instrument.symbol) ?? 0;
    this.#watchers.set(instrument.symbol, count + 1);
    if (count === 0) this.market.watch(instrument);
  }

  unwatch(instrument: Instrument): void {
    const count = this.#watchers.get(instrument.symbol);
    if (count === undefined) throw new Error(`${instrument.symbol} is not watched`);
    if (count > 1) {
      this.#watchers.set(instrument.symbol, count - 1);
      return;
    }
    this.#watchers.delete(instrument.symbol);
    this.#ownTicks.delete(instrument.symbol);
    this.market.unwatch(instrument);
  }

  close(): void {
    this.#stopListening();
    for (const book of this.#books.values()) this.unwatch(book.instrument);
    this.#books.clear();
  }

  #mayTrade(book: CallerBook, order: Incoming, remainder: Remainder, extended: boolean): boolean {
    if (remainder === 'all_or_none') return book.available(order, extended) === order.volume;
    if (remainder !== 'exact_price') return true;
    const { bids, asks } = this.market.book(book.instrument, 1);
    const best = (order.side === 'buy' ? asks : bids)[0];
    return best !== undefined && best.price === order.limit;
  }

  // Events come in a turn of their own, never from within a call to the market.
  #onEvent(event: MarketEvent): void {
    const { instrument } = event;
    if (!this.#watchers.has(instrument.symbol)) return;
    const ticks = event.kind === 'tick' ? event.ticks.filter((tick) => !this.#isOwn(instrument, tick)) : [];
    // Triggers follow the last price, whoever made it.
    if (event.kind === 'tick') this.listener.ticked(instrument, event.ticks);
    const book = this.#books.get(instrument.symbol);
    const session = this.calendar(instrument.calendar).sessionAt(this.clock.now());
    if (book === undefined || session === undefined) return;
    const extended = session.kind === 'extended';
    const matching = event.kind === 'book' ? book.meetBook(extended) : meetTicks(book, ticks, extended);
    this.#remember(instrument, matching);
    this.#dropIfEmpty(book);
    if (matching.matches.length > 0) this.listener.matched(instrument, matching);
  }

  #remember({ symbol }: Instrument, { prints }: Matching): void {
    if (prints.length === 0 || !this.#watchers.has(symbol)) return;
    const own = this.#ownTicks.get(symbol) ?? new Set();
    this.#ownTicks.set(symbol, own);
    for (const tick of prints) own.add(tick.sequence);
  }

  #isOwn({ symbol }: Instrument, tick: Tick): boolean {
    return this.#ownTicks.get(symbol)?.delete(tick.sequence) ?? false;
  }

  #dropIfEmpty(book: CallerBook): void {
    if (!book.isEmpty || !this.#books.delete(book.instrument.symbol)) return;
    this.unwatch(book.instrument);
  }

  #inExtendedSession(instrument: Instrument): boolean {
    return this.calendar(instrument.calendar).sessionAt(this.clock.now())?.kind === 'extended';
  }
}

function meetTicks(book: CallerBook, ticks: readonly Tick[], extendedSession: boolean): Matching {
  const sum: Matching = { matches: [], prints: [] };
  for (const tick of ticks) {
    const { matches, prints } = book.meetTick(tick, extendedSession);
    sum.matches.push(...matches);
    sum.prints.push(...prints);
  }
  return sum;
}
