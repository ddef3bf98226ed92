import { create } from '@bufbuild/protobuf';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/forex_rates_pb';
import { Currency } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';

/** svc.forex_rates: the last price of every pair, in the order of the world. */
export const forexRates: Answer<'world' | 'market' | 'listings', C2S, S2C> = (facts, request) => checkVersion(request) ?? answer(facts);

/** The first quote of a pair on a day takes milliseconds. */
function answer({ world, market, listings }: Facts<'world' | 'market' | 'listings'>): S2C {
  const rateItems = world.listed({ market: 'FX' }).map((pair) => ({
    ...known({ baseCurrency: numberOf(pair.code.slice(0, 3)), quoteCurrency: numberOf(pair.code.slice(3)) }),
    price: formatDecimal(market.quote(pair).last),
    stockId: pair.id,
    security: listings.of(pair).security,
  }));
  return create(S2CSchema, { backendRetCode: BACKEND_SUCCESS, rateItems });
}

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
