import { ManualClock } from '@svc-gateway/contract/clock';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScriptedMarket } from '../../../../test/support/scripted-market.js';
import type { TickDirection } from '../market/index.js';
import { createWorld } from '../world/index.js';
import { CallerBook, type Matching } from './caller-book.js';
import type { Side } from './price-levels.js';

const world = createWorld({ clock: new ManualClock(Date.UTC(2026, 10, 20, 2)), calendarMode: 'open', generatedInstruments: 0, seed: 1 });
const tencent = world.instrument('HK.00700')!;
const START = Date.UTC(2026, 10, 20, 2);
const p = (text: string): Decimal => parseDecimal(text)!;

function setUp() {
  const clock = new ManualClock(START);
  const market = new ScriptedMarket(clock);
  const book = new CallerBook(market, tencent);
  let id = 0n;
  const order = (side: Side, price: string, volume: bigint, extendedHours = true) => {
    id += 1n;
    return { id, side, limit: p(price), volume, extendedHours };
  };
  const rest = (side: Side, price: string, volume: bigint, extendedHours = true): bigint => {
    const resting = order(side, price, volume, extendedHours);
    book.rest(resting, volume, clock.now());
    return resting.id;
  };
  const tick = (price: string, volume: bigint, direction: TickDirection): Matching =>
    book.meetTick({ sequence: 1n, time: clock.now() + 1, price: p(price), volume, turnover: 0n, direction }, false);
  return { clock, market, book, order, rest, tick };
}

const brief = ({ matches }: Matching) => matches.map(({ orderId, price, volume }) => [orderId, Number(price) / 1e9, volume]);

describe('an arriving order', () => {
  it('takes the best price first, whoever offers it', () => {
    const { market, book, order, rest } = setUp();
    market.setBook(
      tencent,
      [],
      [
        [p('600'), 100n],
        [p('601'), 100n],
      ],
    );
    const seller = rest('sell', '600.5', 100n);
    const buyer = order('buy', '601', 400n);
    expect(brief(book.aggress(buyer, false))).toEqual([
      [buyer.id, 600, 100n],
      [seller, 600.5, 100n],
      [buyer.id, 600.5, 100n],
      [buyer.id, 601, 100n],
    ]);
  });

  it('passes the background that was there before a caller, then the caller, then the background that came later', () => {
    const { market, book, order, rest } = setUp();
    market.setBook(tencent, [], [[p('600'), 300n]]);
    const seller = rest('sell', '600', 200n);
    market.setBook(tencent, [], [[p('600'), 900n]]);
    const buyer = order('buy', '600', 600n);
    expect(brief(book.aggress(buyer, false))).toEqual([
      [buyer.id, 600, 300n],
      [seller, 600, 200n],
      [buyer.id, 600, 200n],
      [buyer.id, 600, 100n],
    ]);
  });

  it('meets callers at one price in the order in which they came', () => {
    const { book, order, rest } = setUp();
    const first = rest('sell', '600', 100n);
    const second = rest('sell', '600', 100n);
    const buyer = order('buy', '600', 150n);
    const done = book.aggress(buyer, false);
    expect(done.matches.filter(({ orderId }) => orderId !== buyer.id).map(({ orderId, volume }) => [orderId, volume])).toEqual([
      [first, 100n],
      [second, 50n],
    ]);
  });

  it('puts a trade between two callers on the tape once', () => {
    const { market, book, order, rest } = setUp();
    rest('sell', '600', 100n);
    const { prints } = book.aggress(order('buy', '600', 100n), false);
    expect(prints).toMatchObject([{ price: p('600'), volume: 100n, direction: 1 }]);
    expect(market.ticks(tencent, 10)).toEqual(prints);
  });

  it('leaves alone, in an extended session, orders that are for regular hours', () => {
    const { book, order, rest } = setUp();
    rest('sell', '600', 100n, false);
    const both = rest('sell', '600', 100n, true);
    const done = book.aggress(order('buy', '600', 150n), true);
    expect(done.matches.map(({ orderId }) => orderId)).toContain(both);
    expect(done.matches).toHaveLength(2);
  });
});

