import { create } from '@bufbuild/protobuf';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Security, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetFutureInfo from '@svc-gateway/contract/generated/Qot_GetFutureInfo_pb';
import type { S2C as StaticInfo } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { quote } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradingTerms } from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import type { RequestOptions, Upstream } from '../connection/upstream.js';

const SUCCEEDED = 0;
const futureInfo = { name: 'get_future_info', protoId: 3218, messages: QotGetFutureInfo } as const;
/** Types whose lot size in the protocol is the contract's multiplier. */
const contractTypes: ReadonlySet<number> = new Set([SecurityType.SecurityType_Drvt, SecurityType.SecurityType_Future]);
const currencyNames: ReadonlyMap<string, string> = new Map([
  ['CNY', 'CNH'],
  ['RMB', 'CNH'],
]);

/**
 * How a security trades, by the server's static information, which its reader keeps for the day. undefined where the server does not
 * know the security, or is not to be asked now.
 */
export async function readTradingTerms(
  upstream: Upstream,
  security: Security,
  { deadline }: RequestOptions,
): Promise<TradingTerms | undefined> {
  try {
    const { messages } = quote.getStaticInfo;
    const c2s = create(messages.C2SSchema, { securityList: [security] });
    const { s2c } = (await upstream.request(quote.getStaticInfo, c2s, { deadline })) as ResponseMessage & { s2c?: StaticInfo };
    const basic = s2c?.staticInfoList[0]?.basic;
    const market = quoteMarketNumbered(security.market);
    if (basic === undefined || market === undefined) return undefined;
    const multiplier = decimalFromNumber(contractTypes.has(basic.secType) ? basic.lotSize : 1);
    if (multiplier === undefined || multiplier <= 0n) return undefined;
    const isFuture = basic.secType === SecurityType.SecurityType_Future;
    const currency = isFuture ? await currencyOfFuture(upstream, security, { deadline }) : undefined;
    return { multiplier, currency: currency ?? market.currency };
  } catch (thrown) {
    if (thrown instanceof BackendFailure) return undefined;
    throw thrown;
  }
}

/** Futures are often quoted in another currency than their market's. A server that does not say means that. */
async function currencyOfFuture(upstream: Upstream, security: Security, options: RequestOptions): Promise<string | undefined> {
  const c2s = create(QotGetFutureInfo.C2SSchema, { securityList: [security] });
  const answer = (await upstream.request(futureInfo, c2s, options)) as QotGetFutureInfo.Response;
  const said = answer.retType === SUCCEEDED ? answer.s2c?.futureInfoList[0]?.quoteCurrency : undefined;
  return said === undefined || said === '' ? undefined : (currencyNames.get(said) ?? said);
}
