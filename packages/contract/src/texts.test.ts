import { fromJson, type JsonObject, type Message, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../../../test/support/sample-request.js';
import { fieldSetter } from './field-path.js';
import { completeMessage } from './message-request.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';
import { requestDecoder } from './request.js';

const texts = operations.flatMap((operation) =>
  operation.messages.C2SSchema.fields
    .filter(({ scalar, name }) => scalar === ScalarType.STRING && !operation.unused.includes(name))
    .map((field) => [operation.name, field.name, operation, field] as const),
);

describe('the character U+0000', () => {
  it('has texts to be looked for in', () => expect(texts.length).toBeGreaterThan(50));

  it.each(texts)('%s: %s is refused with it over the public protocol', (_, name, operation, field) => {
    const { C2SSchema } = operation.messages;
    const request: Message = fromJson(C2SSchema, sampleRequest(operation, operations) as JsonObject);
    fieldSetter(C2SSchema, name)(request, field.fieldKind === 'list' ? ['a\0b'] : 'a\0b');
    expect(completeMessage(operation, request)?.path).toMatch(name);
  });

  it.each(texts)('%s: %s is refused with it in JSON', (_, name, operation, field) => {
    for (const dialect of ['rest', 'mcp'] as const) {
      const text = field.fieldKind === 'list' ? ['a\0b'] : 'a\0b';
      expect(requestDecoder(operation, dialect)({ [snakeCase(name)]: text })).toMatchObject({
        ok: false,
        problem: { kind: expect.not.stringMatching('missing_field') },
      });
    }
  });
});
