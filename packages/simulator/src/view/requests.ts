import { type Enumeration, listAccepted, publicNumbers } from '@svc-gateway/contract/enums';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import { isTimeText } from '@svc-gateway/contract/text-formats';
import { dayNumber } from '@svc-gateway/contract/time';
import { Refusal } from '../refusal.js';
import type { Answer, EveryFact } from './facts.js';

/** Refuses a number that an enumeration does not have. */
function unknownChoice(field: string, value: number, enumeration: Enumeration): Refusal {
  return new Refusal(`unknown ${field} ${value}; accepted: ${listAccepted(enumeration, 'rest')}`, 'broker.value');
}

/** Reason why a field's number is not accepted; undefined where it is. */
export function checkChoice(field: string, value: number, enumeration: Enumeration): Refusal | undefined {
  return publicNumbers(enumeration).has(value) ? undefined : unknownChoice(field, value, enumeration);
}

/** The quote market of a number, of those that an operation knows. */
export function marketOf(number: number, accepted: Enumeration): QuoteMarket | Refusal {
  const market = quoteMarketNumbered(number);
  return market !== undefined && publicNumbers(accepted).has(number) ? market.name : unknownChoice('market', number, accepted);
}

/** Programs give a time as often as a date: its day counts. */
export function dayOf(text: string): string {
  return isTimeText(text) ? text.slice(0, 10) : text;
}

/** Validates an inclusive range of days; undefined when it is valid. */
export function dayRange(beginTime: string, endTime: string, daysMax: number): Refusal | undefined {
  const days = daysOf('begin_time', beginTime, 'end_time', endTime, daysMax);
  return days instanceof Refusal ? days : undefined;
}

/** The only version of the extension reads that there is. */
const VERSION = 1;

/** Success code in the answers of extension reads. */
export const BACKEND_SUCCESS = 0;

/** The answer to an extension read, which is refused in any other version. */
export function versioned<C2S extends { readonly extensionVersion: number }, S2C>(
  answer: Answer<keyof EveryFact, C2S, S2C>,
): Answer<keyof EveryFact, C2S, S2C> {
  return (facts, request, asker) =>
    request.extensionVersion === VERSION
      ? answer(facts, request, asker)
      : new Refusal(`extension_version ${request.extensionVersion}: expected ${VERSION}`, 'broker.value');
}

/** Days from `first` to `last`, both included, counted from 1970-01-01. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** The days between two dates of a request ("2026-11-20"), at most `daysMax`. */
export function daysOf(beginName: string, begin: string, endName: string, end: string, daysMax: number): Days | Refusal {
  const first = dayNamed(beginName, begin);
  if (first instanceof Refusal) return first;
  const last = dayNamed(endName, end);
  if (last instanceof Refusal) return last;
  if (first > last) return new Refusal(`${beginName} is after ${endName}`);
  return last - first >= daysMax
    ? new Refusal(`${beginName} to ${endName}: at most ${daysMax} days, found ${last - first + 1}`, 'broker.value')
    : { first, last };
}

/** A date of a request, counted from 1970-01-01. */
export function dayNamed(name: string, text: string): number | Refusal {
  return dayNumber(text) ?? noDay(name, text);
}

/** Refuses a text that is no date. */
export function noDay(name: string, text: string): Refusal {
  return new Refusal(`${name}: expected a date as yyyy-MM-dd, found ${quoted(text)}`, 'broker.value');
}

/** A request's cursor: the field that holds it, what came in it (nothing for the first page), and what says that nothing follows. */
interface Cursor {
  readonly field: string;
  readonly value: string;
  readonly end: '-1' | '';
}

/** How many items a page may have. */
interface PageSize {
  readonly field: string;
  readonly value: number;
  readonly max: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Names the last item; what follows it is the next page, also where items have come before it meanwhile. */
  readonly next: string;
}

/** The page of a list after the item that the cursor names, or why there is none. */
function pageAfter<T>(all: readonly T[], keyOf: (item: T) => string, cursor: Cursor, size: PageSize): Page<T> | Refusal {
  const { value: count, max } = size;
  if (!(count >= 1 && count <= max)) return new Refusal(`${size.field}: ${count} is out of range, accepted: 1 to ${max}`, 'broker.value');
  const before = cursor.value === '' ? -1 : all.findIndex((item) => keyOf(item) === cursor.value);
  if (cursor.value !== '' && before < 0) return unknownCursor(cursor);
  const items = all.slice(before + 1, before + 1 + count);
  const last = items.at(-1);
  const isLast = last === undefined || before + 1 + items.length >= all.length;
  return { items, next: isLast ? cursor.end : keyOf(last) };
}

/** How many items a page has: without a number in the request, and at the most. */
interface PageSizes {
  readonly fallback: number;
  readonly max: number;
}

/** The page that a request names by its fields `page` and `count`. */
export function countedPage<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  request: { readonly page: string; readonly count: number },
  { fallback, max }: PageSizes,
): Page<T> | Refusal {
  const value = Object.hasOwn(request, 'count') ? request.count : fallback;
  return pageAfter(all, keyOf, { field: 'page', value: request.page, end: '' }, { field: 'count', value, max });
}

/** The page that a request names by its fields `next_key` and `num`. */
export function numberedPage<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  request: { readonly nextKey: string; readonly num: number },
  { fallback, max }: PageSizes,
): Page<T> | Refusal {
  const value = Object.hasOwn(request, 'num') ? request.num : fallback;
  return pageAfter(all, keyOf, { field: 'next_key', value: request.nextKey, end: '-1' }, { field: 'num', value, max });
}

function unknownCursor({ field, value, end }: Cursor): Refusal {
  const found = quoted(value);
  const hint = value === end ? 'nothing follows the page that it came with' : 'expected that of the page before';
  return new Refusal(`${field} ${found}: ${hint}; leave it out to begin with the first page`);
}
