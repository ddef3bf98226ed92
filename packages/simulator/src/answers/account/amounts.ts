import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import { type Account, currenciesOf } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import { currencies } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import { about, type Facts } from '../../view/facts.js';

/** The currency of a request, by default the account's; or why the account has none of it. */
export function currencyAsked(account: Account, number: number): Currency | Refusal {
  const currency = number === 0 ? account.base : currencies.wordOf(number);
  if (currency === undefined) return new Refusal(currencies.unknown(number), 'broker.enumeration');
  const own = currenciesOf(account);
  return own.includes(currency)
    ? currency
    : new Refusal(`account ${account.id} has no ${currency}; its currencies: ${own.join(', ')}`, 'broker.value');
}

/** Writes amounts of a currency in its decimals. */
export function shownIn(currency: Currency): (amount: Decimal) => number {
  return (amount) => decimalToNumber(inMoney(amount, currency));
}

/** Answers about the account that the header of a request addresses. */
export const ofAccount = about(({ brokerage }: Facts<'brokerage'>, { header }: { readonly header?: TrdHeader | undefined }) =>
  addressed(brokerage, header),
);
