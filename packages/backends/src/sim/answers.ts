import { create, type Message } from '@bufbuild/protobuf';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import type { Refusal } from '@svc-gateway/simulator/refusal';

const SUCCESS = 0;
const FAILED = -1;

type ResponseSchema = Pick<ProtocolMessages, 'ResponseSchema'>;

/** A `Response` around its payload. */
export function success(messages: ResponseSchema, payload: Message): ResponseMessage {
  const response = create(messages.ResponseSchema) as ResponseMessage & { s2c?: Message };
  response.retType = SUCCESS;
  response.s2c = payload;
  return response;
}

const caches = new WeakMap<Message, ResponseMessage>();

/** As {@link success}, with the same `Response` for the same payload: an unchanged quote need not be encoded twice. */
export function successOnce(messages: ResponseSchema, payload: Message): ResponseMessage {
  let response = caches.get(payload);
  if (response === undefined) {
    response = success(messages, payload);
    caches.set(payload, response);
  }
  return response;
}

/** A success without payload that says what an order would then say of itself. */
export function remarked(messages: ResponseSchema, retMsg: string): ResponseMessage {
  const response = create(messages.ResponseSchema) as ResponseMessage;
  response.retType = SUCCESS;
  response.retMsg = retMsg;
  return response;
}

export function refusal(messages: ResponseSchema, { message, errCode }: Refusal): ResponseMessage {
  const response = create(messages.ResponseSchema) as ResponseMessage;
  response.retType = FAILED;
  response.retMsg = message;
  response.errCode = errCode;
  return response;
}
