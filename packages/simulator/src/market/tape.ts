import type { Decimal } from '@svc-gateway/contract/decimal';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import type { DayMove } from '../companies/market-prices.js';
import { orderedSince } from '../world/contract-cycle.js';
import type { Instrument } from '../world/instrument.js';
import { type Aggregate, aggregateOfTotals, merge, turnoverOf } from './aggregate.js';
import type { Background } from './background.js';
import type { BackgroundDay } from './background-day.js';
import type { DayPrices, PriceBounds, Tick, TickDirection } from './market.js';
import { PlateTape } from './plate-tape.js';
import { Prints, type PrintsChange } from './prints.js';
import { printSequence, tickSequence, tradesUpTo } from './sequence.js';
import type { Trade } from './trades.js';
import type { TradingDay, TradingDays } from './trading-days.js';

const NO_PRINTS = new Prints();

/** The whole tape of every symbol: loaded history, then the background's trades with callers' prints among them. */
export class Tape {
  readonly #prints = new Map<string, Prints>();
  readonly plates: PlateTape;
  /** How often callers' trades were added. */
  #printed = 0;

  constructor(readonly background: Background) {
    this.plates = new PlateTape(background, this.#prints);
  }

  days(instrument: Instrument): TradingDays {
    return this.background.tradingDays(instrument);
  }

  /** Number of the first day that the symbol may have bars of. */
  firstDay(instrument: Instrument): number {
    return this.background.history.get(instrument.symbol)?.firstDay ?? requireDay(instrument.listDate);
  }

  /** Totals of the day's regular trades up to `now` (inclusive). */
  dayTotals(of: Instrument, day: TradingDay, now: number): Aggregate | undefined {
    if (of.kind === 'plate') {
      return this.plates.totals(of, day, now);
    }
    const instrument = this.#on(of, day);
    const history = this.background.historyOf(instrument, day);
    if (history !== undefined) return history.day(day.number);
    const { start, end } = day.regular;
    if (start > now) return undefined;
    if (end > now) return this.slices(instrument, day, [start, now + 1])[0];
    const totals = this.background.regularTotals(instrument, day);
    const prints = this.#prints.get(instrument.symbol);
    return prints === undefined ? totals : merge(totals, prints.totals(start, end));
  }

  /** Extremes of {@link Tape.dayTotals}, for which members of a plate need not be summed. */
  extremes(instrument: Instrument, day: TradingDay, now: number): PriceBounds | undefined {
    if (instrument.kind !== 'plate' || day.end > now) return this.dayTotals(instrument, day, now);
    return this.background.plates.weights(instrument, day).length === 0 ? undefined : this.background.regularTotals(instrument, day);
  }

  /** Prices of {@link Tape.dayTotals} of a finished day, where they are known before its trades; undefined where they are not. */
  outlined(of: Instrument, day: TradingDay): DayPrices | undefined {
    const instrument = this.#on(of, day);
    if (this.background.historyOf(instrument, day) !== undefined) return undefined;
    const { start, end } = day.regular;
    const isPrinted = this.#prints.get(instrument.symbol)?.totals(start, end) !== undefined;
    return isPrinted ? undefined : this.background.outlined(instrument, day);
  }

  /** Totals of the day's trades before and after regular trading, up to `now` (inclusive). */
  extendedTotals(instrument: Instrument, day: TradingDay, now: number): { pre: Aggregate | undefined; after: Aggregate | undefined } {
    const { start, end } = day.regular;
    if ((start === day.start && end === day.end) || this.background.historyOf(instrument, day) !== undefined)
      return { pre: undefined, after: undefined };
    const until = (time: number) => Math.min(time, now + 1);
    const [pre] = this.slices(instrument, day, [day.start, until(start)]);
    const [after] = end > now ? [] : this.slices(instrument, day, [end, until(day.end)]);
    return { pre, after };
  }

  /**
   * Totals of the trades in each [boundaries[i], boundaries[i + 1]) of one day. Boundaries rise, and are whole minutes but for the
   * last, which may be "now". Days of loaded history have as much as was loaded: nothing when that was daily bars.
   */
  slices(of: Instrument, day: TradingDay, boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    if (of.kind === 'plate') return this.plates.slices(of, day, boundaries);
    const instrument = this.#on(of, day);
    const history = this.background.historyOf(instrument, day);
    if (history !== undefined) return history.slices(boundaries);
    const background = this.background.day(instrument, day);
    const prints = this.#prints.get(instrument.symbol);
    return background.tape.totals(boundaries).map((totals, i) => {
      const traded = totals === undefined ? undefined : aggregateOfTotals(totals, background);
      return prints === undefined ? traded : merge(traded, prints.totals(boundaries[i] ?? 0, boundaries[i + 1] ?? 0));
    });
  }

  /**
   * The generator's (or loaded) close of the last trading day before a date, less what goes off on the next one; whatever callers
   * traded on it.
   */
  closeBefore(of: Instrument, date: string): Decimal {
    const days = this.days(of);
    const day = days.on(days.calendar.previousTradingDay(date));
    const instrument = this.#on(of, days.next(day));
    const close = this.background.historyOf(instrument, day)?.lastAt(day.number)?.close ?? this.background.close(instrument, day);
    return this.background.reference(instrument, days.next(day), close);
  }

  /** About the price at the end of a day (its number), loaded or not. */
  levelBefore(instrument: Instrument, day: number): Decimal {
    const history = this.background.history.get(instrument.symbol);
    const loaded = history !== undefined && day <= history.lastDay ? history.lastAt(day) : undefined;
    return loaded?.close ?? this.background.level(instrument, day);
  }

  /**
   * Close of the last day before `day`, of its regular trading, less what goes off on `day`; the background's own price where the
   * symbol was not listed yet. Nothing is known of the days before loaded history: its first bar counts from its own open.
   */
  previousClose(of: Instrument, day: TradingDay): Decimal {
    const instrument = this.#on(of, day);
    const first = this.#firstLoaded(instrument, day);
    if (first !== undefined) return first.open;
    return this.background.reference(instrument, day, this.#lastClose(instrument, day));
  }

  /** The close before an ex-day and what is left of it, apart from callers' own trades: the same in every run. */
  drop(of: Instrument, ex: number): { readonly close: Decimal; readonly reference: Decimal } {
    const day = this.days(of).on(dayOfNumber(ex));
    const previous = this.days(of).previous(day);
    const instrument = this.#on(of, day);
    const close =
      this.background.historyOf(instrument, previous)?.lastAt(previous.number)?.close ?? this.background.regularClose(instrument, previous);
    return { close, reference: this.background.reference(instrument, day, close) };
  }

  /** Price change of a trading day, in the terms of {@link drop}; undefined on other days. */
  dayMove(instrument: Instrument, date: string): DayMove | undefined {
    const days = this.days(instrument);
    if (!days.calendar.isTradingDay(date)) return undefined;
    const day = days.on(date);
    const history = this.background.historyOf(instrument, day);
    // A gap in a loaded history: it was suspended.
    if (history !== undefined && day.number >= history.firstDay && history.day(day.number) === undefined) return undefined;
    const { reference } = this.drop(instrument, day.number);
    return { reference, close: this.drop(instrument, days.next(day).number).close, end: day.end };
  }

  #lastClose(instrument: Instrument, day: TradingDay): Decimal {
    const previous = this.days(instrument).previous(day);
    // The close of a plate needs no count of its members' trades.
    if (instrument.kind === 'plate') return this.background.regularClose(instrument, previous);
    const history = this.background.historyOf(instrument, previous);
    const traded = history === undefined ? this.dayTotals(instrument, previous, Infinity) : history.lastAt(previous.number);
    return traded?.close ?? this.background.close(instrument, previous);
  }

  /** The newest `count` ticks up to `now` with a sequence above `after`, oldest first. Loaded history has bars only. */
  ticks(instrument: Instrument, now: number, count: number, after = 0): readonly Tick[] {
    const days = this.days(instrument);
    const day = days.at(now);
    const traded = this.#on(instrument, day);
    if (traded === instrument || traded.kind !== 'future') return this.#ticks(instrument, now, count, after);
    // A continuous contract has been this one since a day, and another before.
    const since = requireDay(orderedSince(traded.future.product, day.day));
    const newest = this.#ticks(traded, now, count, Math.max(after, tickSequence(since, -1) - 1));
    const first = days.next(days.on(days.calendar.previousTradingDay(dayOfNumber(since))));
    if (newest.length >= count || after >= tickSequence(since, -1) || since <= this.firstDay(instrument)) return newest;
    return [...this.ticks(instrument, first.start - 1, count - newest.length, after), ...newest];
  }

  #ticks(instrument: Instrument, now: number, count: number, after: number): readonly Tick[] {
    if (count <= 0) return [];
    const days = this.days(instrument);
    const found: Tick[] = [...this.printsOf(instrument).since(after + 1)].slice(-count);
    let wanted = count;
    let day = days.at(now);
    while (wanted > 0 && day.number >= this.firstDay(instrument) && this.background.historyOf(instrument, day) === undefined) {
      const background = this.background.day(instrument, day);
      const happened = background.tape.countBefore(now + 1);
      const known = tradesUpTo(day.number, after);
      const trades = background.tape.trades(Math.max(known, happened - wanted), happened);
      found.push(...trades.map((trade) => tickOf(trade, background)));
      wanted -= trades.length;
      if (known > 0) break;
      day = days.previous(day);
    }
    return inOrder(found).slice(-count);
  }

