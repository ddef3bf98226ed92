import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import type {
  Bar,
  BarPeriod,
  Book,
  BookLevel,
  DetailedBook,
  Execution,
  Market,
  MarketEvent,
  PastDays,
  Quote,
  Tick,
  TickDirection,
} from '@svc-gateway/simulator/market';
import { FACTOR_ONE } from '@svc-gateway/simulator/market';
import type { Instrument } from '@svc-gateway/simulator/world';
import { opposite, type Side } from '../../packages/simulator/src/exchange/price-levels.js';

interface Script {
  readonly background: Readonly<Record<Side, Map<Decimal, bigint>>>;
  readonly callers: Readonly<Record<Side, Map<Decimal, bigint>>>;
  readonly ticks: Tick[];
  /** Ticks that listeners have been told of. */
  told: number;
  watchers: number;
}

/**
 * For tests: a market whose flow does exactly what it is told. Like the real one, it tells events in a turn of their own, and
 * callers' trades among them.
 */
export class ScriptedMarket implements Market {
  readonly #scripts = new Map<string, Script>();
  readonly #listeners = new Set<(event: MarketEvent) => void>();

  constructor(private readonly clock: Clock) {}

  /** Replaces the background's book, given as [price, volume] pairs. */
  setBook(instrument: Instrument, bids: readonly (readonly [Decimal, bigint])[], asks: readonly (readonly [Decimal, bigint])[]): void {
    const { background } = this.#script(instrument);
    background.buy.clear();
    background.sell.clear();
    for (const [price, volume] of bids) background.buy.set(price, volume);
    for (const [price, volume] of asks) background.sell.set(price, volume);
    this.#tell(instrument);
  }

