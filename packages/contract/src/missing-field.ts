import type { DescMessage, Message } from '@bufbuild/protobuf';
import { childPath } from './field-path.js';
import type { Fields } from './json/fields.js';
import { isRequiredField } from './json/message-json.js';

/** Called with the path of each required field that a message lacks; true ends the search. */
type Visitor = (path: string) => boolean;
/** Looks through a message at this path; true where its visitor ended the search. */
type Search = (message: Message, path: string, visit: Visitor) => boolean;

interface Child {
  readonly localName: string;
  readonly name: string;
  readonly search: Search;
}

const searches = new Map<DescMessage, Search>();

/**
 * The first required field that a message was sent without, anywhere in it, which protobuf parsers for JavaScript let pass:
 * "s2c.orderList[3].code", with the names of the `.proto`; undefined where it has all of them. Compiled once per message.
 */
export function missingFieldOf(desc: DescMessage): (message: Message) => string | undefined {
  const search = searchOf(desc);
  return (message) => {
    let first: string | undefined;
    search(message, '', (path) => {
      first = path;
      return true;
    });
    return first;
  };
}

/** Every required field that a message lacks, anywhere in it, by paths as of {@link missingFieldOf}. */
export function missingFieldsOf(desc: DescMessage): (message: Message) => readonly string[] {
  const search = searchOf(desc);
  return (message) => {
    const paths: string[] = [];
    search(message, '', (path) => {
      paths.push(path);
      return false;
    });
    return paths;
  };
}

function searchOf(desc: DescMessage): Search {
  const known = searches.get(desc);
  if (known !== undefined) return known;
  const required: { readonly localName: string; readonly name: string }[] = [];
  const children: Child[] = [];
  const search: Search = (message, path, visit) => {
    for (const { localName, name } of required) {
      if (!Object.hasOwn(message, localName) && visit(childPath(path, name))) return true;
    }
    for (const child of children) {
      const value = (message as unknown as Fields)[child.localName];
      if (value !== undefined && searchChild(child, value, path, visit)) return true;
    }
    return false;
  };
  // Known before its fields are looked at: a message may hold itself.
  searches.set(desc, search);
  for (const field of desc.fields) {
    const { localName, name } = field;
    if (isRequiredField(field)) required.push({ localName, name });
    if (field.message !== undefined) children.push({ localName, name, search: searchOf(field.message) });
  }
  return search;
}

function searchChild({ name, search }: Child, value: unknown, path: string, visit: Visitor): boolean {
  if (!Array.isArray(value)) return search(value as Message, childPath(path, name), visit);
  for (const [index, element] of value.entries()) {
    if (search(element, childPath(path, `${name}[${index}]`), visit)) return true;
  }
  return false;
}
