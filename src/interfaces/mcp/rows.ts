import type { DescMessage, Message } from '@bufbuild/protobuf';
import { fieldWriters } from '../../contract/json/message-json.js';
import type { Int64Format } from '../../contract/json/scalars.js';
import { snakeCase } from '../../contract/names.js';
import type { Operation, RowList } from '../../contract/operation.js';
import type { Selection } from './selection.js';

/** How a list of records is written as a table: `{"columns":["time",…],"rows":[["2026-11-20",…],…]}`. */
export interface Table {
  readonly localName: string;
  /** The list's name as a caller sees it: "kl_list". */
  readonly name: string;
  /** JSON text of a record's row. */
  row(item: Message, int64: Int64Format): string;
  /** JSON text of a whole table. */
  write(items: readonly Message[], int64: Int64Format): string;
}

const MIDNIGHT = ' 00:00:00';

/**
 * The table of an operation's list: with the columns that were asked for, or those that its declaration names. A time of which every
 * record says midnight is a date, and written as one. undefined where the operation has no such list.
 */
export function tableOf({ rows, messages }: Operation, payload: Message, selection: Selection | undefined): Table | undefined {
  const field = messages.S2CSchema.fields.find((each) => each.name === rows?.list);
  if (rows === null || field?.message === undefined) return undefined;
  const desc = field.message;
  const items = itemsOf(payload, field.localName);
  const chosen = selection?.lists.has(field.localName) === true ? selection.names : columnsOf(rows, desc, items).map(snakeCase);
  const columns = [...new Set(chosen.map((name) => name.split('.')[0] ?? name))];
  const dates = new Set(columns.filter((column) => areDates(items, desc.fields.find(({ name }) => snakeCase(name) === column)?.localName)));
  const writersIn = (int64: Int64Format) => {
    const known = fieldWriters(desc, 'mcp', int64);
    return columns.flatMap((column) => {
      const write = known.get(column);
      if (write === undefined) return [];
      return [dates.has(column) ? (item: Message) => write(item).replace(`${MIDNIGHT}"`, '"') : write];
    });
  };
  const writers = { number: writersIn('number'), string: writersIn('string') };
  const row = (item: Message, int64: Int64Format) => `[${writers[int64].map((write) => write(item)).join(',')}]`;
  return {
    localName: field.localName,
    name: snakeCase(field.name),
    row,
    write: (list, int64) => `{"columns":${JSON.stringify(columns)},"rows":[${list.map((item) => row(item, int64)).join(',')}]}`,
  };
}

/** The columns of a caller who named no fields. Records that lack one of those were asked for field by field: then it is what they have. */
function columnsOf({ columns }: RowList, desc: DescMessage, items: readonly Message[]): readonly string[] {
  const has = (item: Message, column: string) =>
    desc.fields.some(({ name, localName }) => name === column && Object.hasOwn(item, localName));
  if (items.every((item) => columns.every((column) => has(item, column)))) return columns;
  return desc.fields.flatMap(({ name }) => (items.some((item) => has(item, name)) ? [name] : []));
}

/** The records of a list at the top of a payload. */
export function itemsOf(payload: Message, localName: string): readonly Message[] {
  return (payload as unknown as Record<string, readonly Message[]>)[localName] ?? [];
}

function areDates(items: readonly Message[], localName: string | undefined): boolean {
  if (localName === undefined || items.length === 0) return false;
  return items.every((item) => {
    const value = (item as unknown as Record<string, unknown>)[localName];
    return typeof value === 'string' && value.endsWith(MIDNIGHT);
  });
}
