import type { Message } from '@bufbuild/protobuf';
import { ReferenceType } from '../../contract/generated/Qot_GetReference_pb.js';
import { fieldsOf } from './requests.js';

/**
 * How often an upstream may be asked for what: `calls` in any 30 seconds, each protocol id on its own. Published limits, as of
 * its documentation 10.2 and its newer clients; where two sources disagree, the smaller. An id that is not here has no limit
 * that anybody has written down.
 */
export interface FrequencyLimit {
  readonly protoIds: readonly number[];
  readonly calls: number;
  /** The least time between two calls, ms. */
  readonly spacingMs?: number;
  /** Each account has a budget of its own; without it there is one for the whole upstream. */
  readonly perAccount?: true;
  /** The ids have one budget together. */
  readonly shared?: true;
  /** Whether a request counts; all do without it. */
  readonly counts?: (c2s: Message) => boolean;
}

/** The window of every limit: calls 1 and n + 1 must be more than this apart. */
export const WINDOW_MS = 30_000;

/** Otherwise the upstream answers from its own cache. */
const refreshes = (c2s: Message) => fieldsOf(c2s).refreshCache === true;

/** Fields that name a page other than the first, one of them in each paged message. */
const pageFields = ['nextReqKey', 'page', 'nextPage', 'offset', 'dataFrom'] as const;

function isFirstPage(c2s: Message): boolean {
  const fields = fieldsOf(c2s);
  return pageFields.every((name) => {
    const at = fields[name];
    return at === undefined || at === 0 || at === '' || (at instanceof Uint8Array && at.length === 0);
  });
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export const frequencyLimits: readonly FrequencyLimit[] = [
  // Orders: place with combo, modify and cancel, reconfirm.
  { protoIds: [2202, 2227, 20043, 20044], calls: 15, spacingMs: 20, perAccount: true, shared: true },
  { protoIds: [2205], calls: 20, spacingMs: 40, perAccount: true },
  { protoIds: [2226], calls: 10, perAccount: true },
  // Accounts.
  { protoIds: [2111, 2112, 2221, 2222, 2225], calls: 10, perAccount: true },
  { protoIds: [2101, 2102, 2201, 2211], calls: 10, perAccount: true, counts: refreshes },
  // An upstream is logged in as one user: what holds for each user holds for all of it.
  { protoIds: [2005, 2223], calls: 10 },
  // Quotes.
  { protoIds: [3202, 3204, 3205, 3207, 3208, 3209, 3213, 3214, 3215, 3217, 3221, 3222, 3223, 3253, 3262, 3263], calls: 10 },
  { protoIds: [3206], calls: 10, counts: (c2s) => fieldsOf(c2s).referenceType !== ReferenceType.ReferenceType_Warrant },
  { protoIds: [3211, 3212, 3218, 3219, ...range(3225, 3251), 3255, ...range(3256, 3258)], calls: 30 },
  { protoIds: [3103], calls: 60, counts: isFirstPage },
  { protoIds: [3104, 3105, 3203, 3210, 3220, 3224], calls: 60 },
  { protoIds: [...range(3301, 3309), ...range(3401, 3433)], calls: 60, counts: isFirstPage },
];
