import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { messageParser } from '@svc-gateway/contract/message-parser';
import { missingFieldOf } from '@svc-gateway/contract/missing-field';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { shown } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { decodeBody } from '@svc-gateway/wire';
import type { PushFrame } from './upstream.js';

/** Bodies of requests and answers, in protobuf: this client asks in protobuf. */

/** The bytes of a `Request`. */
export function encodeRequest<M extends ProtocolMessages>(
  { RequestSchema, C2SSchema }: M,
  c2s: MessageInitShape<M['C2SSchema']>,
): Uint8Array {
  const payload = create(C2SSchema, c2s as Record<string, unknown>);
  return toBinary(RequestSchema, create(RequestSchema, { c2s: payload } as Record<string, unknown>));
}

/** Longer than any refusal: what follows is of no use to anybody, and would be kept, logged and searched. */
const SAID_MAX = 1_000;
/** How many bytes an answer took on the wire. */
const sizes = new WeakMap<Message, number>();

/** The bytes of an answer: as it came, or as it would be written where it was made here. */
export function sizeOf({ ResponseSchema }: ProtocolMessages, response: ResponseMessage): number {
  return sizes.get(response) ?? toBinary(ResponseSchema, response).length;
}

/**
 * Reads a `Response`; undefined for bytes that are none, or that lack what a `Response` must have. What the server knows and we do
 * not is passed over.
 */
export function responseReader({ ResponseSchema }: ProtocolMessages): (body: Uint8Array) => ResponseMessage | undefined {
  const parse = messageParser(ResponseSchema);
  const missing = missingFieldOf(ResponseSchema);
  return (body) => {
    try {
      const response = parse(body) as ResponseMessage;
      if (missing(response) !== undefined) return undefined;
      const said = shown(response.retMsg, SAID_MAX);
      if (said !== response.retMsg) response.retMsg = said;
      sizes.set(response, body.length);
      return response;
    } catch {
      return undefined;
    }
  };
}

/** The same with its payload typed. */
export function readResponse<M extends ProtocolMessages>(
  messages: M,
  body: Uint8Array,
): (ResponseMessage & { readonly s2c?: MessageShape<M['S2CSchema']> }) | undefined {
  return responseReader(messages)(body);
}

/** The `Response` of a push, which may come in JSON; undefined for what is none, or says that something failed. */
export function readPush<T>(desc: DescMessage, { format, body }: PushFrame): (ResponseMessage & { readonly s2c: T }) | undefined {
  const message = format === 'protobuf' ? parse(desc, body) : parseJson(desc, body);
  const push = message as (ResponseMessage & { readonly s2c?: T }) | undefined;
  return push?.retType === 0 && push.s2c !== undefined ? (push as ResponseMessage & { readonly s2c: T }) : undefined;
}

function parse(desc: DescMessage, body: Uint8Array): unknown {
  try {
    const message = messageParser(desc)(body);
    return missingFieldOf(desc)(message) === undefined ? message : undefined;
  } catch {
    return undefined;
  }
}

function parseJson(desc: DescMessage, body: Uint8Array): unknown {
  const read = decodeBody(desc, body, 'json');
  return read.ok ? read.message : undefined;
}
