import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { enumerationOf } from '@svc-gateway/contract/enums';
import fc from 'fast-check';

/**
 * Messages of a type with every required field set and the others at random, down to `depth` messages deep. Enumerations have
 * numbers that nobody has a name for too, or only those of the files.
 */
export function messages(desc: DescMessage, depth = 3, enums: 'odd' | 'named' = 'odd'): fc.Arbitrary<Message> {
  const fields = desc.fields.filter((field) => field.message === undefined || depth > 0 || isRequired(field));
  const values = Object.fromEntries(fields.map((field) => [field.localName, valuesOf(field, depth, enums)]));
  const requiredKeys = fields.filter(isRequired).map((field) => field.localName);
  return fc.record(values, { requiredKeys }).map((init) => create(desc, init));
}

const isRequired = (field: DescField) => field.presence === 3;

function valuesOf(field: DescField, depth: number, enums: 'odd' | 'named'): fc.Arbitrary<unknown> {
  const one = field.message === undefined ? scalars(field, enums) : messages(field.message, depth - 1, enums);
  return field.fieldKind === 'list' ? fc.array(one, { maxLength: 3 }) : one;
}

function scalars(field: DescField, enums: 'odd' | 'named'): fc.Arbitrary<unknown> {
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  if (enums === 'named' && field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  if (enums === 'odd' && enumeration !== undefined) return fc.constantFrom(...enumeration.members.map((member) => member.public), 9999);
  switch (field.scalar) {
    case ScalarType.STRING:
      return fc.string({ unit: 'binary', maxLength: 12 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 6 });
    case ScalarType.DOUBLE:
      return fc.double();
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.INT64:
    case ScalarType.SINT64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    case ScalarType.UINT32:
      return fc.integer({ min: 0, max: 2 ** 32 - 1 });
    default:
      return fc.integer();
  }
}
