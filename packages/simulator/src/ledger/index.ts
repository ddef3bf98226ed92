export type { Balances } from './balances.js';
export { CashLedger, type Due } from './cash-ledger.js';
export type { Balance, Cause, Entry, EntryKind, LedgerTransaction } from './entry.js';
export { restoreLostSums } from './lost-sums.js';
export { type CashMovement, cashMovements, transactionIdOf } from './movements.js';
