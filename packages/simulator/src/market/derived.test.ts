import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { brokerQueue, type CapitalFlow, capitalFlow, TradeStatistics, timeShare } from './index.js';

const { world } = openMarket({ time: Date.UTC(2026, 10, 20, 2) });
const AFTERNOON = Date.UTC(2026, 10, 20, 6, 30);
const symbols = ['HK.00700', 'HK.800000', 'SH.600519', 'HK.HSImain', 'US.AAPL'].filter((symbol) => world.instrument(symbol) !== undefined);

const marketAt = (time: number, seed = 1) => openMarket({ time, seed, world });

const sum = ({ super: largest, big, mid, small }: CapitalFlow['in']) => largest + big + mid + small;

describe('the intraday chart', () => {
  test.each(symbols)('%s has every minute of the day so far, and ends at the quote', (symbol) => {
    const instrument = world.instrument(symbol)!;
    const { market, clock } = marketAt(AFTERNOON);
    const points = timeShare(market, world.calendar(instrument), instrument, clock.now());
    const quote = market.quote(instrument);
    const open = world
      .calendar(instrument)
      .sessions(quote.tradingDay)
      .filter(({ kind }) => kind === 'regular')
      .flatMap(({ start, end }) => (start > AFTERNOON ? [] : [(Math.min(end - 1, AFTERNOON) - start) / 60_000]));
    expect(points).toHaveLength(open.reduce((minutes, length) => minutes + Math.floor(length) + 1, 0));
    expect(points.at(-1)?.price).toBe(quote.last);
    expect(points.reduce((total, { volume }) => total + volume, 0n)).toBe(quote.volume);
    expect(points.reduce((total, { turnover }) => total + turnover, 0n)).toBe(quote.turnover);
    const average = points.at(-1)!.averagePrice;
    expect(average >= quote.low && average <= quote.high).toBe(true);
  });
});

describe('capital flow', () => {
  test.each(symbols)('%s: in and out make up the turnover of the ticks that have a direction', (symbol) => {
    const instrument = world.instrument(symbol)!;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 50 }),
        (waits, seed) => {
          const { market, clock } = marketAt(AFTERNOON, seed);
          const statistics = new TradeStatistics(market);
          for (const wait of waits) {
            clock.advance(wait);
            const flow = capitalFlow(statistics, instrument);
            const ticks = market.dayTicks(instrument, 0n);
            const turnover = (direction: number) =>
              ticks.reduce((total, tick) => total + (tick.direction === direction ? tick.turnover : 0n), 0n);
            expect(sum(flow.in)).toBe(turnover(1));
            expect(sum(flow.out)).toBe(turnover(-1));
            expect(sum(flow.in) + sum(flow.out) + turnover(0)).toBe(market.quote(instrument).turnover);
            const net = flow.minutes.at(-1)?.net;
            expect(net === undefined ? 0n : sum(net)).toBe(sum(flow.in) - sum(flow.out));
            expect(flow).toEqual(capitalFlow(new TradeStatistics(market), instrument));
          }
        },
      ),
      { numRuns: 3 },
    );
  });

  test('has trades of every size', () => {
    const { market } = marketAt(AFTERNOON);
    const { in: inflow, out } = capitalFlow(new TradeStatistics(market), world.instrument('HK.00700')!);
    for (const part of [...Object.values(inflow), ...Object.values(out)]) expect(part > 0n).toBe(true);
  });
});

describe('the broker queue', () => {
  test('has a broker for every order of the best levels, in Hong Kong only', () => {
    const { market } = marketAt(AFTERNOON);
    const tencent = world.instrument('HK.00700')!;
    const book = market.book(tencent, 10);
    const { bids, asks } = brokerQueue(tencent, book);
    for (const [queue, levels] of [
      [bids, book.bids],
      [asks, book.asks],
    ] as const) {
      expect(queue).toHaveLength(
        Math.min(
          40,
          levels.reduce((orders, { orderCount }) => orders + orderCount, 0),
        ),
      );
      expect(queue.filter(({ position }) => position === 1)).toHaveLength(levels[0]!.orderCount);
    }
    expect(brokerQueue(tencent, book)).toEqual({ bids, asks });
    const maotai = world.instrument('SH.600519')!;
    expect(brokerQueue(maotai, market.book(maotai, 10))).toEqual({ bids: [], asks: [] });
  });
});
