import { ManualClock } from '@svc-gateway/contract/clock';
import { type Decimal, formatDecimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import { dayNumber } from '@svc-gateway/contract/time';
import { describe, expect, it } from 'vitest';
import { isContinuous } from './futures.js';
import { createWorld, GENERATED_INSTRUMENTS_MAX, type Instrument, isOnTick, type SecurityKind, underlyingOf } from './index.js';
import { kinds } from './kinds.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20, 2));
const openWorld = (generatedInstruments: number, seed: string | number = 1) =>
  createWorld({ clock, calendarMode: 'open', generatedInstruments, seed });
const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });
const large = openWorld(GENERATED_INSTRUMENTS_MAX);
const get = (symbol: string): Instrument => {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) throw new Error(`no ${symbol}`);
  return instrument;
};

describe('the real instruments', () => {
  it.each<[QuoteMarket, SecurityKind, number]>([
    ['HK', 'equity', 70],
    ['HK', 'etf', 5],
    ['HK', 'index', 3],
    ['HK', 'future', 40],
    ['US', 'equity', 110],
    ['US', 'etf', 10],
    ['US', 'index', 4],
    ['US', 'future', 40],
    ['SH', 'equity', 35],
    ['SZ', 'equity', 35],
    ['SG', 'equity', 20],
    ['SG', 'trust', 7],
    ['HK', 'trust', 4],
    ['MY', 'trust', 2],
    ['HK', 'bond', 30],
    ['US', 'bond', 40],
    ['HK', 'plate', 50],
    ['SG', 'future', 10],
    ['JP', 'equity', 35],
    ['JP', 'future', 10],
    ['MY', 'equity', 20],
    ['FX', 'forex', 12],
  ])('%s has its %s list', (market, kind, atLeast) => {
    expect(world.listed({ market, kind }).length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each([
    ['HK.00700', 100, 'HKD', 1],
    ['HK.09988', 100, 'HKD', 1],
    ['HK.00005', 400, 'HKD', 1],
    ['HK.01299', 200, 'HKD', 1],
    ['HK.03690', 100, 'HKD', 1],
    ['HK.01810', 200, 'HKD', 1],
    ['HK.02800', 500, 'HKD', 1],
    ['US.AAPL', 1, 'USD', 5],
    ['US.BRK.B', 1, 'USD', 4],
    ['US.SPY', 1, 'USD', 7],
    ['SH.600519', 100, 'CNH', 14],
    ['SH.688981', 200, 'CNH', 16],
    ['SZ.300750', 100, 'CNH', 15],
    ['SG.D05', 100, 'SGD', 17],
    ['JP.7203', 100, 'JPY', 21],
    ['MY.1155', 100, 'MYR', 20],
    ['US..SPX', 1, 'USD', 13],
    ['HK.HSImain', 1, 'HKD', 3],
  ])('%s: lot %d, %s, exchange %d', (symbol, lotSize, currency, exchange) => {
    expect(get(symbol)).toMatchObject({ symbol, lotSize, currency, exchange });
  });

  it('includes the names that everybody knows', () => {
    for (const symbol of [
      'HK.800000',
      'HK.800100',
      'HK.800700',
      'US..IXIC',
      'US..DJI',
      'US..VIX',
      'US.QQQ',
      ...['US.SOXL', 'US.VIXY', 'US.UVXY', 'US.GME', 'US.AMC', 'US.SOFI', 'US.TCEHY', 'HK.00007', 'HK.07300'],
      'FX.USDHKD',
      'SG.CNmain',
      'JP.NK225main',
    ]) {
      expect(world.instrument(symbol)?.symbol).toBe(symbol);
    }
  });

  it.each([
    ['HK.HSImain', '50'],
    ['HK.MHImain', '10'],
    ['HK.HHImain', '50'],
    ['HK.HTImain', '50'],
    ['US.ESmain', '50'],
    ['US.NQmain', '20'],
    ['US.YMmain', '5'],
    ['US.RTYmain', '50'],
    ['US.CLmain', '1000'],
    ['US.GCmain', '100'],
    ['US.SImain', '5000'],
    ['US.ZNmain', '1000'],
  ])('%s pays %s a point', (symbol, multiplier) => {
    const future = get(symbol);
    expect(isContinuous(future)).toBe(true);
    expect(future.lastTradingDay).toBeUndefined();
    expect(formatDecimal(future.multiplier)).toBe(multiplier);
  });

  it('dates the contracts of a product', () => {
    expect(get('HK.HSI2612')).toMatchObject({ kind: 'future', lastTradingDay: '2026-12-30' });
    expect(underlyingOf(get('HK.HSI2612'))).toBe('HK.800000');
    expect(get('US.ES2612').lastTradingDay).toBe('2026-12-18');
    expect(world.state(get('US.CL2611'))).toBe('over');
    expect(get('US.CL2711').lastTradingDay).toBe('2027-10-20');
  });

  it('finds symbols in either case', () => {
    expect(world.instrument('us.aapl')).toBe(get('US.AAPL'));
    expect(world.instrument('HK.hsimain')).toBe(get('HK.HSImain'));
    expect(world.instrument('HK.99998')).toBeUndefined();
  });
});

describe.each([
  ['the real world', world],
  ['the largest world', large],
])('%s', (_label, one) => {
  const all = one.listed();

  it('has unique symbols, ids that doubles hold, and finds each by its symbol', () => {
    expect(new Set(all.map(({ symbol }) => symbol.toUpperCase())).size).toBe(all.length);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const instrument of all) {
      expect(instrument.id > 0n && instrument.id < 2n ** 52n).toBe(true);
      expect(one.instrument(instrument.symbol)).toBe(instrument);
    }
  });

  it('has instruments whose facts make sense', () => {
    for (const instrument of all) {
      const { symbol, market, code, kind } = instrument;
      const wrong: string[] = [];
      if (symbol !== `${market}.${code}`) wrong.push('symbol');
      if (!isOnTick(instrument.tickTable, instrument.referencePrice)) wrong.push('price off its tick');
      if (dayNumber(instrument.listDate) === undefined) wrong.push('list date');
      if (!Number.isInteger(instrument.lotSize) || instrument.lotSize <= 0) wrong.push('lot');
      if (!Number.isInteger(instrument.dailyVolume) || instrument.dailyVolume <= 0) wrong.push('daily volume');
      if (!(instrument.volatility > 0 && instrument.volatility < 1.5)) wrong.push('volatility');
      if (instrument.sharesIssued > 0n !== kinds[kind].isShare) wrong.push('shares');
      if (market !== 'FX' && kind !== 'future' && instrument.currency !== quoteMarket(market).currency) wrong.push('currency');
      const underlying = underlyingOf(instrument);
      if (underlying !== undefined && one.instrument(underlying) === undefined) wrong.push('underlying');
      if (market !== 'FX' && one.calendar(instrument).timeZone !== quoteMarket(market).timeZone) wrong.push('zone');
      expect([symbol, ...wrong]).toEqual([symbol]);
    }
  });

  it('filters in the order of the whole list', () => {
    const filtered = one.listed({ market: 'US', kind: 'equity' });
    expect(filtered).toEqual(all.filter(({ market, kind }) => market === 'US' && kind === 'equity'));
    expect(one.listed({ kind: 'forex' }).every(({ market }) => market === 'FX')).toBe(true);
  });
});

describe('the generated instruments', () => {
  const names = (instruments: readonly Instrument[]) =>
    instruments.map(({ symbol, referencePrice }): [string, Decimal] => [symbol, referencePrice]);
  const generated = (count: number, seed: string | number) => openWorld(count, seed).instruments().slice(world.instruments().length);

  it('are as many as asked, over four markets, and named as what they are', () => {
    expect(large.instruments()).toHaveLength(world.instruments().length + GENERATED_INSTRUMENTS_MAX);
    const some = generated(10, 7);
    expect(some).toHaveLength(10);
    expect(new Set(some.map(({ market }) => market))).toEqual(new Set(['HK', 'US', 'SH', 'SZ']));
    expect(some.every(({ name }) => name.startsWith('Simulated'))).toBe(true);
  });

  it('are the same for the same seed, others for another, and a larger world contains the smaller', () => {
    expect(generated(100, 'a')).toEqual(generated(100, 'a'));
    expect(names(generated(100, 'a'))).not.toEqual(names(generated(100, 'b')));
    expect(generated(500, 'a').slice(0, 100)).toEqual(generated(100, 'a'));
  });

  it('are known by their codes where fewer are asked for, as orders and positions may speak of them', () => {
    const made = large.instruments().slice(world.instruments().length);
    const without = made.filter(({ symbol }) => world.instrument(symbol) === undefined);
    expect(without).toEqual([]);
    expect(world.instrument('us.zqaam')).toEqual(large.instrument('US.ZQAAM'));
    for (const symbol of ['HK.95000', 'HK.090012', 'HK.9e4', 'US.ZQ', 'US.ZQAA', 'US.ZQHKI', 'US.ZQAAAA', 'SZ.310011.5', 'SG.90012']) {
      expect(large.instrument(symbol), symbol).toBeUndefined();
    }
  });

  it('are one object each, by their symbols in either case and in lists', () => {
    const made = large.instruments().slice(world.instruments().length);
    expect(made.filter((one) => large.instrument(one.symbol) !== one || large.instrument(one.symbol.toLowerCase()) !== one)).toEqual([]);
  });

  it('are refused in numbers that cannot be', () => {
    for (const count of [-1, 0.5, Number.NaN, GENERATED_INSTRUMENTS_MAX + 1]) expect(() => openWorld(count)).toThrow(RangeError);
  });
});

it('keeps its invented companies, however many other worlds there are', () => {
  const [first] = world.debuts('HK');
  for (let seed = 2; seed < 40; seed++) openWorld(0, seed).debuts('HK');
  expect(first).toMatchObject({ symbol: 'HK.89000' });
  expect(world.debuts('HK')[0]).toBe(first);
});

describe('calendar', () => {
  it('is one object a name, by name or by instrument, in the mode of the world', () => {
    expect(world.calendar(get('US.AAPL'))).toBe(world.calendar('US'));
    expect(world.calendar(get('US.ESmain')).name).toBe('US_FUTURE');
    expect(world.calendar('HK').isTradingDay('2026-12-25')).toBe(false);
    expect(large.calendar('HK').isTradingDay('2026-12-25')).toBe(true);
  });
});

it('prices of the tables are exact', () => {
  expect(get('JP.9432').referencePrice).toBe(parseDecimal('154.2'));
  expect(get('US.ZNmain').referencePrice).toBe(parseDecimal('112.78125'));
});
