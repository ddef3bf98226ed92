import type { DescMessage, Message } from '@bufbuild/protobuf';
import { childPath, fieldNamed } from './field-path.js';
import type { Fields } from './json/fields.js';

/** Visits every place of a field in a message: what is there, undefined where it is not set, and its path. */
export type Places = (message: Message, visit: (value: unknown, path: string) => void) => void;

/** The places of a path from `desc` down, in which `[]` stands for each element of a list: "comboLegs[].side". */
export function placesOf(desc: DescMessage, path: string): Places {
  const inner = within(desc, path.split('.'));
  return (message, visit) => inner(message, '', visit);
}

function within(
  desc: DescMessage,
  [head = '', ...tail]: readonly string[],
): (message: Message, path: string, visit: (value: unknown, path: string) => void) => void {
  const isList = head.endsWith('[]');
  const field = fieldNamed(desc, isList ? head.slice(0, -2) : head);
  const { localName, name } = field;
  const inner = tail.length === 0 || field.message === undefined ? undefined : within(field.message, tail);
  return (message, path, visit) => {
    const value = Object.hasOwn(message, localName) ? (message as unknown as Fields)[localName] : undefined;
    const here = childPath(path, name);
    const one = (item: unknown, at: string) => {
      if (inner === undefined) visit(item, at);
      else if (item !== undefined) inner(item as Message, at, visit);
    };
    if (!isList) one(value, here);
    else for (const [index, item] of ((value ?? []) as readonly unknown[]).entries()) one(item, `${here}[${index}]`);
  };
}
