import type { PushEvent } from '@svc-gateway/gateway';
import { BytesFrame, type FrameContent, type PushFormat, pushMessagesOf, uint32LeNumbers, unnumbered } from '@svc-gateway/gateway/push';
import { aroundSerial, type BodyFormat, encodeBody, encodeFrame, encodeWsPush } from '@svc-gateway/wire';
import { headerBytes, opcode, writeHeader } from '../common/websocket-header.js';

/** How the hub writes events for core connections. The notice of a gap is a Notify like any other. */

/** One binary message of the core WebSocket; pushes have no number there. */
export const wsPushFormat: PushFormat = {
  numbering: unnumbered,
  event: (event, content) => binaryFrame(encodeWsPush(event.protoId, pushBody(event, 'protobuf')), content),
  gap: ({ notice }, content) => binaryFrame(encodeWsPush(notice.protoId, pushBody(notice, 'protobuf')), content),
};

const tcpFormats = { protobuf: tcpFormat('protobuf'), json: tcpFormat('json') } as const;

/** One frame of core TCP; the serial number counts the connection's pushes. */
export function tcpPushFormatOf(format: BodyFormat): PushFormat {
  return tcpFormats[format];
}

function tcpFormat(format: BodyFormat): PushFormat {
  const frame = (event: PushEvent, content: FrameContent) => {
    const { head, tail } = aroundSerial(encodeFrame({ protoId: event.protoId, format, serial: 0, body: pushBody(event, format) }));
    return new BytesFrame(content, head, tail);
  };
  return { numbering: uint32LeNumbers, event: frame, gap: ({ notice }, content) => frame(notice, content) };
}

function pushBody({ protoId, message }: PushEvent, format: BodyFormat): Uint8Array {
  return encodeBody(pushMessagesOf(protoId).ResponseSchema, message, format);
}

/** A payload as one WebSocket message. */
export function binaryFrame(payload: Buffer, content: FrameContent, sequenced = true): BytesFrame {
  const header = Buffer.allocUnsafe(headerBytes(payload.length));
  writeHeader(header, 0, opcode.binary, payload.length);
  return new BytesFrame(content, header, payload, sequenced);
}
