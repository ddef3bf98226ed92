import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type Enumeration, enumerationOf, publicNumbers } from './enums.js';
import { fieldAt, fieldValue } from './field-path.js';
import type { Fields } from './json/fields.js';
import { isRequiredField } from './json/message-json.js';
import { MessageActs } from './message-fields.js';

/**
 * Published clients of the public protocol write 0 for "not set". Where an enumeration has a member 0 (`trdEnv` simulate,
 * `session` none) it is that member; where 0 means unknown it says nothing, and the field counts as absent. JSON callers
 * leave out what they do not set: to them this does not apply.
 */

/**
 * Takes the zeroes that say nothing out of messages and all that is inside them. Fields that the definitions require keep
 * theirs: nobody can do without them, and the rule of their enumeration refuses it. A 0 in a list is not a field that was left alone.
 */
export const zeroClearers = new MessageActs<void>((field) =>
  field.fieldKind === 'list' || isRequiredField(field) || !takesZeroForUnknown(field)
    ? undefined
    : (value, _path, _none, fields) => clear(fields, field, value),
);

/** The clearer of one field that an operation fills by itself when it is absent, required or not. */
export function zeroClearerOf(desc: DescMessage, path: string): ((message: Message) => void) | undefined {
  const field = fieldAt(desc, path);
  if (!takesZeroForUnknown(field)) return undefined;
  const end = path.lastIndexOf('.');
  const holder = end === -1 ? (message: Message) => message : fieldValue(desc, path.slice(0, end));
  return (message) => {
    const fields = holder(message) as Fields | undefined;
    if (fields !== undefined && Object.hasOwn(fields, field.localName)) clear(fields, field, fields[field.localName]);
  };
}

/** Whether 0 is no member of a field's enumeration. */
function takesZeroForUnknown({ parent, name }: DescField): boolean {
  const enumeration: Enumeration | undefined = enumerationOf(parent.typeName, name);
  return enumeration !== undefined && !publicNumbers(enumeration).has(0);
}

function clear(fields: Fields, { localName }: DescField, value: unknown): void {
  if (value === 0) delete fields[localName];
}
