import { Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import { neededUnits, typeNameOf } from './live-reads.js';
import type { Texts } from './texts.js';

/** Live data are read by who is subscribed to them. */
export function subscribedFirst(subscriptions: Subscriptions, { notSubscribed }: Texts): Rule {
  return {
    name: 'subscribed first',
    judge(ask) {
      const missing = neededUnits(ask).find((unit) => subscriptions.since(ask.client, unit) === undefined);
      return missing === undefined ? undefined : new Refused(notSubscribed(ask.operation?.title ?? '', typeNameOf(missing)));
    },
  };
}
