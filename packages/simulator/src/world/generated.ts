import { exact } from './exact.js';
import { drawer } from './hash.js';
import { type Instrument, instrumentOf } from './instrument.js';
import { roundToTick } from './ticks.js';
import { type CodeRange, digits, lettered, placeOf } from './venues.js';

/** The most generated instruments a world may hold. */
export const GENERATED_INSTRUMENTS_MAX = 20_000;

const ranges = [
  digits('HK', 90_000, [100, 200, 500, 1000, 2000]),
  lettered('US', 'ZQ', 3, [1]),
  digits('SH', 610_000, [100]),
  digits('SZ', 310_000, [100]),
];

/**
 * `count` made-up equities, dealt in turn to HK, US, SH and SZ. Which codes exist depends on the count alone; prices, lots
 * and liquidity are drawn by seed and symbol, so that a larger world contains the smaller one.
 */
export function generatedInstruments(count: number, seed: string | number): readonly Instrument[] {
  return Array.from({ length: count }, (_, n) => generated(ranges[n % ranges.length] as CodeRange, Math.floor(n / ranges.length), seed));
}

/** The made-up equity of a symbol in upper case, "HK.90012", in the largest world; undefined when none has it. */
export function generatedInstrument(symbol: string, seed: string | number): Instrument | undefined {
  const place = placeOf(symbol, ranges, GENERATED_INSTRUMENTS_MAX / ranges.length);
  return place && generated(place.range, place.n, seed);
}

/** How many made-up equities of its market come before that of a symbol in upper case, in the largest world; undefined when none has it. */
export function generatedPlace(symbol: string): number | undefined {
  return placeOf(symbol, ranges, GENERATED_INSTRUMENTS_MAX / ranges.length)?.n;
}

function generated({ venue, lots, code: codeOf }: CodeRange, n: number, seed: string | number): Instrument {
  // Named one by one: a spread before other properties costs 25 µs and 3 KB, half a second and 50 MB for 20,000.
  const { market, calendar, exchange, currency, tickTable } = venue;
  const code = codeOf(n);
  const draw = drawer(`${seed}/${market}.${code}`);
  // Log-uniform from 1 to 300.
  const price = roundToTick(tickTable, exact(Math.round(300 ** draw() * 1000) / 1000), 'nearest');
  const issuedMillions = Math.round(100 * 100 ** draw());
  const [year, month, day] = [2000 + Math.floor(draw() * 24), 1 + Math.floor(draw() * 12), 1 + Math.floor(draw() * 28)];
  return instrumentOf({
    market,
    calendar,
    exchange,
    currency,
    tickTable,
    code,
    name: `Simulated ${market} ${String(n + 1).padStart(4, '0')}`,
    kind: 'equity',
    lotSize: lots[Math.floor(draw() * lots.length)] ?? 100,
    listDate: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
    referencePrice: price,
    sharesIssued: BigInt(issuedMillions) * 1_000_000n,
    dailyVolume: Math.round(issuedMillions * 1e6 * (0.001 + 0.009 * draw())),
    volatility: Math.round((0.2 + 0.5 * draw()) * 100) / 100,
  });
}
