import { metadata, quote, research } from '@svc-gateway/contract/operations';
import { describe, expect, test } from 'vitest';
import { researchWorlds } from '../../../../../test/support/research-worlds.js';
import { type AskedBackend, security } from '../../../../../test/support/sim-backend.js';

const { fixtures, everyCase } = researchWorlds();

const near = (value: number, expected: number, places = 0) => expect(value).toBeCloseTo(expected, places);

describe('prices around results', () => {
  test('are those of forward adjusted K-lines, and the two answers tell the same', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const { detailList: moves } = await fixture.payload(research.getFinancialsEarningsPriceMove, { ...one, periodCount: 3 });
      const { detailList: history } = await fixture.payload(research.getFinancialsEarningsPriceHistory, one);
      expect(moves.length).toBe(3);
      expect(history.map(({ isCurrent }) => isCurrent).indexOf(true)).toBe(0);
      for (const [index, { itemList, priceInfoIndex, pubTradingDayStr, periodText }] of moves.entries()) {
        const row = history[index]!;
        expect([row.periodText, row.pubTradingDayStr]).toEqual([periodText, pubTradingDayStr]);
        const days = itemList.map(({ tradingDayStr }) => tradingDayStr);
        expect(days).toEqual([...days].sort());
        const own = itemList[priceInfoIndex];
        if (own === undefined) continue;
        expect(own.tradingDayStr).toBe(pubTradingDayStr);
        expect(row.priceInfo).toMatchObject({ closePrice: own.closePrice, openPrice: own.openPrice, lastClosePrice: own.lastClosePrice });
        for (const { delta, closePrice } of row.scheduleInfoList) expect(itemList[priceInfoIndex + delta]!.closePrice).toBe(closePrice);
        const range = { beginTime: days[0]!, endTime: days.at(-1)!, klType: 2, rehabType: 1 };
        const { klList } = await fixture.payload(quote.getHistoryKline, { ...one, ...range });
        const bars = klList.map(({ time, closePrice, highPrice }) => [time.slice(0, 10), closePrice, highPrice]);
        expect(itemList.map(({ tradingDayStr, closePrice, highestPrice }) => [tradingDayStr, closePrice, highestPrice])).toEqual(bars);
        expect(own.optionHV).toBeGreaterThan(0);
      }
    }, 6));
});

describe('ratings', () => {
  test('the consensus is what each broker said last within three months', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol), num: 20 };
      const consensus = await fixture.payload(research.getResearchAnalystConsensus, one);
      const { instRatingSummaryList: brokers } = await fixture.payload(research.getResearchRatingSummary, one);
      const { analystRatingSummaryList: analysts } = await fixture.payload(research.getResearchRatingSummary, {
        ...one,
        ratingDimensionType: 2,
      });
      const today = fixture.clock.now() / 1000;
      const latest = brokers
        .map(({ ratingItemList }) => ratingItemList[0]!)
        .filter(({ recommendationDate }) => Number(recommendationDate) > today - 91.5 * 86_400);
      expect(Math.abs(consensus.total - latest.length)).toBeLessThanOrEqual(1);
      expect(analysts.map(({ ratingItemList }) => ratingItemList)).toEqual(brokers.map(({ ratingItemList }) => ratingItemList));
      for (const { analystInfo } of analysts) expect(analystInfo!.institutionInfo!.institutionName).not.toBe('');
      if (consensus.total === 0) return;
      const targets = latest.map(({ targetPrice }) => targetPrice);
      expect(targets).toContain(consensus.highest);
      expect(targets).toContain(consensus.lowest);
      const parts = [consensus.buy, consensus.hold, consensus.sell, consensus.strongBuy, consensus.underperform];
      near(
        parts.reduce((sum, part) => sum + part, 0),
        100,
        1,
      );
      const [{ institutionInfo }] = brokers as [(typeof brokers)[number]];
      const uid = institutionInfo!.institutionUid;
      const { instRatingDetail } = await fixture.payload(research.getResearchRatingSummary, { ...one, uid });
      expect(instRatingDetail!.ratingItemList).toEqual(brokers[0]!.ratingItemList);
      expect(instRatingDetail!.analystInfoList[0]!.institutionInfo).toBeUndefined();
    }));

  test('stars compare the price with the fair value, which is below the mean target by a year’s cost of equity', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const report = await fixture.payload(research.getResearchMorningstarReport, one);
      const { snapshotList } = await fixture.payload(quote.getSnapshot, { securityList: [one.security] });
      const price = snapshotList[0]!.basic!.curPrice;
      expect(report.starRating).toBeGreaterThanOrEqual(1);
      if (price < report.fairValue * 0.9) expect(report.starRating).toBeGreaterThanOrEqual(3);
      if (price > report.fairValue * 1.1) expect(report.starRating).toBeLessThanOrEqual(3);
      expect(report.valuationContent!.context).toContain(price < report.fairValue ? 'below' : 'above');
    }));

  test('pages name a uid that there is not', async () => {
    const request = { security: security('US.AAPL'), uid: '1' };
    expect(await fixtures[0]!.refusal(research.getResearchRatingSummary, request)).toMatch(/^uid: nobody with "1"/);
  });
});

