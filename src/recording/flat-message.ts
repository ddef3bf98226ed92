import { create, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';

/** A value of a message that holds no other. int32, enumerations and booleans are numbers; 64-bit integers are bigints. */
export type Leaf = number | bigint | string | Uint8Array;

/** How a leaf is told from the one before it. */
export const LeafKind = { integer: 0, wide: 1, decimal: 2, text: 3, bytes: 4 } as const;

/**
 * A message taken apart. `structure` says which fields are set and how many elements lists have, `leaves` what they hold, in the
 * same order; messages of one structure differ in their leaves alone. `kinds` follows from the structure.
 */
export interface FlatMessage {
  readonly structure: number[];
  readonly kinds: number[];
  readonly leaves: Leaf[];
}

interface Field {
  readonly name: string;
  readonly isList: boolean;
  readonly kind: number;
  readonly isBoolean: boolean;
  readonly message: DescMessage | undefined;
}

interface UnknownField {
  readonly no: number;
  readonly wireType: number;
  readonly data: Uint8Array;
}

type Fields = Record<string, unknown>;

const plans = new WeakMap<DescMessage, readonly Field[]>();

/** Takes a message apart. Fields that nobody declared are kept too. Throws for a map or a oneof: no message of the protocol has one. */
export function flatten(schema: DescMessage, message: Message): FlatMessage {
  const flat: FlatMessage = { structure: [], kinds: [], leaves: [] };
  flattenInto(flat, schema, message as unknown as Fields);
  return flat;
}

/** Puts a message together again. Throws a RangeError where the structure is none of `schema`. */
export function unflatten(schema: DescMessage, structure: readonly number[], leaves: readonly Leaf[]): Message {
  return new Builder(structure, leaves).message(schema);
}

/** The kinds of the leaves of a structure. Throws a RangeError where it is none of `schema`. */
export function kindsOf(schema: DescMessage, structure: readonly number[]): number[] {
  const kinds: number[] = [];
  const end = addKinds(kinds, schema, structure, 0);
  if (end !== structure.length) throw new RangeError(`a structure of ${structure.length} steps, of which ${schema.typeName} takes ${end}`);
  return kinds;
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

class Builder {
  #step = 0;
  #leaf = 0;

  constructor(
    private readonly structure: readonly number[],
    private readonly leaves: readonly Leaf[],
  ) {}

  message(schema: DescMessage): Message {
    const fields = planOf(schema);
    const message = create(schema);
    const into = message as unknown as Fields;
    for (let set = this.#next(); set > 0; set--) {
      const field = fieldAt(schema, fields, this.#next());
      if (field.isList) {
        const list: unknown[] = [];
        for (let length = this.#next(); length > 0; length--) list.push(this.#value(field));
        into[field.name] = list;
      } else into[field.name] = this.#value(field);
    }
    const unknown = this.#next();
    if (unknown > 0) message.$unknown = Array.from({ length: unknown }, () => this.#unknown());
    return message;
  }

  #value(field: Field): unknown {
    if (field.message !== undefined) return this.message(field.message);
    const leaf = this.leaves[this.#leaf++];
    return field.isBoolean ? leaf !== 0 : leaf;
  }

  #unknown(): UnknownField {
    return { no: this.#next(), wireType: this.#next(), data: this.leaves[this.#leaf++] as Uint8Array };
  }

  #next(): number {
    const value = this.structure[this.#step++];
    if (value === undefined) throw new RangeError('a structure that ends too early');
    return value;
  }
}

function addKinds(kinds: number[], schema: DescMessage, structure: readonly number[], from: number): number {
  const fields = planOf(schema);
  let at = from;
  const next = () => {
    const value = structure[at++];
    if (value === undefined) throw new RangeError('a structure that ends too early');
    return value;
  };
  for (let set = next(); set > 0; set--) {
    const field = fieldAt(schema, fields, next());
    for (let left = field.isList ? next() : 1; left > 0; left--) {
      if (field.message === undefined) kinds.push(field.kind);
      else at = addKinds(kinds, field.message, structure, at);
    }
  }
  for (let unknown = next(); unknown > 0; unknown--) {
    at += 2;
    kinds.push(LeafKind.bytes);
  }
  return at;
}

function fieldAt(schema: DescMessage, fields: readonly Field[], index: number): Field {
  const field = fields[index];
  if (field === undefined) throw new RangeError(`${schema.typeName} has no field at ${index}`);
  return field;
}

function planOf(schema: DescMessage): readonly Field[] {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = schema.fields.map((field): Field => {
    if (field.fieldKind === 'map' || field.oneof !== undefined)
      throw new Error(`${schema.typeName}.${field.name}: maps and oneofs are not recorded`);
    const isList = field.fieldKind === 'list';
    const held = isList ? field.listKind : field.fieldKind;
    const { message, scalar } = field;
    return {
      name: field.localName,
      isList,
      message: held === 'message' ? message : undefined,
      ...scalarKind(held === 'enum' ? undefined : scalar),
    };
  });
  plans.set(schema, plan);
  return plan;
}

function scalarKind(scalar: ScalarType | undefined): Pick<Field, 'kind' | 'isBoolean'> {
  switch (scalar) {
    case ScalarType.BOOL:
      return { kind: LeafKind.integer, isBoolean: true };
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return { kind: LeafKind.wide, isBoolean: false };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { kind: LeafKind.decimal, isBoolean: false };
    case ScalarType.STRING:
      return { kind: LeafKind.text, isBoolean: false };
    case ScalarType.BYTES:
      return { kind: LeafKind.bytes, isBoolean: false };
    default:
      return { kind: LeafKind.integer, isBoolean: false };
  }
}
