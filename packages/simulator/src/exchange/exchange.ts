import type { Clock } from '@svc-gateway/contract/clock';
import type { MarketEvent, Tick } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import { TrustedPrints } from '../market/trusted-prints.js';
import type { Calendar, CalendarName, TradingSession } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import { CallerBook, type Incoming, type Matching } from './caller-book.js';
import { ComboBook, type ComboOrder, type RestingCombo } from './combo-book.js';
import { comboPlan } from './combo-plan.js';
import { netMoney, type PricedLeg, unitMultiplier } from './net-price.js';

/**
 * Handling of an arriving order's volume that finds no counterpart at once: `rest` waits in the book; `cancel` gives
 * it up; `all_or_none` trades only if all of it can; `exact_price` trades only if the best price is the limit itself, and
 * gives the rest up.
 */
export type Remainder = 'rest' | 'cancel' | 'all_or_none' | 'exact_price';

export interface Arrival extends Matching {
  /** Still in the book. */
  readonly resting: boolean;
}

/** Trades of one order of several legs, by leg. */
export interface ComboTrade {
  readonly orderId: bigint;
  readonly legs: readonly { readonly instrument: Instrument; readonly matching: Matching }[];
}

export interface ComboArrival {
  /** Undefined where it traded nothing. */
  readonly trade: ComboTrade | undefined;
  readonly resting: boolean;
}

export interface ExchangeListener {
  /** Resting orders traded with the flow. */
  matched(instrument: Instrument, matching: Matching): void;
  /** Whether a resting order of several legs, which could trade now, may. Where not, it has been withdrawn. */
  mayTrade(orderId: bigint): boolean;
  /** Such an order has traded. */
  comboTraded(trade: ComboTrade): void;
  /** Trades that may trigger something, see {@link TrustedPrints}; called before resting orders meet the ticks. */
  ticked(instrument: Instrument, ticks: readonly Tick[]): void;
}

/** The matching of callers' orders, per instrument. Only instruments with an order or a watcher are listened to. */
export class Exchange {
  readonly #books = new Map<string, CallerBook>();
  readonly #combos = new ComboBook();
  readonly #watchers = new Map<string, number>();
  readonly #stopListening: () => void;
  /** Sequences of ticks that callers' trades made and that the market has not told yet: they are no flow to meet. */
  readonly #ownTicks = new Map<string, Set<bigint>>();
  readonly #trusted = new Map<string, TrustedPrints>();

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

  /** Brings an order of several legs to the market: all of them trade against their books, or none does. What is left may rest. */
  arriveCombo(order: ComboOrder, rests: boolean): ComboArrival {
    const { trade, units } = this.#tradeCombo(order, order.volume);
    const left = order.volume - units;
    const resting = rests && left > 0n;
    if (resting) {
      this.#combos.rest(order, left);
      for (const { instrument } of order.legs) this.watch(instrument);
    }
    return { trade, resting };
  }

  /** Takes an order out of its book; false when it is in none. */
  withdraw(instrument: Instrument, id: bigint): boolean {
    if (this.#withdrawCombo(id)) return true;
    const book = this.#books.get(instrument.symbol);
    if (book === undefined || !book.withdraw(id)) return false;
    this.#dropIfEmpty(book);
    return true;
  }

  #withdrawCombo(id: bigint): boolean {
    const resting = this.#combos.remove(id);
    if (resting === undefined) return false;
    for (const { instrument } of resting.order.legs) this.unwatch(instrument);
    return true;
  }

  /** Lowers a resting order's open volume, keeping its place; false when it does not rest. */
  reduce(instrument: Instrument, id: bigint, remaining: bigint): boolean {
    const combo = this.#combos.get(id);
    if (combo !== undefined) {
      combo.left = remaining;
      return true;
    }
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
    this.#trusted.delete(instrument.symbol);
    this.market.unwatch(instrument);
  }

