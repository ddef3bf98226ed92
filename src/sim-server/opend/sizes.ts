import type { Message } from '@bufbuild/protobuf';
import { Refused, type Rule } from '../rule.js';

interface SizeLimit {
  readonly protoId: number;
  /** A list, or a number of rows. */
  readonly field: string;
  readonly max: number;
}

const sizeLimits: readonly SizeLimit[] = [
  { protoId: 2223, field: 'securityList', max: 100 },
  { protoId: 2225, field: 'orderIdExList', max: 20 },
  { protoId: 3006, field: 'reqNum', max: 1000 },
  { protoId: 3010, field: 'maxRetNum', max: 1000 },
  { protoId: 3103, field: 'maxAckKLNum', max: 1000 },
  { protoId: 3203, field: 'securityList', max: 400 },
  { protoId: 3207, field: 'securityList', max: 200 },
  { protoId: 3210, field: 'num', max: 200 },
  { protoId: 3215, field: 'num', max: 200 },
  { protoId: 3218, field: 'securityList', max: 200 },
  { protoId: 3223, field: 'securityList', max: 400 },
  { protoId: 3252, field: 'pageCount', max: 200 },
  { protoId: 3254, field: 'pageCount', max: 200 },
  { protoId: 3303, field: 'securityList', max: 500 },
];

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
