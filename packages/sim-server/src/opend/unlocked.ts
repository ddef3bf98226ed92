import type { Message } from '@bufbuild/protobuf';
import { TrdEnv } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { trade } from '@svc-gateway/contract/operations';
import { Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

/** Whether real accounts may trade; the same for all connections. */
export interface TradeLock {
  readonly isUnlocked: boolean;
  lock(): void;
}

/** Orders in real accounts need an unlock, by any connection. A restart locks again. */
export function unlocked(lock: TradeLock, { locked }: Texts): Rule {
  return {
    name: 'unlocked',
    judge({ operation, c2s }) {
      const { header } = c2s as Message & { header?: { readonly trdEnv: number } };
      if (operation?.group !== 'trade' || operation === trade.unlockTrade) return undefined;
      return header?.trdEnv === TrdEnv.TrdEnv_Real && !lock.isUnlocked ? new Refused(locked) : undefined;
    },
    restarted: () => lock.lock(),
  };
}
