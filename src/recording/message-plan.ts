import { type DescMessage, ScalarType } from '@bufbuild/protobuf';

/** A value of a message that holds no other. int32, enumerations and booleans are numbers; 64-bit integers are bigints. */
export type Leaf = number | bigint | string | Uint8Array;

/** How a leaf is told from the one before it. */
export const LeafKind = { integer: 0, wide: 1, decimal: 2, text: 3, bytes: 4 } as const;

/** A field of a message, as far as it is taken apart. */
export interface Field {
  readonly name: string;
  readonly isList: boolean;
  readonly kind: number;
  readonly isBoolean: boolean;
  /** What its values are, where they are messages. */
  readonly message: DescMessage | undefined;
}

/** What a message carries that its schema does not have. */
export interface UnknownField {
  readonly no: number;
  readonly wireType: number;
  readonly data: Uint8Array;
}

/** A message, by the names of its fields. */
export type Fields = Record<string, unknown>;

const plans = new WeakMap<DescMessage, readonly Field[]>();

/** Throws a RangeError where there is no such field. */
export function fieldAt(schema: DescMessage, fields: readonly Field[], index: number): Field {
  const field = fields[index];
  if (field === undefined) throw new RangeError(`${schema.typeName} has no field at ${index}`);
  return field;
}

/** The fields of a message, in the order of its schema. Throws for a map or a oneof: no message of the protocol has one. */
export function planOf(schema: DescMessage): readonly Field[] {
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
