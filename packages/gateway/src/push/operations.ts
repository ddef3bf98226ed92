import { create, isFieldSet, type MessageShape } from '@bufbuild/protobuf';
import * as QotCommon from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as PushSubscriberInfo from '@svc-gateway/contract/generated/svc/push_subscriber_info_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { requireSecurity } from '@svc-gateway/contract/security';
import { listed, shown } from '@svc-gateway/contract/shown';
import type { QuoteStream, ResponseMessage, UnsubscribeRefusal } from '../backend.js';
import type { BackendRefused } from '../backend-failures.js';
import { rejectRefused } from '../call-failures.js';
import type { AccountOutcome } from './accounts.js';
import type { ConnectionInfo } from './connection.js';
import type { PushHub } from './hub.js';
import { asHeld, expandStreams, isKline, nameOfSubType, quotaKey, replacedBy } from './streams.js';
import type { SubscribeOutcome, Subscription } from './subscriptions.js';

/** Subscription operations, which only the gateway can answer. */

const SUCCEEDED = { retType: 0, retMsg: '', errCode: 0 };
const FAILED = -1;

/**
 * Qot_Sub: subscribes or unsubscribes an owner, as `isSubOrUnSub` and `isUnsubAll` say. Of several symbols and types those pairs
 * are subscribed to that exist, and the answer names the others. `namesOthers`: true if the caller may know who else is connected.
 */
export async function answerSubscribe(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof QotSub.C2SSchema>,
  namesOthers = false,
): Promise<ResponseMessage | Rejection> {
  if (request.isUnsubAll) {
    return answerOf(QotSub, unsubscribed(await hub.subscriptions.unsubscribeAll(owner)));
  }
  const expansion = expandStreams(request);
  if (!expansion.ok) return answerOf(QotSub, { retType: FAILED, retMsg: expansion.message, errCode: 0 });
  if (!request.isSubOrUnSub) {
    const streams = ownStreams(hub, owner, new Set(expansion.streams.map(quotaKey)));
    return answerOf(QotSub, unsubscribed(await hub.subscriptions.unsubscribe(owner, streams)));
  }
  const options = {
    // A field that is not set reads as false, and says nothing.
    push: isFieldSet(request, QotSub.C2SSchema.field.isRegOrUnRegPush) ? request.isRegOrUnRegPush : undefined,
    first: !isFieldSet(request, QotSub.C2SSchema.field.isFirstPush) || request.isFirstPush,
  };
  let { streams } = expansion;
  let outcome = await hub.subscribe(owner, streams, options);
  let unserved: readonly QuoteStream[] = [];
  if (!outcome.ok && outcome.reason === 'backend' && outcome.cause === undefined) {
    unserved = await hub.unserved(streams);
    const served = streams.filter((stream) => !unserved.includes(stream));
    // With none left, the backend has said what is wrong with what was asked.
    if (served.length > 0 && unserved.length > 0) {
      streams = served;
      outcome = await hub.subscribe(owner, streams, options);
    }
  }
  const refused = rejectionOf(hub, owner, outcome, namesOthers);
  if (refused !== undefined) return refused;
  if (!outcome.ok) return answerOf(QotSub, resultOf(outcome));
  await hub.subscriptions.unsubscribe(owner, replacedBy(streams, hub.subscriptions.wanted(owner)));
  return answerOf(QotSub, unserved.length === 0 ? SUCCEEDED : { ...SUCCEEDED, retMsg: leftOut(unserved) });
}

/** The gateway's own refusal of a subscription, or the backend's for a reason that has a code. */
function rejectionOf(hub: PushHub, owner: string, outcome: SubscribeOutcome, namesOthers: boolean): Rejection | undefined {
  if (outcome.ok) return undefined;
  if (outcome.reason === 'quota') return new Rejection('limit.subscriptions', outcome.message);
  return outcome.cause && rejectSubscription(hub, owner, outcome.cause, namesOthers);
}

