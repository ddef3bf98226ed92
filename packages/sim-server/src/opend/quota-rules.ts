import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { C2S as HistoryRequest } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import type { S2C as Quota } from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import type { C2S as QotSub } from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { quote, subscription } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Backend, ResponseMessage } from '@svc-gateway/gateway/backend';
import { expandStreams, quotaKey } from '@svc-gateway/gateway/push';
import { FREQUENCY_WINDOW_MS, frequencyBudget, frequencyLimitOf, sizeLimits } from '@svc-gateway/wire';
import { type Ask, Refused, type Rule } from '../rule.js';
import type { Subscriptions } from '../subscriptions.js';
import type { Texts } from './texts.js';

const OPTION_CHAIN = 3209;
const CHAIN_DAYS_MAX = 30;

/** No more than so many requests in any 30 seconds: the first of n + 1 must be more than 30 s old. A refused one does not count. */
export function frequency({ tooFrequent }: Texts): Rule {
  /** Times (monotonic ms) of what was let through, the oldest first; at most as many as the limit of each. */
  const logs = new Map<string, number[]>();
  return {
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

/** One symbol and type is one unit, once for all connections. Nothing is subscribed to where not all of it fits. */
export function subscriptionQuota(subscriptions: Subscriptions, quota: number, texts: Texts): Rule {
  return {
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

/** History of so many symbols within a window; what counts already is free. The simulation counts, in its own window. */
export function historyQuota(backend: Backend, texts: Texts): Rule {
  return {
    async judge({ operation, c2s }) {
      if (operation !== quote.getHistoryKline) return undefined;
      const asked = (c2s as HistoryRequest).security;
      const request = create(quote.getHistoryKlQuota.messages.C2SSchema, { bGetDetail: true });
      const context = { requestId: 'history-quota', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
      const { s2c } = (await backend.call(quote.getHistoryKlQuota, request, context)) as ResponseMessage & { s2c?: Quota };
      if (s2c === undefined || s2c.remainQuota > 0 || asked === undefined) return undefined;
      const counts = s2c.detailList.some(({ security }) => security !== undefined && symbolOf(security) === symbolOf(asked));
      return counts ? undefined : new Refused(texts.historyQuota);
    },
  };
}

/** Lists, pages and spans have bounds. */
export const sizes: Rule = {
  judge({ protoId, c2s }) {
    const fields = c2s as Message & Record<string, unknown>;
    for (const { field, max } of sizeLimits.filter((limit) => limit.protoId === protoId)) {
      const value = fields[field];
      const size = Array.isArray(value) ? value.length : Number(value ?? 0);
      if (size > max) return new Refused(`${field}: ${size} is too many, at most ${max}`);
    }
    if (protoId !== OPTION_CHAIN) return undefined;
    const days = (Date.parse(String(fields.endTime)) - Date.parse(String(fields.beginTime))) / DAY_MS;
    return days > CHAIN_DAYS_MAX ? new Refused(`beginTime to endTime: at most ${CHAIN_DAYS_MAX} days`) : undefined;
  },
};
