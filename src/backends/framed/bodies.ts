import { create, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { messageParser } from '../../contract/message-parser.js';
import type { ProtocolMessages } from '../../contract/operation.js';
import type { ResponseMessage } from '../../gateway/backend.js';

/** Bodies of requests and answers, in protobuf: what this side asks in. */

/** The bytes of a `Request`. */
export function encodeRequest<M extends ProtocolMessages>(
  { RequestSchema, C2SSchema }: M,
  c2s: MessageInitShape<M['C2SSchema']>,
): Uint8Array {
  const payload = create(C2SSchema, c2s as Record<string, unknown>);
  return toBinary(RequestSchema, create(RequestSchema, { c2s: payload } as Record<string, unknown>));
}

/** Reads a `Response`; undefined for bytes that are none. What the server knows and we do not is passed over. */
export function responseReader({ ResponseSchema }: ProtocolMessages): (body: Uint8Array) => ResponseMessage | undefined {
  const parse = messageParser(ResponseSchema);
  return (body) => {
    try {
      return parse(body) as ResponseMessage;
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
