import type { C2S as QotSub } from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { subscription } from '@svc-gateway/contract/operations';
import { expandStreams, quotaKey } from '@svc-gateway/gateway/push';
import { Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { Texts } from './texts.js';

/** A subscription lasts a minute at least. */
export function subscriptionAge(subscriptions: Subscriptions, { tooYoung }: Texts): Rule {
  return {
    name: 'subscription age',
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
