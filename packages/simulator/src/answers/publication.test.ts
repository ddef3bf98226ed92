import { ManualClock } from '@svc-gateway/contract/clock';
import { institution, news, research } from '@svc-gateway/contract/operations';
import { dayOfNumber, localDate, localDayNumber, parseLocal } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { publicationTime } from '../companies/index.js';
import { storiesBetween } from '../view/news.js';
import type { CalendarMode } from '../world/calendar.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 2, 30);
const QUARTERLY = 9;
const homes = { 'HK.00700': 'Asia/Hong_Kong', 'US.AAPL': 'America/New_York', 'SH.600519': 'Asia/Shanghai', 'JP.7203': 'Asia/Tokyo' };
const symbols = Object.keys(homes) as (keyof typeof homes)[];
const modes = fc.constantFrom<CalendarMode>('open', 'calendar');

it('results are readable everywhere from the moment that the calendar announces, and nowhere before it', async () => {
  const cases = fc.record({ symbol: fc.constantFrom(...symbols), mode: modes, after: fc.integer({ min: -30 * 60, max: 30 * 60 }) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ symbol, mode, after }) => {
      const clock = new ManualClock(START);
      const { backend, simulation } = await startFixture({ clock, calendarMode: mode });
      const equity = simulation.world.instrument(symbol)!;
      const company = simulation.companies.company(equity);
      const reports = company.profile.reporting.reports === 2 ? 2 : 1;
      // Around the next results.
      const quarter = company.lastPublished(localDayNumber(START, homes[symbol])) + reports;
      const time = publicationTime({ kind: 'results' }, equity, company.published(quarter));
      clock.advance(Math.max(0, time - START + after * 60_000));
      const isOut = clock.now() >= time;
      const { fiscal } = company.profile;
      const newest = isOut ? quarter : quarter - reports;
      const one = { security: security(symbol) };
      const statements = await payload(backend, research.getFinancialsStatements, { ...one, statementType: 1, financialType: QUARTERLY });
      expect(statements.reportList[0]?.dateTimeStr).toBe(fiscal.endDayOf(newest));
      const breakdown = await payload(backend, research.getFinancialsRevenueBreakdown, { ...one, financialType: QUARTERLY });
      expect(breakdown.period).toBe(statements.reportList[0]?.periodText);
      const efficiency = await payload(backend, research.getCompanyOperationalEfficiency, one);
      for (const { endDateStr } of efficiency.itemList) expect(endDateStr <= fiscal.endDayOf(newest)).toBe(true);
      const told = storiesBetween(company, time - HOUR, clock.now());
      expect(told.some(({ fact }) => fact?.kind === 'results' && fact.quarter === quarter)).toBe(isOut);
      await backend.stop();
    }),
    { numRuns: 24 },
  );
});

it('ratings reach summaries and the consensus together with the watchlist, and market lists not earlier', async () => {
  const cases = fc.record({ symbol: fc.constantFrom(...symbols), mode: modes, after: fc.integer({ min: 0, max: 40 * 24 * 60 }) });
  await fc.assert(
    fc.asyncProperty(cases, async ({ symbol, mode, after }) => {
      const clock = new ManualClock(START + after * 60_000);
      const { backend, simulation } = await startFixture({ clock, calendarMode: mode });
      const home = simulation.world.instrument(symbol)!;
      const company = simulation.companies.company(home);
      const today = localDayNumber(clock.now(), homes[symbol]);
      const out = company.ratings(today - 365, today).filter(({ day }) => publicationTime({ kind: 'rating' }, home, day) <= clock.now());
      const newest = dayOfNumber(out.at(-1)?.day ?? 0);
      const one = { security: security(symbol) };
      const { instRatingSummaryList } = await payload(backend, research.getResearchRatingSummary, { ...one, num: 1 });
      expect(instRatingSummaryList[0]?.ratingItemList[0]?.recommendationDateStr).toBe(newest);
      // Older ones are none of the consensus, nor kept by the watchlist.
      const isRecent = (out.at(-1)?.day ?? 0) > today - 30;
      if (isRecent) expect((await payload(backend, research.getResearchAnalystConsensus, one)).updateTimeStr).toBe(newest);
      const { ratingList } = await payload(backend, news.watchlistRating, { pageSize: 1, stockIds: [home.id], extensionVersion: 1 });
      if (isRecent) expect(localDate(Number(ratingList[0]!.pubTime) * 1000, homes[symbol])).toBe(newest);
      await backend.stop();
    }),
    { numRuns: 12 },
  );
  for (const mode of ['open', 'calendar'] as const) {
    const clock = new ManualClock(Date.UTC(2026, 10, 20, 5, 30));
    const { backend } = await startFixture({ clock, calendarMode: mode });
    // Half past midnight in New York, and with the real calendar in the evening that belongs to the next trading day.
    const { dataList } = await payload(backend, institution.getRatingChange, { market: 11, changeType: 1, count: 20 });
    for (const { recommendationDate } of dataList)
      expect(parseLocal(`${recommendationDate} 07:45:00`, 'America/New_York')).toBeLessThanOrEqual(clock.now());
    await backend.stop();
  }
});

it('a move of the price is news when the trading of its day is over, also where the clock is held open', async () => {
  for (const mode of ['open', 'calendar'] as const) {
    const { backend, simulation, clock } = await startFixture({ calendarMode: mode });
    let moves = 0;
    for (const symbol of symbols) {
      const home = simulation.world.instrument(symbol)!;
      const sessions = simulation.world.calendar(home);
      const stories = storiesBetween(simulation.companies.company(home), clock.now() - 300 * 24 * HOUR, clock.now());
      for (const { fact, time } of stories) {
        if (fact?.kind !== 'move') continue;
        moves += 1;
        expect(time).toBeGreaterThanOrEqual(fact.move.end);
        const day = sessions.tradingDay(fact.move.end - 1);
        const [bar] = simulation.market.bars(home, { unit: 'day' }, { to: sessions.sessions(day).at(-1)!.end, limit: 1 });
        expect(bar?.close).toBe(fact.move.close);
      }
    }
    expect(moves).toBeGreaterThan(0);
    await backend.stop();
  }
});
