import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMarket } from '../../../../test/support/market.js';
import { type Instrument, isOnTick } from '../world/index.js';
import { hasMakers } from '../world/instrument.js';
import { turnoverOf } from './aggregate.js';
import { type Bar, type BarPeriod, priceLimit, type Tick } from './index.js';

const begin = { time: Date.UTC(2026, 10, 20, 2), generatedInstruments: 40 };
const worlds = { open: openMarket({ ...begin, mode: 'open' }).world, calendar: openMarket(begin).world };
type Mode = keyof typeof worlds;
const symbols = worlds.open.listed().map((instrument) => instrument.symbol);
const modes = fc.constantFrom<Mode>('open', 'calendar');
// Instants of 2026, any time of the day and the week.
const times = fc.integer({ min: Date.UTC(2026, 0, 5), max: Date.UTC(2026, 11, 28) });
const seeds = fc.integer({ min: 0, max: 1_000_000 });

const marketAt = (mode: Mode, seed: number, time: number) => openMarket({ time, seed, world: worlds[mode] });

function instrumentOf(mode: Mode, symbol: string): Instrument {
  const instrument = worlds[mode].instrument(symbol);
  if (instrument === undefined) throw new Error(symbol);
  return instrument;
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : Number(a > b));

const totals = (bars: readonly Bar[]) => ({
  open: bars[0]!.open,
  close: bars.at(-1)!.close,
  high: bars
    .map(({ high }) => high)
    .sort(ascending)
    .at(-1),
  low: bars.map(({ low }) => low).sort(ascending)[0],
  volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
  turnover: bars.reduce((sum, { turnover }) => sum + turnover, 0n),
});

const barOfTick = ({ price, volume, turnover }: Tick): Bar => ({
  start: 0,
  end: 0,
  open: price,
  high: price,
  low: price,
  close: price,
  previousClose: 0n,
  volume,
  turnover,
});

/** From the start of regular trading to its end, on the trading day of `time`. */
function regularHours(mode: Mode, instrument: Instrument, time: number): { from: number; to: number } {
  const calendar = worlds[mode].calendar(instrument);
  const regular = calendar.sessions(calendar.tradingDay(time)).filter(({ kind }) => kind === 'regular');
  return { from: regular[0]!.start, to: regular.at(-1)!.end };
}

const minute = (count: 1 | 3 | 5 | 10 | 15 | 30 | 60 | 120 | 180 | 240): BarPeriod => ({ unit: 'minute', count });

