import type { Entry, LedgerTransaction } from './entry.js';

/** An entry that changes what may be traded with: money that is there, or that a trade will bring or take. */
export interface CashMovement {
  /** Rises as the numbers of transactions do, and names the transaction: see {@link transactionIdOf}. */
  readonly id: bigint;
  readonly transaction: LedgerTransaction;
  readonly entry: Entry;
}

/** Room for the movements of one transaction: the opening of an account has one for each currency. */
const MOVEMENTS_MAX = 8n;

/**
 * The movements of cash in a transaction; their amounts, over all transactions, add up to `Balances.cash`. A settlement moves money from
 * one part of it to another, and so has none. Entitlements, accruals and realised profit are no cash.
 */
export function cashMovements(transaction: LedgerTransaction): readonly CashMovement[] {
  if (transaction.cause === 'settlement') return [];
  const entries = transaction.entries.filter(({ balance }) => balance === 'settled' || balance === 'unsettled');
  if (entries.length > MOVEMENTS_MAX) throw new Error(`transaction ${transaction.id} has ${entries.length} movements of cash`);
  return entries.map((entry, index) => ({ id: transaction.id * MOVEMENTS_MAX + BigInt(index), transaction, entry }));
}

/** The number of the transaction that a movement is of. */
export function transactionIdOf(movement: bigint): bigint {
  return movement / MOVEMENTS_MAX;
}
