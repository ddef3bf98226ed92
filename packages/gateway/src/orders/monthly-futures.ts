import { create } from '@bufbuild/protobuf';
import { type Security, SecuritySchema, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type FutureInfo, C2SSchema as FutureInfoC2S } from '@svc-gateway/contract/generated/Qot_GetFutureInfo_pb';
import { C2SSchema as StaticInfoC2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { derivatives, quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { Backend, CallContext } from '../backend.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';

/** A contract as trading names it. */
export interface Contract {
  readonly code: string;
  /** Trd_Common.TrdSecMarket. */
  readonly secMarket: number;
}

/**
 * Reason why a position may not be moved from one contract to the other, by fresh facts of the brokerage: each is a future of one month, and where they
 * differ, both are months of one contract. undefined where it may.
 */
export async function refuseContracts(
  backend: Backend,
  source: Contract,
  target: Contract,
  context: CallContext,
): Promise<Rejection | undefined> {
  const roles =
    target === source ? [['position_id', source] as const] : [['position_id', source] as const, ['target_code', target] as const];
  for (const [field, contract] of roles) {
    const wrong = await notMonthly(backend, contract, context);
    if (wrong !== undefined) return new Rejection('request.invalid', `${field}: ${shown(contract.code)} ${wrong}`, { field });
  }
  const unlinked = target === source ? undefined : await notLinked(backend, source, target, context);
  if (unlinked === undefined) return undefined;
  return new Rejection('request.invalid', `target_code: ${shown(target.code)} ${unlinked}`, { field: 'target_code' });
}

function securityOf({ code, secMarket }: Contract): Security {
  return create(SecuritySchema, { market: quoteMarketOfSecMarket(secMarket)?.number ?? 0, code });
}

/** Reason why a contract is no future of one month, by the brokerage's own list; undefined where it is. */
async function notMonthly(backend: Backend, contract: Contract, context: CallContext): Promise<string | undefined> {
  const { code } = contract;
  const response = await backend.call(quote.getStaticInfo, create(StaticInfoC2S, { securityList: [securityOf(contract)] }), context);
  if (response.retType !== RET_SUCCEED) return `is not in the brokerage's list: ${response.retMsg}`;
  const info = payloadOf(quote.getStaticInfo, response)?.staticInfoList.find(({ basic }) => basic?.security?.code === code);
  if (info?.basic === undefined) return "is not in the brokerage's list";
  if (info.basic.secType !== SecurityType.SecurityType_Future) return 'is no future';
  if (info.futureExData === undefined) return 'has no terms in the list';
  const { isMainContract, lastTradeTime } = info.futureExData;
  return isMainContract || lastTradeTime === '' ? 'is no ordinary monthly future' : undefined;
}

/**
 * Why two monthly futures are no months of one contract. The public protocol shows the terms of contracts, and not the linkage id by which
 * the brokerage knows them: what differs in what every month shares has another one.
 */
async function notLinked(backend: Backend, source: Contract, target: Contract, context: CallContext): Promise<string | undefined> {
  const securityList = [source, target].map(securityOf);
  const response = await backend.call(derivatives.getFutureInfo, create(FutureInfoC2S, { securityList }), context);
  if (response.retType !== RET_SUCCEED) return `has no terms in the brokerage's list: ${response.retMsg}`;
  const infos = payloadOf(derivatives.getFutureInfo, response)?.futureInfoList ?? [];
  const [from, to] = [source, target].map(({ code }) => infos.find(({ security }) => security?.code === code));
  if (from === undefined || to === undefined) return "has no terms in the brokerage's list";
  const differing = sharedTerms.find((term) => termText(from, term) !== termText(to, term));
  if (differing === undefined) return undefined;
  const [is, was] = [to, from].map((info) => termText(info, differing));
  return `is no month of the contract of ${source.code}: its ${termNames[differing]} is ${is} in place of ${was}`;
}

/** Terms shared by every month of a contract. */
const termNames = {
  exchange: 'exchange',
  owner: 'underlying',
  ownerOther: 'underlying',
  contractType: 'type',
  contractSize: 'size',
  contractSizeUnit: 'unit',
  quoteCurrency: 'currency',
} as const satisfies Partial<Record<keyof FutureInfo, string>>;
type SharedTerm = keyof typeof termNames;
const sharedTerms = Object.keys(termNames) as SharedTerm[];

function termText(info: FutureInfo, term: SharedTerm): string {
  const value = info[term];
  return typeof value === 'object' ? `${value.market}.${value.code}` : String(value);
}
