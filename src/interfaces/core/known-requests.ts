import { TrdHeaderSchema } from '../../contract/generated/Trd_Common_pb.js';
import { type MessageRequest, readMessageRequest } from '../../contract/message-request.js';
import type { ProtocolIds } from '../../contract/protocol-ids.js';
import { Rejection } from '../../contract/rejection.js';
import type { BodyFormat } from '../../wire/index.js';
import { bodyParser } from './bodies.js';
import type { CoreRequest } from './core-request.js';

interface KnownRequest {
  readonly protoId: number;
  readonly format: BodyFormat;
  readonly read: MessageRequest;
}

const knownRequests = new WeakMap<Uint8Array, KnownRequest>();

/**
 * What a request asks for; undefined where nobody serves its id. A read whose body is known is read once: what it asks for is the same
 * message each time, frozen, and whether its caller may ask is found out as ever. What is asked of an account is read each time: the
 * gateway completes it, by the account's card or the security's market.
 */
export function readRequest(ids: ProtocolIds, { protoId, format, body, known }: CoreRequest): MessageRequest | undefined {
  const before = known ? knownRequests.get(body) : undefined;
  if (before?.protoId === protoId && before.format === format) return before.read;
  const read = readMessageRequest(ids, protoId, bodyParser(body, format));
  if (!known || read?.operation.effect !== 'read') return read;
  const { operation } = read;
  if (operation.messages.C2SSchema.field.header?.message === TrdHeaderSchema) return read;
  return {
    operation,
    decode: () => {
      const c2s = read.decode();
      if (c2s instanceof Rejection) return c2s;
      freeze(c2s);
      knownRequests.set(body, { protoId, format, read: { operation, decode: () => c2s } });
      return c2s;
    },
  };
}

/** With all that is inside it; bytes cannot be frozen. */
function freeze(value: object): void {
  Object.freeze(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner)) freeze(inner);
  }
}
