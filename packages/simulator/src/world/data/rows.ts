import type { Industry } from './industries.js';

/** The columns of a market's table of equities, trusts or ETFs. */
export type SecurityRow = readonly [
  code: string,
  name: string,
  /** Shares a board lot. */
  lot: number,
  /** A realistic price, on its tick, in the row's currency. */
  price: number,
  /** "2004-06-16": in its country, also where it has moved from one exchange to another. */
  listed: string,
  /** Issued shares, millions. */
  issued: number,
  /** Shares a day, millions. */
  traded: number,
  /** Annualised, in percent. */
  volatility: number,
  /** Equities and trusts only. */
  industry?: Industry,
  /** Last day of trading, of what has been delisted. */
  delisted?: string,
];

/** The columns of a market's table of indices: the level stands in place of a price. */
export type IndexRow = readonly [code: string, name: string, level: number, since: string, volatility: number];