describe('the views of one symbol agree', () => {
  test('a day bar is its minute bars, of every length', () => {
    fc.assert(
      fc.property(modes, seeds, times, fc.constantFrom(...symbols), fc.integer({ min: 0, max: 3 }), (mode, seed, time, symbol, back) => {
        const { market } = marketAt(mode, seed, time);
        const instrument = instrumentOf(mode, symbol);
        const days = market.bars(instrument, { unit: 'day' }, { limit: back + 1 });
        const day = days[0];
        if (day === undefined) return;
        const hours = regularHours(mode, instrument, day.start);
        for (const count of [1, 3, 5, 10, 15, 30, 60, 120, 180, 240] as const) {
          const bars = market.bars(instrument, minute(count), hours);
          expect(totals(bars)).toEqual(totals([day]));
          for (const [i, bar] of bars.entries()) {
            expect(bar.high >= bar.open && bar.high >= bar.close && bar.low <= bar.open && bar.low <= bar.close).toBe(true);
            expect(bar.end > bar.start && bar.end - bar.start <= count * 60_000).toBe(true);
            if (i > 0) expect(bar.previousClose).toBe(bars[i - 1]!.close);
            else if (hours.from === day.start) expect(bar.previousClose).toBe(day.previousClose);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('minutes are their ticks, the quote is their last, turnover is their sum', () => {
    fc.assert(
      fc.property(modes, seeds, times, fc.constantFrom(...symbols), (mode, seed, time, symbol) => {
        const { market, clock } = marketAt(mode, seed, time);
        const instrument = instrumentOf(mode, symbol);
        const ticks = market.ticks(instrument, 500);
        if (instrument.kind === 'plate') {
          // Its members trade.
          expect([...ticks, ...market.dayTicks(instrument, 0n)]).toEqual([]);
          return;
        }
        const quote = market.quote(instrument);
        const { from, to } = regularHours(mode, instrument, clock.now());
        const newest = ticks.at(-1);
        if (newest !== undefined && newest.time >= from && newest.time < to) expect(quote.last).toBe(newest.price);
        else if (newest !== undefined && newest.time >= to) expect(quote.afterMarket?.last).toBe(newest.price);
        for (const [i, tick] of ticks.entries()) {
          expect(tick.time <= clock.now()).toBe(true);
          expect(tick.turnover).toBe(turnoverOf(instrument, tick.price, tick.volume));
          expect(isOnTick(instrument.tickTable, tick.price)).toBe(true);
          if (i > 0) expect(tick.sequence > ticks[i - 1]!.sequence && tick.time >= ticks[i - 1]!.time).toBe(true);
        }
        const { bids, asks } = market.book(instrument, 40);
        if (bids[0] !== undefined && asks[0] !== undefined) {
          expect(bids[0].price < asks[0].price).toBe(true);
          // Market makers quote what a contract is worth, whatever was traded last.
          if (newest !== undefined && !hasMakers(instrument)) expect([bids[0].price, asks[0].price]).toContain(newest.price);
        } else expect(instrument.kind).toBe('index');
        // The oldest minute may have begun before the ticks asked for.
        const minutes = market.bars(instrument, minute(1), { limit: 40 }).filter((bar) => bar.start > (ticks[0]?.time ?? 0));
        for (const bar of minutes) {
          const inside = ticks.filter((tick) => tick.time >= bar.start && tick.time < bar.end);
          expect(totals([bar])).toEqual(totals(inside.map(barOfTick)));
        }
      }),
      { numRuns: 80 },
    );
  });

  test('the day of a US stock is its regular trading; extended hours stand beside it', () => {
    // 17:30 in New York, after the close.
    const { market, clock } = marketAt('calendar', 5, Date.UTC(2026, 10, 20, 22, 30));
    const apple = instrumentOf('calendar', 'US.AAPL');
    const { from, to } = regularHours('calendar', apple, clock.now());
    expect(new Date(from).toISOString()).toBe('2026-11-20T14:30:00.000Z');
    const minutes = market.bars(apple, minute(1), { from, to });
    const { open, high, low, last, volume, turnover, preMarket, afterMarket } = market.quote(apple);
    expect(totals(minutes)).toEqual({ open, high, low, close: last, volume, turnover });
    expect(market.bars(apple, { unit: 'day' }, { limit: 1 })[0]).toMatchObject({ open, high, low, close: last, volume, turnover });
    const early = market.bars(apple, minute(1), { from: from - 6 * 3_600_000, to: from });
    const late = market.bars(apple, minute(1), { from: to });
    for (const [bars, extended] of [
      [early, preMarket],
      [late, afterMarket],
    ] as const) {
      const { close, ...rest } = totals(bars);
      expect({ ...rest, last: close }).toMatchObject({ ...extended });
    }
    expect(afterMarket?.last).toBe(market.ticks(apple, 1)[0]?.price);
  });

  test('the quote is the running day bar; weeks, months and longer are their days', () => {
    fc.assert(
      fc.property(modes, seeds, times, fc.constantFrom(...symbols), (mode, seed, time, symbol) => {
        const { market } = marketAt(mode, seed, time);
        const instrument = instrumentOf(mode, symbol);
        const quote = market.quote(instrument);
        const [today] = market.bars(instrument, { unit: 'day' }, { limit: 1 });
        if (today !== undefined && quote.volume > 0n) {
          const { last, open, high, low, volume, turnover } = quote;
          expect({ open, close: last, high, low, volume, turnover }).toEqual(totals([today]));
          expect(quote.previousClose).toBe(today.previousClose);
        }
        for (const unit of ['week', 'month', 'quarter', 'year'] as const) {
          const long = market.bars(instrument, { unit }, { limit: 3 });
          for (const bar of long) {
            const days = market.bars(instrument, { unit: 'day' }, { from: bar.start, to: bar.end });
            expect(totals([bar])).toEqual(totals(days));
            expect(bar.previousClose).toBe(days[0]!.previousClose);
          }
          // Asked forward from a bar's start, the same bars come.
          if (long[0] !== undefined) expect(market.bars(instrument, { unit }, { from: long[0].start })).toEqual(long);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a caller is told the same whether it asks at once or minute by minute', () => {
    fc.assert(
      fc.property(seeds, times, fc.constantFrom(...symbols), (seed, time, symbol) => {
        const instrument = instrumentOf('open', symbol);
        const walked = marketAt('open', seed, time);
        for (let i = 0; i < 20; i++) {
          walked.clock.advance(7_919);
          walked.market.quote(instrument);
        }
        const jumped = marketAt('open', seed, walked.clock.now());
        expect(walked.market.quote(instrument)).toEqual(jumped.market.quote(instrument));
        expect(walked.market.book(instrument, 40)).toEqual(jumped.market.book(instrument, 40));
        expect(walked.market.ticks(instrument, 100)).toEqual(jumped.market.ticks(instrument, 100));
        expect(walked.market.bars(instrument, minute(1), { limit: 30 })).toEqual(jumped.market.bars(instrument, minute(1), { limit: 30 }));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the generated world', () => {
  test('another seed is another world', () => {
    const instrument = instrumentOf('open', 'HK.00700');
    const time = Date.UTC(2026, 10, 20, 6);
    expect(marketAt('open', 1, time).market.quote(instrument)).not.toEqual(marketAt('open', 2, time).market.quote(instrument));
  });

  test('years of prices stay in reach of the reference price', () => {
    for (const symbol of symbols.slice(0, 60)) {
      const instrument = instrumentOf('calendar', symbol);
      const { market } = marketAt('calendar', 3, Date.UTC(2026, 10, 20));
      const bound = 40 * instrument.volatility + 4;
      for (const bar of market.bars(instrument, { unit: 'month' }, { limit: 60 })) {
        const ratio = Number(bar.close) / Number(instrument.referencePrice);
        expect(ratio < bound && ratio > 1 / bound, `${symbol} ${ratio}`).toBe(true);
      }
    }
  });

  test('Shanghai and Shenzhen keep their daily price limits', () => {
    let checked = 0;
    for (const instrument of [...worlds.calendar.listed({ market: 'SH' }), ...worlds.calendar.listed({ market: 'SZ' })]) {
      const limit = priceLimit(instrument);
      if (limit === undefined) continue;
      const { market } = marketAt('calendar', 11, Date.UTC(2026, 10, 20));
      for (const bar of market.bars(instrument, { unit: 'day' }, { limit: 200 })) {
        const room = Number(bar.previousClose) * limit;
        expect(Number(bar.high) - Number(bar.previousClose) <= room && Number(bar.previousClose) - Number(bar.low) <= room).toBe(true);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(1_000);
  });

  test('no trade and no new bar outside the sessions', () => {
    const instrument = instrumentOf('calendar', 'HK.00700');
    const friday = Date.UTC(2026, 10, 20, 10);
    const { market, clock } = marketAt('calendar', 5, friday);
    const [quote, book] = [market.quote(instrument), market.book(instrument, 10)];
    clock.advance(24 * 3_600_000);
    expect(market.quote(instrument)).toEqual(quote);
    expect(market.book(instrument, 10)).toEqual(book);
    expect(market.take(instrument, 'buy', 100n)).toEqual([]);
  });

  test('an index has volume but no book', () => {
    const instrument = worlds.open.instruments({ kind: 'index' })[0]!;
    const { market } = marketAt('open', 5, Date.UTC(2026, 10, 20, 10));
    expect(market.quote(instrument).volume > 0n).toBe(true);
    expect(market.book(instrument, 10)).toMatchObject({ bids: [], asks: [] });
    expect(market.take(instrument, 'buy', 1n)).toEqual([]);
  });
});
