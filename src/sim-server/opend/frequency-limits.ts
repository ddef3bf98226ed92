import type { Message } from '@bufbuild/protobuf';

/** How often something may be asked within 30 seconds. */
export interface FrequencyLimit {
  readonly times: number;
  /** Each is counted on its own, unless they share. */
  readonly protoIds: readonly number[];
  /** They share one budget. */
  readonly shared?: true;
  /** Counted for each account, or for all who ask. */
  readonly per: 'account' | 'server';
  /** Least time between two. */
  readonly msApart?: number;
  /** Which requests count; all of them where it is left out. */
  readonly counts?: (c2s: Message) => boolean;
}

const WARRANTS = 1;
const PAGE_KEYS = ['nextReqKey', 'nextKey', 'pageKey', 'reqKey'];

const refreshes = (c2s: Message) => (c2s as Message & { refreshCache?: boolean }).refreshCache === true;
const isNotWarrants = (c2s: Message) => (c2s as Message & { referenceType?: number }).referenceType !== WARRANTS;
/** A request that goes on where another ended names what that one said. */
const isFirstPage = (c2s: Message) => !PAGE_KEYS.some((name) => isGiven((c2s as unknown as Record<string, unknown>)[name]));

function isGiven(value: unknown): boolean {
  return value instanceof Uint8Array ? value.length > 0 : value !== undefined && value !== '';
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The limits of an upstream as its documentation and its users know them; where they disagree, the smaller. */
export const frequencyLimits: readonly FrequencyLimit[] = [
  { times: 15, protoIds: [2202, 2227], shared: true, per: 'account', msApart: 20 },
  { times: 20, protoIds: [2205], per: 'account', msApart: 40 },
  { times: 10, protoIds: [2111, 2112, 2221, 2222, 2225, 2226], per: 'account' },
  { times: 10, protoIds: [2101, 2102, 2201, 2211], per: 'account', counts: refreshes },
  { times: 10, protoIds: [2005, 2223], per: 'server' },
  {
    times: 10,
    protoIds: [3202, 3204, 3205, 3207, 3208, 3209, 3213, 3214, 3215, 3217, 3221, 3222, 3223, 3253, 3262, 3263],
    per: 'server',
  },
  { times: 10, protoIds: [3206], per: 'server', counts: isNotWarrants },
  { times: 30, protoIds: [3211, 3212, 3218, 3219, ...range(3225, 3251), 3255, ...range(3256, 3258)], per: 'server' },
  { times: 60, protoIds: [3104, 3105, 3203, 3210, 3220, 3224], per: 'server' },
  { times: 60, protoIds: [3103, ...range(3301, 3309), ...range(3401, 3433)], per: 'server', counts: isFirstPage },
];
