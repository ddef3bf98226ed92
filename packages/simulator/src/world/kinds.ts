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
  quoted: true,
  hasBook: false,
  hasTrades: true,
  takesHistory: false,
  issuedBy: 'other',
  isShare: false,
  fees: 'none',
  margin: 'none',
} as const;
const shares = { ...untraded, tradedBy: 'securities', takesHistory: true, hasBook: true, isShare: true, margin: 'stock' } as const;

/** A new kind has to be answered for here before anything compiles. */
export const kinds: Readonly<Record<SecurityKind, KindRules>> = {
  equity: { ...shares, securityType: 3, noun: 'a stock', issuedBy: 'company', fees: 'stock' },
  trust: { ...shares, securityType: 4, noun: 'a trust', issuedBy: 'company', fees: 'trust' },
  etf: { ...shares, securityType: 4, noun: 'a fund', issuedBy: 'fund', fees: 'fund' },
  bond: { ...untraded, securityType: 1, noun: 'a bond', hasBook: true },
  plate: { ...untraded, securityType: 7, noun: 'a plate', hasTrades: false },
  warrant: { ...untraded, securityType: 5, noun: 'a warrant', tradedBy: 'securities', hasBook: true, fees: 'warrant' },
  index: { ...untraded, securityType: 6, noun: 'an index', takesHistory: true },
  option: { ...untraded, securityType: 8, noun: 'an option', tradedBy: 'securities', hasBook: true, fees: 'option', margin: 'option' },
  future: {
    ...untraded,
    securityType: 10,
    noun: 'a future',
    tradedBy: 'futures',
    hasBook: true,
    takesHistory: true,
    fees: 'contract',
    margin: 'contract',
  },
  forex: { ...untraded, securityType: 11, noun: 'a currency pair', hasBook: true, takesHistory: true },
};

/** The kinds of which companies keep accounts. */
export function isIssuedByCompany({ kind }: { readonly kind: SecurityKind }): boolean {
  return kinds[kind].issuedBy === 'company';
}
