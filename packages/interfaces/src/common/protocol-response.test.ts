import { create, fromBinary } from '@bufbuild/protobuf';
import { operations, system } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { expect, it } from 'vitest';
import { encodeRejection, encodeResponse } from './protocol-response.js';

it('a refusal reads as the Response of every operation', () => {
  const bytes = encodeRejection(new Rejection('limit.rate', 'rate limit exceeded: …'));
  for (const { messages } of operations) {
    const response = fromBinary(messages.ResponseSchema, bytes);
    expect(response).toMatchObject({ retType: -1, retMsg: 'rate limit exceeded: …', errCode: 429 });
    expect(Object.hasOwn(response, 's2c')).toBe(false);
  }
});

it('the same response is written once', () => {
  const response = create(system.getGlobalState.messages.ResponseSchema, { retType: -1, retMsg: 'no' }) as ResponseMessage;
  const first = encodeResponse(system.getGlobalState, response);
  expect(encodeResponse(system.getGlobalState, response)).toBe(first);
  expect(fromBinary(system.getGlobalState.messages.ResponseSchema, first)).toMatchObject({ retType: -1, retMsg: 'no' });
});
