import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { type Enumeration, enumerationOf, publicNumbers } from './enums.js';
import type { Fields } from './json/fields.js';
import { isRequiredField } from './json/message-json.js';

/**
 * Published clients of the public protocol write 0 for "not set". Where an enumeration has a member 0 (`trdEnv` simulate,
 * `session` none) it is that member; where 0 means unknown it says nothing, and the field counts as absent. JSON callers
 * leave out what they do not set: to them this does not apply.
 */

/** Takes the zeroes that say nothing out of a message and all that is inside it. */
export type ZeroClearer = (message: Message) => void;

const clearers = new Map<DescMessage, ZeroClearer | undefined>();

/**
 * The clearer of a message; undefined where nothing in it can hold such a zero. Fields that the definitions require keep
 * theirs: nobody can do without them, and the rule of their enumeration refuses it.
 */
export function zeroClearer(desc: DescMessage): ZeroClearer | undefined {
  if (clearers.has(desc)) return clearers.get(desc);
  // Known before its fields are looked at: a message may hold itself. What that one holds is then not looked into twice.
  clearers.set(desc, undefined);
  const parts = desc.fields.map(fieldClearer).filter((part) => part !== undefined);
  const clear = parts.length === 0 ? undefined : all(parts);
  clearers.set(desc, clear);
  return clear;
}

/** The clearer of one field that an operation fills by itself when it is absent, required or not. */
export function zeroClearerOf(desc: DescMessage, path: string): ZeroClearer | undefined {
  const [head = '', ...tail] = path.split('.');
  const field = desc.fields.find(({ name }) => name === head);
  if (field === undefined) return undefined;
  if (tail.length === 0) return meansUnknown(enumerationOf(desc.typeName, head)) ? clearField(field) : undefined;
  const inner = field.message === undefined ? undefined : zeroClearerOf(field.message, tail.join('.'));
  return inner === undefined ? undefined : within(field, inner);
}

/** Whether 0 is no member of an enumeration. */
function meansUnknown(enumeration: Enumeration | undefined): boolean {
  return enumeration !== undefined && !publicNumbers(enumeration).has(0);
}

function fieldClearer(field: DescField): ZeroClearer | undefined {
  if (field.message !== undefined) {
    const inner = zeroClearer(field.message);
    return inner === undefined ? undefined : within(field, inner);
  }
  // A 0 in a list is not a field that was left alone.
  if (field.fieldKind === 'list' || isRequiredField(field)) return undefined;
  return meansUnknown(enumerationOf(field.parent.typeName, field.name)) ? clearField(field) : undefined;
}

function clearField({ localName }: DescField): ZeroClearer {
  return (message) => {
    const fields = message as unknown as Fields;
    if (Object.hasOwn(fields, localName) && fields[localName] === 0) delete fields[localName];
  };
}

function within(field: DescField, clear: ZeroClearer): ZeroClearer {
  const { localName } = field;
  if (field.fieldKind === 'list') {
    return (message) => {
      for (const item of (message as unknown as Fields)[localName] as readonly Message[]) clear(item);
    };
  }
  return (message) => {
    const inner = (message as unknown as Fields)[localName] as Message | undefined;
    if (inner !== undefined) clear(inner);
  };
}

function all(parts: readonly ZeroClearer[]): ZeroClearer {
  return (message) => {
    for (const clear of parts) clear(message);
  };
}
