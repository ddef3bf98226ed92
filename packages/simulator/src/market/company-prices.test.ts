import { ManualClock } from '@svc-gateway/contract/clock';
import { divide } from '@svc-gateway/contract/decimal';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { describe, expect, test } from 'vitest';
import { Companies, type DayMove } from '../companies/index.js';
import { createWorld } from '../world/index.js';
import { SimulatedMarket } from './index.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20, 2));

function setUp(calendarMode: 'calendar' | 'open') {
  const world = createWorld({ clock, calendarMode, generatedInstruments: 0, seed: 'w' });
  const made: { market?: SimulatedMarket } = {};
  const companies = new Companies(world, 3, undefined, {
    closeBefore: (instrument, day) => made.market!.closeBefore(instrument, day),
    dayMove: (instrument, day) => made.market!.dayMove(instrument, day),
  });
  const pairs = world.instruments({ market: 'FX' });
  const market = new SimulatedMarket({ clock, seed: 3, calendarOf: (one) => world.calendar(one), companies, pairs });
  made.market = market;
  return { world, companies, market };
}

const [from, to] = [requireDay('2026-02-02'), requireDay('2026-06-30')];
const bounds = { from: Date.UTC(2026, 0, 30), to: Date.UTC(2026, 6, 2) };

describe.each(['calendar', 'open'] as const)('what companies hear of a market with %s days', (mode) => {
  const { world, companies, market } = setUp(mode);
  // A day without a close ends at midnight, and its move is news of the next.
  const endsAfter = mode === 'open' ? 1 : 0;

  test.each(['US.TSLA', 'HK.00700', 'SZ.002594', 'US.KO'])('%s: news of moves are the day bars that moved so far', (symbol) => {
    const instrument = world.instrument(symbol)!;
    const bars = new Map<string, DayMove>();
    for (const { start, end, close, previousClose } of market.bars(instrument, { unit: 'day' }, bounds)) {
      bars.set(world.calendar(instrument).tradingDay((start + end) / 2), { reference: previousClose, close, end });
    }
    for (let day = from; day <= to; day++) expect(market.dayMove(instrument, dayOfNumber(day))).toEqual(bars.get(dayOfNumber(day)));
    const moves = companies
      .company(instrument)
      .news(from, to)
      .flatMap(({ day, fact }) => (fact.kind === 'move' ? [{ day, ...fact.move }] : []));
    for (const { day, ...move } of moves) {
      expect(bars.get(dayOfNumber(day - endsAfter))).toEqual(move);
      const { reference, close } = move;
      expect(Math.abs(Number(close) / Number(reference) - 1)).toBeGreaterThanOrEqual(0.04);
    }
    const large = [...bars].filter(([day, { reference, close }]) => {
      const news = requireDay(day) + endsAfter;
      const within = news >= from && news <= to;
      const least = Math.max(0.04, (2.5 * instrument.volatility) / Math.sqrt(365));
      return within && Math.abs(Number(close - reference) / Number(reference)) >= least;
    });
    expect(moves.map(({ day }) => dayOfNumber(day - endsAfter))).toEqual(large.map(([day]) => day));
  });
});

describe('money of depositary shares', () => {
  const { world, companies, market } = setUp('calendar');
  const shares = [
    ['HK.00005', 'US.HSBC', 'FX.USDHKD', 5n],
    ['HK.09988', 'US.BABA', 'FX.USDHKD', 8n],
    ['HK.09999', 'US.NTES', 'FX.USDHKD', 5n],
    ['JP.7203', 'US.TM', 'FX.USDJPY', 10n],
  ] as const;
  let dividends = 0;

  test.each(shares)(
    '%s and %s: converted at the rate of the day, figures and dividends alike',
    (home, depositary, currencies, ordinaries) => {
      const pair = world.instrument(currencies)!;
      for (const day of ['2018-03-01', '2022-07-04', '2026-11-20']) {
        const [ordinary, figures] = [home, depositary].map((symbol) => companies.figures(world.instrument(symbol)!, day));
        const rate = market.closeBefore(pair, day);
        expect(rate).not.toBe(pair.referencePrice);
        for (const key of ['netIncome', 'netIncomeTtm', 'netAssets'] as const) {
          const error = figures![key] - divide(ordinary![key], rate);
          expect(error < 1000n && error > -1000n, `${day} ${key} ${error}`).toBe(true);
        }
      }
      const cash = (symbol: string) =>
        companies.corporateActions(symbol, '1991-01-01', '2059-12-31').flatMap((action) => (action.kind === 'dividend' ? [action] : []));
      const declared = new Map(cash(home).map((action) => [`${action.exDay} ${action.special}`, action.cash]));
      for (const { cash: paid, announcedDay, exDay, special } of cash(depositary)) {
        dividends += 1;
        const error = paid - divide(declared.get(`${exDay} ${special}`)! * ordinaries, market.closeBefore(pair, announcedDay));
        expect(error < 1000n && error > -1000n, `${exDay} ${error}`).toBe(true);
      }
    },
  );

  test('some pay dividends', () => {
    expect(dividends).toBeGreaterThan(10);
  });
});
