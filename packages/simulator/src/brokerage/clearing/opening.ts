import { localDate } from '@svc-gateway/contract/time';
import type { Entry } from '../../ledger/index.js';
import type { World } from '../../world/index.js';
import { accounts, currenciesOf } from '../account.js';
import type { Change, Records } from '../records.js';
import { moneyTerms } from './money-terms.js';

/** Books the opening balances of accounts that have no entries yet. */
export function openAccounts(records: Records, change: Change, world: World, now: number): void {
  for (const account of accounts) {
    if (records.money.knows(account.id)) continue;
    const entries = currenciesOf(account).map((currency): Entry => {
      const { home } = moneyTerms(currency);
      const day = localDate(now, world.calendar(home).timeZone);
      const amount = account.openingCash[currency] ?? 0n;
      return { balance: 'settled', kind: 'opening', currency, amount, venue: home, day };
    });
    records.book(change, {
      id: records.nextId(now),
      accId: account.id,
      time: now,
      cause: 'opening',
      symbol: '',
      orderId: 0n,
      remark: '',
      entries,
    });
  }
}
