import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { Companies } from '../companies/index.js';
import { type Instrument, nextPrice, roundToTick } from '../world/index.js';
import { type Market, type MarketEvent, SimulatedMarket, type Tick } from './index.js';

const { world } = openMarket({ time: Date.UTC(2026, 10, 20, 2), mode: 'open' });
const NOON = Date.UTC(2026, 10, 20, 12);

const marketAt = (time: number, seed = 1) => openMarket({ time, seed, world });

function instrument(symbol: string): Instrument {
  const found = world.instrument(symbol);
  if (found === undefined) throw new Error(symbol);
  return found;
}

const tencent = instrument('HK.00700');

let orders = 0n;
/** An order that comes to rest behind everything. */
function restingOrder(remaining: bigint) {
  orders += 1n;
  return { id: orders, remaining, queueAhead: 1n << 40n };
}

/** The orders behind a book's levels make the levels up, and no two have one number. */
function expectOrders(market: Market, of: Instrument): void {
  const { bids, asks } = market.detailedBook(of, 100);
  const book = market.book(of, 100);
  expect([bids, asks].map((levels) => levels.map(({ orders: _, ...level }) => level))).toEqual([book.bids, book.asks]);
  const levels = [...bids, ...asks];
  for (const level of levels) {
    expect(level.orders.every(({ volume }) => volume > 0n)).toBe(true);
    expect({ volume: level.orders.reduce((sum, { volume }) => sum + volume, 0n), orderCount: level.orders.length }).toEqual({
      volume: level.volume,
      orderCount: level.orderCount,
    });
  }
  const numbers = levels.flatMap(({ orders: behind }) => behind.map(({ id }) => id));
  expect(new Set(numbers).size).toBe(numbers.length);
}

function expectSound(market: Market, of: Instrument): void {
  expectOrders(market, of);
  const { bids, asks } = market.book(of, 100);
  for (const levels of [bids, asks]) {
    for (const [i, level] of levels.entries()) {
      expect(level.volume > 0n && level.orderCount >= 1).toBe(true);
      if (i > 0) expect(levels === bids ? level.price < levels[i - 1]!.price : level.price > levels[i - 1]!.price).toBe(true);
    }
  }
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  if (bid !== undefined && ask !== undefined) expect(bid < ask).toBe(true);

  const quote = market.quote(of);
  const [day] = market.bars(of, { unit: 'day' }, { limit: 1 });
  const [last] = market.ticks(of, 1);
  if (quote.volume > 0n && last !== undefined && day !== undefined) {
    expect(quote.last).toBe(last.price);
    expect({ high: day.high, low: day.low, close: day.close, volume: day.volume, turnover: day.turnover }).toEqual({
      high: quote.high,
      low: quote.low,
      close: quote.last,
      volume: quote.volume,
      turnover: quote.turnover,
    });
    const minutes = market.bars(of, { unit: 'minute', count: 1 }, { from: day.start });
    expect(minutes.reduce((sum, bar) => sum + bar.turnover, 0n)).toBe(quote.turnover);
    expect(minutes.at(-1)?.close).toBe(quote.last);
  }
}

/** Actions of a caller: take, rest near the touch (without meeting another caller), cross two callers, wait. */
const actions = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('take' as const),
      side: fc.constantFrom('buy', 'sell'),
      lots: fc.integer({ min: 1, max: 300 }),
      ticks: fc.integer({ min: -2, max: 8 }),
    }),
    fc.record({
      kind: fc.constant('show' as const),
      side: fc.constantFrom('buy', 'sell'),
      lots: fc.integer({ min: 1, max: 50 }),
      ticks: fc.integer({ min: -6, max: 3 }),
    }),
    fc.record({ kind: fc.constant('print' as const), lots: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 90_000 }) }),
  ),
  { maxLength: 40 },
);

function away(of: Instrument, from: bigint, ticks: number): bigint {
  return nextPrice(of.tickTable, roundToTick(of.tickTable, from, 'nearest'), ticks);
}

