import { Refusal } from '../../refusal.js';

/** What says that nothing follows. */
export const NO_MORE = '-1';

const SHOWN_CHARACTERS_MAX = 40;

export interface Page<T> {
  readonly items: readonly T[];
  /** Names the last item; what follows it is the next page, also where items have come before it meanwhile. */
  readonly nextKey: string;
}

/** The page of a list after the item that `nextKey` names (the first one where it names none), or why there is none. */
export function pageAfter<T>(
  all: readonly T[],
  keyOf: (item: T) => string,
  nextKey: string,
  num: number,
  numMax: number,
): Page<T> | Refusal {
  if (num < 1 || num > numMax) return new Refusal(`num: ${num} is out of range, accepted: 1 to ${numMax}`);
  const before = nextKey === '' ? -1 : all.findIndex((item) => keyOf(item) === nextKey);
  if (nextKey !== '' && before < 0) return unknownKey(nextKey);
  const items = all.slice(before + 1, before + 1 + num);
  const last = items.at(-1);
  const isLast = last === undefined || before + 1 + items.length >= all.length;
  return { items, nextKey: isLast ? NO_MORE : keyOf(last) };
}

function unknownKey(nextKey: string): Refusal {
  const found = JSON.stringify(nextKey.slice(0, SHOWN_CHARACTERS_MAX));
  const hint = nextKey === NO_MORE ? 'nothing follows the page that it came with' : 'expected the next_key of the page before';
  return new Refusal(`next_key ${found}: ${hint}; leave it out to begin with the first page`);
}
