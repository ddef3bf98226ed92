import { ManualClock } from '@svc-gateway/contract/clock';
import { quote } from '@svc-gateway/contract/operations';
import { expect, test } from 'vitest';
import { FIXTURE_TIME, ownBackend, security } from '../../../../../test/support/sim-backend.js';

const sum = (values: readonly (number | bigint)[]) => values.reduce<number>((total, value) => total + Number(value), 0);

test('the day’s trades add up to the quote, whichever way they are told', async () => {
  const { payload } = await ownBackend({ calendarMode: 'calendar' });
  for (const symbol of ['HK.00700', 'HK.HSImain', 'SH.600519']) {
    const one = security(symbol);
    const { basicQotList } = await payload(quote.getQuote, { securityList: [one] });
    const [basic] = basicQotList;
    const day = await payload(quote.getTickerStatistic, { security: one, intervalType: 1 });
    const { total, buy, sell, neutral } = day;
    expect([total!.volume, total!.turnover]).toEqual([basic!.volume, basic!.turnover]);
    for (const key of ['tradeCount', 'volume'] as const) expect(buy![key] + sell![key] + neutral![key]).toBe(total![key]);
    expect([day.highPrice, day.lowPrice]).toEqual([basic!.highPrice, basic!.lowPrice]);
    expect(sum(day.sizeList.map((size) => size.buy!.volume))).toBe(Number(buy!.volume));
    expect(sum(day.sizeList.map((size) => size.sell!.volume))).toBe(Number(sell!.volume));

    const detail = await payload(quote.getTickerStatisticDetail, { security: one });
    expect([detail.volume, detail.tradeCount, detail.turnover]).toEqual([total!.volume, total!.tradeCount, total!.turnover]);
    expect(sum(detail.levelList.map(({ volume }) => volume))).toBe(Number(total!.volume));
    expect(sum(detail.levelList.map(({ buyVolume }) => buyVolume))).toBe(Number(buy!.volume));
    const prices = detail.levelList.map(({ price }) => price);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
    expect([prices[0], prices.at(-1)]).toEqual([basic!.highPrice, basic!.lowPrice]);
    const most = detail.levelList.reduce((best, level) => (level.volume > best.volume ? level : best));
    expect(detail.levelList.find(({ price }) => price === detail.mostTradedPrice)!.volume).toBe(most.volume);
  }
});

test('the last minutes are the trades of those minutes, and grow with the day', async () => {
  const clock = new ManualClock(FIXTURE_TIME + 30_000);
  const { payload } = await ownBackend({ calendarMode: 'calendar', clock });
  const one = security('HK.00700');
  for (let turn = 0; turn < 3; turn++) {
    const { tickerList } = await payload(quote.getTicker, { security: one, maxRetNum: 1000 });
    const statistic = await payload(quote.getTickerStatistic, { security: one, intervalType: 2 });
    const minute = tickerList.filter(({ timestamp }) => timestamp >= statistic.beginTimestamp);
    expect(statistic.endTimestamp - statistic.beginTimestamp).toBeLessThan(60);
    expect(Number(statistic.total!.tradeCount)).toBe(minute.length);
    expect(Number(statistic.total!.volume)).toBe(sum(minute.map(({ volume }) => volume)));
    expect(Number(statistic.buy!.volume)).toBe(sum(minute.filter(({ dir }) => dir === 1).map(({ volume }) => volume)));
    const [bar] = (await payload(quote.getKline, { security: one, klType: 1, rehabType: 0, reqNum: 1 })).klList;
    expect(Number(statistic.total!.volume)).toBe(Number(bar!.volume));
    const five = await payload(quote.getTickerStatistic, { security: one, intervalType: 3 });
    const bars = (await payload(quote.getKline, { security: one, klType: 1, rehabType: 0, reqNum: 5 })).klList;
    expect(Number(five.total!.volume)).toBe(sum(bars.map(({ volume }) => volume)));
    clock.advance(20_000);
  }
});

test('before the first trade there is nothing to tell; wrong intervals and symbols are refused', async () => {
  const { payload, refusal } = await ownBackend({ calendarMode: 'calendar', clock: new ManualClock(Date.UTC(2026, 10, 20, 1, 30)) });
  const early = await payload(quote.getTickerStatistic, { security: security('HK.01999'), intervalType: 1 }).catch(() => undefined);
  if (early !== undefined && early.total!.tradeCount === 0n) expect(Object.hasOwn(early, 'averagePrice')).toBe(false);
  expect(await refusal(quote.getTickerStatistic, { security: security('HK.00700'), intervalType: 7 })).toContain('unknown interval_type 7');
  expect(await refusal(quote.getTickerStatisticDetail, { security: security('HK.700') })).not.toBe('');
});
