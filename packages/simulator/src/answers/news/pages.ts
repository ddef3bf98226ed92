import { DAY_MS } from '@svc-gateway/contract/time';
import { timeOfNews } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { Story, Teller } from '../../view/news.js';

const PAGE_MAX = 50;
/** A page is put together from spans of this length, and so from a few of them where there is much news. */
const SPAN_DAYS = 4;

/** Some items, newest first, and whether there are more. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

/** Selection of news items. */
interface Wanted<T> {
  readonly count: number;
  readonly takes: (item: T) => boolean;
}

/** Reason why a page cannot be given; undefined where it can. */
export function checkPageSize({ pageSize }: { readonly pageSize: number }): Refusal | undefined {
  return pageSize >= 1 && pageSize <= PAGE_MAX
    ? undefined
    : new Refusal(`page_size ${pageSize}: expected 1 to ${PAGE_MAX}`, 'broker.value');
}

/** Something that is told at a moment and has its place in an order. */
export interface Told {
  readonly seq: bigint;
}

/** The mark that brings what is older than a page; undefined where nothing is. */
export function olderMark({ items, more }: Page<Told>): bigint | undefined {
  return more ? items.at(-1)?.seq : undefined;
}

/** The newest items that are older than a mark, as far back as `since`. Spans grow where little is told. */
export function olderThan<T extends Told>(
  tell: (from: number, to: number) => readonly T[],
  { mark, now, since }: { readonly mark: bigint | undefined; readonly now: number; readonly since: number },
  { count, takes }: Wanted<T>,
): Page<T> {
  const items: T[] = [];
  let span = SPAN_DAYS * DAY_MS;
  let to = mark === undefined ? now : Math.min(now, timeOfNews(mark));
  while (to >= since && items.length <= count) {
    const from = Math.max(since, to - span);
    const told = tell(from, to);
    for (const item of told.toReversed()) if ((mark === undefined || item.seq < mark) && takes(item)) items.push(item);
    to = from - 1;
    span *= 2;
  }
  return { items: items.slice(0, count), more: items.length > count };
}

/** The oldest items that are newer than a mark, from `since` on. */
export function newerThan(
  tell: Teller,
  { mark, now, since }: { readonly mark: bigint; readonly now: number; readonly since: number },
  { count, takes }: Wanted<Story>,
): Page<Story> {
  const items: Story[] = [];
  for (let from = Math.max(since, timeOfNews(mark)); from <= now && items.length <= count; ) {
    const to = Math.min(now, from + SPAN_DAYS * DAY_MS);
    for (const item of tell(from, to)) if (item.seq > mark && takes(item)) items.push(item);
    from = to + 1;
  }
  return { items: items.slice(0, count).reverse(), more: items.length > count };
}
