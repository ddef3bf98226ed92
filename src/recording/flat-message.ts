import type { DescMessage, Message } from '@bufbuild/protobuf';
import { type Field, type Fields, type Leaf, LeafKind, planOf, type UnknownField } from './message-plan.js';

/**
 * A message taken apart. `structure` says which fields are set and how many elements lists have, `leaves` what they hold, in the
 * same order; messages of one structure differ in their leaves alone. `kinds` follows from the structure.
 */
export interface FlatMessage {
  readonly structure: number[];
  readonly kinds: number[];
  readonly leaves: Leaf[];
}

/** Takes a message apart. Fields that nobody declared are kept too. Throws for a map or a oneof: no message of the protocol has one. */
export function flatten(schema: DescMessage, message: Message): FlatMessage {
  const flat: FlatMessage = { structure: [], kinds: [], leaves: [] };
  flattenInto(flat, schema, message as unknown as Fields);
  return flat;
}

// A message is: the number of its set fields; for each its index, for a list its length too, and what it holds; then the number
// of fields that nobody declared, each with its number and wire type.

function flattenInto(flat: FlatMessage, schema: DescMessage, message: Fields): void {
  const fields = planOf(schema);
  const { structure } = flat;
  const head = structure.push(0) - 1;
  let set = 0;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as Field;
    // What is not set is on the prototype.
    if (!Object.hasOwn(message, field.name)) continue;
    const value = message[field.name];
    if (value === undefined) continue;
    if (field.isList) {
      const list = value as readonly unknown[];
      if (list.length === 0) continue;
      structure.push(index, list.length);
      for (const element of list) flattenValue(flat, field, element);
    } else {
      structure.push(index);
      flattenValue(flat, field, value);
    }
    set += 1;
  }
  structure[head] = set;
  const unknown = (message as { $unknown?: readonly UnknownField[] }).$unknown ?? [];
  structure.push(unknown.length);
  for (const { no, wireType, data } of unknown) {
    structure.push(no, wireType);
    flat.kinds.push(LeafKind.bytes);
    flat.leaves.push(data);
  }
}

function flattenValue(flat: FlatMessage, field: Field, value: unknown): void {
  if (field.message !== undefined) {
    flattenInto(flat, field.message, value as Fields);
    return;
  }
  flat.kinds.push(field.kind);
  flat.leaves.push(field.isBoolean ? Number(value) : (value as Leaf));
}