  close(): void {
    this.#stopListening();
    for (const book of this.#books.values()) this.unwatch(book.instrument);
    for (const { order } of [...this.#combos.all()]) this.#withdrawCombo(order.id);
    this.#books.clear();
  }

  #mayTrade(book: CallerBook, order: Incoming, remainder: Remainder, extended: boolean): boolean {
    if (remainder === 'all_or_none') return book.available(order, extended) === order.volume;
    if (remainder !== 'exact_price') return true;
    const { bids, asks } = this.market.book(book.instrument, 1);
    const best = (order.side === 'buy' ? asks : bids)[0];
    return best !== undefined && best.price === order.limit;
  }

  /** Trades as much of an order of several legs as its books allow now. */
  #tradeCombo(order: ComboOrder, volume: bigint): { trade: ComboTrade | undefined; units: bigint } {
    const nothing = { trade: undefined, units: 0n };
    if (order.legs.some(({ instrument }) => this.session(instrument, false) === undefined)) return nothing;
    const books = order.legs.map(({ instrument }) => this.#books.get(instrument.symbol) ?? new CallerBook(this.market, instrument));
    const offers = order.legs.map(({ instrument: { multiplier }, side, ratio }, i) => ({
      side,
      ratio,
      multiplier,
      levels: books[i]?.offers(side) ?? [],
    }));
    const { units, limits } = comboPlan(offers, order.limit, volume, order.step);
    if (units === 0n) return nothing;
    const legs = order.legs.map(({ instrument, side, ratio }, leg) => {
      const [book, limit] = [books[leg], limits[leg]];
      if (book === undefined || limit === undefined) throw new Error(`order ${order.id} has no plan for leg ${leg}`);
      const { matches, prints } = book.aggress({ id: order.id, side, limit, volume: units * ratio, extendedHours: false }, false);
      const own = matches.filter(({ orderId }) => orderId === order.id);
      const traded = own.reduce((sum, match) => sum + match.volume, 0n);
      if (traded !== units * ratio) throw new Error(`order ${order.id} traded ${traded} of ${units * ratio} in ${instrument.symbol}`);
      const matching = { matches: matches.map((match) => (match.orderId === order.id ? { ...match, leg } : match)), prints };
      this.#remember(instrument, matching);
      this.#dropIfEmpty(book);
      return { instrument, matching };
    });
    return { trade: { orderId: order.id, legs }, units };
  }

  /** A book has changed: resting orders with a leg in it may now find all of their legs. */
  #meetCombos({ symbol }: Instrument): void {
    for (const first of this.#combos.firstsIn(symbol)) {
      let next: RestingCombo | undefined = first;
      while (next !== undefined && this.#meetCombo(next)) next = this.#combos.firstLike(first.order);
    }
  }

  /** Whether the order is gone, so that the one behind it has its turn. */
  #meetCombo(resting: RestingCombo): boolean {
    const { order, left } = resting;
    if (!this.#canTrade(resting)) return false;
    if (!this.listener.mayTrade(order.id)) return this.#combos.get(order.id) === undefined;
    const { trade, units } = this.#tradeCombo(order, left);
    if (trade === undefined) return false;
    resting.left -= units;
    const isGone = resting.left === 0n;
    if (isGone) this.#withdrawCombo(order.id);
    this.listener.comboTraded(trade);
    return isGone;
  }

  /** Whether the best prices of its legs are good enough, which is soon seen. */
  #canTrade({ order }: RestingCombo): boolean {
    const legs: PricedLeg[] = [];
    for (const { instrument, side, ratio } of order.legs) {
      const { bids, asks } = this.market.book(instrument, 1);
      const best = (side === 'buy' ? asks : bids)[0];
      if (best === undefined) return false;
      legs.push({ side, ratio, price: best.price, multiplier: instrument.multiplier });
    }
    return netMoney(legs) <= order.limit * unitMultiplier(legs);
  }

  // Events come in a turn of their own, never from within a call to the market.
  #onEvent(event: MarketEvent): void {
    const { instrument } = event;
    if (!this.#watchers.has(instrument.symbol)) return;
    const ticks = event.kind === 'tick' ? event.ticks.filter((tick) => !this.#isOwn(instrument, tick)) : [];
    // Triggers follow the last price, of callers and background alike.
    const trusted = this.#trustedOf(instrument).after(event, this.clock.now());
    if (trusted.length > 0) this.listener.ticked(instrument, trusted);
    const session = this.calendar(instrument.calendar).sessionAt(this.clock.now());
    if (session === undefined) return;
    const book = this.#books.get(instrument.symbol);
    if (book !== undefined) {
      const extended = session.kind === 'extended';
      const matching = event.kind === 'book' ? book.meetBook(extended) : meetTicks(book, ticks, extended);
      this.#remember(instrument, matching);
      this.#dropIfEmpty(book);
      if (matching.matches.length > 0) this.listener.matched(instrument, matching);
    }
    if (event.kind === 'book') this.#meetCombos(instrument);
  }

  #trustedOf(instrument: Instrument): TrustedPrints {
    const known = this.#trusted.get(instrument.symbol) ?? new TrustedPrints(instrument, () => this.market.book(instrument, 1));
    this.#trusted.set(instrument.symbol, known);
    return known;
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
