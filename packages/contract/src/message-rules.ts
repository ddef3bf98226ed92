import { type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { type Enumeration, enumerationOf, publicNumbers } from './enums.js';
import type { Fields } from './json/fields.js';
import { childPath } from './json/message-json.js';
import { stop } from './problem.js';
import { checkText } from './texts.js';

/**
 * Holds a message against what its `.proto` cannot say on its own: that numbers are of their enumeration, that doubles are
 * numbers. Stops with a problem that names the field by the `.proto`'s names.
 */
export type MessageRule = (message: Message, path: string) => void;

/** Holds what one field of a message holds. */
export type FieldRule = (value: unknown, path: string) => void;

/** Values that an operation fills in by itself, by the path of their field: accepted though no enumeration knows them. */
export type OwnValues = ReadonlyMap<string, unknown>;

const rules = new Map<string, MessageRule>();
const none: OwnValues = new Map();

/** The rule of a message with all that is inside it; made on first use. */
export function messageRule(desc: DescMessage, own: OwnValues = none): MessageRule {
  const known = own.size === 0 ? rules.get(desc.typeName) : undefined;
  if (known !== undefined) return known;
  const parts: { readonly field: DescField; readonly rule: FieldRule }[] = [];
  const rule: MessageRule = (message, path) => {
    const values = message as unknown as Fields;
    for (const { field, rule } of parts) {
      if (Object.hasOwn(values, field.localName)) rule(values[field.localName], childPath(path, field.name));
    }
  };
  // Known before its fields are looked at: a message may hold itself.
  if (own.size === 0) rules.set(desc.typeName, rule);
  for (const field of desc.fields) {
    const part = fieldRule(field, own);
    if (part !== undefined) parts.push({ field, rule: part });
  }
  return rule;
}

function fieldRule(field: DescField, own: OwnValues): FieldRule | undefined {
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  const element = enumeration === undefined ? plainRule(field, own) : enumerationRule(enumeration, own.get(field.name));
  return element !== undefined && field.fieldKind === 'list' ? eachRule(element) : element;
}

function plainRule(field: DescField, own: OwnValues): FieldRule | undefined {
  if (field.message !== undefined) {
    const inner = messageRule(field.message, within(own, field.name));
    return (value, path) => inner(value as Message, path);
  }
  if (field.scalar === ScalarType.STRING) return (value, path) => checkText(value as string, path);
  return field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT ? finite : undefined;
}

/** Values that lie in a field, by their paths from there. */
function within(own: OwnValues, name: string): OwnValues {
  if (own.size === 0) return none;
  const prefix = `${name}.`;
  return new Map([...own].filter(([path]) => path.startsWith(prefix)).map(([path, value]) => [path.slice(prefix.length), value]));
}

/** Rule: a number is one of the enumeration's in the public protocol, or `own`. */
export function enumerationRule(enumeration: Enumeration, own?: unknown): FieldRule {
  const accepted = new Map(publicNumbers(enumeration));
  const untraded = new Map(enumeration.members.filter((member) => member.untraded).map((member) => [member.public, member.name]));
  for (const number of untraded.keys()) accepted.delete(number);
  const list = [...accepted].map(([number, name]) => `${number} (${name})`).join(', ');
  return (value, path) => {
    if (accepted.has(value as number) || value === own) return;
    const market = untraded.get(value as number);
    if (market !== undefined) stop('out_of_range', path, `${path}: market ${market} is not traded here; accepted: ${list}`);
    if (enumeration.ofMarkets) stop('invalid_market', path, `${path}: invalid market ${value}; accepted: ${list}`);
    // A 0 that is no member says "not set".
    stop(value === 0 ? 'missing_field' : 'out_of_range', path, `${path}: expected one of ${list}, found the number ${value}`);
  };
}

/** The rule of a list by that of its elements. */
export function eachRule(element: FieldRule): FieldRule {
  return (value, path) => {
    let index = 0;
    for (const item of value as readonly unknown[]) {
      element(item, `${path}[${index}]`);
      index += 1;
    }
  };
}

function finite(value: unknown, path: string): void {
  if (!Number.isFinite(value)) stop('out_of_range', path, `${path}: expected a number, found ${value}`);
}
