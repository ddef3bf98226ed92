import type { Currency } from '../../contract/markets.js';
import { Balances } from './balances.js';
import type { LedgerTransaction } from './entry.js';

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