describe('what callers add', () => {
  test('leaves every view in agreement and the book uncrossed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('HK.00700', 'US.AAPL', 'SH.600519', 'JP.7203'),
        fc.integer({ min: 0, max: 99 }),
        actions,
        (symbol, seed, steps) => {
          const of = instrument(symbol);
          const { market, clock } = marketAt(NOON, seed);
          const lot = BigInt(of.lotSize);
          const resting = { buy: [] as bigint[], sell: [] as bigint[] };
          for (const step of steps) {
            const { bids, asks } = market.book(of, 1);
            const last = market.quote(of).last;
            if (step.kind === 'wait') clock.advance(step.ms);
            if (step.kind === 'print') market.print(of, last, BigInt(step.lots) * lot, 0);
            if (step.kind === 'take') {
              const side = step.side as 'buy' | 'sell';
              const touch = (side === 'buy' ? asks : bids)[0]?.price ?? last;
              const limit = away(of, touch, side === 'buy' ? step.ticks : -step.ticks);
              const before = market.quote(of);
              const executions = market.take(of, side, BigInt(step.lots) * lot, limit);
              const taken = executions.reduce((sum, { volume }) => sum + volume, 0n);
              expect(taken <= BigInt(step.lots) * lot).toBe(true);
              expect(executions.every(({ price }) => (side === 'buy' ? price <= limit : price >= limit))).toBe(true);
              expect(market.quote(of).volume - before.volume).toBe(taken);
              if (executions.length > 0) expect(market.quote(of).last).toBe(executions.at(-1)!.price);
            }
            if (step.kind === 'show') {
              const side = step.side as 'buy' | 'sell';
              const price = away(of, (side === 'buy' ? bids : asks)[0]?.price ?? last, side === 'buy' ? -step.ticks : step.ticks);
              const others = resting[side === 'buy' ? 'sell' : 'buy'];
              if (others.some((other) => (side === 'buy' ? other <= price : other >= price))) continue;
              market.show(of, side, price, BigInt(step.lots) * lot, 1, restingOrder(BigInt(step.lots) * lot));
              resting[side].push(price);
              const shown = market.book(of, 200)[side === 'buy' ? 'bids' : 'asks'].find((level) => level.price === price);
              expect(shown!.volume).toBeGreaterThanOrEqual(BigInt(step.lots) * lot);
            }
            expectSound(market, of);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('taken liquidity is gone until the level is renewed', () => {
    const { market, clock } = marketAt(NOON);
    const best = market.book(tencent, 1).asks[0]!;
    expect(market.volumeAt(tencent, 'sell', best.price)).toBe(best.volume);
    expect(market.take(tencent, 'buy', best.volume - 100n, best.price)).toEqual([{ price: best.price, volume: best.volume - 100n }]);
    expect(market.volumeAt(tencent, 'sell', best.price)).toBe(100n);
    expect(market.take(tencent, 'buy', best.volume, best.price)).toEqual([{ price: best.price, volume: 100n }]);
    expect(market.take(tencent, 'buy', best.volume, best.price)).toEqual([]);
    expect(market.book(tencent, 1).asks[0]!.price > best.price).toBe(true);
    clock.advance(120_000);
    expect(market.take(tencent, 'buy', 100n)).toHaveLength(1);
  });

  test('takes liquidity from the front of a level’s queue, and lets no order grow', () => {
    const { market, clock } = marketAt(NOON);
    const before = market.detailedBook(tencent, 1).asks[0]!;
    const [first, second] = before.orders;
    market.take(tencent, 'buy', first!.volume + 1n, before.price);
    const { orders: left } = market.detailedBook(tencent, 1).asks[0]!;
    expect(left).toEqual([{ id: second!.id, volume: second!.volume - 1n }, ...before.orders.slice(2)]);
    const volumes = new Map<bigint, bigint>();
    for (let step = 0; step < 200; step++) {
      clock.advance(500);
      const { bids, asks } = market.detailedBook(tencent, 10);
      for (const { id, volume } of [...bids, ...asks].flatMap((level) => level.orders)) {
        expect(volume <= (volumes.get(id) ?? volume)).toBe(true);
        volumes.set(id, volume);
      }
    }
  });

  test("a caller's order stands behind what was there before it, by a number that is not its own", () => {
    const { market } = marketAt(NOON);
    const level = market.detailedBook(tencent, 2).bids[1]!;
    const [first] = level.orders;
    const order = { id: 77n, remaining: 300n, queueAhead: level.volume };
    market.show(tencent, 'buy', level.price, order.remaining, 1, order);
    const behind = market.detailedBook(tencent, 2).bids[1]!.orders;
    expect(behind.slice(0, -1)).toEqual(level.orders);
    expect(behind.at(-1)).toEqual({ id: expect.any(BigInt), volume: 300n });
    expect(behind.at(-1)!.id).not.toBe(77n);
    // All of the queue but its first order has traded.
    order.queueAhead = first!.volume;
    expect(market.detailedBook(tencent, 2).bids[1]!.orders[1]).toEqual(behind.at(-1));
  });

  test('a level that a resting order hides is taken at the resting price, sold to it', () => {
    const { market } = marketAt(NOON);
    const [first, second] = market.book(tencent, 2).asks;
    market.show(tencent, 'buy', second!.price, 10_000n, 1, restingOrder(10_000n));
    const crossed = market.book(tencent, 1);
    expect(crossed.bids[0]).toEqual({ price: second!.price, volume: 10_000n, orderCount: 1 });
    expect(crossed.asks[0]!.price > second!.price).toBe(true);
    expect(market.volumeAt(tencent, 'sell', first!.price)).toBe(0n);
    expect(market.take(tencent, 'buy', first!.volume, second!.price)).toEqual([{ price: second!.price, volume: first!.volume }]);
    expect(market.ticks(tencent, 1)[0]).toMatchObject({ price: second!.price, volume: first!.volume, direction: -1 });
  });

  test('resting volume can be withdrawn, but not more than was shown', () => {
    const { market } = marketAt(NOON);
    const before = market.book(tencent, 10);
    const price = before.bids[3]!.price;
    const order = restingOrder(500n);
    market.show(tencent, 'buy', price, 500n, 1, order);
    expect(market.book(tencent, 10).bids[3]).toEqual({
      price,
      volume: before.bids[3]!.volume + 500n,
      orderCount: before.bids[3]!.orderCount + 1,
    });
    market.show(tencent, 'buy', price, -500n, -1, order);
    expect(market.book(tencent, 10).bids).toEqual(before.bids);
    expect(() => market.show(tencent, 'buy', price, -1n, 0, order)).toThrow('than was shown');
  });

  test('prints survive a restart when they are put back, also thousands of them', () => {
    const first = marketAt(NOON);
    const events: Tick[] = [];
    for (let i = 0; i < 5_000; i++) {
      first.market.print(tencent, first.market.quote(tencent).last, 100n, 1);
      events.push(first.market.ticks(tencent, 1)[0]!);
      if (i % 50 === 0) first.clock.advance(777);
    }
    const second = marketAt(first.clock.now());
    second.market.restorePrints(tencent, events);
    second.market.restorePrints(tencent, events);
    expect(second.market.quote(tencent)).toEqual(first.market.quote(tencent));
    expect(second.market.ticks(tencent, 1_000)).toEqual(first.market.ticks(tencent, 1_000));
    expect(second.market.bars(tencent, { unit: 'minute', count: 1 }, { limit: 100 })).toEqual(
      first.market.bars(tencent, { unit: 'minute', count: 1 }, { limit: 100 }),
    );
    expect(new Set(events.map((tick) => tick.sequence)).size).toBe(5_000);
  });
});

describe('live events', () => {
  function watched(time = NOON) {
    const made = marketAt(time);
    const events: MarketEvent[] = [];
    made.market.onEvent((event) => events.push(event));
    return { ...made, events };
  }
  const ticksOf = (events: readonly MarketEvent[]) => events.flatMap((event) => (event.kind === 'tick' ? event.ticks : []));

  test('every tick of a watched symbol is told once, in order', () => {
    const { market, clock, events } = watched();
    const [before] = market.ticks(tencent, 1);
    market.watch(tencent);
    clock.advance(600_000);
    const told = ticksOf(events);
    expect(told.length).toBeGreaterThan(60);
    expect(told).toEqual(market.ticks(tencent, 1_000).filter((tick) => tick.sequence > before!.sequence));
    const books = events.filter((event) => event.kind === 'book').length;
    expect(books / 600).toBeGreaterThan(0.5);
    expect(books / 600).toBeLessThan(6);
  });

  test('a watch ends with its last unwatch', () => {
    const { market, clock, events } = watched();
    market.watch(tencent);
    market.watch(tencent);
    market.unwatch(tencent);
    clock.advance(30_000);
    const count = events.length;
    expect(count).toBeGreaterThan(10);
    market.unwatch(tencent);
    clock.advance(3_600_000);
    expect(events).toHaveLength(count);
    expect(() => market.unwatch(tencent)).toThrow('is not watched');
  });

  test('a caller hears of its own trade at once, and may trade from within', () => {
    const { market, clock, events } = watched();
    market.watch(tencent);
    let trades = 0;
    market.onEvent((event) => {
      if (event.kind === 'tick' && trades++ < 3) market.take(tencent, 'buy', 100n);
    });
    market.take(tencent, 'buy', 100n);
    expect(events).toEqual([]);
    clock.advance(0);
    expect(ticksOf(events)).toHaveLength(4);
  });

  test('after a jump of the clock the newest thousand ticks are told', () => {
    const clock = new ManualClock(NOON);
    const market = new SimulatedMarket({
      clock,
      seed: 1,
      calendarOf: (of) => world.calendar(of),
      companies: new Companies(world, 1),
      pairs: world.instruments({ market: 'FX' }),
    });
    const events: MarketEvent[] = [];
    market.onEvent((event) => events.push(event));
    market.watch(tencent);
    clock.sleep(3 * 24 * 3_600_000);
    clock.advance(0);
    expect(ticksOf(events)).toEqual(market.ticks(tencent, 1_000));
    expect(events).toHaveLength(2);
  });
});
