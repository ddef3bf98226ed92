import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { Exchange } from './exchange.js';
import type { Instrument } from './instrument.js';
import { tickTables } from './tick-tables.js';

/** Terms that all made-up companies of a market share. */
type Venue = Pick<Instrument, 'market' | 'calendar' | 'exchange' | 'currency' | 'tickTable'>;

/** A range of codes that the exchange of a market does not give out. */
export interface CodeRange {
  readonly venue: Venue;
  /** Lots that companies are dealt. */
  readonly lots: readonly number[];
  /** The code of the nth company. */
  readonly code: (n: number) => string;
  /** The other way round; of other codes, a number that is not theirs. */
  readonly numberOf: (code: string) => number;
}

const mainland = { calendar: 'CN', currency: 'CNH', tickTable: tickTables.cnEquity } as const;

/** By markets. */
const venues = {
  HK: { market: 'HK', calendar: 'HK', exchange: Exchange.hkMainBoard, currency: 'HKD', tickTable: tickTables.hkEquity },
  US: { market: 'US', calendar: 'US', exchange: Exchange.nasdaq, currency: 'USD', tickTable: tickTables.us },
  SH: { market: 'SH', exchange: Exchange.shanghai, ...mainland },
  SZ: { market: 'SZ', exchange: Exchange.shenzhen, ...mainland },
  SG: { market: 'SG', calendar: 'SG', exchange: Exchange.singapore, currency: 'SGD', tickTable: tickTables.sg },
  JP: { market: 'JP', calendar: 'JP', exchange: Exchange.tokyo, currency: 'JPY', tickTable: tickTables.jpTopix500 },
  MY: { market: 'MY', calendar: 'MY', exchange: Exchange.bursaMalaysia, currency: 'MYR', tickTable: tickTables.my },
} as const satisfies Partial<Record<QuoteMarket, Venue>>;

/** Codes counted from a first number. */
export function digits(market: keyof typeof venues, first: number, lots: readonly number[]): CodeRange {
  return { venue: venues[market], lots, code: (n) => String(first + n), numberOf: (code) => Number(code) - first };
}

/** Codes counted by so many letters after a prefix: "ZXAA", "ZXAB", …. */
export function lettered(market: keyof typeof venues, prefix: string, letters: number, lots: readonly number[]): CodeRange {
  const letter = (n: number, place: number) => String.fromCharCode(65 + (Math.floor(n / 26 ** (letters - 1 - place)) % 26));
  return {
    venue: venues[market],
    lots,
    code: (n) => prefix + Array.from({ length: letters }, (_, place) => letter(n, place)).join(''),
    numberOf: (code) => [...code.slice(prefix.length)].reduce((number, each) => number * 26 + each.charCodeAt(0) - 65, 0),
  };
}

/** The range of an upper-case symbol, and the number of its company below `count`. */
export function placeOf<R extends CodeRange>(symbol: string, ranges: readonly R[], count: number): { range: R; n: number } | undefined {
  const dot = symbol.indexOf('.');
  const [market, code] = [symbol.slice(0, dot), symbol.slice(dot + 1)];
  const range = ranges.find(({ venue }) => venue.market === market);
  const n = range?.numberOf(code);
  if (range === undefined || n === undefined || !Number.isInteger(n) || n < 0 || n >= count) return undefined;
  return range.code(n) === code ? { range, n } : undefined;
}
