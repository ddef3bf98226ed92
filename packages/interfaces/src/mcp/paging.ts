import type { Message } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { pagedFields } from '@svc-gateway/contract/tool-arguments';
import { ELEMENTS_A_PIECE, ownTurn } from '../common/long-answers.js';
import type { Table } from './rows.js';

/** A part of an answer, small enough for a model to read at once. */
export interface Page {
  /** The operation's payload (`S2C`) with a part of its lists. Read-only: it shares its items with the whole. */
  readonly payload: Message;
  /** The list that is split here, and the range; undefined for an answer that fits as a whole. */
  readonly cut: Cut | undefined;
}

export interface Cut {
  /** The list's name as a caller sees it: "kl_list". */
  readonly list: string;
  /** Number of its items in this page. */
  readonly returned: number;
  /** Number of its items in the whole answer. */
  readonly total: number;
}

/**
 * Maximum JSON text of a page, in UTF-8 bytes. It is 10,000 to 15,000 tokens of figures: the largest answer
 * that common clients pass on to their model unshortened, and a thousand K-line bars still need fewer than ten pages.
 */
export const PAGE_BYTES_MAX = 40_000;

type Lists = Record<string, Message[]>;

/** A list at the top of the payload: its items, and the length of each one's JSON text. */
interface List {
  readonly localName: string;
  readonly name: string;
  readonly items: readonly Message[];
  readonly sizes: readonly number[];
  /** Sum of the lengths. */
  readonly bytes: number;
}

export interface PageOptions {
  readonly bytesMax: number;
  /** Maximum items of a page, over all its lists. */
  readonly itemsMax?: number | undefined;
  /** The list that is written as a table. */
  readonly table?: Table | undefined;
}

/**
 * Splits a payload by its lists of messages, the largest last, so that the JSON text of each page has at most `bytesMax`
 * bytes and `itemsMax` items, or one item. All other fields are in every page. Concatenated, the pages' lists are the whole's, in order.
 */
export async function pagesOf(operation: Operation, payload: Message, options: PageOptions): Promise<Pages> {
  const write = messageWriter(operation.messages.S2CSchema, 'mcp', 'string');
  const { itemsMax = Number.POSITIVE_INFINITY, table } = options;
  const lists = await measure(operation, payload, table);
  const frame = Buffer.byteLength(write(withLists(payload, lists, {})));
  const bytes = lists.reduce((sum, list) => sum + Math.max(0, list.bytes - 1), frame);
  const [largest] = lists.slice(-1);
  const count = lists.reduce((sum, { items }) => sum + items.length, 0);
  if ((bytes <= options.bytesMax && count <= itemsMax) || largest === undefined || largest.items.length === 0) {
    return { bytes, pages: [{ payload, cut: undefined }] };
  }
  const pages = cutLists(lists, options.bytesMax - frame, itemsMax).map((part) => ({
    payload: withLists(payload, lists, part.lists),
    cut: { list: part.list.name, returned: part.lists[part.list.localName]?.length ?? 0, total: part.list.items.length },
  }));
  return { bytes, pages };
}

/** An answer in pages, and the length of its JSON text in UTF-8 bytes. */
export interface Pages {
  readonly bytes: number;
  readonly pages: readonly Page[];
}

/** Measures the lists, smallest first; long ones over many turns of the event loop. */
async function measure(operation: Operation, payload: Message, table: Table | undefined): Promise<List[]> {
  const values = payload as unknown as Lists;
  const lists: List[] = [];
  for (const { localName, name, message } of pagedFields(operation)) {
    const write = table?.localName === localName ? (item: Message) => table.row(item, 'string') : messageWriter(message, 'mcp', 'string');
    const items = values[localName] ?? [];
    const sizes: number[] = [];
    let bytes = 0;
    for (const item of items) {
      // Includes the comma before the item.
      const size = Buffer.byteLength(write(item)) + 1;
      sizes.push(size);
      bytes += size;
      if (sizes.length % ELEMENTS_A_PIECE === 0) await ownTurn();
    }
    lists.push({ localName, name: snakeCase(name), items, sizes, bytes });
  }
  return lists.sort((a, b) => a.bytes - b.bytes);
}

/** Items of one page, and the list that its position refers to: the last one it takes from. */
interface Part {
  readonly lists: Lists;
  readonly list: List;
}

function cutLists(lists: readonly List[], bytesMax: number, itemsMax: number): Part[] {
  const parts: Part[] = [];
  let page: Lists = {};
  let room = bytesMax;
  let count = 0;
  let last: List | undefined;
  for (const list of lists) {
    for (const [index, item] of list.items.entries()) {
      const size = list.sizes[index] ?? 0;
      if ((size > room || count >= itemsMax) && last !== undefined) {
        parts.push({ lists: page, list: last });
        [page, room, count, last] = [{}, bytesMax, 0, undefined];
      }
      const taken = page[list.localName];
      if (taken === undefined) page[list.localName] = [item];
      else taken.push(item);
      room -= size;
      count += 1;
      last = list;
    }
  }
  if (last !== undefined) parts.push({ lists: page, list: last });
  return parts;
}

/** The payload with these items in its lists, and its other lists empty. */
function withLists(payload: Message, lists: readonly List[], chosen: Lists): Message {
  return withFields(payload, Object.fromEntries(lists.map(({ localName }) => [localName, chosen[localName] ?? []])));
}
