import type { Clock } from '@svc-gateway/contract/clock';
import { DAY_MS } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import { hasMakers, type Instrument } from '../world/instrument.js';
import { roundToTick } from '../world/ticks.js';
import type { Aggregate } from './aggregate.js';
import { type BookState, bookState, type PricedTrade, refreshAt, refreshesOf } from './background-book.js';
import type { Book, ExtendedTrades, Quote } from './market.js';
import type { Tape } from './tape.js';
import type { TradingDay } from './trading-days.js';

/** State of one symbol until the background or a caller next changes it. */
export interface View {
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

const CACHED_VIEWS = 10_000;
/** Nobody quotes a contract that has been called. */
const NO_BOOK: BookState = { shown: { buy: [], sell: [] } };
const noView = (): { view: View | undefined } => ({ view: undefined });

/** The state of each symbol that was looked at lately. */
export class Views {
  readonly #views = new LruCache<string, { view: View | undefined }>(CACHED_VIEWS);
  /** Callers' trades in any symbol. */
  #prints = 0;

  constructor(
    private readonly clock: Clock,
    private readonly tape: Tape,
  ) {}

  /** The clock's time; of what is traded no more, the end of its last day. */
  now(instrument: Instrument): number {
    const now = this.clock.now();
    if (instrument.lastTradingDay === undefined) return now;
    return Math.min(now, this.tape.days(instrument).on(instrument.lastTradingDay).end - 1);
  }

  of(instrument: Instrument): View {
    const remembered = this.#views.get(instrument.symbol, noView);
    const now = this.clock.now();
    const known = remembered.view;
    const isFresh = known !== undefined && now >= known.from && now < known.until;
    if (isFresh && (instrument.kind !== 'plate' || known.prints === this.#prints)) return known;
    const view = this.#look(instrument, now);
    remembered.view = view;
    return view;
  }

  #look(instrument: Instrument, time: number): View {
    const background = this.tape.background;
    const daysOf = this.tape.days(instrument);
    const now = this.now(instrument);
    // Expired and delisted instruments stay as their last day left them.
    const isOver = now < time;
    const day = daysOf.at(now);
    const isCalled = instrument.kind === 'warrant' && background.contracts.isCalled(instrument, day, now);
    const open = isOver || isCalled ? undefined : day.sessions.find(({ start, end }) => start <= now && now < end);
    // The last moment of what is over lies in its last session still.
    const closedAt = open === undefined ? (day.sessions.findLast(({ end }) => end - 1 <= now)?.end ?? day.start) - 1 : undefined;
    const today = background.day(instrument, day);
    const traded = background.traded(instrument, day);
    const profile = background.profile(traded);
    const refresh = hasMakers(traded)
      ? background.contracts.quoting(traded, closedAt ?? now)
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
    const value = this.tape.background.contracts.worth(traded, day, Math.max(day.start, time));
    const bid = roundToTick(traded.tickTable, BigInt(Math.floor(value)), 'down');
    return { index: last?.index ?? -1, direction: -1, price: Number(bid) };
  }

  /** Whether an instrument was looked at on its trading day. */
  isKnownToday(instrument: Instrument): boolean {
    const known = this.#views.peek(instrument.symbol)?.view;
    return known !== undefined && known.quote.tradingDay === this.tape.days(instrument).at(this.now(instrument)).day;
  }

  /** A caller traded: what is known of these is out of date, and so are the indices of their plates. */
  traded(instruments: readonly Instrument[]): void {
    this.#prints += 1;
    for (const { symbol } of instruments) this.#views.get(symbol, noView).view = undefined;
  }

  /** A caller's order changed the book alone. */
  bookChanged({ symbol }: Instrument): void {
    this.#views.get(symbol, noView).view?.books.clear();
  }

  /** Before the day's first regular trade, every price is the close before. */
  #quote(instrument: Instrument, day: TradingDay, now: number): Quote {
    const previousClose = this.tape.previousClose(instrument, day);
    const totals = this.tape.dayTotals(instrument, day, now);
    const none = { open: previousClose, high: previousClose, low: previousClose, close: previousClose, volume: 0n, turnover: 0n };
    const { open, high, low, close, volume, turnover } = totals ?? none;
    const time = this.tape.ticks(instrument, now, 1).at(-1)?.time ?? day.start;
    const { pre, after } = this.tape.extendedTotals(instrument, day, now);
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
