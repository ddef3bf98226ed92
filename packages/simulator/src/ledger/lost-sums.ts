import type { Currency } from '@svc-gateway/contract/markets';
import type { Store } from '@svc-gateway/storage';
import { timeBound } from '../row-keys.js';
import { Balances } from './balances.js';
import { ledgerRowsOf, packBalances, unpackTransaction } from './rows.js';

interface Counted {
  readonly balances: Balances;
  latest: string;
}

/**
 * Counts sums that are not there again from the entries that are. To be called before the ledger is opened: an account whose sums were
 * lost would look as if nothing had ever been booked for it. Reads entries of such accounts alone.
 *
 * @param currencies of every account by its number; each has had an entry since the account was opened.
 */
export async function restoreLostSums(store: Store, currencies: ReadonlyMap<bigint, readonly Currency[]>): Promise<void> {
  const { entries, sums } = ledgerRowsOf(store);
  for (const [accId, expected] of currencies) {
    if (expected.every((currency) => sums.get(`${accId}/${currency}`) !== undefined)) continue;
    const counted = new Map<Currency, Counted>();
    const range = { start: timeBound(accId, 0), end: timeBound(accId, Number.MAX_SAFE_INTEGER) };
    for await (const [key, row] of entries.entries(range)) {
      const { symbol, entries: booked } = unpackTransaction(key, row);
      for (const entry of booked) {
        const sum = counted.get(entry.currency) ?? { balances: new Balances(), latest: key };
        counted.set(entry.currency, sum);
        sum.latest = key;
        sum.balances.add(entry, symbol);
      }
    }
    if (counted.size === 0) continue;
    await store.write((change) => {
      for (const [currency, { balances, latest }] of counted) {
        const key = `${accId}/${currency}`;
        if (sums.get(key) === undefined) change.put(sums, key, packBalances(balances, latest));
      }
    });
  }
}
