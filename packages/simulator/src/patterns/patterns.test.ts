import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startFixture } from '../../../../test/support/sim-backend.js';
import { catalogue, occurrences, type PatternBar, Series } from './index.js';

/**
 * A second reading of every definition, written without the detectors: bars as [open, high, low, close], newest last, and rules as
 * sentences of plain numbers. What a detector reports, its sentence must confirm, and the other way round.
 */
type Row = readonly [open: number, high: number, low: number, close: number];
type Rule = (rows: readonly Row[], at: number) => boolean;

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const body = ([open, , , close]: Row) => Math.abs(close - open);
const top = ([open, , , close]: Row) => Math.max(open, close);
const bottom = ([open, , , close]: Row) => Math.min(open, close);
const up = ([open, , , close]: Row) => close > open;
const down = ([open, , , close]: Row) => close < open;
const tenBefore = (rows: readonly Row[], at: number) => (at < 10 ? [] : rows.slice(at - 10, at));
const bodyThen = (rows: readonly Row[], at: number) => (at < 10 ? 0 : average(tenBefore(rows, at).map(body)));
const rangeThen = (rows: readonly Row[], at: number) => (at < 10 ? 0 : average(tenBefore(rows, at).map(([, high, low]) => high - low)));
const long = (rows: readonly Row[], at: number) => bodyThen(rows, at) > 0 && body(rows[at]!) > bodyThen(rows, at);
const short = (rows: readonly Row[], at: number) => body(rows[at]!) < bodyThen(rows, at);
const tiny = (rows: readonly Row[], at: number) => rangeThen(rows, at) > 0 && body(rows[at]!) <= 0.1 * rangeThen(rows, at);
const closes = (rows: readonly Row[], from: number, to: number) => rows.slice(from, to).map(([, , , close]) => close);
const fell = (rows: readonly Row[], at: number) =>
  at >= 10 &&
  average(closes(rows, at - 5, at)) < average(closes(rows, at - 10, at - 5)) &&
  rows[at - 1]![3] < average(closes(rows, at - 5, at));
const rose = (rows: readonly Row[], at: number) =>
  at >= 10 &&
  average(closes(rows, at - 5, at)) > average(closes(rows, at - 10, at - 5)) &&
  rows[at - 1]![3] > average(closes(rows, at - 5, at));

const umbrella: Rule = (rows, at) => {
  const row = rows[at]!;
  const hangs = bottom(row) - row[2] >= 2 * body(row) && row[1] - top(row) <= 0.1 * rangeThen(rows, at);
  return hangs && rangeThen(rows, at) > 0 && body(row) > 0 && short(rows, at) && !tiny(rows, at);
};
const upsideDown: Rule = (rows, at) => {
  const row = rows[at]!;
  const stands = row[1] - top(row) >= 2 * body(row) && bottom(row) - row[2] <= 0.1 * rangeThen(rows, at);
  return stands && rangeThen(rows, at) > 0 && body(row) > 0 && short(rows, at) && !tiny(rows, at);
};

