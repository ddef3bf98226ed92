import { requireDay } from '@svc-gateway/contract/time';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { atOnce, inTurns, nextTurn, Turn } from '../pace.js';
import type { Instrument } from '../world/index.js';
import type { BarPeriod } from './index.js';
import { PlateTape } from './plate-tape.js';
import { Tape } from './tape.js';

const MINUTE = 60_000;

function setUp(time: string, seed: number) {
  const { clock, world, companies, market } = openMarket({ time: Date.parse(time), seed, worldSeed: seed });
  const plate = (symbol: string) => {
    const found = world.instrument(symbol);
    if (found?.kind !== 'plate') throw new Error(`no plate ${symbol}`);
    return found;
  };
  const members = (symbol: string, day: string) => companies.plate(plate(symbol).plate).members(requireDay(day));
  return { clock, world, companies, market, plate, members };
}

const dayBars = { unit: 'day' } as const;

describe.each([
  ['HK.LIST1001', '2026-11-20T03:07:11Z'],
  ['HK.BK1011', '2026-11-20T06:12:00Z'],
  ['US.LIST1015', '2026-11-20T16:00:00Z'],
  ['SH.LIST1021', '2026-11-20T02:00:30Z'],
  ['US.LIST1016', '2018-03-05T20:41:59Z'],
])('the plate %s at %s', (symbol, time) => {
  const { clock, world, market, companies, plate, members } = setUp(time, 5);
  const index = plate(symbol);
  const today = market.quote(index).tradingDay;

  test('has members, and trades what they trade at every moment', () => {
    const all = members(symbol, today);
    expect(all.length).toBeGreaterThan(2);
    for (let step = 0; step < 40; step++) {
      const quotes = all.map((one) => market.quote(one));
      const { volume, turnover } = market.quote(index);
      expect(volume).toBe(quotes.reduce((sum, one) => sum + one.volume, 0n));
      expect(turnover).toBe(quotes.reduce((sum, one) => sum + one.turnover, 0n));
      clock.advance(1_700);
    }
    // A caller's trade is one of its members' at once.
    const before = market.quote(index).turnover;
    const [first] = all;
    market.print(first!, market.quote(first!).last, 1_000n, 1);
    expect(market.quote(index).turnover - before).toBe(market.quote(first!).last * 1_000n);
  });

  test('has bars that hold what its members traded, and agree with one another and with the quote', () => {
    const now = clock.now();
    const minutes = market.bars(index, { unit: 'minute', count: 1 }, { from: world.calendar(index).sessions(today)[0]!.start });
    const regular = minutes.filter(({ volume }) => volume > 0n);
    const [bar] = market.bars(index, dayBars, { limit: 1 });
    const quote = market.quote(index);
    expect(regular.reduce((sum, one) => sum + one.turnover, 0n)).toBe(bar!.turnover);
    expect(bar).toMatchObject({ open: quote.open, high: quote.high, low: quote.low, close: quote.last, turnover: quote.turnover });
    expect(Math.max(...minutes.map(({ high }) => Number(high)))).toBe(Number(quote.high));
    expect(Math.min(...minutes.map(({ low }) => Number(low)))).toBe(Number(quote.low));
    for (const past of market.bars(index, dayBars, { to: now, limit: 20 }).slice(0, -1)) {
      const day = world.calendar(index).tradingDay(past.start);
      let [volume, turnover] = [0n, 0n];
      for (const member of members(symbol, day)) {
        const [own] = market.bars(member, dayBars, { from: past.start - 12 * 3_600_000, limit: 1 });
        volume += own!.volume;
        turnover += own!.turnover;
      }
      expect({ day, volume: past.volume, turnover: past.turnover }).toEqual({ day, volume, turnover });
    }
  });

  test('opens and closes each day where its members do, by capitalisation, and is near them within the day', () => {
    const level = (day: string, price: (one: Instrument) => bigint) =>
      companies
        .plate(index.plate)
        .weights(requireDay(day))
        .reduce((sum, { instrument, weight }) => sum + Number(price(instrument)) * weight, 0);
    for (const bar of market.bars(index, dayBars, { to: clock.now(), limit: 15 }).slice(0, -1)) {
      const day = world.calendar(index).tradingDay(bar.start);
      const own = (one: Instrument) => market.bars(one, dayBars, { from: bar.start - 12 * 3_600_000, limit: 1 })[0]!;
      expect(Math.abs(Number(bar.open) / level(day, (one) => own(one).open) - 1)).toBeLessThan(2e-5);
      expect(Math.abs(Number(bar.close) / level(day, (one) => own(one).close) - 1)).toBeLessThan(2e-5);
    }
    const weights = companies.plate(index.plate).weights(requireDay(today));
    const values = weights.map(({ instrument, weight }) => Number(market.quote(instrument).open) * weight * instrument.volatility);
    const deviation = Math.sqrt(values.reduce((sum, one) => sum + one ** 2, 0) / 365) / Number(market.quote(index).open);
    for (let step = 0; step < 30; step++) {
      clock.advance(-7 * MINUTE);
      if (market.quote(index).tradingDay !== today || world.calendar(index).sessionAt(clock.now())?.kind !== 'regular') break;
      const exact = level(today, (one) => market.quote(one).last);
      expect(Math.abs(Number(market.quote(index).last) / exact - 1)).toBeLessThan(0.6 * deviation);
    }
  });
});

