import type { DescMessage, Message } from '@bufbuild/protobuf';
import { fieldWriters } from '@svc-gateway/contract/json/message-json';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation, RowList } from '@svc-gateway/contract/operation';
import type { Selection } from './selection.js';

/** Writes a list of records as a table: `{"columns":["time",…],"rows":[["2026-11-20",…],…]}`. */
export interface Table {
  readonly localName: string;
  /** The list's name as a caller sees it: "kl_list". */
  readonly name: string;
  /** Writes the row of a record as JSON text. */
  row(item: Message, int64: Int64Format): string;
  /** Writes a whole table as JSON text. */
  write(items: readonly Message[], int64: Int64Format): string;
}

const MIDNIGHT = ' 00:00:00';

/**
 * The table of an operation's list, with the requested columns or those of its declaration. If the time of every
 * record is midnight, it is written as a date. undefined if the operation has no such list.
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

/** Default columns. If records lack some of them, the request had selected fields: then only those that they have. */
function columnsOf({ columns }: RowList, desc: DescMessage, items: readonly Message[]): readonly string[] {
  const has = (item: Message, column: string) =>
    desc.fields.some(({ name, localName }) => name === column && Object.hasOwn(item, localName));
  if (items.every((item) => columns.every((column) => has(item, column)))) return columns;
  return desc.fields.flatMap(({ name }) => (items.some((item) => has(item, name)) ? [name] : []));
}

/** Records of a top-level list of a payload. */
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
