import { keyOf, mix, uniform } from '../rng/random.js';
import type { BackgroundLevel } from './background-book.js';
import type { BookOrder, RestingOrder } from './market.js';

/** An order of the background. */
export interface LevelOrder {
  readonly id: bigint;
  /** Shares. */
  readonly volume: number;
}

const ORDERS_STREAM = keyOf('orders of a level');
const CALLERS_STREAM = keyOf('orders of callers');
/** So that they never sum to nothing. */
const WEIGHT_MIN = 1e-6;
/** Bits of a number that count the orders of a level, or tell callers' orders of one hash apart. */
const COUNT_BITS = 12n;
/** Numbers of callers' orders are of another range than the background's. */
const CALLER_BIT = 1n << 48n;

/**
 * The orders that a background level is made of, first in the queue first: as many as it counts, each of a board lot at least, most of
 * them small and a few large (the lots beyond the first go by the square of a uniform draw). A level that is renewed, or has
 * another volume for its place in the book, is made of other orders: none ever grows.
 */
export function levelOrders({ draw, volume, orderCount, lot }: BackgroundLevel): readonly LevelOrder[] {
  const key = mix(mix(draw, ORDERS_STREAM), volume / lot);
  const weights = Array.from({ length: orderCount }, (_, index) => uniform(key, index) ** 2 + WEIGHT_MIN);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const spare = volume / lot - orderCount;
  let given = 0;
  let weighed = 0;
  return weights.map((weight, index) => {
    weighed += weight;
    const until = index === orderCount - 1 ? spare : Math.floor((spare * weighed) / whole);
    const lots = 1 + until - given;
    given = until;
    return { id: (BigInt(key >>> 0) << COUNT_BITS) | BigInt(index), volume: lots * lot };
  });
}

/** Orders left when `taken` shares have traded from the front of the queue. */
export function remainder(orders: readonly LevelOrder[], taken: number): readonly LevelOrder[] {
  let rest = taken;
  return orders.flatMap((order) => {
    const part = Math.min(rest, order.volume);
    rest -= part;
    return part === order.volume ? [] : [part === 0 ? order : { ...order, volume: order.volume - part }];
  });
}

/** The queue of a price: each caller's order behind what of the background stood there before it. */
export function queued(background: readonly LevelOrder[], callers: readonly RestingOrder[]): readonly BookOrder[] {
  const queue: BookOrder[] = [];
  let passed = 0n;
  let next = 0;
  const pass = (upTo: bigint | undefined) => {
    for (let order = background[next]; order !== undefined && (upTo === undefined || passed < upTo); order = background[next]) {
      const volume = BigInt(order.volume);
      queue.push({ id: order.id, volume });
      passed += volume;
      next += 1;
    }
  };
  for (const caller of callers) {
    pass(caller.queueAhead);
    queue.push({ id: exchangeNumber(caller.id), volume: caller.remaining });
  }
  pass(undefined);
  return queue;
}

/** The exchange's number of a caller's order: the same as long as the order lives, and of no use to find it by. */
function exchangeNumber(orderId: bigint): bigint {
  const text = String(orderId);
  const [high, low] = [mix(CALLERS_STREAM, keyOf(text)), mix(keyOf(text), CALLERS_STREAM)];
  return CALLER_BIT | (BigInt(high >>> 0) << COUNT_BITS) | (BigInt(low >>> 0) & ((1n << COUNT_BITS) - 1n));
}
