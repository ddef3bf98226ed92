import type { SecurityKind } from './instrument.js';

/** What follows from an instrument's kind alone. */
export interface KindRules {
  /** Qot_Common.SecurityType. */
  readonly securityType: number;
  /** How a sentence names one: "an index". */
  readonly noun: string;
  /** Which accounts trade it; absent where none does. */
  readonly tradedBy?: 'securities' | 'futures';
  /** Whether there are prices of it. Where there are none, its terms and trading days are all that is read. */
  readonly quoted: boolean;
  /** Whether there is an order book, and trades of callers in it. */
  readonly hasBook: boolean;
  /** Whether it is a share or a unit of a fund: these have board lots and odd lots, broker queues and daily price limits where their market has. */
  readonly isShare: boolean;
  readonly fees: 'stock' | 'fund' | 'contract' | 'none';
  /** Terms of financing; `stock` ones also say where it may be sold short. */
  readonly margin: 'stock' | 'contract' | 'none';
}

const untraded = { hasBook: false, isShare: false, fees: 'none', margin: 'none' } as const;

/** A new kind has to be answered for here before anything compiles. */
export const kinds: Readonly<Record<SecurityKind, KindRules>> = {
  equity: {
    securityType: 3,
    noun: 'a stock',
    tradedBy: 'securities',
    quoted: true,
    hasBook: true,
    isShare: true,
    fees: 'stock',
    margin: 'stock',
  },
  etf: {
    securityType: 4,
    noun: 'a fund',
    tradedBy: 'securities',
    quoted: true,
    hasBook: true,
    isShare: true,
    fees: 'fund',
    margin: 'stock',
  },
  warrant: { securityType: 5, noun: 'a warrant', quoted: true, ...untraded, hasBook: true },
  index: { securityType: 6, noun: 'an index', quoted: true, ...untraded },
  option: { securityType: 8, noun: 'an option', quoted: true, ...untraded, hasBook: true },
  future: {
    securityType: 10,
    noun: 'a future',
    tradedBy: 'futures',
    quoted: true,
    hasBook: true,
    isShare: false,
    fees: 'contract',
    margin: 'contract',
  },
  forex: { securityType: 11, noun: 'a currency pair', quoted: true, ...untraded, hasBook: true },
};
