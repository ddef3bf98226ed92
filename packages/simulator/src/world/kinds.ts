import type { SecurityKind } from './instrument.js';

/** Rules of an instrument kind. */
export interface KindRules {
  /** Qot_Common.SecurityType. */
  readonly securityType: number;
  /** How a sentence names one: "an index". */
  readonly noun: string;
  /** Accounts that trade it; absent where none does. */
  readonly tradedBy?: 'securities' | 'futures';
  /** Whether there are prices of it. Where there are none, its terms and trading days are all that is read. */
  readonly quoted: boolean;
  /** Whether there is an order book, and trades of callers in it. */
  readonly hasBook: boolean;
  /** Whether its single trades are reported: of an index that stands for many securities, theirs are. */
  readonly hasTrades: boolean;
  /** Whether bars of its past may be loaded. What follows from other prices, or from a yield curve, would not go on from them. */
  readonly takesHistory: boolean;
  /** Issuer kind, which decides on the available facts: a company's accounts, or a fund's assets. */
  readonly issuedBy: 'company' | 'fund' | 'other';
  /** Whether it is a share or a unit of a fund: these have board lots and odd lots, broker queues and daily price limits where their market has. */
  readonly isShare: boolean;
  readonly fees: 'stock' | 'fund' | 'trust' | 'warrant' | 'option' | 'contract' | 'none';
  /** Terms of financing; `stock` ones also say where it may be sold short. Options are paid for in full, and sold against what they may cost. */
  readonly margin: 'stock' | 'option' | 'contract' | 'none';
}

const untraded = {
  hasBook: false,
  hasTrades: true,
  takesHistory: false,
  issuedBy: 'other',
  isShare: false,
  fees: 'none',
  margin: 'none',
} as const;
const shares = {
  tradedBy: 'securities',
  quoted: true,
  takesHistory: true,
  hasBook: true,
  hasTrades: true,
  isShare: true,
  margin: 'stock',
} as const;

/** A new kind has to be answered for here before anything compiles. */
export const kinds: Readonly<Record<SecurityKind, KindRules>> = {
  equity: { securityType: 3, noun: 'a stock', ...shares, issuedBy: 'company', fees: 'stock' },
  trust: { securityType: 4, noun: 'a trust', ...shares, issuedBy: 'company', fees: 'trust' },
  etf: { securityType: 4, noun: 'a fund', ...shares, issuedBy: 'fund', fees: 'fund' },
  bond: { securityType: 1, noun: 'a bond', quoted: true, ...untraded, hasBook: true },
  plate: { securityType: 7, noun: 'a plate', quoted: true, ...untraded, hasTrades: false },
  warrant: { securityType: 5, noun: 'a warrant', quoted: true, ...untraded, tradedBy: 'securities', hasBook: true, fees: 'warrant' },
  index: { securityType: 6, noun: 'an index', quoted: true, ...untraded, takesHistory: true },
  option: {
    securityType: 8,
    noun: 'an option',
    quoted: true,
    ...untraded,
    tradedBy: 'securities',
    hasBook: true,
    fees: 'option',
    margin: 'option',
  },
  future: {
    securityType: 10,
    noun: 'a future',
    tradedBy: 'futures',
    quoted: true,
    hasBook: true,
    hasTrades: true,
    takesHistory: true,
    issuedBy: 'other',
    isShare: false,
    fees: 'contract',
    margin: 'contract',
  },
  forex: { securityType: 11, noun: 'a currency pair', quoted: true, ...untraded, hasBook: true, takesHistory: true },
};

/** The kinds of which companies keep accounts. */
export function isIssuedByCompany({ kind }: { readonly kind: SecurityKind }): boolean {
  return kinds[kind].issuedBy === 'company';
}