const rules: Readonly<Record<number, Rule>> = {
  1: (rows, at) => umbrella(rows, at) && fell(rows, at),
  2: (rows, at) => umbrella(rows, at) && rose(rows, at),
  3: (rows, at) => upsideDown(rows, at) && fell(rows, at),
  4: (rows, at) => upsideDown(rows, at) && rose(rows, at),
  5: (rows, at) => {
    const shadow = 0.1 * rangeThen(rows, at);
    return tiny(rows, at) && rows[at]![1] - top(rows[at]!) > shadow && bottom(rows[at]!) - rows[at]![2] > shadow;
  },
  6: (rows, at) => {
    const [row, usual] = [rows[at]!, rangeThen(rows, at)];
    return tiny(rows, at) && row[1] - top(row) <= 0.1 * usual && bottom(row) - row[2] >= 0.5 * usual;
  },
  7: (rows, at) => {
    const [row, usual] = [rows[at]!, rangeThen(rows, at)];
    return tiny(rows, at) && bottom(row) - row[2] <= 0.1 * usual && row[1] - top(row) >= 0.5 * usual;
  },
  8: (rows, at) => {
    const [before, row] = [rows[at - 1], rows[at]!];
    if (before === undefined || !down(before) || !up(row) || !fell(rows, at)) return false;
    return bottom(row) <= bottom(before) && top(row) >= top(before) && body(row) > body(before);
  },
  9: (rows, at) => {
    const [before, row] = [rows[at - 1], rows[at]!];
    if (before === undefined || !up(before) || !down(row) || !rose(rows, at)) return false;
    return bottom(row) <= bottom(before) && top(row) >= top(before) && body(row) > body(before);
  },
  10: (rows, at) => at > 0 && down(rows[at - 1]!) && up(rows[at]!) && harami(rows, at) && fell(rows, at),
  11: (rows, at) => at > 0 && up(rows[at - 1]!) && down(rows[at]!) && harami(rows, at) && rose(rows, at),
  12: (rows, at) => {
    const [before, row] = [rows[at - 1], rows[at]!];
    if (before === undefined || !down(before) || !long(rows, at - 1) || !up(row) || !fell(rows, at)) return false;
    return row[0] < before[3] && row[3] > (before[0] + before[3]) / 2 && row[3] < before[0];
  },
  13: (rows, at) => {
    const [before, row] = [rows[at - 1], rows[at]!];
    if (before === undefined || !up(before) || !long(rows, at - 1) || !down(row) || !rose(rows, at)) return false;
    return row[0] > before[3] && row[3] < (before[0] + before[3]) / 2 && row[3] > before[0];
  },
  16: (rows, at) =>
    at >= 2 &&
    [at - 2, at - 1, at].every((i) => up(rows[i]!) && long(rows, i) && rows[i]![1] - rows[i]![3] <= 0.3 * rangeThen(rows, i)) &&
    [at - 1, at].every((i) => rows[i]![0] >= rows[i - 1]![0] && rows[i]![0] <= rows[i - 1]![3] && rows[i]![3] > rows[i - 1]![3]),
  17: (rows, at) =>
    at >= 2 &&
    [at - 2, at - 1, at].every((i) => down(rows[i]!) && long(rows, i) && rows[i]![3] - rows[i]![2] <= 0.3 * rangeThen(rows, i)) &&
    [at - 1, at].every((i) => rows[i]![0] <= rows[i - 1]![0] && rows[i]![0] >= rows[i - 1]![3] && rows[i]![3] < rows[i - 1]![3]),
  14: (rows, at) => {
    const [first, star, row] = [rows[at - 2], rows[at - 1], rows[at]!];
    if (first === undefined || star === undefined || !down(first) || !up(row) || !fell(rows, at - 1)) return false;
    const middle = (first[0] + first[3]) / 2;
    if (!long(rows, at - 2) || !short(rows, at - 1) || !long(rows, at)) return false;
    return (star[0] + star[3]) / 2 < first[3] && top(star) < middle && row[3] > middle;
  },
  15: (rows, at) => {
    const [first, star, row] = [rows[at - 2], rows[at - 1], rows[at]!];
    if (first === undefined || star === undefined || !up(first) || !down(row) || !rose(rows, at - 1)) return false;
    const middle = (first[0] + first[3]) / 2;
    if (!long(rows, at - 2) || !short(rows, at - 1) || !long(rows, at)) return false;
    return (star[0] + star[3]) / 2 > first[3] && bottom(star) > middle && row[3] < middle;
  },
  18: (rows, at) => up(rows[at]!) && long(rows, at) && bare(rows, at),
  19: (rows, at) => down(rows[at]!) && long(rows, at) && bare(rows, at),
  20: (rows, at) => at > 1 && rules[10]!(rows, at - 1) && up(rows[at]!) && rows[at]![3] > rows[at - 2]![0],
  21: (rows, at) => at > 1 && rules[11]!(rows, at - 1) && down(rows[at]!) && rows[at]![3] < rows[at - 2]![0],
  22: (rows, at) => at > 0 && down(rows[at - 1]!) && up(rows[at]!) && long(rows, at - 1) && fell(rows, at) && level(rows, at, 2),
  23: (rows, at) => at > 0 && up(rows[at - 1]!) && down(rows[at]!) && long(rows, at - 1) && rose(rows, at) && level(rows, at, 1),
  24: (rows, at) => methods(rows, at, up, (later, earlier) => later < earlier),
  25: (rows, at) => methods(rows, at, down, (later, earlier) => later > earlier),
};

function harami(rows: readonly Row[], at: number): boolean {
  const [before, row] = [rows[at - 1]!, rows[at]!];
  return long(rows, at - 1) && short(rows, at) && top(row) < top(before) && bottom(row) > bottom(before);
}

