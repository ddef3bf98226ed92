import { ManualClock } from '@svc-gateway/contract/clock';
import { quote } from '@svc-gateway/contract/operations';
import type { CalendarMode } from '@svc-gateway/simulator/world';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIXTURE_TIME, payload, security, startFixture } from '../../../../test/support/sim-backend.js';

const symbols = [
  'HK.00700',
  'HK.02800',
  'HK.800000',
  'HK.HSImain',
  'US.AAPL',
  'US.SPY',
  'SH.600519',
  'SZ.000001',
  'SG.D05',
  'JP.7203',
  'MY.1155',
  'FX.EURUSD',
];
const WEEK_MS = 7 * 86_400_000;

/** Doubles that were summed exactly elsewhere agree but for the rounding of the sum here. */
const close = (actual: number, expected: number) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.abs(expected) * 1e-12 + 1e-6);

for (const calendarMode of ['open', 'calendar'] satisfies CalendarMode[]) {
  test(`every view of a symbol shows the same figures at any moment (${calendarMode})`, async () => {
    const moments = fc.record({
      symbol: fc.constantFrom(...symbols),
      after: fc.integer({ min: 0, max: WEEK_MS }),
      seed: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(moments, async ({ symbol, after, seed }) => {
        const { backend, simulation } = await startFixture({ clock: new ManualClock(FIXTURE_TIME + after), seed, calendarMode });
        const one = { security: security(symbol) };
        const basic = (await payload(backend, quote.getQuote, { securityList: [one.security] })).basicQotList[0]!;
        const snapshot = (await payload(backend, quote.getSnapshot, { securityList: [one.security] })).snapshotList[0]!.basic!;
        const book = await payload(backend, quote.getOrderBook, { ...one, num: 10 });
        const tick = (await payload(backend, quote.getTicker, { ...one, maxRetNum: 1 })).tickerList[0]!;
        const rt = (await payload(backend, quote.getRt, one)).rtList;

        expect(snapshot).toMatchObject({
          curPrice: basic.curPrice,
          highPrice: basic.highPrice,
          lowPrice: basic.lowPrice,
          openPrice: basic.openPrice,
          volume: basic.volume,
          turnover: basic.turnover,
          lastClosePrice: basic.lastClosePrice,
          updateTime: basic.updateTime,
        });
        expect(snapshot.bidPrice).toBe(book.orderBookBidList[0]?.price ?? 0);
        expect(snapshot.askPrice).toBe(book.orderBookAskList[0]?.price ?? 0);
        expect(snapshot.bidVol).toBe(book.orderBookBidList[0]?.volume ?? 0n);
        expect(snapshot.highest52WeeksPrice).toBeGreaterThanOrEqual(basic.highPrice);
        expect(snapshot.lowest52WeeksPrice).toBeLessThanOrEqual(basic.lowPrice);
        const extended = basic.afterMarket ?? (basic.volume === 0n ? basic.preMarket : undefined);
        expect(tick.price).toBe(extended?.price ?? basic.curPrice);
        if (basic.volume > 0n) expect(tick.time).toBe(basic.updateTime);
        expect([snapshot.preMarket, snapshot.afterMarket]).toEqual([basic.preMarket, basic.afterMarket]);
        expect(basic.lowPrice <= basic.curPrice && basic.curPrice <= basic.highPrice).toBe(true);

        for (const klType of [2, 3, 4, 5, 11]) {
          const bars = (await payload(backend, quote.getKline, { ...one, klType, rehabType: 0, reqNum: 1 })).klList;
          expect(bars.at(-1)?.closePrice).toBe(basic.curPrice);
        }
        if (basic.volume > 0n) {
          const day = (await payload(backend, quote.getKline, { ...one, klType: 2, rehabType: 0, reqNum: 1 })).klList[0]!;
          expect(day).toMatchObject({
            highPrice: basic.highPrice,
            lowPrice: basic.lowPrice,
            openPrice: basic.openPrice,
            volume: basic.volume,
            turnover: basic.turnover,
          });
          const minute = (await payload(backend, quote.getKline, { ...one, klType: 1, rehabType: 0, reqNum: 1 })).klList[0]!;
          expect(minute.closePrice).toBe(extended?.price ?? basic.curPrice);
          expect(rt.at(-1)?.price).toBe(basic.curPrice);
          close(rt.at(-1)!.avgPrice, snapshot.avgPrice);
        }
        expect(rt.reduce((sum, point) => sum + point.volume, 0n)).toBe(basic.volume);
        close(
          rt.reduce((sum, point) => sum + point.turnover, 0),
          basic.turnover,
        );

        const flow = (await payload(backend, quote.getCapitalFlow, { ...one, periodType: 1 })).flowItemList;
        const days = (await payload(backend, quote.getCapitalFlow, { ...one, periodType: 2 })).flowItemList;
        const spread = await payload(backend, quote.getCapitalDistribution, one);
        const bought = spread.capitalInSuper + spread.capitalInBig + spread.capitalInMid + spread.capitalInSmall;
        const sold = spread.capitalOutSuper + spread.capitalOutBig + spread.capitalOutMid + spread.capitalOutSmall;
        expect(bought + sold).toBeLessThanOrEqual(basic.turnover * (1 + 1e-12));
        if (flow.length > 0) {
          expect(Math.abs(flow.at(-1)!.inFlow - (bought - sold))).toBeLessThanOrEqual(basic.turnover * 1e-9 + 1e-6);
          expect(days.at(-1)!.inFlow).toBe(flow.at(-1)!.inFlow);
        }
        await simulation.close();
      }),
      { numRuns: 60 },
    );
  });
}

test('an unchanged quote is the same message, a changed one another', async () => {
  const { backend, clock } = await startFixture();
  const request = { securityList: [security('HK.00700')] };
  const first = await payload(backend, quote.getQuote, request);
  expect(await payload(backend, quote.getQuote, request)).toBe(first);
  clock.advance(120_000);
  const later = await payload(backend, quote.getQuote, request);
  expect(later).not.toBe(first);
  expect(later.basicQotList[0]!.volume).toBeGreaterThan(first.basicQotList[0]!.volume);
  await backend.stop();
});
