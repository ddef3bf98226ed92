import { create } from '@bufbuild/protobuf';
import type { C2S as SubInfoC2S } from '../../contract/generated/Qot_GetSubInfo_pb.js';
import { C2SSchema as KlQuotaC2S } from '../../contract/generated/Qot_RequestHistoryKLQuota_pb.js';
import type { C2S as SubC2S } from '../../contract/generated/Qot_Sub_pb.js';
import type { C2S as AccPushC2S } from '../../contract/generated/Trd_SubAccPush_pb.js';
import { S2CSchema as UsedQuotaS2C } from '../../contract/generated/UsedQuota_pb.js';
import { account, quote, subscription, system } from '../../contract/operations/index.js';
import type { Backend } from '../backend.js';
import {
  answerReplaceAccounts,
  answerSubInfo,
  answerSubscribe,
  answerSubscribeAccounts,
  answerSubscriberInfo,
  answerUnsubscribeAccounts,
  type PushHub,
  usedSubscriptionQuota,
} from '../push/index.js';
import { payloadOf, success } from '../responses.js';
import type { LocalCall, LocalHandlers } from './index.js';

/** What only the gateway can answer, because it alone knows who is subscribed to what. */
export function pushHandlers(hub: PushHub, backend: Backend): LocalHandlers {
  const subscribe = (call: LocalCall) => answerSubscribe(hub, ownerOf(call), call.request as SubC2S);
  return {
    [subscription.subscribe.name]: subscribe,
    [subscription.unsubscribe.name]: subscribe,
    // "Of this connection": a REST call is a connection of its own, and has none.
    [subscription.getSubInfo.name]: (call) =>
      answerSubInfo(hub, call.caller.iface === 'rest' ? '' : ownerOf(call), call.request as SubInfoC2S),
    [subscription.querySubscription.name]: (call) => answerSubInfo(hub, ownerOf(call), call.request as SubInfoC2S),
    [account.subAccPush.name]: (call) => {
      const answer = namesWholeList(call) ? answerReplaceAccounts : answerSubscribeAccounts;
      return answer(hub, ownerOf(call), call.request as AccPushC2S);
    },
    [account.unsubAccPush.name]: (call) => answerUnsubscribeAccounts(hub, ownerOf(call), call.request as AccPushC2S),
    [system.getPushSubscriberInfo.name]: () => answerSubscriberInfo(hub),
    [system.getUsedQuota.name]: async ({ context }) => {
      const klines = await backend.call(quote.getHistoryKlQuota, create(KlQuotaC2S, { bGetDetail: false }), context);
      const usedKLineQuota = payloadOf(quote.getHistoryKlQuota, klines)?.usedQuota ?? 0;
      return success(system.getUsedQuota, create(UsedQuotaS2C, { usedSubQuota: usedSubscriptionQuota(hub), usedKLineQuota }));
    },
  };
}

/** Clients of the core interfaces say each time all of what they want, as the public protocol means it. */
function namesWholeList({ caller }: LocalCall): boolean {
  return caller.iface === 'core-ws' || caller.iface === 'core-tcp';
}

/** Subscriptions belong to the connection that asked, or to the caller's key where there is none. */
function ownerOf({ caller, identity }: LocalCall): string {
  return caller.connectionOwner ?? identity.owner;
}
