import { create } from '@bufbuild/protobuf';
import { operations } from '@svc-gateway/contract/operations';
import { expect, it } from 'vitest';
import { checkAnswer } from './answer-check.js';
import type { ResponseMessage } from './backend.js';
import { BackendLost, BackendRefused } from './backend-failures.js';

const answering = operations.filter(({ messages }) => messages.S2CSchema.fields.length > 0);

it.each(answering.map((operation) => [operation.name, operation] as const))(
  'a success of %s without its payload is a failure, and never an empty answer',
  (name, operation) => {
    const { messages, effect } = operation;
    const bare = create(messages.ResponseSchema, { retType: 0 } as Record<string, unknown>) as ResponseMessage;
    const writes = effect === 'order' || effect === 'write';
    const failure = writes ? BackendLost : BackendRefused;
    expect(() => checkAnswer(operation, bare)).toThrow(failure);
    expect(() => checkAnswer(operation, bare)).toThrow(`the server answered ${name} without the payload that it answers with`);
    // A refusal has none, and an empty list is there.
    const refused = create(messages.ResponseSchema, { retType: -1, retMsg: 'no' } as Record<string, unknown>) as ResponseMessage;
    expect(checkAnswer(operation, refused)).toBe(refused);
    const s2c = create(messages.S2CSchema);
    const empty = create(messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
    expect(checkAnswer(operation, empty)).toBe(empty);
  },
);
