import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import { nextPrice } from '../world/ticks.js';
import { type Aggregate, aggregateOfTick, barOf, joined, merge, turnoverOf } from './aggregate.js';
import type { BookState } from './background-book.js';
import type {
  Bar,
  BarPeriod,
  BarsRange,
  Book,
  BookLevel,
  PastDays,
  PriceAdjustment,
  PriceBounds,
  Quote,
  Tick,
  TickDirection,
} from './market.js';
import { type MarketOptions, SimulatedMarket } from './simulated-market.js';
import type { View } from './views.js';

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
}

/**
 * A market in which some symbols are not generated but recorded: their quotes, books and trades are those that are put in by
 * {@link RecordedMarket.update}, and callers trade against them. What callers trade leaves no trace on the recorded figures, which
 * were as they were. All other symbols, and the days before the recording, are the generated market's.
 */
export class RecordedMarket extends SimulatedMarket {
  readonly #recorded = new Map<string, Recorded>();
  readonly #calendarOf: MarketOptions['calendarOf'];

  constructor(options: MarketOptions, instruments: readonly Instrument[]) {
    super(options);
    this.#calendarOf = options.calendarOf;
    for (const instrument of instruments) {
      this.#recorded.set(instrument.symbol, {
        instrument,
        quote: undefined,
        book: undefined,
        state: undefined,
        ticks: [],
        newest: -1n,
        untold: [],
        telling: false,
        day: '',
        minutes: new Map(),
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
        this.live.tell({ kind: 'tick', instrument, ticks });
      }
    }
    this.live.tell({ kind: 'book', instrument });
  }

  protected override view(instrument: Instrument): View {
    const view = super.view(instrument);
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return view;
    const quote = recorded.quote ?? view.quote;
    recorded.state ??= { shown: levelsOf(recorded, quote) };
    // The next update is the next change.
    return {
      ...view,
      quote,
      book: recorded.state,
      bookTime: recorded.book?.time ?? quote.time,
      books: new Map(),
      nextChange: Number.POSITIVE_INFINITY,
    };
  }

  override ticks(instrument: Instrument, count: number): readonly Tick[] {
    return this.#recorded.get(instrument.symbol)?.ticks.slice(-count) ?? super.ticks(instrument, count);
  }

  override dayTicks(instrument: Instrument, after: bigint): readonly Tick[] {
    return this.#recorded.get(instrument.symbol)?.ticks.filter(({ sequence }) => sequence > after) ?? super.dayTicks(instrument, after);
  }

  /** The days before are the generated market's; the minutes of the day begin with the recording. */
  override bars(instrument: Instrument, period: BarPeriod, range: BarsRange, adjustment: PriceAdjustment = 'none'): readonly Bar[] {
    const today = this.#bars(instrument, period);
    if (today === undefined) return super.bars(instrument, period, range, adjustment);
    const to = range.to ?? this.clock.now() + 1;
    const fresh = today.filter((bar) => bar.start < to && bar.start >= (range.from ?? Number.NEGATIVE_INFINITY));
    const begin = today[0]?.start ?? this.clock.now();
    const before = super.bars(instrument, period, { ...range, to: Math.min(to, begin) }, adjustment).filter((bar) => bar.start < begin);
    const all = [...before, ...fresh];
    if (range.limit === undefined) return all;
    return range.from === undefined ? all.slice(-range.limit) : all.slice(0, range.limit);
  }

  override range(instrument: Instrument, from: number, to: number): PriceBounds | undefined {
    const [today] = this.#bars(instrument, { unit: 'day' }) ?? [];
    if (today === undefined) return super.range(instrument, from, to);
    const before = super.range(instrument, from, Math.min(to, today.start));
    return today.start < from || today.start >= to ? before : joined(before, today);
  }

  override pastDays(instrument: Instrument, newest: string, max: number): PastDays {
    const past = super.pastDays(instrument, newest, max);
    return this.#recorded.has(instrument.symbol) ? { ...past, prices: () => undefined } : past;
  }

  override restorePrints(instrument: Instrument, ticks: readonly Tick[]): void {
    // Callers' trades of earlier runs are not part of the recording.
    if (!this.#recorded.has(instrument.symbol)) super.restorePrints(instrument, ticks);
  }

  /** A caller's trade is on the tape of ticks, which names it, and in no total. */
  protected override addPrint(instrument: Instrument, at: number, price: Decimal, volume: bigint, direction: TickDirection): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) {
      super.addPrint(instrument, at, price, volume, direction);
      return;
    }
    const sequence = (recorded.ticks.at(-1)?.sequence ?? 0n) + 1n;
    const turnover = turnoverOf(instrument, price, volume);
    const tick = { sequence, time: this.clock.now(), price, volume, turnover, direction };
    recorded.ticks.push(tick);
    recorded.untold.push(tick);
  }

  protected override tellChange(instrument: Instrument): void {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) {
      super.tellChange(instrument);
      return;
    }
    if (recorded.telling) return;
    recorded.telling = true;
    // Not from within the call, so that a listener may itself trade.
    this.clock.after(0, () => {
      recorded.telling = false;
      const ticks = recorded.untold.splice(0);
      if (ticks.length > 0) this.live.tell({ kind: 'tick', instrument, ticks });
      this.live.tell({ kind: 'book', instrument });
    });
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

  /** Bars of the day that is recorded, as far as it was; undefined for other symbols, and for periods that only the days before make up. */
  #bars(instrument: Instrument, period: BarPeriod): Bar[] | undefined {
    const recorded = this.#recorded.get(instrument.symbol);
    if (recorded === undefined) return undefined;
    const { quote, minutes } = recorded;
    if (period.unit === 'minute') {
      const length = period.count * MINUTE_MS;
      const groups = new Map<number, Aggregate>();
      for (const [minute, totals] of [...minutes].sort(([a], [b]) => a - b)) {
        const start = minute - (minute % length);
        const merged = merge(groups.get(start), totals);
        if (merged !== undefined) groups.set(start, merged);
      }
      let previous = this.quote(instrument).previousClose;
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
}

function levelsOf(
  { book, instrument }: Recorded,
  { last }: Quote,
): { readonly buy: readonly BookLevel[]; readonly sell: readonly BookLevel[] } {
  if (book !== undefined) return { buy: book.bids.slice(0, DEPTH_MAX), sell: book.asks.slice(0, DEPTH_MAX) };
  const volume = BigInt(instrument.lotSize) * ASSUMED_LOTS;
  const level = (steps: number): BookLevel => ({ price: nextPrice(instrument.tickTable, last, steps), volume, orderCount: 1 });
  return { buy: [level(-1)], sell: [level(1)] };
}
