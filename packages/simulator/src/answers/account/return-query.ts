import { create } from '@bufbuild/protobuf';
import type { PriceContext } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import { PriceContextSchema } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { currenciesOf } from '../../brokerage/account.js';
import { type Addressed, addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { currencies } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import { type PeriodUnit, periodUnits, zoneNamed } from './return-periods.js';
import type { ReturnMethod } from './returns.js';

/** Parameters shared by the return calendar and the yield trend. */
interface ReturnQuery {
  readonly to: Addressed;
  readonly currency: Currency;
  readonly unit: PeriodUnit;
  readonly method: ReturnMethod;
  readonly timeZone: string;
  readonly context: PriceContext;
}

const methods: Readonly<Record<number, ReturnMethod>> = { 1: 'time_weighted', 2: 'money_weighted' };

interface ReturnRequest {
  readonly header?: TrdHeader | undefined;
  readonly currency: number;
  readonly queryType: number;
  readonly method: number;
  readonly timeLocation: string;
  readonly priceContext?: PriceContext | undefined;
}

export function returnQueryOf(brokerage: Brokerage, asked: ReturnRequest): ReturnQuery | Refusal {
  const to = addressed(brokerage, asked.header);
  if (to instanceof Refusal) return to;
  const currency = asked.currency === 0 ? to.account.base : currencies.wordOf(asked.currency);
  if (currency === undefined) return new Refusal(currencies.unknown(asked.currency));
  const own = currenciesOf(to.account);
  if (!own.includes(currency))
    return new Refusal(`account ${to.account.id} has no ${currency}; its currencies: ${own.join(', ')}`, 'broker.value');
  const unit = periodUnits[asked.queryType];
  if (unit === undefined)
    return new Refusal(`query_type ${asked.queryType} is not accepted; accepted: 1 day, 2 month, 3 year`, 'broker.value');
  const method = methods[asked.method];
  if (method === undefined)
    return new Refusal(`method ${asked.method} is not accepted; accepted: 1 time-weighted, 2 money-weighted`, 'broker.value');
  const timeZone = zoneNamed(asked.timeLocation);
  if (timeZone instanceof Refusal) return timeZone;
  return { to, currency, unit, method, timeZone, context: asked.priceContext ?? create(PriceContextSchema) };
}
