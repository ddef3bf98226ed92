import { create, type Message } from '@bufbuild/protobuf';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import type { Refusal } from '@svc-gateway/simulator/refusal';

const SUCCESS = 0;
const FAILED = -1;

type ResponseSchema = Pick<ProtocolMessages, 'ResponseSchema'>;

function response(messages: ResponseSchema, fields: Partial<ResponseMessage> & { readonly s2c?: Message }): ResponseMessage {
  return Object.assign(create(messages.ResponseSchema) as ResponseMessage, fields);
}

/** A `Response` around its payload. */
export function success(messages: ResponseSchema, payload: Message): ResponseMessage {
  return response(messages, { retType: SUCCESS, s2c: payload });
}

const caches = new WeakMap<Message, ResponseMessage>();

/** As {@link success}, with the same `Response` for the same payload: an unchanged quote need not be encoded twice. */
export function successOnce(messages: ResponseSchema, payload: Message): ResponseMessage {
  const known = caches.get(payload) ?? success(messages, payload);
  caches.set(payload, known);
  return known;
}

/** A success without payload that says what an order would then say of itself. */
export function remarked(messages: ResponseSchema, retMsg: string): ResponseMessage {
  return response(messages, { retType: SUCCESS, retMsg });
}

export function refusal(messages: ResponseSchema, { message, errCode }: Refusal): ResponseMessage {
  return response(messages, { retType: FAILED, retMsg: message, errCode });
}
