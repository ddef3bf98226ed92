import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { Fields } from './json/fields.js';
import { shown } from './shown.js';

/** The path of a field within a message at `path`, as problems tell it: "c2s.header". */
export function childPath(path: string, name: string): string {
  return path === '' ? shown(name) : `${path}.${shown(name)}`;
}

/**
 * Sets a field by its path from `C2S` down in the `.proto`'s own names ("header.accID"), making the messages on the way.
 * With a fixed `value` it only fills what is unset.
 */
export function fieldSetter(desc: DescMessage, path: string, fixed?: unknown): (message: Message, value?: unknown) => void {
  const [head = '', ...tail] = path.split('.');
  const field = fieldNamed(desc, head);
  if (tail.length === 0) {
    const isSet = fixed === undefined ? undefined : presence(desc, head);
    return (message, value = fixed) => {
      if (isSet?.(message)) return;
      (message as unknown as Fields)[field.localName] = value;
    };
  }
  const inner = messageOf(field);
  const set = fieldSetter(inner, tail.join('.'), fixed);
  return (message, value) => {
    const fields = message as unknown as Fields;
    fields[field.localName] ??= create(inner);
    set(fields[field.localName] as Message, value);
  };
}

/** Whether a message has the field of this path, and more than an empty list in it. */
export function presence(desc: DescMessage, path: string): (message: Message) => boolean {
  const [head = '', ...tail] = path.split('.');
  const field = fieldNamed(desc, head);
  const { localName } = field;
  const inner = tail.length === 0 || field.fieldKind !== 'message' ? undefined : presence(field.message, tail.join('.'));
  return (message) => {
    if (!Object.hasOwn(message, localName)) return false;
    const value = (message as unknown as Fields)[localName];
    if (Array.isArray(value)) return value.length > 0;
    return value !== undefined && (inner === undefined || inner(value as Message));
  };
}

/** Returns a reader of the field at this path; it reads undefined where the field is not set. */
export function fieldValue(desc: DescMessage, path: string): (message: Message) => unknown {
  const [head = '', ...tail] = path.split('.');
  const field = fieldNamed(desc, head);
  const { localName } = field;
  const own = (message: Message) => (Object.hasOwn(message, localName) ? (message as unknown as Fields)[localName] : undefined);
  if (tail.length === 0) return own;
  const inner = fieldValue(messageOf(field), tail.join('.'));
  return (message) => {
    const child = own(message) as Message | undefined;
    return child === undefined ? undefined : inner(child);
  };
}

/** The field at the end of a path. */
export function fieldAt(desc: DescMessage, path: string): DescField {
  const [head = '', ...tail] = path.split('.');
  const field = fieldNamed(desc, head);
  return tail.length === 0 ? field : fieldAt(messageOf(field), tail.join('.'));
}

/** A copy of a message that differs in these fields; one of `undefined` is not set. What both share must not be written to. */
export function withFields<M extends Message>(message: M, fields: object): M {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message, fields);
  for (const [name, value] of Object.entries(fields)) if (value === undefined) delete copy[name];
  return copy;
}

export function fieldNamed(desc: DescMessage, name: string): DescField {
  const field = desc.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${desc.typeName} has no field ${name}`);
  return field;
}

function messageOf(field: DescField): DescMessage {
  if (field.fieldKind !== 'message') throw new Error(`${field} is not a message`);
  return field.message;
}
