import { create, type DescEnum, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';

const LEGACY_REQUIRED = 3;

/** Messages of a type with anything in their fields. */
export function anyMessage(desc: DescMessage, depth = 0): fc.Arbitrary<Message> {
  const values: Record<string, fc.Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const field of desc.fields) {
    if (field.message !== undefined && depth > 2 && field.presence !== LEGACY_REQUIRED) continue;
    values[field.localName] = valuesOf(field, depth);
    if (field.presence === LEGACY_REQUIRED) required.push(field.localName);
  }
  return fc.record(values, { requiredKeys: required }).map((fields) => create(desc, fields));
}

function valuesOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const scalar = () => (field.enum === undefined ? scalars(field.scalar ?? ScalarType.INT32) : members(field.enum));
  const one = field.message === undefined ? scalar() : anyMessage(field.message, depth + 1);
  return field.fieldKind === 'list' ? fc.array(one, { maxLength: 4 }) : one;
}

function members({ values }: DescEnum): fc.Arbitrary<unknown> {
  return fc.constantFrom(...values.map(({ number }) => number));
}

function scalars(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.string({ unit: 'grapheme' });
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 8 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.DOUBLE:
      return fc.double();
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.INT64:
    case ScalarType.SINT64:
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    case ScalarType.UINT64:
      return fc.bigInt(0n, 2n ** 64n - 1n);
    case ScalarType.UINT32:
      return fc.nat();
    default:
      return fc.integer();
  }
}
