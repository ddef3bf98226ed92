import type { Message } from '@bufbuild/protobuf';
import { symbolOf } from '@svc-gateway/contract/markets';
import { sizeLimitOf } from '@svc-gateway/wire';
import { fieldsOf } from './request.js';

/**
 * Reads of a list that answer each of its elements by itself: such a list can be split where it is longer than the upstream
 * takes, put together with others, and asked for in part.
 */
export interface ListRead {
  readonly protoId: number;
  /** The list in the `C2S`. */
  readonly asked: string;
  /** The list in the `S2C`. */
  readonly answered: string;
  /** Elements that the upstream takes in one request. */
  readonly elementsMax: number;
  /** A flag of the `C2S` under which elements that are refused are named in `S2C.missing`, and refuse nothing else. The upstream knows no such flag. */
  readonly partial?: string;
  /** An answer holds for the day. */
  readonly daily?: true;
  /** Keys of elements of the request and of the answer: equal for the same element. */
  readonly keyOfAsked: (element: unknown) => string;
  readonly keyOfAnswered: (element: Message) => string;
}

interface Named {
  readonly market: number;
  readonly code: string;
}

/** Market numbers that mean the same are one: an answer may come back under the newer. */
function keyOfSecurity(element: unknown): string {
  const security = element as Named;
  return symbolOf(security) ?? `${security.market}.${security.code}`;
}

function keyOfItem(item: Message): string {
  const { security } = fieldsOf(item) as { security?: Named };
  return security === undefined ? '' : keyOfSecurity(security);
}

function keyOfBasic(item: Message): string {
  const { basic } = fieldsOf(item) as { basic?: Message };
  return basic === undefined ? '' : keyOfItem(basic);
}

/** Symbols of one request where no bound is published (quotes, static information): as many as published clients send. */
const SYMBOLS_MAX = 200;

function securities(protoId: number, answered: string, more: Partial<ListRead> = {}): ListRead {
  const elementsMax = sizeLimitOf(protoId, 'securityList') ?? SYMBOLS_MAX;
  return { protoId, asked: 'securityList', answered, elementsMax, keyOfAsked: keyOfSecurity, keyOfAnswered: keyOfItem, ...more };
}

const listReads: readonly ListRead[] = [
  securities(3004, 'basicQotList'),
  securities(3202, 'staticInfoList', { daily: true, keyOfAnswered: keyOfBasic }),
  securities(3203, 'snapshotList', { keyOfAnswered: keyOfBasic, partial: 'partial' }),
  securities(3207, 'ownerPlateList', { daily: true }),
  securities(3218, 'futureInfoList', { daily: true }),
  securities(3223, 'marketInfoList'),
  securities(2223, 'marginRatioInfoList'),
  {
    protoId: 2225,
    asked: 'orderIdExList',
    answered: 'orderFeeList',
    elementsMax: sizeLimitOf(2225, 'orderIdExList') ?? 1,
    keyOfAsked: String,
    keyOfAnswered: (item) => String(fieldsOf(item).orderIDEx),
  },
];

const byProtoId = new Map(listReads.map((read) => [read.protoId, read]));

/** How a request's list can be taken apart; undefined for a request without one. */
export function listReadOf(protoId: number | null, c2s: Message): ListRead | undefined {
  const read = protoId === null ? undefined : byProtoId.get(protoId);
  return read !== undefined && askedOf(read, c2s).length > 0 ? read : undefined;
}

/** The elements that a request names. */
export function askedOf({ asked }: ListRead, c2s: Message): readonly unknown[] {
  return (fieldsOf(c2s)[asked] as readonly unknown[] | undefined) ?? [];
}

/** The elements of an answer. */
export function answeredOf({ answered }: ListRead, response: Message): readonly Message[] {
  const s2c = fieldsOf(response).s2c as Message | undefined;
  return (fieldsOf(s2c)[answered] as readonly Message[] | undefined) ?? [];
}
