import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { type Field, type Fields, fieldAt, type Leaf, LeafKind, planOf, type UnknownField } from './message-plan.js';

/** A message of a structure: which fields it has, and which leaves are within it. */
interface Node {
  readonly empty: () => Message;
  readonly entries: readonly Entry[];
  readonly unknown: readonly Omit<UnknownField, 'data'>[];
  readonly firstLeaf: number;
  readonly endLeaf: number;
}

/** A set field. Its elements (one, where it is no list) are leaves from `firstLeaf` on, or messages. */
interface Entry {
  readonly field: Field;
  readonly length: number;
  readonly firstLeaf: number;
  readonly nodes: readonly Node[] | undefined;
}

/** A structure of `flatten`, ready to put messages together. */
export class MessageShape {
  /** Of the leaves, in their order. */
  readonly kinds: readonly number[];
  readonly #root: Node;

  /** Throws a RangeError where the structure is none of `schema`. */
  constructor(schema: DescMessage, structure: readonly number[]) {
    const kinds: number[] = [];
    let at = 0;
    const next = () => {
      const step = structure[at++];
      if (step === undefined) throw new RangeError('a structure that ends too early');
      return step;
    };
    const message = (of: DescMessage): Node => {
      const fields = planOf(of);
      const firstLeaf = kinds.length;
      const entries: Entry[] = [];
      for (let set = next(); set > 0; set--) {
        const field = fieldAt(of, fields, next());
        const length = field.isList ? next() : 1;
        const begins = kinds.length;
        const nodes = field.message && Array.from({ length }, () => message(field.message as DescMessage));
        if (nodes === undefined) for (let left = length; left > 0; left--) kinds.push(field.kind);
        entries.push({ field, length, firstLeaf: begins, nodes });
      }
      const unknown = Array.from({ length: next() }, () => {
        kinds.push(LeafKind.bytes);
        return { no: next(), wireType: next() };
      });
      return { empty: emptyOf(of), entries, unknown, firstLeaf, endLeaf: kinds.length };
    };
    this.#root = message(schema);
    if (at !== structure.length) throw new RangeError(`a structure of ${structure.length} steps, of which ${schema.typeName} takes ${at}`);
    this.kinds = kinds;
  }

  /**
   * The message of these leaves. Where there is one before it of this shape, what has not changed since is shared with it: `changed` has
   * the indexes of the leaves that have, rising.
   */
  build(leaves: readonly Leaf[], before?: { readonly message: Message; readonly changed: readonly number[] }): Message {
    return before === undefined ? build(this.#root, leaves) : rebuild(this.#root, leaves, before.message, new Cursor(before.changed));
  }
}

const empties = new WeakMap<DescMessage, () => Message>();

/** What `create` makes of a schema, without looking at fields that are not there: only lists are never absent. */
function emptyOf(schema: DescMessage): () => Message {
  const known = empties.get(schema);
  if (known !== undefined) return known;
  const template = create(schema);
  const prototype = Object.getPrototypeOf(template) as object;
  const lists = planOf(schema).flatMap(({ isList, name }) => (isList ? [name] : []));
  const { $typeName } = template;
  const empty = () => {
    const message = Object.create(prototype);
    message.$typeName = $typeName;
    for (const name of lists) message[name] = [];
    return message as Message;
  };
  empties.set(schema, empty);
  return empty;
}

/** Goes through the changed leaves in their order. */
class Cursor {
  #at = 0;

  constructor(private readonly changed: readonly number[]) {}

  /** Whether a leaf before `end` has changed that lies at `first` or behind it; asked for by rising `first`. */
  isIn(first: number, end: number): boolean {
    while ((this.changed[this.#at] ?? end) < first) this.#at += 1;
    return (this.changed[this.#at] ?? end) < end;
  }
}

function build({ empty, entries, unknown, endLeaf }: Node, leaves: readonly Leaf[]): Message {
  const message = empty();
  const into = message as unknown as Fields;
  for (const { field, length, firstLeaf, nodes } of entries) {
    const element = (index: number) => {
      const node = nodes?.[index];
      return node === undefined ? leafValue(field, leaves[firstLeaf + index] as Leaf) : build(node, leaves);
    };
    into[field.name] = field.isList ? Array.from({ length }, (_, index) => element(index)) : element(0);
  }
  addUnknown(message, unknown, leaves, endLeaf);
  return message;
}

function rebuild(node: Node, leaves: readonly Leaf[], before: Message, cursor: Cursor): Message {
  const { empty, entries, unknown, firstLeaf, endLeaf } = node;
  if (!cursor.isIn(firstLeaf, endLeaf)) return before;
  const message = empty();
  const into = message as unknown as Fields;
  const from = before as unknown as Fields;
  for (const { field, length, firstLeaf: first, nodes } of entries) {
    const { name, isList } = field;
    if (nodes === undefined) {
      if (!cursor.isIn(first, first + length)) into[name] = from[name];
      else if (isList) into[name] = leaves.slice(first, first + length).map((leaf) => leafValue(field, leaf));
      else into[name] = leafValue(field, leaves[first] as Leaf);
    } else if (isList) {
      const list = from[name] as readonly Message[];
      into[name] = nodes.map((child, index) => rebuild(child, leaves, list[index] as Message, cursor));
    } else into[name] = rebuild(nodes[0] as Node, leaves, from[name] as Message, cursor);
  }
  addUnknown(message, unknown, leaves, endLeaf);
  return message;
}

function leafValue({ isBoolean }: Field, leaf: Leaf): unknown {
  return isBoolean ? leaf !== 0 : leaf;
}

/** They are the last leaves of a message. */
function addUnknown(message: Message, unknown: Node['unknown'], leaves: readonly Leaf[], endLeaf: number): void {
  if (unknown.length === 0) return;
  const first = endLeaf - unknown.length;
  message.$unknown = unknown.map((field, index) => ({ ...field, data: leaves[first + index] as Uint8Array }));
}
