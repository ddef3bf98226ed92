import type { C2S as QotSub } from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { subscription } from '@svc-gateway/contract/operations';
import { expandStreams, quotaKey } from '@svc-gateway/gateway/push';
import { Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { Texts } from './texts.js';

/** One symbol and type is one unit, once for all connections. Nothing is subscribed to where not all of it fits. */
export function subscriptionQuota(subscriptions: Subscriptions, quota: number, texts: Texts): Rule {
  return {
    name: 'subscription quota',
    judge({ operation, c2s }) {
      if (operation !== subscription.subscribe) return undefined;
      const expansion = expandStreams(c2s as QotSub);
      if (!expansion.ok) return undefined;
      const used = subscriptions.units();
      const more = new Set(expansion.streams.map(quotaKey).filter((unit) => !used.has(unit)));
      if (used.size + more.size <= quota) return undefined;
      return new Refused(texts.subscriptionQuota(Math.max(0, quota - used.size)));
    },
  };
}
