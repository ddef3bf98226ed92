import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import {
  Gateway,
  type GatewayRequest,
  GatewayRequestSchema,
  GatewayResponseSchema,
} from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
// Decodes the head of any response and leaves its payload undecoded.
import { ResponseSchema as AnyResponseSchema } from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { messageParser } from '@svc-gateway/contract/message-parser';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { encodeLong } from '../common/long-messages.js';
import { encodeResponse } from '../common/protocol-response.js';

/** Full name of the service: "svc.v1.Gateway". */
export const SERVICE = Gateway.typeName;
export const REQUEST_PATH = `/${SERVICE}/${Gateway.method.request.name}`;
export const SUBSCRIBE_PUSH_PATH = `/${SERVICE}/${Gateway.method.subscribePush.name}`;

/** Serializer and deserializer for the library, which passes bytes through: they are decoded and checked here. */
export function bytes(value: Buffer): Buffer {
  return value;
}

/** Reads a `GatewayRequest`. */
export function readGatewayRequest(request: Buffer): GatewayRequest | Rejection {
  return readMessage(GatewayRequestSchema, request);
}

/** Decodes a message of the service itself, or returns a rejection. */
export function readMessage<D extends DescMessage>(desc: D, bytes: Buffer): MessageShape<D> | Rejection {
  try {
    return messageParser(desc)(bytes) as MessageShape<D>;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new Rejection('request.invalid', `not a ${desc.typeName} in protobuf: ${reason}`);
  }
}

/** Encodes the `GatewayResponse` that carries an operation's `Response`. */
export function writeGatewayResponse(operation: Operation, response: ResponseMessage): Buffer {
  return carrying(operation, response, encodeResponse(operation, response));
}

/** Encodes a long one (see `isLong`). */
export async function writeLongGatewayResponse(operation: Operation, response: ResponseMessage): Promise<Buffer> {
  return carrying(operation, response, await encodeLong(operation, response));
}

/** Encodes the `GatewayResponse` that carries a `Response` of an undeclared id: all responses begin with the same fields. */
export function wrapResponse(protoId: number, body: Uint8Array): Buffer {
  const head = readMessage(AnyResponseSchema, bufferOf(body as Uint8Array<ArrayBuffer>));
  const { retType, retMsg } = head instanceof Rejection ? { retType: RetType.RetType_Unknown, retMsg: head.message } : head;
  return bufferOf(toBinary(GatewayResponseSchema, create(GatewayResponseSchema, { retType, retMsg, protoId, body })));
}

function carrying({ protoId }: Operation, { retType, retMsg }: ResponseMessage, body: Uint8Array): Buffer {
  return bufferOf(toBinary(GatewayResponseSchema, create(GatewayResponseSchema, { retType, retMsg, protoId: protoId ?? 0, body })));
}

/** The same bytes as a `Buffer`, which the library needs. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
