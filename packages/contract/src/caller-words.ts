import type { Dialect } from './enums.js';
import type { FieldNames } from './needs.js';
import type { Operation } from './operation.js';
import { inWords, jsonNames, orderFields } from './order-words.js';

const ELEMENT = /\b[a-z]\w*\[\d+\](?:\.[a-z]\w*)*/g;

/**
 * A brokerage's text about a request in the words of its caller: the fields of an order, and the operation's own.
 *
 * @param nameOf names the elements of lists as this request has written them: "c2s.combo_legs[1]".
 */
export function inCallersWords(operation: Operation, dialect: Dialect, text: string, nameOf?: FieldNames): string {
  return inWords(fieldsOf(operation, dialect), dialect, nameOf === undefined ? text : text.replace(ELEMENT, nameOf));
}

const known: Readonly<Record<Dialect, WeakMap<Operation, ReadonlyMap<string, string>>>> = { rest: new WeakMap(), mcp: new WeakMap() };

function fieldsOf(operation: Operation, dialect: Dialect): ReadonlyMap<string, string> {
  let fields = known[dialect].get(operation);
  if (fields === undefined) {
    fields = new Map([...orderFields, ...namesOf(operation, dialect)]);
    known[dialect].set(operation, fields);
  }
  return fields;
}

function* namesOf({ messages, shape }: Operation, dialect: Dialect): Iterable<readonly [string, string]> {
  yield* jsonNames(messages.C2SSchema);
  for (const { field, name, inTools, only, hidden } of shape) {
    if (hidden || (only !== undefined && only !== dialect)) continue;
    yield [field.slice(field.lastIndexOf('.') + 1), dialect === 'mcp' ? (inTools ?? name) : name];
  }
}