function bare(rows: readonly Row[], at: number): boolean {
  const row = rows[at]!;
  return Math.max(row[1] - top(row), bottom(row) - row[2]) <= 0.1 * rangeThen(rows, at);
}

function level(rows: readonly Row[], at: number, end: 1 | 2): boolean {
  return rangeThen(rows, at) > 0 && Math.abs(rows[at]![end] - rows[at - 1]![end]) <= 0.05 * rangeThen(rows, at);
}

function methods(
  rows: readonly Row[],
  at: number,
  way: (row: Row) => boolean,
  retreats: (later: number, earlier: number) => boolean,
): boolean {
  if (at < 4) return false;
  const [pole, final] = [rows[at - 4]!, rows[at]!];
  const rest = [at - 3, at - 2, at - 1];
  if (![at - 4, at].every((i) => way(rows[i]!) && long(rows, i))) return false;
  if (!rest.every((i) => short(rows, i) && rows[i]![1] <= pole[1] && rows[i]![2] >= pole[2])) return false;
  return [at - 2, at - 1].every((i) => retreats(rows[i]![3], rows[i - 1]![3])) && retreats(pole[3], final[3]);
}

const barOf = ([open, high, low, close]: Row): PatternBar => ({ open, high, low, close });

/** Bars whose sizes and directions change a lot, on a coarse grid, so that equal prices and every shape occur. */
const randomRows = fc
  .array(
    fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -3, max: 3 }), fc.nat({ max: 6 }), fc.nat({ max: 6 }), fc.nat({ max: 3 })),
    {
      minLength: 40,
      maxLength: 160,
    },
  )
  .map((draws) => {
    let last = 1000;
    return draws.map(([move, gap, above, below, calm]): Row => {
      const open = last + (calm === 0 ? gap : 0);
      const close = calm === 1 ? open + Math.sign(move) : open + 2 * move;
      last = close;
      return [open, Math.max(open, close) + above, Math.min(open, close) - below, close];
    });
  });

async function simulatedRows(): Promise<readonly (readonly Row[])[]> {
  const { simulation, backend } = await startFixture({ calendarMode: 'calendar' });
  const rows = ['HK.00700', 'US.AAPL', 'SH.600519', 'JP.7203', 'SG.D05', 'HK.00005', 'US.TSLA'].map((symbol) =>
    simulation.market
      .bars(simulation.world.instrument(symbol)!, { unit: 'day' }, { limit: 700 }, 'forward')
      .map(({ open, high, low, close }): Row => [Number(open) / 1e9, Number(high) / 1e9, Number(low) / 1e9, Number(close) / 1e9]),
  );
  await backend.stop();
  return rows;
}

function compare(rows: readonly Row[]): Map<number, number> {
  const found = occurrences(new Series(rows.map(barOf)), 0, rows.length);
  const counts = new Map<number, number>();
  const reported = new Set(found.map(({ pattern, last }) => `${pattern.shape} ${last}`));
  for (const { pattern } of found) counts.set(pattern.shape, (counts.get(pattern.shape) ?? 0) + 1);
  for (const [shape, rule] of Object.entries(rules)) {
    for (let at = 0; at < rows.length; at++) {
      // Upside-down prices round differently in the last place: ties at a bound may fall either way.
      if (rule(rows, at) !== reported.has(`${shape} ${at}`))
        expect([shape, at, rule(rows, at)]).toEqual([shape, at, reported.has(`${shape} ${at}`)]);
    }
  }
  return counts;
}

