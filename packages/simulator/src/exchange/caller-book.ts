import { type Decimal, lesser } from '@svc-gateway/contract/decimal';
import type { Book, Execution, Tick } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import { hasMakers, type Instrument } from '../world/instrument.js';
import { isWithin, opposite, type PriceLevel, PriceLevels, type Resting, type Side } from './price-levels.js';

/** One order traded. Two callers' orders that meet make two of these. */
export interface Match {
  readonly orderId: bigint;
  readonly price: Decimal;
  readonly volume: bigint;
  /** Leg of an order of several legs. */
  readonly leg?: number;
  /** The caller's order on the other side; absent when the simulated flow was. */
  readonly counterOrderId?: bigint;
}

/** Result of one matching step. */
export interface Matching {
  readonly matches: Match[];
  /** Trades that it put on the tape. */
  readonly prints: Tick[];
}

export interface Incoming {
  readonly id: bigint;
  readonly side: Side;
  /** The worst price it may trade at. */
  readonly limit: Decimal;
  readonly volume: bigint;
  readonly extendedHours: boolean;
}

/**
 * The callers' orders of one instrument and how they trade: by price, then by time, against each other and against
 * the simulated flow.
 *
 * The flow's place in the queue: what its book showed at a price when an order came to rest there is ahead of the order;
 * what it shows later is behind. A tick of the flow at a price trades along that queue.
 */
export class CallerBook {
  readonly #sides: Readonly<Record<Side, PriceLevels>> = { buy: new PriceLevels('buy'), sell: new PriceLevels('sell') };
  readonly #resting = new Map<bigint, Resting>();

  constructor(
    private readonly market: Market,
    readonly instrument: Instrument,
  ) {}

  get isEmpty(): boolean {
    return this.#resting.size === 0;
  }

  has(id: bigint): boolean {
    return this.#resting.has(id);
  }