  /** The flow trades with itself. */
  trade(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void {
    this.print(instrument, price, volume, direction);
  }

  isWatched(instrument: Instrument): boolean {
    return this.#script(instrument).watchers > 0;
  }

  *prepare(): Generator<void, void> {}

  *barsInTurns(): Generator<void, readonly Bar[]> {
    yield;
    return [];
  }

  quote(instrument: Instrument): Quote {
    const last = this.#script(instrument).ticks.at(-1)?.price ?? instrument.referencePrice;
    const previousClose = instrument.referencePrice;
    return { time: this.clock.now(), tradingDay: '', last, open: last, high: last, low: last, previousClose, volume: 0n, turnover: 0n };
  }

  book(instrument: Instrument, depth: number): Book {
    return { time: this.clock.now(), bids: this.#levels(instrument, 'buy', depth), asks: this.#levels(instrument, 'sell', depth) };
  }

  detailedBook(instrument: Instrument, depth: number): DetailedBook {
    const { time, bids, asks } = this.book(instrument, depth);
    const bare = (levels: readonly BookLevel[]) => levels.map((level) => ({ ...level, orders: [] }));
    return { time, bids: bare(bids), asks: bare(asks) };
  }

  ticks(instrument: Instrument, count: number): readonly Tick[] {
    return this.#script(instrument).ticks.slice(-count);
  }

  /** One bar, of everything up to its end: enough for who asks for a close. */
  bars(instrument: Instrument, _period: BarPeriod, { to = this.clock.now() }: { to?: number }): readonly Bar[] {
    const { ticks } = this.#script(instrument);
    const last = ticks.findLast(({ time }) => time < to)?.price ?? instrument.referencePrice;
    const prices = { open: last, high: last, low: last, close: last, previousClose: last };
    return [{ start: to - 1, end: to, ...prices, volume: 0n, turnover: 0n }];
  }

  settlementPrice(contract: Instrument): Decimal {
    return this.quote(contract).last;
  }

  isCalled(): boolean {
    return false;
  }

  valuation(): never {
    throw new Error('a scripted market values nothing');
  }

  volatilityAtTheMoney(): never {
    throw new Error('a scripted market values nothing');
  }

  range(instrument: Instrument, _from: number, to: number): Bar | undefined {
    return this.bars(instrument, { unit: 'day' }, { to })[0];
  }

  pastDays(): PastDays {
    return { count: 0, day: String, prices: () => undefined };
  }

  adjustmentFactor(): bigint {
    return FACTOR_ONE;
  }

  watch(instrument: Instrument): void {
    const script = this.#script(instrument);
    if (script.watchers === 0) script.told = script.ticks.length;
    script.watchers += 1;
  }

  unwatch(instrument: Instrument): void {
    this.#script(instrument).watchers -= 1;
  }

  onEvent(listener: (event: MarketEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  take(instrument: Instrument, side: Side, volume: bigint, limit?: Decimal): readonly Execution[] {
    const levels = this.#script(instrument).background[opposite(side)];
    const executions: Execution[] = [];
    let left = volume;
    for (const price of [...levels.keys()].sort(bestFirst(opposite(side)))) {
      if (left === 0n || (limit !== undefined && (side === 'buy' ? price > limit : price < limit))) break;
      const there = levels.get(price) ?? 0n;
      const part = left < there ? left : there;
      if (part === there) levels.delete(price);
      else levels.set(price, there - part);
      left -= part;
      executions.push({ price, volume: part });
      this.print(instrument, price, part, side === 'buy' ? 1 : -1);
    }
    return executions;
  }

  volumeAt(instrument: Instrument, side: Side, price: Decimal): bigint {
    return this.#script(instrument).background[side].get(price) ?? 0n;
  }

  show(instrument: Instrument, side: Side, price: Decimal, volumeChange: bigint): void {
    const levels = this.#script(instrument).callers[side];
    const volume = (levels.get(price) ?? 0n) + volumeChange;
    if (volume < 0n) throw new Error(`more was removed at ${price} than was shown`);
    if (volume === 0n) levels.delete(price);
    else levels.set(price, volume);
    this.#tell(instrument);
  }

  print(instrument: Instrument, price: Decimal, volume: bigint, direction: TickDirection): void {
    const { ticks } = this.#script(instrument);
    const sequence = BigInt(ticks.length + 1);
    ticks.push({ sequence, time: this.clock.now(), price, volume, turnover: price * volume, direction });
    this.#tell(instrument);
  }

  restorePrints(instrument: Instrument, ticks: readonly Tick[]): void {
    this.#script(instrument).ticks.push(...ticks);
  }

  #tell(instrument: Instrument): void {
    this.clock.at(this.clock.now(), () => {
      const script = this.#script(instrument);
      if (script.watchers === 0) return;
      const ticks = script.ticks.slice(script.told);
      script.told = script.ticks.length;
      for (const listener of this.#listeners) {
        if (ticks.length > 0) listener({ kind: 'tick', instrument, ticks });
        listener({ kind: 'book', instrument });
      }
    });
  }

  #levels(instrument: Instrument, side: Side, depth: number): BookLevel[] {
    const { background, callers } = this.#script(instrument);
    const prices = [...new Set([...background[side].keys(), ...callers[side].keys()])].sort(bestFirst(side));
    return prices
      .slice(0, depth)
      .map((price) => ({ price, volume: (background[side].get(price) ?? 0n) + (callers[side].get(price) ?? 0n), orderCount: 1 }));
  }

  #script(instrument: Instrument): Script {
    let script = this.#scripts.get(instrument.symbol);
    if (script === undefined) {
      const sides = () => ({ buy: new Map<Decimal, bigint>(), sell: new Map<Decimal, bigint>() });
      script = { background: sides(), callers: sides(), ticks: [], told: 0, watchers: 0 };
      this.#scripts.set(instrument.symbol, script);
    }
    return script;
  }
}

function bestFirst(side: Side): (a: Decimal, b: Decimal) => number {
  return (a, b) => (a === b ? 0 : a > b === (side === 'buy') ? -1 : 1);
}
