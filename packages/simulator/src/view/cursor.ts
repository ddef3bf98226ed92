import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../refusal.js';

/** A request's cursor: the field that holds it, what came in it (nothing for the first page), and what says that nothing follows. */
export interface Cursor {
  readonly field: string;
  readonly value: string;
  readonly end: '-1' | '';
}

/** How many items a page may have. */
export interface PageSize {
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
export function pageAfter<T>(all: readonly T[], keyOf: (item: T) => string, cursor: Cursor, size: PageSize): Page<T> | Refusal {
  const { value: count, max } = size;
  if (!(count >= 1 && count <= max)) return new Refusal(`${size.field}: ${count} is out of range, accepted: 1 to ${max}`, 'broker.value');
  const before = cursor.value === '' ? -1 : all.findIndex((item) => keyOf(item) === cursor.value);
  if (cursor.value !== '' && before < 0) return unknownCursor(cursor);
  const items = all.slice(before + 1, before + 1 + count);
  const last = items.at(-1);
  const isLast = last === undefined || before + 1 + items.length >= all.length;
  return { items, next: isLast ? cursor.end : keyOf(last) };
}

function unknownCursor({ field, value, end }: Cursor): Refusal {
  const found = quoted(value);
  const hint = value === end ? 'nothing follows the page that it came with' : 'expected that of the page before';
  return new Refusal(`${field} ${found}: ${hint}; leave it out to begin with the first page`);
}
