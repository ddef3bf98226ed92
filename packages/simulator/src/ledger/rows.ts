import type { Currency } from '@svc-gateway/contract/markets';
import type { Archive, Store, Table } from '@svc-gateway/storage';
import { timeKey } from '../row-keys.js';
import { Balances, type PendingBalance } from './balances.js';
import type { Balance, Cause, Entry, EntryKind, LedgerTransaction } from './entry.js';

/*
 * Rows are JSON texts of arrays without names: there is one for each fill, and text is written without further encoding.
 * Amounts are counted in billionths, as text.
 */

type PackedEntry = readonly [Currency, Balance, EntryKind, amount: string, venue: string, day: string];
type PackedTransaction = readonly [cause: Cause, symbol: string, orderId: string, remark: string, entries: readonly PackedEntry[]];
type PackedPending = readonly [PendingBalance, EntryKind, symbol: string, venue: string, day: string, amount: string];
type PackedBalances = readonly [latest: string, settled: string, interest: string, realised: string, pending: readonly PackedPending[]];

/** Entries by {@link keyOfTransaction}, and their sums by "account/currency". */
export function ledgerRowsOf(store: Store): { readonly entries: Archive<string>; readonly sums: Table<string> } {
  return { entries: store.archive('sim-ledger'), sums: store.table('sim-balances') };
}

export function keyOfTransaction({ accId, time, id }: LedgerTransaction): string {
  return timeKey(accId, time, id);
}

/** Account, time and number stand in the key. */
export function packTransaction({ cause, symbol, orderId, remark, entries }: LedgerTransaction): string {
  const packed: PackedTransaction = [
    cause,
    symbol,
    orderId.toString(),
    remark,
    entries.map(({ currency, balance, kind, amount, venue, day }) => [currency, balance, kind, amount.toString(), venue, day]),
  ];
  return JSON.stringify(packed);
}

export function unpackTransaction(key: string, row: string): LedgerTransaction {
  const [accId = '', time = '', id = ''] = key.split('/');
  const [cause, symbol, orderId, remark, entries] = JSON.parse(row) as PackedTransaction;
  return {
    id: BigInt(id),
    accId: BigInt(accId),
    time: Number(time),
    cause,
    symbol,
    orderId: BigInt(orderId),
    remark,
    entries: entries.map(
      ([currency, balance, kind, amount, venue, day]): Entry => ({ currency, balance, kind, amount: BigInt(amount), venue, day }),
    ),
  };
}

/** @param latest key of the newest transaction among those that are summed. */
export function packBalances(balances: Balances, latest: string): string {
  const { settled, interest, realised } = balances;
  const pending = Array.from(
    balances.pending(),
    ({ balance, kind, symbol, venue, day, amount }): PackedPending => [balance, kind, symbol, venue, day, amount.toString()],
  );
  const packed: PackedBalances = [latest, settled.toString(), interest.toString(), realised.toString(), pending];
  return JSON.stringify(packed);
}

export function unpackBalances(row: string, currency: Currency): { readonly balances: Balances; readonly latest: string } {
  const [latest, settled, interest, realised, pending] = JSON.parse(row) as PackedBalances;
  const balances = new Balances();
  const add = (balance: Balance, amount: string, kind: EntryKind = 'opening', symbol = '', venue = '', day = ''): void =>
    balances.add({ currency, balance, kind, amount: BigInt(amount), venue, day }, symbol);
  add('settled', settled);
  add('interest', interest);
  add('realised', realised);
  for (const [balance, kind, symbol, venue, day, amount] of pending) add(balance, amount, kind, symbol, venue, day);
  return { balances, latest };
}
