import type { Currency } from '@svc-gateway/contract/markets';
import { Balances } from '../../packages/simulator/src/ledger/balances.js';
import type { LedgerTransaction } from '../../packages/simulator/src/ledger/entry.js';

/** The sums of entries, counted anew. */
export async function summed(transactions: AsyncIterable<LedgerTransaction>): Promise<ReadonlyMap<Currency, Balances>> {
  const sums = new Map<Currency, Balances>();
  for await (const { symbol, entries } of transactions) {
    for (const entry of entries) {
      const balances = sums.get(entry.currency) ?? new Balances();
      sums.set(entry.currency, balances);
      balances.add(entry, symbol);
    }
  }
  return sums;
}
