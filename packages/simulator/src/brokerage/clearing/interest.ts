import { DECIMAL_ONE, type Decimal, divide, multiply, roundTo } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import { moneyStep } from '@svc-gateway/contract/money';
import { addDays } from '@svc-gateway/contract/time';
import type { Entry } from '../../ledger/index.js';
import { kinds } from '../../world/index.js';
import { type Account, accounts, currenciesOf } from '../account.js';
import { shortFeePercent, unitValue } from '../margin.js';
import { moneyTerms } from './money-terms.js';
import type { Roll } from './roll.js';

/**
 * Accrues the interest of the day that has ended on settled money below zero, and the fee on stock that is borrowed; on the first of a
 * month, charges what has accrued. What is below a cent stays accrued.
 */
export function bookInterest(roll: Roll): void {
  const day = addDays(roll.day, -1);
  for (const [account, currency] of homeMoney(roll)) {
    const { settled } = roll.records.money.balances(account.id, currency);
    if (settled < 0n)
      accrue(roll, account, { kind: 'interest', currency, amount: ofOneDay(settled, moneyTerms(currency).debitPercent, currency), day });
  }
  for (const { account, instrument, position } of roll.holdings()) {
    // Sold contracts borrow nothing.
    if (position.quantity > 0n || kinds[instrument.kind].margin !== 'stock') continue;
    const { currency, symbol } = instrument;
    const value = unitValue(instrument, roll.closeBefore(instrument)) * position.quantity;
    accrue(roll, account, { kind: 'stock_borrow_fee', currency, amount: ofOneDay(value, shortFeePercent, currency), day }, symbol);
  }
  if (!roll.day.endsWith('-01')) return;
  for (const [account, currency] of homeMoney(roll)) charge(roll, account, currency, day);
}

/** The accounts and their currencies whose interest goes by the calendar. */
function* homeMoney(roll: Roll): Iterable<readonly [Account, Currency]> {
  for (const account of accounts) {
    for (const currency of currenciesOf(account)) if (moneyTerms(currency).home === roll.calendar.name) yield [account, currency];
  }
}

function accrue(roll: Roll, account: Account, accrued: Pick<Entry, 'kind' | 'currency' | 'amount' | 'day'>, symbol = ''): void {
  if (accrued.amount === 0n) return;
  roll.book(account, { cause: 'interest', symbol, remark: '', entries: [{ ...accrued, balance: 'interest', venue: roll.calendar.name }] });
}

function charge(roll: Roll, account: Account, currency: Currency, day: string): void {
  const amount = roundTo(roll.records.money.balances(account.id, currency).interest, moneyStep(currency));
  if (amount === 0n) return;
  const of = { kind: 'interest', currency, venue: roll.calendar.name } as const;
  const entries: readonly Entry[] = [
    { ...of, balance: 'interest', amount: -amount, day },
    { ...of, balance: 'settled', amount, day: roll.day },
  ];
  roll.book(account, { cause: 'interest_charge', symbol: '', remark: day.slice(0, 7), entries });
}

/** A day's part of a yearly percentage. */
function ofOneDay(value: Decimal, percent: Decimal, currency: Currency): Decimal {
  return divide(multiply(value, percent), moneyTerms(currency).yearDays * 100n * DECIMAL_ONE);
}