describe('the index of a plate', () => {
  const { world, companies, market, plate } = setUp('2026-11-20T09:00:00Z', 7);

  test('does not move where members come and go, or their shares are split', () => {
    for (const symbol of ['US.BK1001']) {
      const of = companies.plate(plate(symbol).plate);
      const bars = market.bars(plate(symbol), dayBars, { from: Date.parse('2016-06-01'), limit: 400 });
      for (const { open, previousClose } of bars) expect(Math.abs(Number(open) / Number(previousClose) - 1), symbol).toBeLessThan(0.06);
      const counts = new Set(bars.map(({ start }) => of.members(Math.floor(start / 86_400_000)).length));
      expect(counts.size, symbol).toBeGreaterThan(1);
    }
  });

  test('stands still and shows no bars while nobody is in it', () => {
    const empty = world
      .instruments({ market: 'MY', kind: 'plate' })
      .filter(
        (one) =>
          one.kind === 'plate' && [20_700, requireDay('2026-11-20')].every((day) => companies.plate(one.plate).members(day).length === 0),
      );
    expect(empty.length).toBeGreaterThan(5);
    for (const one of empty.slice(0, 3)) {
      expect(market.quote(one)).toMatchObject({ last: 1_000_000_000_000n, volume: 0n, turnover: 0n });
      expect(market.bars(one, dayBars, { limit: 3 })).toEqual([]);
    }
  });

  test('is of the members that companies say they belong to', () => {
    const day = requireDay('2026-11-20');
    for (const instrument of world.instruments({ market: 'HK' })) {
      if (instrument.kind !== 'equity' && instrument.kind !== 'trust') continue;
      if (world.state(instrument) !== 'listed') continue;
      const own = companies
        .company(instrument)
        .plates(day)
        .filter(({ market: of }) => of === 'HK');
      for (const one of world.instruments({ market: 'HK', kind: 'plate' })) {
        if (one.kind !== 'plate') continue;
        expect(companies.plate(one.plate).members(day).includes(instrument), `${instrument.symbol} ${one.symbol}`).toBe(
          own.includes(one.plate),
        );
      }
    }
  });

  test('is worked out in turns before the first look at its day, and shows the same as without', async () => {
    // However fast the machine is, every pause is taken.
    const pauses = vi.spyOn(Turn.prototype, 'pause').mockImplementation(nextTurn);
    onTestFinished(() => pauses.mockRestore());
    const [fresh, other] = [setUp('2026-11-20T03:07:11Z', 9), setUp('2026-11-20T03:07:11Z', 9)];
    const [one, two] = [fresh.plate('HK.LIST2009'), other.plate('HK.LIST2009')];
    let isDone = false;
    let turns = 0;
    const countTurn = () => {
      turns += 1;
      if (!isDone) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    const [first, second] = [inTurns(fresh.market.prepare(one)), inTurns(fresh.market.prepare(one))];
    expect(first).toBeInstanceOf(Promise);
    await Promise.all([first, second]);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
    expect(inTurns(fresh.market.prepare(one))).toBeUndefined();
    expect(fresh.market.quote(one)).toEqual(other.market.quote(two));
    fresh.clock.advance(24 * 3_600_000 * 3);
    expect(inTurns(fresh.market.prepare(one))).toBeInstanceOf(Promise);
  });

  test.each<[BarPeriod, number]>([
    [{ unit: 'minute', count: 1 }, 500],
    [{ unit: 'day' }, 30],
    [{ unit: 'week' }, 6],
    [{ unit: 'month' }, 3],
  ])('has the same bars of a period whether its members were summed before or not: %o', (period, limit) => {
    const [fresh, other] = [setUp('2026-11-20T03:07:11Z', 11), setUp('2026-11-20T03:07:11Z', 11)];
    const symbol = 'HK.LIST2009';
    let turns = 0;
    const work = fresh.market.barsInTurns(fresh.plate(symbol), period, { limit });
    while (!work.next().done) turns += 1;
    expect(turns).toBeGreaterThan(fresh.members(symbol, '2026-11-20').length);
    // Callers' trades count in both.
    for (const one of [fresh, other]) {
      const [first] = one.members(symbol, '2026-11-20');
      one.market.print(first!, one.market.quote(first!).last, 1_000n, 1);
    }
    expect(fresh.market.bars(fresh.plate(symbol), period, { limit })).toEqual(other.market.bars(other.plate(symbol), period, { limit }));
    fresh.clock.advance(90_000);
    other.clock.advance(90_000);
    expect(fresh.market.bars(fresh.plate(symbol), period, { limit: 2 })).toEqual(
      other.market.bars(other.plate(symbol), period, { limit: 2 }),
    );
  });

  test('a day that begins before the work for the one before is done is prepared too', async () => {
    const fresh = setUp('2026-11-19T03:07:11Z', 13);
    const one = fresh.plate('HK.LIST2009');
    const minute: BarPeriod = { unit: 'minute', count: 1 };
    const work = fresh.market.barsInTurns(one, minute, { limit: 2 });
    work.next();
    fresh.clock.advance(24 * 3_600_000);
    atOnce(work);
    const slices = vi.spyOn(Tape.prototype, 'slices');
    onTestFinished(() => slices.mockRestore());
    expect(fresh.market.bars(one, minute, { limit: 2 })).toHaveLength(2);
    // A look at each member would be what preparing is there to spare.
    expect(slices.mock.calls.filter(([of]) => of.kind !== 'plate')).toHaveLength(0);

    const pauses = vi.spyOn(Turn.prototype, 'pause').mockImplementation(nextTurn);
    const prepared = vi.spyOn(PlateTape.prototype, 'prepare');
    onTestFinished(() => {
      pauses.mockRestore();
      prepared.mockRestore();
    });
    const preparing = inTurns(fresh.market.prepare(one));
    fresh.clock.advance(24 * 3_600_000 * 3);
    await preparing;
    expect(prepared.mock.calls.map(([, now]) => new Date(now).toISOString())).toEqual([
      '2026-11-20T03:07:11.000Z',
      '2026-11-23T03:07:11.000Z',
    ]);
  });

  test('a plate has no book, and no callers trade it', () => {
    const one = plate('HK.LIST1001');
    expect(market.book(one, 10)).toMatchObject({ bids: [], asks: [] });
    expect(market.take(one, 'buy', 100n)).toEqual([]);
  });
});
