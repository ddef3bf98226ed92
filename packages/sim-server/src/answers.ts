import { create, type Message } from '@bufbuild/protobuf';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { type BodyFormat, encodeBody } from '@svc-gateway/wire';
import type { Refused } from './rule.js';

/** A `Response` that succeeds with this payload. */
export function succeeded({ ResponseSchema, S2CSchema }: ProtocolMessages, payload: object = {}): ResponseMessage {
  const s2c = create(S2CSchema, payload as Record<string, unknown>);
  return create(ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
}

/** A `Response` that fails with this text. */
export function failed({ ResponseSchema }: ProtocolMessages, retMsg: string): ResponseMessage {
  return create(ResponseSchema, { retType: -1, retMsg } as Record<string, unknown>) as ResponseMessage;
}

/** Every `Response` begins with the same fields, so that one type does for all ids. */
export function refusedBody({ retType, retMsg }: Refused, format: BodyFormat): Uint8Array {
  return encodeBody(KeepAlive.ResponseSchema, create(KeepAlive.ResponseSchema, { retType, retMsg }), format);
}

/** A success of which every list is empty: what the request named stands in it as far as the message needs it. */
export function emptyAnswer(messages: ProtocolMessages, request: Message): ResponseMessage {
  const { security } = request as Message & { security?: unknown };
  const wants = messages.S2CSchema.fields.some(({ name }) => name === 'security');
  return succeeded(messages, wants && security !== undefined ? { security } : {});
}
