import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { futureProducts } from '../world/data/futures.js';
import { finalSettlement } from '../world/final-settlement.js';
import { tradedOn } from '../world/futures.js';
import type { CalendarMode, World } from '../world/index.js';
import type { Future } from '../world/instrument.js';
import type { BarPeriod } from './market.js';

type Place = ReturnType<typeof at>;

const at = (time: string, mode: CalendarMode = 'calendar', seed = 1) => openMarket({ time: Date.parse(time), mode, seed, worldSeed: seed });

const DAY = 86_400_000;
const [first, last] = ['2016-03-01', '2036-12-20'].map(requireDay) as [number, number];
const days = fc.integer({ min: first, max: last }).map(dayOfNumber);
const modes = fc.constantFrom<CalendarMode>('open', 'calendar');
const seeds = fc.nat(1_000);
const onIndices = futureProducts.filter(({ underlying }) => underlying !== undefined);
const mains = futureProducts.map(({ market, root }) => `${market}.${root}main`);

function future(world: World, symbol: string): Future {
  const found = world.instrument(symbol);
  if (found?.kind !== 'future') throw new Error(symbol);
  return found;
}

/** The dated contracts of a product that are listed at the clock's time, by expiry. */
function contractsOf({ world }: Place, { future: { product } }: Future): Future[] {
  return world.listed({ market: product.market, kind: 'future' }).filter((one): one is Future => {
    return one.kind === 'future' && one.future.product === product && one.future.month !== undefined;
  });
}

const price = (decimal: bigint) => Number(decimal) / 1e9;
const day = { unit: 'day' } as const;

/** Fair price of a contract at `time`, by the cost of carry. */
function carried(contract: Future, spot: number, time: number): number {
  const expiry = finalSettlement(contract).moments.at(-1) ?? Date.parse(`${contract.lastTradingDay}T20:00:00Z`);
  return spot * Math.exp((contract.future.product.carry / 100) * (Math.max(0, expiry - time) / (365 * DAY)));
}