describe('a resting order', () => {
  it('waits until the volume in front of it has traded, then fills in parts', () => {
    const { market, rest, tick } = setUp();
    market.setBook(tencent, [[p('600'), 500n]], []);
    const buyer = rest('buy', '600', 300n);
    expect(brief(tick('600', 400n, -1))).toEqual([]);
    expect(brief(tick('600', 200n, -1))).toEqual([[buyer, 600, 100n]]);
    expect(brief(tick('600', 150n, -1))).toEqual([[buyer, 600, 150n]]);
    expect(brief(tick('600', 900n, -1))).toEqual([[buyer, 600, 50n]]);
    expect(brief(tick('600', 900n, -1))).toEqual([]);
  });

  it('is not reached at its price by the aggression of its own side', () => {
    const { rest, tick } = setUp();
    rest('buy', '600', 300n);
    expect(brief(tick('600', 400n, 1))).toEqual([]);
  });

  it('fills at its own price, and prints, when the flow trades through it', () => {
    const { market, rest, tick } = setUp();
    market.setBook(tencent, [], [[p('600'), 500n]]);
    const seller = rest('sell', '600', 300n);
    const done = tick('600.2', 200n, 1);
    expect(brief(done)).toEqual([[seller, 600, 200n]]);
    expect(done.prints).toMatchObject([{ price: p('600'), volume: 200n, direction: 1 }]);
  });

  it('does not trade with events before its arrival', () => {
    const { clock, book, rest } = setUp();
    rest('buy', '600', 300n);
    const early = { sequence: 1n, time: clock.now(), price: p('600'), volume: 500n, turnover: 0n, direction: -1 as const };
    expect(book.meetTick(early, false).matches).toEqual([]);
  });

  it('moves up when volume in front of it leaves the book', () => {
    const { market, book, rest, tick } = setUp();
    market.setBook(tencent, [[p('600'), 500n]], []);
    const buyer = rest('buy', '600', 100n);
    market.setBook(tencent, [[p('600'), 100n]], []);
    expect(book.meetBook(false).matches).toEqual([]);
    expect(brief(tick('600', 200n, -1))).toEqual([[buyer, 600, 100n]]);
  });

  it('takes from a background that has come to cross it', () => {
    const { market, book, rest } = setUp();
    const better = rest('buy', '600', 100n);
    const worse = rest('buy', '599', 100n);
    market.setBook(
      tencent,
      [],
      [
        [p('598.8'), 150n],
        [p('599.4'), 100n],
      ],
    );
    expect(brief(book.meetBook(false))).toEqual([
      [better, 598.8, 100n],
      [worse, 598.8, 50n],
    ]);
  });

  it('keeps its place when it is reduced, and shows exactly what is left', () => {
    const { market, book, rest, tick } = setUp();
    const first = rest('buy', '600', 300n);
    const second = rest('buy', '600', 100n);
    book.reduce(first, 100n);
    expect(market.book(tencent, 1).bids).toMatchObject([{ price: p('600'), volume: 200n }]);
    expect(brief(tick('600', 150n, -1))).toEqual([
      [first, 600, 100n],
      [second, 600, 50n],
    ]);
    expect(book.withdraw(second)).toBe(true);
    expect(book.isEmpty).toBe(true);
    expect(market.book(tencent, 1).bids).toEqual([]);
  });
});

const prices = ['599', '599.5', '600', '600.5', '601'];
const step = fc.record({
  kind: fc.constantFrom('order', 'tick', 'book', 'withdraw'),
  side: fc.constantFrom<Side>('buy', 'sell'),
  price: fc.constantFrom(...prices),
  volume: fc.integer({ min: 1, max: 9 }).map((lots) => BigInt(lots) * 100n),
});

it('whatever happens: no order trades more than its volume or beyond its limit, callers never rest crossed, buys equal sells between callers', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      const { clock, market, book, order } = setUp();
      const orders = new Map<bigint, { side: Side; limit: Decimal; left: bigint }>();
      const crosses = { buy: 0n, sell: 0n };
      const settle = ({ matches }: Matching) => {
        for (const { orderId, price, volume, counterOrderId } of matches) {
          const known = orders.get(orderId)!;
          known.left -= volume;
          expect(known.left >= 0n).toBe(true);
          expect(known.side === 'buy' ? price <= known.limit : price >= known.limit).toBe(true);
          if (counterOrderId !== undefined) crosses[known.side] += volume;
        }
      };
      for (const { kind, side, price, volume } of steps) {
        clock.advance(10);
        if (kind === 'order') {
          const arriving = order(side, price, volume);
          orders.set(arriving.id, { side, limit: arriving.limit, left: volume });
          settle(book.aggress(arriving, false));
          const { left } = orders.get(arriving.id)!;
          if (left > 0n) book.rest(arriving, left, clock.now());
        } else if (kind === 'tick') {
          settle(
            book.meetTick(
              { sequence: 1n, time: clock.now(), price: p(price), volume, turnover: 0n, direction: side === 'buy' ? 1 : -1 },
              false,
            ),
          );
        } else if (kind === 'book') {
          market.setBook(tencent, side === 'buy' ? [[p(price), volume]] : [], side === 'sell' ? [[p(price), volume]] : []);
          settle(book.meetBook(false));
        } else {
          for (const [id, known] of orders) {
            if (known.left === 0n || !book.withdraw(id)) continue;
            orders.delete(id);
            break;
          }
        }
        const resting = [...orders].filter(([id]) => book.has(id)).map(([, known]) => known);
        for (const known of resting) expect(known.left > 0n).toBe(true);
        const bids = resting.filter((known) => known.side === 'buy').map((known) => known.limit);
        const asks = resting.filter((known) => known.side === 'sell').map((known) => known.limit);
        for (const bid of bids) for (const ask of asks) expect(bid < ask).toBe(true);
      }
      expect(crosses.buy).toBe(crosses.sell);
    }),
  );
});
