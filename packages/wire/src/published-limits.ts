import type { Message } from '@bufbuild/protobuf';
import { ReferenceType } from '@svc-gateway/contract/generated/Qot_GetReference_pb';

/**
 * Published frequency of one protocol id, or of several: `calls` in any 30 seconds. The numbers are those of the protocol's
 * documentation 10.2 and its newer clients; where two sources disagree, the smaller. An id that is not listed has no published limit.
 */
export interface FrequencyLimit {
  /** Each id has a budget of its own, unless they are `shared`. */
  readonly protoIds: readonly number[];
  readonly calls: number;
  /** Least time between two calls, ms. */
  readonly spacingMs?: number;
  /** Each account has a budget of its own; without it there is one for the whole server. */
  readonly perAccount?: true;
  /** The ids have one budget together. */
  readonly shared?: true;
  /** The daemon needs these calls as well, for halts and exits: callers leave it some. */
  readonly reserved?: true;
  /** Tells whether a request counts; without it all do. */
  readonly counts?: (c2s: Message) => boolean;
}

/** Window of every frequency limit: calls 1 and n + 1 are more than this apart. */
export const FREQUENCY_WINDOW_MS = 30_000;

/** A read of trading is answered from the server's cache unless it asks for a refresh. */
const refreshes = (c2s: Message) => fieldsOf(c2s).refreshCache === true;

/** Fields that name a page other than the first; a paged message has one of them. */
const pageFields = ['nextReqKey', 'nextKey', 'pageKey', 'reqKey', 'page', 'nextPage', 'offset', 'dataFrom'] as const;

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
  { protoIds: [2205], calls: 20, spacingMs: 40, perAccount: true, reserved: true },
  { protoIds: [2226], calls: 10, perAccount: true },
  // Accounts.
  { protoIds: [2111, 2112, 2221, 2222, 2225], calls: 10, perAccount: true },
  { protoIds: [2101, 2102, 2201, 2211], calls: 10, perAccount: true, reserved: true, counts: refreshes },
  // One user is logged in at a server: limits per user are limits of the server.
  { protoIds: [2005, 2223], calls: 10 },
  // Quotes.
  { protoIds: [3202, 3204, 3205, 3207, 3208, 3209, 3213, 3214, 3215, 3217, 3221, 3222, 3223, 3253, 3262, 3263], calls: 10 },
  { protoIds: [3206], calls: 10, counts: (c2s) => fieldsOf(c2s).referenceType !== ReferenceType.ReferenceType_Warrant },
  { protoIds: [3211, 3212, 3218, 3219, ...range(3225, 3251), 3255, ...range(3256, 3258)], calls: 30 },
  { protoIds: [3104, 3105, 3203, 3210, 3220, 3224], calls: 60 },
  { protoIds: [3103, ...range(3301, 3309), ...range(3401, 3433)], calls: 60, counts: isFirstPage },
];

const limitById = new Map(frequencyLimits.flatMap((limit) => limit.protoIds.map((protoId) => [protoId, limit] as const)));

/** Published limit of an id; undefined where there is none. */
export function frequencyLimitOf(protoId: number): FrequencyLimit | undefined {
  return limitById.get(protoId);
}

/** Name of the budget that a request counts in: equal for requests that share one. Requests in bytes have no `c2s`. */
export function frequencyBudget({ shared, protoIds, perAccount }: FrequencyLimit, protoId: number, c2s: Message | undefined): string {
  const { header } = fieldsOf(c2s) as { readonly header?: { readonly accID: bigint } };
  return `${shared === true ? protoIds[0] : protoId}${perAccount === true ? ` ${header?.accID ?? ''}` : ''}`;
}

/** Largest lists and pages of one request. */
export interface SizeLimit {
  readonly protoId: number;
  /** A list, or a number of rows. */
  readonly field: string;
  readonly max: number;
}

export const sizeLimits: readonly SizeLimit[] = [
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

/** Largest list of this field in one request; undefined where none is published. */
export function sizeLimitOf(protoId: number, field: string): number | undefined {
  return sizeLimits.find((limit) => limit.protoId === protoId && limit.field === field)?.max;
}

function fieldsOf(c2s: Message | undefined): Readonly<Record<string, unknown>> {
  return (c2s ?? {}) as unknown as Readonly<Record<string, unknown>>;
}