describe('candlesticks', () => {
  test('the catalogue names each pattern once, and a rule of this test stands beside every candlestick', () => {
    expect(new Set(catalogue.map(({ shape }) => shape)).size).toBe(catalogue.length);
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
    expect(catalogue.filter(({ category }) => category === 'candlestick').map(({ shape }) => shape)).toEqual(
      Object.keys(rules).map(Number),
    );
  });

  test('are found exactly where an independent reading of their definitions finds them: on any bars', () => {
    const seen = new Map<number, number>();
    fc.assert(
      fc.property(randomRows, (rows) => {
        for (const [shape, count] of compare(rows)) seen.set(shape, (seen.get(shape) ?? 0) + count);
      }),
      { numRuns: 300, seed: 7 },
    );
    // Five bars of a kind in a row are too rare to come by chance.
    expect(Object.keys(rules).filter((shape) => !seen.has(Number(shape)))).toEqual(
      expect.not.arrayContaining(['1', '4', '8', '9', '14', '15', '16', '17']),
    );
  });

  test('and on those of the simulated world', async () => {
    const seen = new Map<number, number>();
    for (const rows of await simulatedRows()) for (const [shape, count] of compare(rows)) seen.set(shape, (seen.get(shape) ?? 0) + count);
    expect([...seen.keys()].filter((shape) => shape < 100).length).toBeGreaterThan(15);
  });

  test('three methods', () => {
    const calm: Row[] = Array.from({ length: 10 }, (_, i) => [100 + (i % 2), 102, 99, 101 - (i % 2)]);
    const rising: Row[] = [
      ...calm,
      [100, 111, 99, 110],
      [109, 109.5, 107.5, 108.5],
      [108, 108.5, 106.5, 107.5],
      [107, 107.5, 105.5, 106.5],
      [107, 116, 106, 115],
    ];
    expect([...compare(rising).keys()]).toContain(24);
    expect([...compare(rising.map(([open, high, low, close]): Row => [-open, -low, -high, -close])).keys()]).toContain(25);
  });
});

describe('chart patterns', () => {
  /** Straight lines between points of [bars, price], each bar with a range of two. */
  const zigzag = (...points: readonly (readonly [bars: number, price: number])[]): Row[] => {
    let price = 100;
    const rows: Row[] = Array.from({ length: 12 }, () => [100, 101, 99, 100]);
    for (const [bars, to] of points) {
      const from = price;
      for (let i = 1; i <= bars; i++) {
        const close = from + ((to - from) * i) / bars;
        rows.push([price, Math.max(price, close) + 1, Math.min(price, close) - 1, close]);
        price = close;
      }
    }
    return rows;
  };
  const flipped = (rows: readonly Row[]): Row[] => rows.map(([open, high, low, close]) => [200 - open, 200 - low, 200 - high, 200 - close]);
  const chartsOn = (rows: readonly Row[]) =>
    occurrences(new Series(rows.map(barOf)), 0, rows.length).filter(({ pattern }) => pattern.category === 'chart');

  test.each([
    ['Double bottom', 'Double top', zigzag([10, 80], [8, 95], [8, 80], [10, 104])],
    ['Triple bottom', 'Triple top', zigzag([10, 80], [8, 95], [8, 80], [8, 95], [8, 80], [10, 104])],
    ['Inverse head and shoulders', 'Head and shoulders', zigzag([10, 85], [8, 95], [10, 75], [10, 95], [8, 85], [12, 104])],
    ['Ascending triangle', 'Descending triangle', zigzag([6, 85], [6, 95], [6, 80], [8, 95], [6, 88], [8, 104])],
  ])('%s, and upside down %s', (bullish, bearish, rows) => {
    const [up, upsideDown] = [chartsOn(rows), chartsOn(flipped(rows))];
    expect(up.map(({ pattern }) => pattern.name)).toContain(bullish);
    expect(upsideDown.map(({ pattern }) => pattern.name)).toContain(bearish);
    const [one, other] = [up.find(({ pattern }) => pattern.name === bullish)!, upsideDown.find(({ pattern }) => pattern.name === bearish)!];
    expect([other.first, other.last]).toEqual([one.first, one.last]);
    expect(other.breakout).toBeCloseTo(200 - one.breakout!, 9);
  });

  test('a reported pattern is completed by its last bar, the first to close beyond the line, and spans as many bars as the catalogue says', async () => {
    let count = 0;
    for (const rows of [...(await simulatedRows()), ...fc.sample(randomRows, { numRuns: 200, seed: 3 })]) {
      for (const { pattern, first, last, breakout } of chartsOn(rows)) {
        count += 1;
        const [, , , close] = rows[last]!;
        expect(pattern.color === 'bullish' ? close > breakout! : close < breakout!).toBe(true);
        expect(last - first + 1).toBeGreaterThanOrEqual(pattern.bars[0]);
        expect(last - first + 1).toBeLessThanOrEqual(pattern.bars[1]);
        if (pattern.shape === 105 || pattern.shape === 106) continue;
        const before = rows.slice(last - 3, last).map(([, , , earlier]) => earlier);
        for (const earlier of before) expect(pattern.color === 'bullish' ? earlier <= breakout! : earlier >= breakout!).toBe(true);
      }
    }
    expect(count).toBeGreaterThan(20);
  });
});
