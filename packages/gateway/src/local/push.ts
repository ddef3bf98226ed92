import { create } from '@bufbuild/protobuf';
import { type Access, allowsOneMarket, allowsSymbol, scopeMask } from '@svc-gateway/access';
import type { C2S as SubInfoC2S } from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import { C2SSchema as KlQuotaC2S } from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import type { C2S as SubC2S } from '@svc-gateway/contract/generated/Qot_Sub_pb';
import type { C2S as AccPushC2S } from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { S2CSchema as UsedQuotaS2C } from '@svc-gateway/contract/generated/UsedQuota_pb';
import { account, quote, subscription, system } from '@svc-gateway/contract/operations';
import type { Backend } from '../backend.js';
import { limitsOf } from '../market-names.js';
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
import { following, payloadOf, success } from '../responses.js';
import { alone, type LocalCall, type LocalOperations, withBackend } from './index.js';

const administration = scopeMask(['admin']);

/** Operations on subscriptions, whose owners only the gateway knows. */
export function pushHandlers(hub: PushHub, backend: Backend, access: Access): LocalOperations {
  // Other callers' connections are shown to administrators only.
  const administers = ({ identity }: LocalCall) => access.authorise(identity.key, administration) === undefined;
  const shows = ({ identity }: LocalCall) => {
    const limits = limitsOf(access, identity.key);
    return (symbol: string) =>
      limits.every((each) => allowsOneMarket(each, symbol.slice(0, symbol.indexOf('.'))) && allowsSymbol(each, symbol));
  };
  /** Answers once the change is on disk: a restart right after the answer finds it there. */
  const kept =
    <T>(change: (call: LocalCall) => Promise<T>) =>
    async (call: LocalCall): Promise<T> => {
      const answer = await change(call);
      await hub.whenKept();
      return answer;
    };
  const subscribe = kept((call) => answerSubscribe(hub, ownerOf(call), call.request as SubC2S, administers(call)));
  return {
    [subscription.subscribe.name]: withBackend(subscribe),
    [subscription.unsubscribe.name]: alone(subscribe),
    // "Of this connection": a REST call is a connection of its own, and has none.
    [subscription.getSubInfo.name]: alone((call) =>
      answerSubInfo(hub, call.caller.iface === 'rest' ? '' : ownerOf(call), call.request as SubInfoC2S, shows(call)),
    ),
    [subscription.querySubscription.name]: alone((call) => answerSubInfo(hub, ownerOf(call), call.request as SubInfoC2S, shows(call))),
    [account.subAccPush.name]: withBackend(
      kept((call) => {
        const answer = namesWholeList(call) ? answerReplaceAccounts : answerSubscribeAccounts;
        return answer(hub, ownerOf(call), call.request as AccPushC2S);
      }),
    ),
    [account.unsubAccPush.name]: alone(kept((call) => answerUnsubscribeAccounts(hub, ownerOf(call), call.request as AccPushC2S))),
    [system.getPushSubscriberInfo.name]: alone((call) => {
      const everybody = administers(call);
      return answerSubscriberInfo(hub, ({ keyId }) => everybody || keyId === call.identity.key?.id);
    }),
    [system.getUsedQuota.name]: alone(({ context }) => {
      const usedSubQuota = usedSubscriptionQuota(hub);
      const asked = create(KlQuotaC2S, { bGetDetail: false });
      // The backend's half is left out while that is away.
      if (backend.readiness(quote.getHistoryKlQuota, asked) !== undefined) {
        return success(system.getUsedQuota, create(UsedQuotaS2C, { usedSubQuota }));
      }
      return following(backend.call(quote.getHistoryKlQuota, asked, context), (klines) => {
        const usedKLineQuota = payloadOf(quote.getHistoryKlQuota, klines)?.usedQuota ?? 0;
        return success(system.getUsedQuota, create(UsedQuotaS2C, { usedSubQuota, usedKLineQuota }));
      });
    }),
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