describe('valuations', () => {
  test('are the snapshot’s now, and the price-earnings ratio of K-lines in the past', () =>
    everyCase(async (fixture, symbol) => {
      const one = { security: security(symbol) };
      const detail = (valuationType: number) => fixture.payload(research.getValuationDetail, { ...one, valuationType, intervalType: 1 });
      const [pe, pb, ps] = [await detail(1), await detail(2), await detail(3)];
      const { snapshotList } = await fixture.payload(quote.getSnapshot, { securityList: [one.security] });
      const { equityExData } = snapshotList[0]!;
      if (equityExData !== undefined) {
        expect(pe.trend!.currentValue).toBe(equityExData.peTTMRate);
        expect(pb.trend!.currentValue).toBe(equityExData.pbRate);
      }
      expect(ps.trend!.currentValue).toBeGreaterThan(0);
      const { klList } = await fixture.payload(quote.getKline, { ...one, klType: 2, rehabType: 0, reqNum: 40 });
      const past = new Map(pe.trend!.historicalItems.map(({ timeStr, value }) => [timeStr, value]));
      const shown = klList.filter(({ time, pe: ratio }) => ratio > 0 && past.has(time.slice(0, 10)));
      if (pe.trend!.currentValue > 0) expect(shown.length).toBeGreaterThan(20);
      for (const { time, pe: ratio } of shown) near(past.get(time.slice(0, 10))!, ratio, 2);
      expect(pe.plateDistribution!.stockItems.some(({ security: item }) => item!.code === one.security.code) || symbol === 'HK.00823').toBe(
        true,
      );
    }, 8));

  test('of a plate are its members’, sorted and paged', async () => {
    const [fixture] = fixtures as [AskedBackend];
    const plate = { market: 11, code: 'LIST1001' };
    const { staticInfoList } = await fixture.payload(metadata.getPlateSecurity, { plate });
    const items = [];
    for (let nextKey = ''; nextKey !== '-1'; ) {
      const page = await fixture.payload(research.getValuationPlateStockList, {
        security: plate,
        valuationType: 2,
        sortId: 52,
        num: 2,
        nextKey,
      });
      expect(page.count).toBe(staticInfoList.length);
      items.push(...page.stockList);
      nextKey = page.nextKey;
    }
    const codes = (list: readonly { readonly code: string }[]) => list.map(({ code }) => code).sort();
    expect(codes(items.map(({ security: one }) => one!))).toEqual(codes(staticInfoList.map(({ basic }) => basic!.security!)));
    const values = items.map(({ valuationVal }) => valuationVal);
    expect(values).toEqual([...values].sort((a, b) => a - b));
    const { snapshotList } = await fixture.payload(quote.getSnapshot, { securityList: items.map(({ security: one }) => one!) });
    for (const [index, { equityExData }] of snapshotList.entries()) {
      expect([values[index], items[index]!.marketCap]).toEqual([equityExData!.pbRate, equityExData!.issuedMarketVal]);
    }
  });

  test('of an index are those of its market, of which a plate keeps its own', async () => {
    const [fixture] = fixtures as [AskedBackend];
    const index = security('HK.800000');
    const { count, plateList } = await fixture.payload(research.getValuationPlateStockList, { security: index, num: 1 });
    for (const { security: plate } of plateList) {
      const members = await fixture.payload(research.getValuationPlateStockList, { security: plate!, num: 1 });
      expect([plate!.code, members.count > 0]).toEqual([plate!.code, true]);
    }
    const [first] = plateList;
    const filtered = await fixture.payload(research.getValuationPlateStockList, {
      security: index,
      filterSecurity: first!.security!,
      num: 50,
    });
    const own = await fixture.payload(research.getValuationPlateStockList, { security: first!.security!, num: 50 });
    expect(filtered.stockList).toEqual(own.stockList);
    expect(count).toBeGreaterThan(filtered.count);
    const { trend, marketDistribution } = await fixture.payload(research.getValuationDetail, { security: index });
    expect(trend!.historicalItems.length).toBeGreaterThan(5);
    expect(marketDistribution!.sections.reduce((sum, { number }) => sum + number, 0)).toBe(marketDistribution!.total);
  });

  test.each([
    [research.getValuationPlateStockList, { security: security('HK.00700') }, /^security: HK\.00700 is .*; expected a plate or an index$/],
    [
      research.getValuationPlateStockList,
      { security: security('HK.800000'), filterSecurity: security('HK.00700') },
      /^filter_security: HK\.00700 is no plate/,
    ],
    [research.getValuationDetail, { security: security('HK.02800') }, /^HK\.02800 is .*: only shares of companies, plates and indices/],
  ] as const)('instruments without valuations are refused by name', async (operation, fields, message) => {
    expect(await fixtures[0]!.refusal(operation, fields)).toMatch(message);
  });
});
