import type { Message } from '@bufbuild/protobuf';
import { sizeLimits } from '@svc-gateway/wire';
import { Refused, type Rule } from '../rule.js';

const OPTION_CHAIN = 3209;
const CHAIN_DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** Lists, pages and spans have bounds. */
export const sizes: Rule = {
  name: 'sizes',
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
