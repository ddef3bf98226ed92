import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { type Enumeration, enumerationOf, publicNumbers } from './enums.js';
import { type FieldAct, MessageActs } from './message-fields.js';
import { stop } from './problem.js';
import { checkText } from './texts.js';

/** Holds what one field of a message holds. */
export type FieldRule = (value: unknown, path: string) => void;

/** Values that an operation fills in by itself, by the path of their field: accepted though no enumeration knows them. */
export type OwnValues = ReadonlyMap<string, unknown>;

/**
 * Holds messages against what their `.proto` cannot say on its own: that numbers are of their enumeration, that doubles are
 * numbers. Stops with a problem that names the field by the `.proto`'s names.
 */
export const messageRules = new MessageActs<OwnValues>(heldField);

function heldField(field: DescField): FieldAct<OwnValues> | undefined {
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  const element = enumeration === undefined ? scalarRule(field) : enumerationRule(enumeration);
  if (element === undefined) return undefined;
  const rule = field.fieldKind === 'list' ? eachRule(element) : element;
  return (value, path, own) => {
    if (own.get(path) !== value) rule(value, path);
  };
}

function scalarRule({ scalar }: DescField): FieldRule | undefined {
  if (scalar === ScalarType.STRING) return (value, path) => checkText(value as string, path);
  return scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT ? finite : undefined;
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