describe('a contract', () => {
  it('closes at what its index costs to be carried to the expiry, within a tick and a tenth of a percent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...onIndices), days, seeds, ({ market: name, root }, on, seed) => {
        const place = at(`${on}T03:00:00Z`, 'open', seed);
        for (const contract of contractsOf(place, future(place.world, `${name}.${root}main`)).slice(0, 4)) {
          const { product } = contract.future;
          const [bar] = place.market.bars(contract, day, { limit: 1, to: place.clock.now() - DAY });
          if (bar === undefined) continue;
          const [index] = place.market.bars(place.world.instrument(product.underlying!)!, day, { from: bar.start, limit: 1 });
          expect(index?.end).toBe(bar.end);
          const fair = carried(contract, price(index!.close), bar.end);
          const inFixing = finalSettlement(contract).moments.some((moment) => moment < bar.end);
          if (!inFixing) expect(Math.abs(price(bar.close) - fair), contract.symbol).toBeLessThan(fair * 0.0011 + product.tick);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('goes with its index minute by minute', () => {
    const symbols = [
      ['HK.HSImain', 'HK.800000'],
      ['US.ESmain', 'US..SPX'],
      ['JP.NK225Mmain', 'JP..N225'],
    ] as const;
    for (const mode of ['open', 'calendar'] as const) {
      for (const [symbol, index] of symbols) {
        const place = at('2026-11-19T21:00:00Z', mode, 5);
        const { world, market } = place;
        const main = future(world, symbol);
        const contract = tradedOn(main, '2026-11-19') as Future;
        const minutes: BarPeriod = { unit: 'minute', count: 1 };
        const closes = new Map(market.bars(world.instrument(index)!, minutes, { limit: 1_500 }).map((bar) => [bar.start, bar]));
        const apart = market.bars(main, minutes, { limit: 2_500 }).flatMap((bar) => {
          const spot = closes.get(bar.start);
          return spot === undefined ? [] : [Math.abs(price(bar.close) / carried(contract, price(spot.close), bar.end) - 1)];
        });
        apart.sort((a, b) => a - b);
        expect(apart.length).toBeGreaterThan(300);
        expect(apart[Math.floor(apart.length * 0.95)], `${symbol} ${mode}`).toBeLessThan(0.002);
        expect(apart.at(-1), `${symbol} ${mode}`).toBeLessThan(0.012);
      }
    }
  });

  it('goes through the night from where its index closed to where it opens', () => {
    fc.assert(
      fc.property(days, seeds, (on, seed) => {
        const { world, market } = at(`${on}T12:00:00Z`, 'calendar', seed);
        const main = future(world, 'HK.HSImain');
        const calendar = world.calendar(main);
        const traded = calendar.previousTradingDay(calendar.previousTradingDay(on));
        const contract = tradedOn(main, traded) as Future;
        const index = market.bars(world.instrument('HK.800000')!, day, {
          from: Date.parse(traded) - 6 * DAY,
          to: Date.parse(traded) + DAY,
        });
        const [before, opened] = [index.at(-2)!, index.at(-1)!];
        const bars = market.bars(contract, { unit: 'minute', count: 5 }, { from: before.end, to: opened.start });
        if (bars.length === 0) return;
        const [evening, morning] = [bars.find(({ start }) => start > before.end + 1_800_000) ?? bars[0]!, bars.at(-1)!];
        // Half an hour later the walk has begun already.
        expect(Math.abs(price(evening.open) / carried(contract, price(before.close), before.end) - 1)).toBeLessThan(0.012);
        expect(Math.abs(price(morning.close) / carried(contract, price(opened.open), opened.start) - 1)).toBeLessThan(0.012);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['HK.HSI2611', '2026-11-27', 'HK.800000'],
    ['HK.HSI1611', '2016-11-29', 'HK.800000'],
    ['HK.HHI3612', '2036-12-30', 'HK.800100'],
  ])('%s ends at the mean of its index every five minutes, rounded down', (symbol, lastDay, index) => {
    const { world, market } = at(`${lastDay}T12:00:00Z`);
    const contract = future(world, symbol);
    expect(contract.lastTradingDay).toBe(lastDay);
    const bars = market.bars(
      world.instrument(index)!,
      { unit: 'minute', count: 5 },
      { from: Date.parse(lastDay), to: Date.parse(lastDay) + DAY },
    );
    const quotations = bars.map(({ close }) => price(close));
    // 31 in the morning and 35 in the afternoon, the close among them; noon is none.
    const noon = bars.findIndex(({ end }) => new Date(end).toISOString().endsWith('T04:00:00.000Z'));
    quotations.splice(noon, 1);
    const mean = quotations.reduce((sum, one) => sum + one, 0) / quotations.length;
    expect(price(market.settlementPrice(contract))).toBe(Math.floor(mean));
    expect(Math.abs(price(market.quote(contract).last) - mean)).toBeLessThanOrEqual(1);
  });

  it.each([
    ['US.ES2609', 'US..SPX', 0],
    ['JP.NK2252609', 'JP..N225', 1],
  ])('%s ends at an opening of its index', (symbol, index, later) => {
    const { world, market, clock } = at('2026-09-22T20:00:00Z');
    const contract = future(world, symbol);
    const opening = market.bars(world.instrument(index)!, day, { from: Date.parse(contract.lastTradingDay!), limit: 2 + later })[later]!;
    expect(new Date(opening.start + DAY / 3).toISOString().slice(0, 10)).toBe(finalSettlement(contract).day);
    expect(clock.now()).toBeGreaterThan(opening.end);
    const settled = price(market.settlementPrice(contract));
    expect(Math.abs(settled - price(opening.open))).toBeLessThanOrEqual(contract.future.product.tick / 2);
  });

  it('of the same product agrees with the others: what lies between two months is what carrying costs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mains), days, modes, (symbol, on, mode) => {
        const place = at(`${on}T20:00:00Z`, mode);
        const main = future(place.world, symbol);
        const { carry, tick } = main.future.product;
        const [near, far] = contractsOf(place, main).slice(1, 3);
        if (near === undefined || far === undefined) return;
        const closeOf = (of: Future) => price(place.market.closeBefore(of, place.world.today(of)));
        const between = (requireDay(far.lastTradingDay!) - requireDay(near.lastTradingDay!)) / 365;
        const spread = closeOf(far) / closeOf(near) / Math.exp((carry / 100) * between) - 1;
        expect(Math.abs(spread), `${near.symbol} ${far.symbol}`).toBeLessThan(0.0025 + (2 * tick) / closeOf(near));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the continuous contract', () => {
  it('is the front month, bar for bar and trade for trade, also over a roll', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mains), days, modes, (symbol, on, mode) => {
        const { world, market } = at(`${on}T13:00:00Z`, mode);
        const main = future(world, symbol);
        if (main.listDate > dayOfNumber(requireDay(on) - 80)) return;
        const calendar = world.calendar(main);
        const today = tradedOn(main, market.quote(main).tradingDay);
        expect(today).not.toBe(main);
        expect(market.quote(main)).toEqual(market.quote(today));
        expect(market.book(main, 10)).toEqual(market.book(today, 10));
        expect(market.ticks(main, 50)).toEqual(market.ticks(today, 50));
        for (const bar of market.bars(main, day, { limit: 40 })) {
          const contract = tradedOn(main, calendar.tradingDay(bar.start));
          expect(market.bars(contract, day, { from: bar.start, limit: 1 })).toEqual([bar]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('hands over after the second last trading day but one, and its trades go on with the next contract', () => {
    const { world, market } = at('2026-11-26T02:00:00Z');
    const main = future(world, 'HK.HSImain');
    expect(['2026-11-25', '2026-11-26'].map((on) => tradedOn(main, on).code)).toEqual(['HSI2611', 'HSI2612']);
    const handedOver = Date.parse('2026-11-25T09:00:00Z');
    const today = market.ticks(world.instrument('HK.HSI2612')!, 12_000).filter(({ time }) => time > handedOver);
    const before = market.ticks(world.instrument('HK.HSI2611')!, 6_000).filter(({ time }) => time < handedOver);
    const ticks = market.ticks(main, today.length + 20);
    expect(ticks).toEqual([...before.slice(-20), ...today]);
    for (let i = 1; i < ticks.length; i++) expect(ticks[i]!.sequence > ticks[i - 1]!.sequence).toBe(true);
  });

  it('trades most of its product', () => {
    fc.assert(
      fc.property(fc.constantFrom(...mains), days, (symbol, on) => {
        const place = at(`${on}T23:00:00Z`, 'open');
        const main = future(place.world, symbol);
        const yesterday = place.clock.now() - DAY;
        const volumes = contractsOf(place, main).map((one) => [one, place.market.bars(one, day, { to: yesterday, limit: 1 })[0]] as const);
        const [bar] = place.market.bars(main, day, { to: yesterday, limit: 1 });
        for (const [one, other] of volumes) {
          if (bar !== undefined && other?.start === bar.start) expect(other.volume <= bar.volume, one.symbol).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("shows a caller's trade in the contract, and the contract shows one in it", () => {
    const { world, market, clock } = at('2026-11-18T02:30:00Z');
    const [main, contract] = [world.instrument('HK.HSImain')!, world.instrument('HK.HSI2611')!];
    const told: string[] = [];
    market.onEvent((event) => {
      if (event.kind === 'tick' && event.ticks.some(({ volume }) => volume === 7n)) told.push(event.instrument.code);
    });
    market.watch(main);
    market.watch(contract);
    expect(market.take(main, 'buy', 7n)).toHaveLength(1);
    clock.advance(0);
    expect(market.quote(contract)).toEqual(market.quote(main));
    expect(market.ticks(contract, 1)).toMatchObject([{ volume: 7n }]);
    expect(told.sort()).toEqual(['HSI2611', 'HSImain']);
    market.take(contract, 'sell', 3n);
    expect(market.quote(main)).toEqual(market.quote(contract));
    expect(market.ticks(main, 2).map(({ volume }) => volume)).toEqual([7n, 3n]);
  });
});