  /** All ticks of regular trading of the day of `now` up to then with a sequence above `after`, oldest first; of callers' prints the newest thousand. */
  dayTicks(of: Instrument, now: number, after: number): readonly Tick[] {
    const day = this.days(of).at(now);
    const instrument = this.#on(of, day);
    if (this.background.historyOf(instrument, day) !== undefined) return [];
    const background = this.background.day(instrument, day);
    const trades = background.tape.trades(tradesUpTo(day.number, after), background.tape.countBefore(now + 1));
    const prints = this.printsOf(instrument).since(Math.max(after + 1, tickSequence(day.number, -1)));
    const { start, end } = day.regular;
    return inOrder([...prints, ...trades.map((trade) => tickOf(trade, background))]).filter(({ time }) => time >= start && time < end);
  }

  /** Prints a caller's trade at `time`, which is not before the last one's. */
  print(of: Instrument, time: number, price: Decimal, volume: bigint, direction: TickDirection): Tick {
    const day = this.days(of).at(time);
    const instrument = this.#on(of, day);
    const prints = this.#writable(instrument);
    const happened = this.background.day(instrument, day).tape.countBefore(time + 1);
    const sequence = BigInt(printSequence(day.number, happened, prints.lastSequence));
    const tick = { sequence, time, price, volume, turnover: turnoverOf(instrument, price, volume), direction };
    prints.add(tick);
    this.#printed += 1;
    return tick;
  }

