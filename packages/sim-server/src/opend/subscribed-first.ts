import { neededSubscriptions, subTypeName } from '@svc-gateway/wire';
import { Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { Texts } from './texts.js';

/** Live data are read after a subscription to them. */
export function subscribedFirst(subscriptions: Subscriptions, { notSubscribed }: Texts): Rule {
  return {
    name: 'subscribed first',
    judge(ask) {
      const missing = neededSubscriptions(ask.protoId, ask.c2s).find(
        ({ symbol, subType }) => subscriptions.since(ask.client, `${symbol} ${subType}`) === undefined,
      );
      return missing === undefined ? undefined : new Refused(notSubscribed(ask.operation?.title ?? '', subTypeName(missing.subType)));
    },
  };
}
