import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { Instrument } from '../world/instrument.js';
import { nextPrice } from '../world/ticks.js';
import { type Aggregate, aggregateOfTick, barOf, merge, turnoverOf, widened } from './aggregate.js';
import type { BookState, Side } from './background-book.js';
import type {
  Bar,
  BarPeriod,
  Book,
  BookLevel,
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
import { type MarketOptions, SimulatedMarket } from './simulated-market.js';

/** Trades of a symbol that are kept, the newest. */
const TICKS_KEPT = 5_000;
/** Board lots on each side of the last price where a recording has no book. */
const ASSUMED_LOTS = 10n;
const MINUTE_MS = 60_000;
const DEPTH_MAX = 40;

/** An event of a recorded market. Times are epoch ms. */
export type RecordedUpdate =
  | { readonly kind: 'quote'; readonly quote: Quote }
  | { readonly kind: 'book'; readonly book: Book }
  | { readonly kind: 'ticks'; readonly ticks: readonly Tick[] };

interface Recorded {
  readonly instrument: Instrument;
  readonly orders: OrderBook;
  quote: Quote | undefined;
  book: Book | undefined;
  state: BookState | undefined;
  ticks: Tick[];
  /** Sequence of the newest recorded trade. */
  newest: bigint;
  /** Callers' trades that the listeners have not been told of. */
  untold: Tick[];
  telling: boolean;
  day: string;
  /** Minute bars of the day, by start. */
  minutes: Map<number, Aggregate>;
  watchers: number;
}

/**
 * A market in which some symbols are not generated but recorded: their quotes, books and trades are those that are put in by
 * {@link RecordedMarket.update}, and callers trade against them. What callers trade leaves no trace on the recorded figures, which
 * were as they were. All other symbols, and the days before the recording, are the generated market's.
 */
export class RecordedMarket extends SimulatedMarket {
  readonly #recorded = new Map<string, Recorded>();
  readonly #listeners = new Emitter<MarketEvent>();

  readonly #clock: Clock;
  readonly #calendarOf: MarketOptions['calendarOf'];

  constructor(options: MarketOptions, instruments: readonly Instrument[]) {
    super(options);
    this.#clock = options.clock;
    this.#calendarOf = options.calendarOf;
    for (const instrument of instruments) {
      this.#recorded.set(instrument.symbol, {
        instrument,
        orders: new OrderBook(),
        quote: undefined,
        book: undefined,
        state: undefined,
        ticks: [],
        newest: -1n,
        untold: [],
        telling: false,
        day: '',
        minutes: new Map(),
        watchers: 0,
      });
    }
  }

  /** Takes in what happened to a recorded symbol. Ticks that are in already are passed over: a subscription begins with some that came before. */
  update(instrument: Instrument, update: RecordedUpdate): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return;
    switch (update.kind) {
      case 'quote':
        recorded.quote = update.quote;
        if (recorded.book === undefined) recorded.state = undefined;
        break;
      case 'book':
        recorded.book = update.book;
        recorded.state = undefined;
        break;
      case 'ticks': {
        const ticks = update.ticks.filter(({ sequence }) => sequence > recorded.newest);
        if (ticks.length === 0) return;
        this.#append(recorded, ticks);
        this.#emit(recorded, { kind: 'tick', instrument, ticks });
      }
    }
    this.#emit(recorded, { kind: 'book', instrument });
  }

  override *prepare(instrument: Instrument): Generator<void, void> {
    if (!this.#recorded.has(instrument.symbol)) yield* super.prepare(instrument);
  }

  override quote(instrument: Instrument): Quote {
    return this.#recorded.get(instrument.symbol)?.quote ?? super.quote(instrument);
  }

  override book(instrument: Instrument, depth: number): Book {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return super.book(instrument, depth);
    const state = this.#state(recorded);
    const side = (name: Side) => recorded.orders.levels(state, name, depth);
    return { time: recorded.book?.time ?? this.quote(instrument).time, bids: side('buy'), asks: side('sell') };
  }

  override detailedBook(instrument: Instrument, depth: number): DetailedBook {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return super.detailedBook(instrument, depth);
    const { time, bids, asks } = this.book(instrument, depth);
    const state = this.#state(recorded);
    return { time, bids: recorded.orders.detailed(state, 'buy', bids), asks: recorded.orders.detailed(state, 'sell', asks) };
  }

  override ticks(instrument: Instrument, count: number): readonly Tick[] {
    const recorded = this.#recorded.get(instrument.symbol);
    return recorded === undefined ? super.ticks(instrument, count) : recorded.ticks.slice(-count);
  }

  override dayTicks(instrument: Instrument, after: bigint): Iterable<readonly Tick[]> {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return super.dayTicks(instrument, after);
    return [recorded.ticks.filter(({ sequence }) => sequence > after)];
  }

  /** The days before are the generated market's; the minutes of the day begin with the recording. */
  override bars(
    instrument: Instrument,
    period: BarPeriod,
    range: { from?: number; to?: number; limit?: number },
    adjustment: PriceAdjustment = 'none',
  ): readonly Bar[] {
    const recorded = this.#recorded.get(instrument.symbol);
    const today = recorded === undefined ? undefined : this.#bars(recorded, period);
    if (today === undefined) return super.bars(instrument, period, range, adjustment);
    const to = range.to ?? this.#clock.now() + 1;
    const fresh = today.filter((bar) => bar.start < to && bar.start >= (range.from ?? Number.NEGATIVE_INFINITY));
    const begin = today[0]?.start ?? this.#clock.now();
    const before = super.bars(instrument, period, { ...range, to: Math.min(to, begin) }, adjustment).filter((bar) => bar.start < begin);
    const all = [...before, ...fresh];
    if (range.limit === undefined) return all;
    return range.from === undefined ? all.slice(-range.limit) : all.slice(0, range.limit);
  }

  override range(instrument: Instrument, from: number, to: number): PriceBounds | undefined {
    const recorded = this.#recorded.get(instrument.symbol);
    const [today] = (recorded && this.#bars(recorded, { unit: 'day' })) ?? [];
    if (today === undefined) return super.range(instrument, from, to);
    const before = super.range(instrument, from, Math.min(to, today.start));
    if (today.start < from || today.start >= to) return before;
    return before === undefined ? today : widened(before, today);
  }

  override pastDays(instrument: Instrument, newest: string, max: number): PastDays {
    const past = super.pastDays(instrument, newest, max);
    return this.#recorded.has(instrument.symbol) ? { ...past, prices: () => undefined } : past;
  }

  override watch(instrument: Instrument): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) super.watch(instrument);
    else recorded.watchers += 1;
  }

  override unwatch(instrument: Instrument): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) super.unwatch(instrument);
    else if (recorded.watchers === 0) throw new Error(`${instrument.symbol} is not watched`);
    else recorded.watchers -= 1;
  }

  override onEvent(listener: (event: MarketEvent) => void): () => void {
    const leave = this.#listeners.on(listener);
    const stop = super.onEvent(listener);
    return () => {
      stop();
      leave();
    };
  }

  override take(instrument: Instrument, side: Side, volume: bigint, limit?: Decimal): readonly Execution[] {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return super.take(instrument, side, volume, limit);
    if (!this.#isOpen(instrument)) return [];
    const executions = recorded.orders.take(this.#state(recorded), side, volume, limit);
    for (const { price, volume: part, resting } of executions) {
      this.#print(recorded, price, part, (side === 'buy') === !resting ? 1 : -1);
    }
    return executions.map(({ price, volume: part }) => ({ price, volume: part }));
  }

  override volumeAt(instrument: Instrument, side: Side, price: Decimal): bigint {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return super.volumeAt(instrument, side, price);
    return recorded.orders.volumeAt(this.#state(recorded), side, price);
  }

  override show(
    instrument: Instrument,
    side: Side,
    price: Decimal,
    volumeChange: bigint,
    orderCountChange: number,
    order: RestingOrder,
  ): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) {
      super.show(instrument, side, price, volumeChange, orderCountChange, order);
      return;
    }
    recorded.orders.show(side, price, volumeChange, orderCountChange, order);
    this.#changed(recorded);
  }

  override print(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) super.print(instrument, price, volume, direction);
    else this.#print(recorded, price, volume, direction);
  }

  override restorePrints(instrument: Instrument, ticks: readonly Tick[]): void {
    // Callers' trades of earlier runs are not part of the recording.
    if (!this.#recorded.has(instrument.symbol)) super.restorePrints(instrument, ticks);
  }

  #isOpen(instrument: Instrument): boolean {
    return this.#calendarOf(instrument).sessionAt(this.#clock.now()) !== undefined;
  }

  #append(recorded: Recorded, ticks: readonly Tick[]): void {
    for (const tick of ticks) {
      const day = this.#calendarOf(recorded.instrument).tradingDay(tick.time);
      if (day !== recorded.day) {
        recorded.day = day;
        recorded.minutes = new Map();
      }
      const minute = tick.time - (tick.time % MINUTE_MS);
      const totals = merge(recorded.minutes.get(minute), aggregateOfTick(tick));
      if (totals !== undefined) recorded.minutes.set(minute, totals);
      recorded.ticks.push(tick);
      recorded.newest = tick.sequence;
    }
    if (recorded.ticks.length > TICKS_KEPT * 2) recorded.ticks = recorded.ticks.slice(-TICKS_KEPT);
  }

  /** A caller's trade is on the tape of ticks, which names it, and in no total. */
  #print(recorded: Recorded, price: Decimal, volume: bigint, direction: TickDirection): void {
    const sequence = (recorded.ticks.at(-1)?.sequence ?? 0n) + 1n;
    const turnover = turnoverOf(recorded.instrument, price, volume);
    const tick = { sequence, time: this.#clock.now(), price, volume, turnover, direction };
    recorded.ticks.push(tick);
    recorded.untold.push(tick);
    this.#changed(recorded);
  }

  /** Bars of the day that is recorded, as far as it was; undefined for periods that only the days before make up. */
  #bars({ quote, minutes, instrument }: Recorded, period: BarPeriod): Bar[] | undefined {
    if (period.unit === 'minute') {
      const length = period.count * MINUTE_MS;
      const groups = new Map<number, Aggregate>();
      for (const [minute, totals] of [...minutes].sort(([a], [b]) => a - b)) {
        const start = minute - (minute % length);
        const merged = merge(groups.get(start), totals);
        if (merged !== undefined) groups.set(start, merged);
      }
      let previous = quote?.previousClose ?? super.quote(instrument).previousClose;
      return [...groups].map(([start, totals]) => {
        const bar = barOf(start, start + length, previous, totals);
        previous = totals.close;
        return bar;
      });
    }
    if (period.unit !== 'day' || quote === undefined) return undefined;
    const sessions = this.#calendarOf(instrument).sessions(quote.tradingDay);
    const start = sessions[0]?.start ?? quote.time;
    const { open, high, low, last: close, volume, turnover, previousClose } = quote;
    return [{ start, end: sessions.at(-1)?.end ?? quote.time, open, high, low, close, previousClose, volume, turnover }];
  }

  #state(recorded: Recorded): BookState {
    recorded.state ??= { shown: this.#levels(recorded) };
    return recorded.state;
  }

  #levels({ book, instrument }: Recorded): { readonly buy: readonly BookLevel[]; readonly sell: readonly BookLevel[] } {
    if (book !== undefined) return { buy: book.bids.slice(0, DEPTH_MAX), sell: book.asks.slice(0, DEPTH_MAX) };
    const { last } = this.quote(instrument);
    const volume = BigInt(instrument.lotSize) * ASSUMED_LOTS;
    const level = (steps: number): BookLevel => ({ price: nextPrice(instrument.tickTable, last, steps), volume, orderCount: 1 });
    return { buy: [level(-1)], sell: [level(1)] };
  }

  /** Told at once, but not from within the call, so that a listener may itself trade. */
  #changed(recorded: Recorded): void {
    if (recorded.telling) return;
    recorded.telling = true;
    this.#clock.after(0, () => {
      recorded.telling = false;
      const { instrument } = recorded;
      const ticks = recorded.untold.splice(0);
      if (ticks.length > 0) this.#emit(recorded, { kind: 'tick', instrument, ticks });
      this.#emit(recorded, { kind: 'book', instrument });
    });
  }

  #emit({ watchers }: Recorded, event: MarketEvent): void {
    if (watchers > 0) this.#listeners.emit(event);
  }
}
