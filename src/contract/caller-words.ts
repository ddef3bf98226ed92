import type { Dialect } from './enums.js';
import { fieldsWithin } from './field-classes.js';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';
import { inWords, orderFields } from './order-words.js';

/** A brokerage's text about a request in the words of its caller: the fields of an order, and the operation's own. */
export function inCallersWords(operation: Operation, dialect: Dialect, text: string): string {
  return inWords(fieldsOf(operation, dialect), dialect, text);
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
  for (const { name } of fieldsWithin(messages.C2SSchema)) yield [name, snakeCase(name)];
  for (const { field, name, inTools, only, hidden } of shape) {
    if (hidden || (only !== undefined && only !== dialect)) continue;
    yield [field.slice(field.lastIndexOf('.') + 1), dialect === 'mcp' ? (inTools ?? name) : name];
  }
}
