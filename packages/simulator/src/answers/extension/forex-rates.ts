import { formatDecimal } from '@svc-gateway/contract/decimal';
import { Currency } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { extension as declared } from '@svc-gateway/contract/operations';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

/** svc.forex_rates: the last price of every pair, in the order of the world. */
export const forexRates: AnswerTo<typeof declared.forexRates> = versioned(({ world, market, listings }) => {
  const rateItems = world.listed({ market: 'FX' }).map((pair) => ({
    baseCurrency: numberOf(pair.code.slice(0, 3)),
    quoteCurrency: numberOf(pair.code.slice(3)),
    price: formatDecimal(market.quote(pair).last),
    stockId: pair.id,
    security: listings.of(pair).security,
  }));
  return { backendRetCode: BACKEND_SUCCESS, rateItems };
});

const numbers: Readonly<Record<string, number>> = {
  HKD: Currency.HKD,
  USD: Currency.USD,
  CNH: Currency.CNH,
  JPY: Currency.JPY,
  SGD: Currency.SGD,
  AUD: Currency.AUD,
  CAD: Currency.CAD,
  MYR: Currency.MYR,
  NZD: Currency.NZD,
};

/** Trd_Common.Currency; undefined for currencies without accounts. */
function numberOf(currency: string): number | undefined {
  return numbers[currency];
}