  /** Changes whenever callers' trades are added to what bars of an instrument's day are made of. */
  version(of: Instrument, day: TradingDay): number {
    return of.kind === 'plate' ? this.#printed : this.printsOf(this.#on(of, day)).version;
  }

  /** Puts prints of an earlier run back: before anything is printed in this one. */
  restore(of: Instrument, ticks: readonly Tick[]): void {
    const byContract = new Map<Instrument, Tick[]>();
    for (const tick of ticks) {
      const instrument = this.#on(of, this.days(of).at(tick.time));
      byContract.set(instrument, [...(byContract.get(instrument) ?? []), tick]);
    }
    for (const [instrument, printed] of byContract) this.#writable(instrument).restore(printed);
    this.#printed += 1;
  }

  /** The symbols that callers traded. */
  printed(): Iterable<readonly [string, Prints]> {
    return this.#prints;
  }

  /** Takes in what callers printed on the tape that this is a copy of. */
  adopt(instrument: Instrument, change: PrintsChange): void {
    this.#writable(instrument).adopt(change);
    this.#printed += 1;
  }

  printsOf(instrument: Instrument): Prints {
    return this.#prints.get(instrument.symbol) ?? NO_PRINTS;
  }

  #writable(instrument: Instrument): Prints {
    const prints = this.#prints.get(instrument.symbol) ?? new Prints();
    this.#prints.set(instrument.symbol, prints);
    return prints;
  }

  /** The instrument that trades on a day, see {@link Background.traded}. Loaded history stands for its own symbol. */
  #on(instrument: Instrument, day: TradingDay): Instrument {
    return this.background.historyOf(instrument, day) === undefined ? this.background.traded(instrument, day) : instrument;
  }

  /** Loaded bar of the first known day. */
  #firstLoaded({ symbol }: Instrument, { number }: TradingDay): Aggregate | undefined {
    const history = this.background.history.get(symbol);
    return history?.firstDay === number ? history.day(number) : undefined;
  }
}

function inOrder(ticks: Tick[]): Tick[] {
  return ticks.sort((a, b) => Number(a.sequence - b.sequence));
}

function tickOf(trade: Trade, { day, grid, lotSize, amountUnit }: BackgroundDay): Tick {
  return {
    sequence: BigInt(tickSequence(day.number, trade.index)),
    time: trade.time,
    price: BigInt(trade.price * grid),
    volume: BigInt(trade.lots) * BigInt(lotSize),
    turnover: BigInt(trade.price * trade.lots) * amountUnit,
    direction: trade.direction,
  };
}
