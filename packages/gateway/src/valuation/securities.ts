import { TrdMarket } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { type QuoteMarketInfo, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { invalidField, missingField, Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { listedCode } from '@svc-gateway/contract/symbol-spellings';
import { writtenNameOf } from '@svc-gateway/contract/written-names';
import { acceptedSides, marketName, secMarketList, secMarketText } from '../trade-names.js';

/** Security markets per trading market; a sole entry is the default where a request names none. */
const securityMarkets: ReadonlyMap<number, readonly number[]> = new Map([
  [TrdMarket.TrdMarket_HK, [1]],
  [TrdMarket.TrdMarket_US, [2]],
  [TrdMarket.TrdMarket_CN, [31, 32]],
  [TrdMarket.TrdMarket_HKCC, [31, 32]],
  [TrdMarket.TrdMarket_Futures, [1, 2, 41, 51]],
  [TrdMarket.TrdMarket_SG, [41]],
  [TrdMarket.TrdMarket_AU, [61]],
  [TrdMarket.TrdMarket_JP, [51]],
  [TrdMarket.TrdMarket_MY, [71]],
  [TrdMarket.TrdMarket_CA, [81]],
  [TrdMarket.TrdMarket_Futures_Simulate_HK, [1]],
  [TrdMarket.TrdMarket_Futures_Simulate_US, [2]],
  [TrdMarket.TrdMarket_Futures_Simulate_SG, [41]],
  [TrdMarket.TrdMarket_Futures_Simulate_JP, [51]],
]);

/** The security markets (Trd_Common.TrdSecMarket) of a trading market that takes orders. */
export function secMarketsOf(trading: number): readonly number[] | undefined {
  return securityMarkets.get(trading);
}

/** "HK, US": the security markets of a trading market. */
export function secMarketNames(numbers: readonly number[]): string {
  return numbers.map((number) => quoteMarketOfSecMarket(number)?.name ?? number).join(', ');
}

const futuresMarkets: ReadonlySet<number> = new Set([
  TrdMarket.TrdMarket_Futures,
  TrdMarket.TrdMarket_Futures_Simulate_HK,
  TrdMarket.TrdMarket_Futures_Simulate_US,
  TrdMarket.TrdMarket_Futures_Simulate_SG,
  TrdMarket.TrdMarket_Futures_Simulate_JP,
]);

/** The code of a security as orders and positions of a trading market list it. */
export function tradedCode(code: string, trading: number): string {
  return listedCode(code, { isFuture: futuresMarkets.has(trading) });
}

const SHANGHAI = 31;
const SHENZHEN = 32;

/**
 * Decides which security an order means and writes its `secMarket` and its code as it is listed into the request, so that the gates and the
 * backend cannot read it differently, and what comes of it is found again.
 */
export function resolveSecurity(
  request: Pick<PlaceC2S, 'header' | 'secMarket' | 'code'>,
): { market: QuoteMarketInfo; symbol: string } | Rejection {
  const trading = request.header?.trdMarket ?? 0;
  const accepted = securityMarkets.get(trading);
  if (accepted === undefined) return invalidField('market', `orders cannot be placed in market ${marketName(trading)}`);
  let number = Object.hasOwn(request, 'secMarket') ? request.secMarket : undefined;
  if (number === undefined && accepted.includes(SHANGHAI)) number = chineseExchange(request.code);
  if (number === undefined && accepted.length === 1) number = accepted[0];
  if (number === undefined) {
    return missingField('sec_market', `market ${marketName(trading)} covers several; give one of ${secMarketList(accepted)}`);
  }
  const market = quoteMarketOfSecMarket(number);
  const written = writtenNameOf(request, 'secMarket');
  if (market !== undefined && !accepted.includes(number) && written !== undefined && written === writtenNameOf(request, 'code')) {
    const traded = secMarketNames(accepted);
    const message = `${written}: ${quoted(`${market.name}.${request.code}`)} is not traded in market ${marketName(trading)}; accepted: securities of ${traded}`;
    return new Rejection('request.invalid', message, { field: written });
  }
  if (!accepted.includes(number) || market === undefined) {
    return invalidField(
      'sec_market',
      `${secMarketText(number)} is not traded in market ${marketName(trading)}, accepted: ${secMarketList(accepted)}`,
    );
  }
  const prefix = /^([A-Z]{2})\.(.+)$/.exec(request.code);
  if (prefix !== null && quoteMarketOfSecMarket(number)?.name === prefix[1]) {
    return invalidField('code', `${quoted(request.code)} has a market prefix; write ${quoted(prefix[2] ?? '')}, or use "symbol"`);
  }
  request.secMarket = number;
  request.code = tradedCode(request.code, trading);
  return { market, symbol: `${market.name}.${request.code}` };
}

/** Shanghai lists 5, 6 and 9, Shenzhen 0 to 3 (exchange code ranges of stocks, funds and B shares). */
function chineseExchange(code: string): number | undefined {
  if (/^[569]\d{5}$/.test(code)) return SHANGHAI;
  return /^[0123]\d{5}$/.test(code) ? SHENZHEN : undefined;
}

export function unknownSide(field: string, side: number): Rejection {
  return invalidField(field, `unknown side ${side}, accepted: ${acceptedSides}`);
}
