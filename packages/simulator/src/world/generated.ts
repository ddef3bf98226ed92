import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { exact } from './exact.js';
import { drawer, instrumentId } from './hash.js';
import type { Instrument } from './instrument.js';
import { roundToTick } from './ticks.js';
import { type Venue, venues } from './venues.js';

/** The most generated instruments a world may hold. */
export const GENERATED_INSTRUMENTS_MAX = 20_000;

interface Origin extends Venue {
  readonly lots: readonly number[];
  /** The code of the nth instrument: from a range that the exchange does not give out. */
  readonly code: (n: number) => string;
  /** The other way round; of other codes, a number that is not theirs. */
  readonly numberOf: (code: string) => number;
}

const origins: readonly Origin[] = [
  { ...venues.HK, lots: [100, 200, 500, 1000, 2000], code: (n) => String(90_000 + n), numberOf: (code) => Number(code) - 90_000 },
  {
    ...venues.US,
    lots: [1],
    code: (n) => `ZQ${letters(n)}`,
    numberOf: (code) => (code.startsWith('ZQ') ? numberOfLetters(code.slice(2)) : Number.NaN),
  },
  { ...venues.SH, lots: [100], code: (n) => String(610_000 + n), numberOf: (code) => Number(code) - 610_000 },
  { ...venues.SZ, lots: [100], code: (n) => String(310_000 + n), numberOf: (code) => Number(code) - 310_000 },
];

/**
 * `count` made-up equities, dealt in turn to HK, US, SH and SZ. Which codes exist depends on the count alone; prices, lots
 * and liquidity are drawn by seed and symbol, so that a larger world contains the smaller one.
 */
export function generatedInstruments(count: number, seed: string | number): readonly Instrument[] {
  const instruments: Instrument[] = [];
  for (let n = 0; n < count; n += 1) {
    const origin = origins[n % origins.length];
    if (origin !== undefined) instruments.push(generated(origin, Math.floor(n / origins.length), seed));
  }
  return instruments;
}

/** The made-up equity of a symbol in upper case, "HK.90012", in the largest world; undefined when none has it. */
export function generatedInstrument(symbol: string, seed: string | number): Instrument | undefined {
  const place = placeOf(symbol);
  return place && generated(place.origin, place.n, seed);
}

/** How many made-up equities of its market come before that of a symbol in upper case, in the largest world; undefined when none has it. */
export function generatedPlace(symbol: string): number | undefined {
  return placeOf(symbol)?.n;
}

function placeOf(symbol: string): { readonly origin: Origin; readonly n: number } | undefined {
  const dot = symbol.indexOf('.');
  const market = symbol.slice(0, dot);
  const origin = origins.find((one) => one.market === market);
  const n = origin?.numberOf(symbol.slice(dot + 1));
  if (origin === undefined || n === undefined || !Number.isInteger(n)) return undefined;
  if (n < 0 || n >= GENERATED_INSTRUMENTS_MAX / origins.length) return undefined;
  return `${origin.market}.${origin.code(n)}` === symbol ? { origin, n } : undefined;
}

function generated(origin: Origin, n: number, seed: string | number): Instrument {
  const { market, calendar, exchange, currency, tickTable, lots } = origin;
  const code = origin.code(n);
  const symbol = `${market}.${code}`;
  const draw = drawer(`${seed}/${symbol}`);
  // Log-uniform from 1 to 300.
  const price = roundToTick(tickTable, exact(Math.round(300 ** draw() * 1000) / 1000), 'nearest');
  const issuedMillions = Math.round(100 * 100 ** draw());
  const year = 2000 + Math.floor(draw() * 24);
  const month = 1 + Math.floor(draw() * 12);
  const day = 1 + Math.floor(draw() * 28);
  return {
    symbol,
    market,
    code,
    id: instrumentId(symbol),
    name: `Simulated ${market} ${String(n + 1).padStart(4, '0')}`,
    kind: 'equity',
    exchange,
    currency,
    multiplier: DECIMAL_ONE,
    lotSize: lots[Math.floor(draw() * lots.length)] ?? 100,
    tickTable,
    listDate: `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
    referencePrice: price,
    sharesIssued: BigInt(issuedMillions) * 1_000_000n,
    dailyVolume: Math.round(issuedMillions * 1e6 * (0.001 + 0.009 * draw())),
    volatility: Math.round((0.2 + 0.5 * draw()) * 100) / 100,
    calendar,
  };
}

/** 0 → "AAA", 1 → "AAB", …: three letters of base 26. */
function letters(n: number): string {
  return String.fromCharCode(65 + Math.floor(n / 676), 65 + (Math.floor(n / 26) % 26), 65 + (n % 26));
}

function numberOfLetters(text: string): number {
  return [...text].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 65, 0);
}