/** A refusal by the backend. One for a quota says who of this daemon holds how much; callers who may not know that learn how much others hold. */
function rejectSubscription(hub: PushHub, owner: string, refused: BackendRefused, namesOthers: boolean): Rejection {
  const rejection = rejectRefused(refused);
  if (refused.code !== 'backend.quota') return rejection;
  const units = (subscriptions: readonly Subscription[]) => new Set(subscriptions.map(({ stream }) => quotaKey(stream))).size;
  const holders = hub.subscriptions.listAll().map(({ owner, subscriptions }) => ({ owner, count: units(subscriptions) }));
  const withShares = (held: string) =>
    new Rejection(rejection.code, `${rejection.message}; of the subscriptions, ${held}`, rejection.details);
  if (!namesOthers) {
    const holder = hub.subscriptions.holderOf(owner);
    const [own, others] = partition(hub.subscriptions.listAll(), (each) => hub.subscriptions.holderOf(each.owner) === holder);
    const held = (some: typeof own) => units(some.flatMap(({ subscriptions }) => subscriptions));
    return withShares(`this caller holds ${held(own)}, others hold ${held(others)}`);
  }
  holders.sort((a, b) => b.count - a.count);
  const named = holders.map(({ owner, count }) => `${nameOfOwner(owner)} holds ${count}`);
  const held = named.length === 0 ? 'nobody subscribes here' : listed(named, HOLDERS_MAX);
  return withShares(held);
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

const HOLDERS_MAX = 5;

/** "key bot", "connection ws-3". */
function nameOfOwner(owner: string): string {
  const [kind = '', ...rest] = owner.split(':');
  const name = rest.join(':');
  if (kind === 'key') return `key ${name}`;
  return kind === 'conn' ? `connection ${name}` : kind === 'wait' ? `a waiting call` : 'the anonymous caller';
}

/** "left out, not available: HK.HSImain 14 (Broker), …". */
function leftOut(streams: readonly QuoteStream[]): string {
  return `left out, not available: ${named(streams)}`;
}

/** The caller gets nothing more in any case; what goes on behind the gateway still counts towards the quota. */
function unsubscribed(kept: UnsubscribeRefusal | undefined): Outcome {
  if (kept === undefined) return SUCCEEDED;
  const retMsg = `unsubscribed, but the backend still holds the stream and its quota, and will be asked again: ${named(kept.streams)}: ${kept.message}`;
  return { ...SUCCEEDED, retMsg };
}

/** "HK.00700 1 (Basic), …". */
function named(streams: readonly QuoteStream[]): string {
  return listed(new Set(streams.map(({ symbol, subType }) => `${symbol} ${nameOfSubType(subType)}`)));
}

/** Qot_RegQotPush: turns the pushes of what an owner is subscribed to on or off. */
export async function answerRegisterPush(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof QotRegQotPush.C2SSchema>,
): Promise<ResponseMessage | Rejection> {
  const { securityList, subTypeList, rehabTypeList, isRegOrUnReg } = request;
  const expansion = expandStreams({ securityList, subTypeList, regPushRehabTypeList: rehabTypeList });
  if (!expansion.ok) return answerOf(QotRegQotPush, { retType: FAILED, retMsg: expansion.message, errCode: 0 });
  const { streams } = expansion;
  const missing = streams.find(({ symbol, subType }) => !hub.subscriptions.holds(owner, symbol, subType));
  if (missing !== undefined) {
    const retMsg = `${shown(missing.symbol)} is not subscribed to with type ${missing.subType}: subscribe first`;
    return answerOf(QotRegQotPush, { retType: FAILED, retMsg, errCode: 0 });
  }
  const held = ownStreams(hub, owner, new Set(streams.map(quotaKey)));
  const outcome = isRegOrUnReg
    ? await hub.subscribe(owner, asHeld(streams, held), {
        push: true,
        first: isFieldSet(request, QotRegQotPush.C2SSchema.field.isFirstPush) ? request.isFirstPush : true,
      })
    : await hub.subscribe(owner, held.filter(isOfRehabTypes(rehabTypeList)), { push: false, first: false });
  return rejectionOf(hub, owner, outcome, false) ?? answerOf(QotRegQotPush, resultOf(outcome));
}

function isOfRehabTypes(rehabTypes: readonly number[]): (stream: QuoteStream) => boolean {
  return ({ subType, rehabType }) => rehabTypes.length === 0 || !isKline(subType) || rehabTypes.includes(rehabType);
}

/**
 * Qot_GetSubInfo: the subscriptions of one owner, or of every owner of the daemon.
 *
 * @param shows whether the caller may see a symbol: the rows of others list and count no more.
 */
export function answerSubInfo(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof QotGetSubInfo.C2SSchema>,
  shows: (symbol: string) => boolean = () => true,
): ResponseMessage {
  const { subscriptions } = hub;
  const own = connectionInfo(subscriptions.list(owner), true);
  const others = (request.isReqAllConn ? subscriptions.listAll() : [])
    .filter((entry) => entry.owner !== owner)
    .map((entry) => entry.subscriptions.filter(({ stream }) => shows(stream.symbol)))
    .filter((shown) => shown.length > 0);
  // Where the server behind has quotas of its own, what counts is what is left of those.
  const { securities, options } = hub.quotas ?? { securities: { used: subscriptions.usedQuota, limit: subscriptions.quota } };
  const { used, limit } = securities;
  const s2c = create(QotGetSubInfo.S2CSchema, {
    connSubInfoList: [own, ...others.map((shown) => connectionInfo(shown, false))],
    totalUsedQuota: used,
    remainQuota: Math.max(0, limit - used),
    ...(options === undefined ? {} : { optionUsedQuota: options.used, optionRemainQuota: Math.max(0, options.limit - options.used) }),
  });
  return create(QotGetSubInfo.ResponseSchema, { ...SUCCEEDED, s2c });
}

/** Subscription quota in use: `UsedQuota.usedSubQuota`. */
export function usedSubscriptionQuota(hub: PushHub): number {
  return hub.quotas?.securities.used ?? hub.subscriptions.usedQuota;
}

/** Registers an owner for the order and fill pushes of accounts, beside those it has. */
export async function answerSubscribeAccounts(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof TrdSubAccPush.C2SSchema>,
): Promise<ResponseMessage> {
  const outcome = await hub.subscribeAccounts(owner, request.accIDList);
  return answerOf(TrdSubAccPush, resultOf(outcome));
}

/** The same as clients of the public protocol mean it: the list is the whole of what the owner wants. */
export async function answerReplaceAccounts(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof TrdSubAccPush.C2SSchema>,
): Promise<ResponseMessage> {
  const outcome = await hub.replaceAccounts(owner, request.accIDList);
  return answerOf(TrdSubAccPush, resultOf(outcome));
}

/** Ends the order and fill pushes of accounts for an owner; of every account where none is named. */
export async function answerUnsubscribeAccounts(
  hub: PushHub,
  owner: string,
  request: MessageShape<typeof TrdSubAccPush.C2SSchema>,
): Promise<ResponseMessage> {
  if (request.accIDList.length === 0) await hub.accounts.unsubscribeAll(owner);
  else await hub.accounts.unsubscribe(owner, request.accIDList);
  return answerOf(TrdSubAccPush, SUCCEEDED);
}

/** Connections to the push stream that the caller is shown. */
export function answerSubscriberInfo(hub: PushHub, isShown: (info: ConnectionInfo) => boolean = () => true): ResponseMessage {
  const shown = hub.connections().filter(isShown);
  const subscriberList = shown.map((info) => ({
    connId: info.id,
    iface: info.iface,
    ...(info.keyId === undefined ? {} : { keyId: info.keyId }),
    connectedAt: BigInt(info.connectedAt),
    subscriptionCount: info.subscriptionCount,
    sentCount: BigInt(info.sentCount),
    conflatedCount: BigInt(info.conflatedCount),
    backlogBytes: BigInt(info.backlogBytes),
  }));
  const s2c = create(PushSubscriberInfo.S2CSchema, { subscriberList, accIdList: [...hub.accounts.desired()] });
  return create(PushSubscriberInfo.ResponseSchema, { ...SUCCEEDED, s2c });
}

interface Outcome {
  readonly retType: number;
  readonly retMsg: string;
  readonly errCode: number;
}

function resultOf(outcome: SubscribeOutcome | AccountOutcome): Outcome {
  return outcome.ok ? SUCCEEDED : { retType: outcome.retType, retMsg: outcome.message, errCode: outcome.errCode };
}

function answerOf(
  { ResponseSchema, S2CSchema }: Pick<ProtocolMessages, 'ResponseSchema' | 'S2CSchema'>,
  outcome: Outcome,
): ResponseMessage {
  const s2c = outcome.retType === 0 ? { s2c: create(S2CSchema) } : {};
  return create(ResponseSchema, { ...outcome, ...s2c } as Record<string, unknown>) as ResponseMessage;
}

/** An owner's streams of these symbols and types, whatever their adjustment and hours: unsubscribing names neither. */
function ownStreams(hub: PushHub, owner: string, units: ReadonlySet<string>): readonly QuoteStream[] {
  return hub.subscriptions.wanted(owner).filter((stream) => units.has(quotaKey(stream)));
}

function connectionInfo(subscriptions: readonly Subscription[], isOwnConnData: boolean): QotCommon.ConnSubInfo {
  const symbolsByType = new Map<number, Set<string>>();
  for (const { stream } of subscriptions) {
    getOrInsert(symbolsByType, stream.subType, () => new Set()).add(stream.symbol);
  }
  const subInfoList = [...symbolsByType].map(([subType, symbols]) =>
    create(QotCommon.SubInfoSchema, { subType, securityList: [...symbols].map(requireSecurity) }),
  );
  const usedQuota = new Set(subscriptions.map(({ stream }) => quotaKey(stream))).size;
  return create(QotCommon.ConnSubInfoSchema, { subInfoList, usedQuota, isOwnConnData });
}
