import type { Clock } from '@svc-gateway/contract/clock';
import { neededSubscriptions } from '@svc-gateway/wire';
import { Empty, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { ServerState } from './server-state.js';

const WAIT_MS_MAX = 3_000;

/** Right after a subscription its data are on their way: a read waits for them for three seconds, and then succeeds empty. */
export function firstData(subscriptions: Subscriptions, state: ServerState, clock: Clock): Rule {
  return {
    name: 'first data',
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
