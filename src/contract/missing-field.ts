import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Fields } from './json/fields.js';
import { childPath, isRequiredField } from './json/message-json.js';

/** The first required field that a message lacks, anywhere in it: "s2c.orderList[3].code"; undefined where it has all of them. */
type MissingField = (message: Message) => string | undefined;

interface Child {
  readonly localName: string;
  readonly name: string;
  readonly missing: MissingField;
}

const finders = new Map<DescMessage, MissingField>();

/**
 * Looks for required fields that a message was sent without, which protobuf parsers for JavaScript let pass. Compiled once per
 * message; paths have the names of the `.proto`.
 */
export function missingFieldOf(desc: DescMessage): MissingField {
  const known = finders.get(desc);
  if (known !== undefined) return known;
  const required: { readonly localName: string; readonly name: string }[] = [];
  const children: Child[] = [];
  const missing: MissingField = (message) => {
    for (const { localName, name } of required) if (!Object.hasOwn(message, localName)) return name;
    for (const child of children) {
      const path = missingIn(child, (message as unknown as Fields)[child.localName]);
      if (path !== undefined) return path;
    }
    return undefined;
  };
  // Known before its fields are looked at: a message may hold itself.
  finders.set(desc, missing);
  for (const field of desc.fields) {
    const { localName, name } = field;
    if (isRequiredField(field)) required.push({ localName, name });
    if (field.message !== undefined) children.push({ localName, name, missing: missingFieldOf(field.message) });
  }
  return missing;
}

function missingIn({ name, missing }: Child, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) {
    const path = missing(value as Message);
    return path === undefined ? undefined : childPath(name, path);
  }
  for (const [index, element] of value.entries()) {
    const path = missing(element);
    if (path !== undefined) return childPath(`${name}[${index}]`, path);
  }
  return undefined;
}
