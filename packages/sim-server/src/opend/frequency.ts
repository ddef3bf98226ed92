import { FREQUENCY_WINDOW_MS, frequencyBudget, frequencyLimitOf } from '@svc-gateway/wire';
import { type Ask, Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

/** No more than so many requests in any 30 seconds: the first of n + 1 must be more than 30 s old. A refused one does not count. */
export function frequency({ tooFrequent }: Texts): Rule {
  /** Times (monotonic ms) of what was let through, the oldest first; at most as many as the limit of each. */
  const logs = new Map<string, number[]>();
  return {
    name: 'frequency',
    judge(ask) {
      const limit = frequencyLimitOf(ask.protoId);
      if (limit === undefined || limit.counts?.(ask.c2s) === false) return undefined;
      const key = frequencyBudget(limit, ask.protoId, ask.c2s);
      const log = (logs.get(key) ?? []).filter((time) => ask.now - time <= FREQUENCY_WINDOW_MS);
      const newest = log.at(-1);
      const tooSoon = newest !== undefined && ask.now - newest < (limit.spacingMs ?? 0);
      if (tooSoon || log.length >= limit.calls) {
        logs.set(key, log);
        return new Refused(tooFrequent(nameOf(ask), limit.calls));
      }
      logs.set(key, [...log, ask.now]);
      return undefined;
    },
    restarted: () => logs.clear(),
  };
}

/** "Qot_GetOrderBook". */
function nameOf({ c2s }: Ask): string {
  const name = c2s.$typeName.slice(0, c2s.$typeName.lastIndexOf('.'));
  // The published message with fields of ours.
  return name === 'svc.snapshot' ? 'Qot_GetSecuritySnapshot' : name;
}
