import { create, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import { type BodyParser, protobufBody } from '@svc-gateway/contract/message-request';
import type { Operation, ProtocolMessages } from '@svc-gateway/contract/operation';
import { type Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { type BodyFormat, decodeBody, encodeBody, parseBody } from '@svc-gateway/wire';
import { isLong } from '../common/long-answers.js';
import { encodeLong, encodeLongJson } from '../common/long-messages.js';
import { encodedBefore, encodeRejection, encodeResponse, rejectionResponse } from '../common/protocol-response.js';

/** Bodies of requests and answers. An answer has the format of its request. */

const C2S = /^c2s\./;

/** Reads a request's body as the message that its operation expects. */
export function bodyParser(bytes: Uint8Array, format: BodyFormat): BodyParser {
  if (format === 'protobuf') return protobufBody(bytes);
  return (desc) => {
    const read = parseBody(desc, bytes, format);
    if (read.ok) return { ok: true, value: read.message };
    const { problem } = read;
    // Requests name their fields from `C2S`, in either format.
    const path = problem.path.replace(C2S, '');
    return { ok: false, problem: { ...problem, path, message: problem.message.replace(`${problem.path}:`, `${path}:`) } };
  };
}

/** The `C2S` of a request that is a matter of the connection. */
export function readC2S<M extends ProtocolMessages>(
  { RequestSchema }: M,
  bytes: Uint8Array,
  format: BodyFormat,
): MessageShape<M['C2SSchema']> | Rejection {
  const read = decodeBody(RequestSchema, bytes, format);
  if (!read.ok) return rejectProblem(read.problem);
  const { c2s } = read.message as { c2s?: MessageShape<M['C2SSchema']> };
  return c2s ?? rejectProblem({ kind: 'missing_field', path: 'c2s', message: 'missing field "c2s"' });
}

/** An operation's answer; a promise where it is long. */
export function responseBody(operation: Operation, response: ResponseMessage, format: BodyFormat): Uint8Array | Promise<Uint8Array> {
  const known = format === 'protobuf' ? encodedBefore(response) : undefined;
  if (known !== undefined) return known;
  if (isLong(operation, response)) return (format === 'protobuf' ? encodeLong : encodeLongJson)(operation, response);
  return format === 'protobuf' ? encodeResponse(operation, response) : encodeBody(operation.messages.ResponseSchema, response, format);
}

/** A success of what is a matter of the connection. */
export function successBody<M extends ProtocolMessages>(
  { S2CSchema, ResponseSchema }: M,
  s2c: MessageInitShape<M['S2CSchema']>,
  format: BodyFormat,
): Uint8Array {
  const response = { retType: 0, s2c: create(S2CSchema, s2c as Record<string, unknown>) };
  return encodeBody(ResponseSchema, create(ResponseSchema, response as Record<string, unknown>), format);
}

/** The answers to KeepAlive in the second that was asked for last, which many connections share. */
const alive: { seconds: number; bodies: Partial<Record<BodyFormat, Uint8Array>> } = { seconds: Number.NaN, bodies: {} };

/** The answer to KeepAlive at so many epoch seconds. Its bytes are not to be written to. */
export function keepAliveBody(seconds: number, format: BodyFormat): Uint8Array {
  if (alive.seconds !== seconds) {
    alive.seconds = seconds;
    alive.bodies = {};
  }
  alive.bodies[format] ??= successBody(KeepAlive, { time: BigInt(seconds) }, format);
  return alive.bodies[format];
}

export function rejectionBody(rejection: Rejection, format: BodyFormat): Uint8Array {
  return format === 'protobuf' ? encodeRejection(rejection) : encodeBody(KeepAlive.ResponseSchema, rejectionResponse(rejection), format);
}
