import type { Message } from '@bufbuild/protobuf';
import { type Ask, Refused, type Rule } from '../rule.js';
import { type FrequencyLimit, frequencyLimits } from './frequency-limits.js';
import type { Texts } from './texts.js';

const WINDOW_MS = 30_000;

/** No more than so many requests in any 30 seconds: the first of n + 1 must be more than 30 s old. A refused one does not count. */
export function frequency({ tooFrequent }: Texts): Rule {
  /** Times (monotonic ms) of what was let through, the oldest first; at most {@link FrequencyLimit.times} of each. */
  const logs = new Map<string, number[]>();
  return {
    name: 'frequency',
    judge(ask) {
      const limit = limitOf(ask);
      if (limit === undefined) return undefined;
      const key = keyOf(limit, ask);
      const log = (logs.get(key) ?? []).filter((time) => ask.now - time <= WINDOW_MS);
      const newest = log.at(-1);
      const tooSoon = newest !== undefined && ask.now - newest < (limit.msApart ?? 0);
      if (tooSoon || log.length >= limit.times) {
        logs.set(key, log);
        return new Refused(tooFrequent(nameOf(ask), limit.times));
      }
      logs.set(key, [...log, ask.now]);
      return undefined;
    },
    restarted: () => logs.clear(),
  };
}

function limitOf({ protoId, c2s }: Ask): FrequencyLimit | undefined {
  const limit = frequencyLimits.find(({ protoIds }) => protoIds.includes(protoId));
  return limit?.counts?.(c2s) === false ? undefined : limit;
}

function keyOf({ per, shared, protoIds }: FrequencyLimit, { protoId, c2s }: Ask): string {
  const { header } = c2s as Message & { header?: { readonly accID: bigint } };
  return `${shared === true ? protoIds[0] : protoId} ${per === 'account' ? (header?.accID ?? 0n) : ''}`;
}

/** "Qot_GetOrderBook". */
function nameOf({ c2s }: Ask): string {
  const name = c2s.$typeName.slice(0, c2s.$typeName.lastIndexOf('.'));
  // The published message with fields of ours.
  return name === 'svc.snapshot' ? 'Qot_GetSecuritySnapshot' : name;
}
