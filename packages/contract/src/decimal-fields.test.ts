import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { decimalKind, decimalRounder } from './decimal-fields.js';
import { fieldSetter, fieldValue } from './field-path.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';
import { requestDecoder } from './request.js';

/** Every double of a request, with its path in the names of the `.proto`; lists are looked into by their element. */
function* doubles(desc: DescMessage, prefix = ''): Generator<[path: string, field: DescField]> {
  for (const field of desc.fields) {
    if (field.message !== undefined) yield* doubles(field.message, `${prefix}${field.name}.`);
    else if (field.scalar === ScalarType.DOUBLE) yield [`${prefix}${field.name}`, field];
  }
}

const writes = operations.filter(({ effect, group }) => effect === 'order' || group === 'trade' || group === 'account');
const fields = writes.flatMap((operation) =>
  [...doubles(operation.messages.C2SSchema)].map(([path, field]): [string, string, (typeof operations)[number], DescField] => [
    operation.name,
    path,
    operation,
    field,
  ]),
);
/** Bounds of a filter, and no price. */
const filters = ['filterPLRatioMin', 'filterPLRatioMax'];

describe('prices and quantities', () => {
  it.each(fields)('%s: %s is one of them', (_, path, __, field) => {
    if (!filters.includes(path)) expect(decimalKind(field)).toBeDefined();
  });

  it.each(fields.filter(([, path]) => !path.includes('.') && !filters.includes(path)))(
    '%s: %s of a binary float is rounded over the public protocol',
    (_, path, { messages }) => {
      const c2s: Message = create(messages.C2SSchema);
      fieldSetter(messages.C2SSchema, path)(c2s, 99.99000000000001);
      decimalRounder(messages.C2SSchema)?.(c2s);
      expect(fieldValue(messages.C2SSchema, path)(c2s)).toBe(99.99);
    },
  );

  it.each(fields.filter(([, path]) => !path.includes('.') && !filters.includes(path)))(
    '%s: %s of a binary float is refused in JSON, with the decimal that was meant',
    (_, path, operation) => {
      const name = snakeCase(path);
      if (operation.unused.includes(path)) return;
      for (const dialect of ['rest', 'mcp'] as const) {
        const body = operation.shape.some(({ field, only }) => field === path && only !== dialect && only !== undefined)
          ? { c2s: { [name]: 0.1 + 0.2 } }
          : { [name]: 0.1 + 0.2 };
        const read = requestDecoder(operation, dialect)(body);
        expect(read).toMatchObject({ ok: false, problem: { kind: 'out_of_range', message: expect.stringContaining('did you mean 0.3?') } });
      }
    },
  );
});
