import type { Dialect, Enumeration, Member } from './enums.js';
import { modifyOrderOp, numberIn, orderSession, orderType, timeInForce, trailType, trdSide } from './enums.js';
import { fieldsWithin } from './field-classes.js';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';
import { trade } from './operations/index.js';

/**
 * Texts of a brokerage in the words of the caller's interface. A brokerage speaks the public protocol: fields as "auxPrice", values of
 * enumerations as "16 (twap_market)". JSON callers know the fields as "aux_price" or "side", some values by other numbers, and some not at all.
 */

/** Enumerations of orders; a number and a name together belong to one of them. */
const enumerations: readonly Enumeration[] = [trdSide, orderType, timeInForce, trailType, modifyOrderOp, orderSession];

const FURTHER_VALUE = /, (\d+) \(([a-z][a-z_]*)\)/g;
const VALUE = /\b(\d+) \(([a-z][a-z_]*)\)/g;
const FIELD = /"(?:[^"\\]|\\.)*"|\b[a-z]+[A-Z]\w*/g;

/** The text with the fields and values as callers of this dialect have them; of a list only values that they may send. */
export function inCallersWords(operation: Operation, dialect: Dialect, text: string): string {
  const fields = fieldsOf(operation, dialect);
  return text
    .replace(FURTHER_VALUE, (found, number, word) => (valueIn(number, word, dialect)?.isKnown === false ? '' : found))
    .replace(VALUE, (found, number, word) => valueIn(number, word, dialect)?.text ?? found)
    .replace(FIELD, (found) => fields.get(found) ?? found);
}

/** A value of the public protocol in a dialect; undefined where it is none of an order. */
function valueIn(number: string, word: string, dialect: Dialect): { readonly text: string; readonly isKnown: boolean } | undefined {
  for (const { members, protocolOnly = {} } of enumerations) {
    const member = members.find((one) => one.public === Number(number) && one.name.toLowerCase() === word);
    if (member !== undefined) return { text: memberText(member, dialect), isKnown: true };
    const hidden = protocolOnly[Number(number)];
    if (hidden?.toLowerCase() === word) return { text: hidden, isKnown: false };
  }
  return undefined;
}

/** As refusals of requests list it: "16 (TWAP_MARKET)" over REST, "TWAP_MARKET (16)" for tools. */
function memberText(member: Member, dialect: Dialect): string {
  const { name } = member;
  if (member[dialect] === null) return name;
  const number = numberIn(member, dialect);
  return dialect === 'mcp' ? `${name} (${number})` : `${number} (${name})`;
}

const known: Readonly<Record<Dialect, WeakMap<Operation, ReadonlyMap<string, string>>>> = { rest: new WeakMap(), mcp: new WeakMap() };

/** Names in a dialect by fields of the protocol: an order's, and the operation's own. */
function fieldsOf(operation: Operation, dialect: Dialect): ReadonlyMap<string, string> {
  let fields = known[dialect].get(operation);
  if (fields === undefined) {
    fields = new Map([trade.placeOrder, operation].flatMap((each) => [...namesOf(each, dialect)]));
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
