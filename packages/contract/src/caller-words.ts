import type { Dialect } from './enums.js';
import { memoized } from './memo.js';
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
  return inWords(fieldsOf[dialect](operation), dialect, nameOf === undefined ? text : text.replace(ELEMENT, nameOf));
}

const fieldsOf = {
  rest: memoized((operation: Operation) => new Map([...orderFields, ...namesOf(operation, 'rest')])),
  mcp: memoized((operation: Operation) => new Map([...orderFields, ...namesOf(operation, 'mcp')])),
} as const;

function* namesOf({ messages, shape }: Operation, dialect: Dialect): Iterable<readonly [string, string]> {
  yield* jsonNames(messages.C2SSchema);
  for (const { field, name, inTools, only, hidden } of shape) {
    if (hidden || (only !== undefined && only !== dialect)) continue;
    yield [field.slice(field.lastIndexOf('.') + 1), dialect === 'mcp' ? (inTools ?? name) : name];
  }
}
