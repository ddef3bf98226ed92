import type { DescMessage } from '@bufbuild/protobuf';
import type { Dialect, Enumeration, Member } from './enums.js';
import { modifyOrderOp, numberIn, orderSession, orderType, timeInForce, trailType, trdSide } from './enums.js';
import { C2SSchema as PlaceComboOrderSchema } from './generated/Trd_PlaceComboOrder_pb.js';
import { C2SSchema as PlaceOrderSchema } from './generated/Trd_PlaceOrder_pb.js';
import { snakeCase } from './names.js';

/**
 * Texts of a brokerage about orders in the words of JSON interfaces. A brokerage speaks the public protocol: fields as "auxPrice", values of
 * enumerations as "16 (twap_market)". JSON callers know the fields as "aux_price" or "side", some values by other numbers, and some not at all.
 */

/** Enumerations of orders; a number and a name together belong to one of them. */
const enumerations: readonly Enumeration[] = [trdSide, orderType, timeInForce, trailType, modifyOrderOp, orderSession];

const FURTHER_VALUE = /, (\d+) \(([a-z][a-z_]*)\)/g;
const VALUE = /\b(\d+) \(([a-z][a-z_]*)\)/g;
const FIELD = /"(?:[^"\\]|\\.)*"|\b[a-z]+[A-Z]\w*/g;

/** JSON names of an order's fields by those of the protocol. */
export const orderFields: ReadonlyMap<string, string> = new Map([
  ...jsonNames(PlaceOrderSchema),
  ...jsonNames(PlaceComboOrderSchema),
  ['trdMarket', 'market'],
  ['trdEnv', 'env'],
  ['trdSide', 'side'],
]);

/** JSON names of all fields of a message, nested ones too, by those of the protocol. */
export function* jsonNames(desc: DescMessage, seen = new Set<string>()): Generator<[string, string]> {
  if (seen.has(desc.typeName)) return;
  seen.add(desc.typeName);
  for (const { name, message } of desc.fields) {
    yield [name, snakeCase(name)];
    if (message !== undefined) yield* jsonNames(message, seen);
  }
}

/** The text with the fields and values as callers of this dialect have them; of a list only values that they may send. */
export function inWords(fields: ReadonlyMap<string, string>, dialect: Dialect, text: string): string {
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