  /** Trades an arriving order against everything at its limit or better. What is left does not rest by itself. */
  aggress(order: Incoming, extendedSession: boolean): Matching {
    const done: Matching = { matches: [], prints: [] };
    let left = order.volume;
    const direction = order.side === 'buy' ? 1 : -1;

    const takeBackground = (limit: Decimal, volume: bigint): bigint => {
      let taken = 0n;
      for (const { price, volume: part } of this.#take(done, order.side, volume, limit)) {
        taken += part;
        done.matches.push({ orderId: order.id, price, volume: part });
      }
      left -= taken;
      return taken;
    };

    const meet = (level: PriceLevel): void => {
      let passed = 0n;
      for (const resting of level.orders) {
        if (left === 0n) break;
        if (extendedSession && !resting.extendedHours) continue;
        const ahead = lesser(resting.queueAhead - passed, left);
        if (ahead > 0n) passed += takeBackground(level.price, ahead);
        const volume = lesser(left, resting.remaining);
        if (volume === 0n) break;
        left -= volume;
        this.#print(done, level.price, volume, direction);
        done.matches.push({ orderId: resting.id, price: level.price, volume, counterOrderId: order.id });
        done.matches.push({ orderId: order.id, price: level.price, volume, counterOrderId: resting.id });
        this.#trade(resting, volume);
      }
      advanceQueue(level, passed);
    };

    // The levels are copied because a level disappears when its last order trades.
    for (const level of [...this.#sides[opposite(order.side)].levels()]) {
      if (left === 0n || !isWithin(order.side, order.limit, level.price)) break;
      takeBackground(justBetter(order.side, level.price), left);
      if (left > 0n) meet(level);
    }
    if (left > 0n) takeBackground(order.limit, left);
    return done;
  }

  /** Volume that {@link aggress} would find for the order, counted up to the order's own volume. */
  available(order: Incoming, extendedSession: boolean): bigint {
    const book = this.market.book(this.instrument, DEPTH_MAX);
    let sum = 0n;
    for (const level of order.side === 'buy' ? book.asks : book.bids) {
      if (!isWithin(order.side, order.limit, level.price)) break;
      sum += level.volume;
    }
    if (extendedSession) {
      for (const level of this.#sides[opposite(order.side)].levels()) {
        if (!isWithin(order.side, order.limit, level.price)) break;
        for (const resting of level.orders) if (!resting.extendedHours) sum -= resting.remaining;
      }
    }
    return lesser(sum, order.volume);
  }

  /** Levels that an order of `side` can trade with in regular trading, best first. */
  offers(side: Side): Book['asks'] {
    const { bids, asks } = this.market.book(this.instrument, DEPTH_MAX);
    return side === 'buy' ? asks : bids;
  }

  /** Puts what is left of an order behind everything at its price. */
  rest(order: Incoming, left: bigint, now: number): void {
    const resting: Resting = {
      id: order.id,
      side: order.side,
      limit: order.limit,
      extendedHours: order.extendedHours,
      restedAt: now,
      remaining: left,
      queueAhead: this.market.volumeAt(this.instrument, order.side, order.limit),
    };
    this.#sides[order.side].add(resting);
    this.#resting.set(order.id, resting);
    this.market.show(this.instrument, order.side, order.limit, left, 1, resting);
  }

  /** Takes an order out; false when it does not rest here. */
  withdraw(id: bigint): boolean {
    const resting = this.#resting.get(id);
    if (resting === undefined) return false;
    this.#remove(resting);
    this.market.show(this.instrument, resting.side, resting.limit, -resting.remaining, -1, resting);
    return true;
  }

  /** Lowers what an order still has to trade; it keeps its place in the queue. */
  reduce(id: bigint, remaining: bigint): void {
    const resting = this.#resting.get(id);
    if (resting === undefined || remaining <= 0n || remaining > resting.remaining)
      throw new Error(`order ${id} cannot be reduced to ${remaining}`);
    const change = remaining - resting.remaining;
    resting.remaining = remaining;
    this.market.show(this.instrument, resting.side, resting.limit, change, 0, resting);
  }

  /** The flow traded: resting orders that stood in its way trade with it. */
  meetTick(tick: Tick, extendedSession: boolean): Matching {
    const done: Matching = { matches: [], prints: [] };
    this.#meetTickOn('buy', tick, extendedSession, done);
    this.#meetTickOn('sell', tick, extendedSession, done);
    return done;
  }

  /** The flow's book changed: orders that it has come to cross take what they can, and queues shrink with what left them. */
  meetBook(extendedSession: boolean): Matching {
    const done: Matching = { matches: [], prints: [] };
    for (const side of ['buy', 'sell'] as const) {
      for (const level of [...this.#sides[side].levels()]) {
        const outcome = this.#cross(side, level, extendedSession, done);
        if (outcome === 'nobody') continue;
        boundQueue(level, this.market.volumeAt(this.instrument, side, level.price));
        // An order that the best level cannot reach is not reached by those behind it.
        if (outcome === 'nothing') break;
      }
    }
    return done;
  }

  /** Lets the orders of one level take from the background within their limit: whether any took something, or none may trade now. */
  #cross(side: Side, level: PriceLevel, extendedSession: boolean, done: Matching): 'something' | 'nothing' | 'nobody' {
    let outcome: 'something' | 'nothing' | 'nobody' = 'nobody';
    for (const resting of level.orders) {
      if (extendedSession && !resting.extendedHours) continue;
      const executions = this.#take(done, side, resting.remaining, resting.limit);
      if (outcome === 'nobody') outcome = 'nothing';
      if (executions.length === 0) break;
      outcome = 'something';
      for (const { price, volume } of executions) {
        done.matches.push({ orderId: resting.id, price, volume });
        this.#trade(resting, volume);
      }
    }
    return outcome;
  }

  #meetTickOn(side: Side, tick: Tick, extendedSession: boolean, done: Matching): void {
    let left = tick.volume;
    const aggressor = side === 'buy' ? -1 : 1;
    for (const level of [...this.#sides[side].levels()]) {
      if (left === 0n || !isWithin(side, level.price, tick.price)) break;
      if (this.#isBehindMakers(side, level.price)) break;
      const through = level.price !== tick.price;
      // At its own price only the other side's aggression reaches an order; a trade beyond it means that the order was passed over.
      if (!through && tick.direction === -aggressor) break;
      let passed = 0n;
      for (const resting of level.orders) {
        if (left === 0n) break;
        if (resting.restedAt >= tick.time || (extendedSession && !resting.extendedHours)) continue;
        if (!through) {
          const ahead = lesser(resting.queueAhead - passed, left);
          if (ahead > 0n) {
            passed += ahead;
            left -= ahead;
          }
        }
        const volume = lesser(left, resting.remaining);
        if (volume === 0n) break;
        left -= volume;
        done.matches.push({ orderId: resting.id, price: level.price, volume });
        if (through) {
          // The tape has no trade at this price yet; at the tick's own price the tick is the trade.
          this.#print(done, level.price, volume, aggressor);
        }
        this.#trade(resting, volume);
      }
      if (through) boundQueue(level, 0n);
      else advanceQueue(level, passed);
    }
  }

  /** A trade away from the quotes reaches nobody who offers less than the market makers, who come first. */
  #isBehindMakers(side: Side, price: Decimal): boolean {
    if (!hasMakers(this.instrument)) return false;
    const { bids, asks } = this.market.book(this.instrument, 1);
    const best = (side === 'buy' ? bids : asks)[0]?.price;
    return best !== undefined && best !== price && isWithin(side, best, price);
  }

  #take(done: Matching, side: Side, volume: bigint, limit: Decimal): readonly Execution[] {
    const executions = this.market.take(this.instrument, side, volume, limit);
    if (executions.length > 0) done.prints.push(...this.market.ticks(this.instrument, executions.length));
    return executions;
  }

  #print(done: Matching, price: Decimal, volume: bigint, direction: 1 | -1): void {
    this.market.print(this.instrument, price, volume, direction);
    done.prints.push(...this.market.ticks(this.instrument, 1));
  }

  #trade(resting: Resting, volume: bigint): void {
    resting.remaining -= volume;
    const gone = resting.remaining === 0n;
    this.market.show(this.instrument, resting.side, resting.limit, -volume, gone ? -1 : 0, resting);
    if (gone) this.#remove(resting);
  }

  #remove(order: Resting): void {
    this.#sides[order.side].remove(order);
    this.#resting.delete(order.id);
  }
}

/** More levels than any book shows. */
const DEPTH_MAX = 1_000;

/** The price one unit better than `price` for somebody who takes on `side`: everything in front of `price`. */
function justBetter(side: Side, price: Decimal): Decimal {
  return side === 'buy' ? price - 1n : price + 1n;
}

function advanceQueue(level: PriceLevel, passed: bigint): void {
  if (passed === 0n) return;
  for (const resting of level.orders) resting.queueAhead = resting.queueAhead > passed ? resting.queueAhead - passed : 0n;
}

/** Bounds the background volume that stands ahead of callers' orders. */
function boundQueue(level: PriceLevel, most: bigint): void {
  if (level.queueAheadMax <= most) return;
  for (const resting of level.orders) resting.queueAhead = lesser(resting.queueAhead, most);
  level.queueAheadMax = most;
}
