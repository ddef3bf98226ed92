import type { Due, LedgerTransaction } from '../../ledger/index.js';
import type { Roll } from './roll.js';

/** Turns what clears today, or should have, into settled money: trades of an account together, payments of a security by themselves. */
export function settle(roll: Roll): void {
  const groups = new Map<string, Due[]>();
  for (const due of roll.records.money.due(roll.calendar.name, roll.day)) {
    const key = `${due.accId}/${due.balance}/${due.symbol}`;
    groups.set(key, [...(groups.get(key) ?? []), due]);
  }
  for (const group of groups.values()) {
    const [first] = group;
    if (first !== undefined) roll.book({ id: first.accId }, transactionOf(roll, first, group));
  }
}

function transactionOf(roll: Roll, first: Due, group: readonly Due[]): Pick<LedgerTransaction, 'cause' | 'symbol' | 'remark' | 'entries'> {
  const venue = roll.calendar.name;
  return {
    cause: first.balance === 'unsettled' ? 'settlement' : 'payment',
    symbol: first.symbol,
    remark: '',
    entries: group.flatMap(({ balance, kind, currency, amount, day }) => [
      { balance, kind, currency, amount: -amount, venue, day },
      { balance: 'settled', kind, currency, amount, venue, day: roll.day },
    ]),
  };
}
