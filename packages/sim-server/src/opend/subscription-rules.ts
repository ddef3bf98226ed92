import type { Clock } from '@svc-gateway/contract/clock';
import type { C2S as QotSub } from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { subscription } from '@svc-gateway/contract/operations';
import { expandStreams, quotaKey } from '@svc-gateway/gateway/push';
import { neededSubscriptions, subTypeName } from '@svc-gateway/wire';
import { Empty, Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { ServerState } from './server-state.js';
import type { Texts } from './texts.js';

const WAIT_MS_MAX = 3_000;

/** Live data are read after a subscription to them. */
export function subscribedFirst(subscriptions: Subscriptions, { notSubscribed }: Texts): Rule {
  return {
    judge(ask) {
      const missing = neededSubscriptions(ask.protoId, ask.c2s).find(
        ({ symbol, subType }) => subscriptions.since(ask.client, `${symbol} ${subType}`) === undefined,
      );
      return missing === undefined ? undefined : new Refused(notSubscribed(ask.operation?.title ?? '', subTypeName(missing.subType)));
    },
  };
}

/** A subscription lasts a minute at least. */
export function subscriptionAge(subscriptions: Subscriptions, { tooYoung }: Texts): Rule {
  return {
    judge({ operation, c2s, client, now }) {
      if (operation !== subscription.unsubscribe) return undefined;
      const expansion = (c2s as QotSub).isUnsubAll ? undefined : expandStreams(c2s as QotSub);
      if (expansion?.ok === false) return undefined;
      const named = expansion === undefined ? undefined : new Set(expansion.streams.map(quotaKey));
      const young = subscriptions
        .of(client)
        .map(({ stream }) => quotaKey(stream))
        .some((unit) => (named?.has(unit) ?? true) && now - (subscriptions.since(client, unit) ?? 0) < subscriptions.ageMsMin);
      return young ? new Refused(tooYoung) : undefined;
    },
  };
}

/** Right after a subscription its data are on their way: a read waits for them for three seconds, and then succeeds empty. */
export function firstData(subscriptions: Subscriptions, state: ServerState, clock: Clock): Rule {
  return {
    async judge(ask) {
      const times = neededSubscriptions(ask.protoId, ask.c2s).map(
        ({ symbol, subType }) => (subscriptions.since(ask.client, `${symbol} ${subType}`) ?? 0) + state.firstDataMs - ask.now,
      );
      const wait = Math.max(0, ...times);
      if (wait === 0) return undefined;
      await new Promise<void>((resolve) => clock.after(Math.min(wait, WAIT_MS_MAX), resolve));
      return wait > WAIT_MS_MAX ? new Empty() : undefined;
    },
  };
}
