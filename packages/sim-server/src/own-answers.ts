import { create, isFieldSet, type Message } from '@bufbuild/protobuf';
import * as GetDelayStatistics from '@svc-gateway/contract/generated/GetDelayStatistics_pb';
import * as QotCommon from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import type { S2C as HistoryQuota } from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import * as UsedQuota from '@svc-gateway/contract/generated/UsedQuota_pb';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { account, quote, subscription, system } from '@svc-gateway/contract/operations';
import { unknownAccountText } from '@svc-gateway/contract/unknown-account';
import type { QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import { asHeld, expandStreams, isKline, quotaKey } from '@svc-gateway/gateway/push';
import { failed, succeeded } from './answers.js';
import type { Connected } from './connected.js';
import type { EndpointServices } from './endpoint-services.js';
import type { Held } from './subscriptions.js';

/** An answer, and what happens once it has left. */
export interface Answered {
  readonly response: ResponseMessage;
  readonly after?: () => void;
}

type OwnAnswer = (services: EndpointServices, client: Connected, c2s: Message) => Answered | Promise<Answered>;

/** Answers that a server gives itself, because they are about its connections; by operation name. */
export const ownAnswers: Readonly<Record<string, OwnAnswer>> = {
  [subscription.subscribe.name]: (services, client, c2s) => subscribe(services, client, c2s as QotSub.C2S),
  [subscription.unsubscribe.name]: (services, client, c2s) => unsubscribe(services, client, c2s as QotSub.C2S),
  [subscription.getSubInfo.name]: (services, client, c2s) => subInfo(services, client, c2s as QotGetSubInfo.C2S),
  [subscription.querySubscription.name]: (services, client, c2s) => subInfo(services, client, c2s as QotGetSubInfo.C2S),
  [account.subAccPush.name]: (services, client, c2s) => subAccPush(services, client, c2s as TrdSubAccPush.C2S),
  [account.unsubAccPush.name]: (services, client, c2s) => subAccPush(services, client, c2s as TrdSubAccPush.C2S),
  [system.getUsedQuota.name]: usedQuota,
  // The simulated server measures nothing.
  [system.getDelayStatistics.name]: () => ({ response: succeeded(GetDelayStatistics) }),
};

/** Qot_Sub with `isSubOrUnSub`. `isRegOrUnRegPush` that is absent leaves the registration for pushes alone. */
async function subscribe({ backend, subscriptions }: EndpointServices, client: Connected, c2s: QotSub.C2S): Promise<Answered> {
  const expansion = expandStreams(c2s);
  if (!expansion.ok) return { response: failed(QotSub, expansion.message) };
  const { streams } = expansion;
  const push = isFieldSet(c2s, QotSub.C2SSchema.field.isRegOrUnRegPush) ? c2s.isRegOrUnRegPush : undefined;
  // The answer comes before the first push.
  const response = await subscriptions.subscribe(client, streams, push === true ? undefined : push);
  if (response.retType !== 0 || push !== true) return { response };
  const first = !isFieldSet(c2s, QotSub.C2SSchema.field.isFirstPush) || c2s.isFirstPush;
  return {
    response,
    after() {
      subscriptions.register(client, streams, true);
      if (first) pushCurrent(backend, client, streams);
    },
  };
}

/** Qot_Sub without `isSubOrUnSub`, or with `isUnsubAll`: ends what this connection holds. */
async function unsubscribe({ subscriptions }: EndpointServices, client: Connected, c2s: QotSub.C2S): Promise<Answered> {
  if (c2s.isUnsubAll) {
    await subscriptions.unsubscribe(client);
    return { response: succeeded(QotSub) };
  }
  const expansion = expandStreams(c2s);
  if (!expansion.ok) return { response: failed(QotSub, expansion.message) };
  await subscriptions.unsubscribe(client, new Set(expansion.streams.map(quotaKey)));
  return { response: succeeded(QotSub) };
}

/** Qot_RegQotPush: pushes of what is subscribed to, on or off, for this connection. */
export async function registerPush(
  { backend, subscriptions }: EndpointServices,
  client: Connected,
  c2s: QotRegQotPush.C2S,
): Promise<Answered> {
  const { securityList, subTypeList, rehabTypeList, isRegOrUnReg } = c2s;
  const expansion = expandStreams({ securityList, subTypeList, regPushRehabTypeList: rehabTypeList });
  if (!expansion.ok) return { response: failed(QotRegQotPush, expansion.message) };
  const held = subscriptions.of(client);
  const missing = expansion.streams.find((wanted) => !held.some(({ stream }) => quotaKey(stream) === quotaKey(wanted)));
  if (missing !== undefined) {
    return { response: failed(QotRegQotPush, `${missing.symbol} is not subscribed to with type ${missing.subType}: subscribe first`) };
  }
  if (!isRegOrUnReg) {
    const units = new Set(expansion.streams.map(quotaKey));
    const ended = held.filter(({ stream }) => units.has(quotaKey(stream)) && isOfRehabTypes(stream, rehabTypeList));
    subscriptions.register(
      client,
      ended.map(({ stream }) => stream),
      false,
    );
    return { response: succeeded(QotRegQotPush) };
  }
  const streams = asHeld(
    expansion.streams,
    held.map(({ stream }) => stream),
  );
  const answer = await subscriptions.subscribe(client, streams, undefined);
  if (answer.retType !== 0) return { response: failed(QotRegQotPush, answer.retMsg) };
  const first = !isFieldSet(c2s, QotRegQotPush.C2SSchema.field.isFirstPush) || c2s.isFirstPush;
  return {
    response: succeeded(QotRegQotPush),
    after() {
      subscriptions.register(client, streams, true);
      if (first) pushCurrent(backend, client, streams);
    },
  };
}

function isOfRehabTypes({ subType, rehabType }: QuoteStream, rehabTypes: readonly number[]): boolean {
  return rehabTypes.length === 0 || !isKline(subType) || rehabTypes.includes(rehabType);
}

function pushCurrent(backend: EndpointServices['backend'], client: Connected, streams: readonly QuoteStream[]): void {
  for (const stream of streams) {
    const push = backend.current(stream);
    if (push !== undefined) client.push(push);
  }
}

/** Qot_GetSubInfo: of this connection, or of every connection. */
function subInfo({ subscriptions, subscriptionQuota }: EndpointServices, client: Connected, { isReqAllConn }: QotGetSubInfo.C2S): Answered {
  const others = isReqAllConn ? [...subscriptions.all()].filter(([other]) => other !== client) : [];
  const used = subscriptions.units().size;
  return {
    response: succeeded(QotGetSubInfo, {
      connSubInfoList: [connectionInfo(subscriptions.of(client), true), ...others.map(([, held]) => connectionInfo(held, false))],
      totalUsedQuota: used,
      remainQuota: Math.max(0, subscriptionQuota - used),
    }),
  };
}

function connectionInfo(held: readonly Held[], isOwnConnData: boolean): QotCommon.ConnSubInfo {
  const symbolsByType = new Map<number, Set<string>>();
  for (const { stream } of held) {
    const symbols = symbolsByType.get(stream.subType) ?? new Set();
    symbolsByType.set(stream.subType, symbols.add(stream.symbol));
  }
  const subInfoList = [...symbolsByType].map(([subType, symbols]) => ({ subType, securityList: [...symbols].flatMap(securityOf) }));
  return create(QotCommon.ConnSubInfoSchema, {
    subInfoList,
    usedQuota: new Set(held.map(({ stream }) => quotaKey(stream))).size,
    isOwnConnData,
  });
}

function securityOf(symbol: string): { market: number; code: string }[] {
  const parsed = parseSymbol(symbol);
  return parsed === undefined ? [] : [{ market: parsed.market.number, code: parsed.code }];
}

/** Trd_SubAccPush: the list is the whole of what the connection wants. */
function subAccPush({ accounts, name }: EndpointServices, client: Connected, { accIDList }: TrdSubAccPush.C2S): Answered {
  const unknown = accIDList.find((accId) => !accounts.has(accId));
  if (unknown !== undefined) return { response: failed(TrdSubAccPush, unknownAccountText(unknown, `at ${name}`)) };
  return {
    response: succeeded(TrdSubAccPush),
    after() {
      client.accounts = new Set(accIDList);
    },
  };
}

/** UsedQuota: subscriptions, and symbols whose history was read. */
async function usedQuota({ backend, subscriptions, nextRequestId }: EndpointServices): Promise<Answered> {
  const request = create(quote.getHistoryKlQuota.messages.C2SSchema);
  const context = { requestId: nextRequestId(), deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const history = (await backend.call(quote.getHistoryKlQuota, request, context)) as ResponseMessage & { s2c?: HistoryQuota };
  const usedSubQuota = subscriptions.units().size;
  return { response: succeeded(UsedQuota, { usedSubQuota, usedKLineQuota: history.s2c?.usedQuota ?? 0 }) };
}
