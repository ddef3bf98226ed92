import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';

/**
 * The balances that entries add up to, of each account and currency:
 *
 * - `settled`: money that is there;
 * - `unsettled`: what trades will bring or take on their settlement days;
 * - `dividends`: entitled to, and paid on their pay days;
 * - `interest`: what has accrued since it was last charged; below zero where the account owes it;
 * - `realised`: profit and loss of what was closed, before fees. It is no money: the trades' own entries are.
 */
export type Balance = 'settled' | 'unsettled' | 'dividends' | 'interest' | 'realised';

/** Kind of an amount. */
export type EntryKind =
  | 'opening'
  | 'trade'
  | 'fee'
  | 'settlement'
  | 'dividend'
  | 'withholding_tax'
  | 'rights_sold'
  | 'cash_in_lieu'
  | 'interest'
  | 'stock_borrow_fee'
  | 'variation_margin'
  | 'cash_settlement'
  | 'realised';

/** Cause of a transaction. */
export type Cause =
  | 'opening'
  | 'fill'
  | 'bust'
  | 'settlement'
  | 'payment'
  | 'dividend'
  | 'split'
  | 'rights'
  | 'interest'
  | 'interest_charge'
  | 'mark_to_market'
  | 'expiry'
  | 'exercise'
  | 'assignment';

/** One amount on one balance. */
export interface Entry {
  readonly currency: Currency;
  readonly balance: Balance;
  readonly kind: EntryKind;
  /** Below zero for what the account gives. */
  readonly amount: Decimal;
  /** Calendar that the entry clears by. */
  readonly venue: string;
  /** "2026-11-24": the day on which it clears. On `unsettled` and `dividends`, the day on which it becomes settled money. */
  readonly day: string;
}

/** Entries that one cause made: together or not at all. */
export interface LedgerTransaction {
  /** Rises within an account as time does. That of a fill is the fill's. */
  readonly id: bigint;
  readonly accId: bigint;
  /** Epoch ms. */
  readonly time: number;
  readonly cause: Cause;
  /** "HK.00700"; empty where it is about no security. */
  readonly symbol: string;
  /** 0 where no order made it. */
  readonly orderId: bigint;
  /** For people. */
  readonly remark: string;
  readonly entries: readonly Entry[];
}
