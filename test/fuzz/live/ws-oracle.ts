import type { Asked, Reading } from '../wires.js';

/** The listener refuses longer messages. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

interface ClientFrame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
  /** Size of the frame, in bytes. */
  readonly size: number;
}

/** Requests in a client's WebSocket frames (RFC 6455). Written from the standard, not from the listener's library. */
export function readWsStream(bytes: Buffer): Reading {
  const asked: Asked[] = [];
  /** The pieces of a message whose last is still to come. */
  let pieces: Buffer[] | undefined;
  let text = false;
  for (let rest = bytes; rest.length > 0; ) {
    const frame = readFrame(rest, pieces !== undefined, lengthOf(pieces ?? []));
    if (typeof frame === 'string') return { asked, end: frame };
    rest = rest.subarray(frame.size);
    // Pings are not answered by the protocol, and a pong is nothing. A close ends it.
    if (frame.opcode === 8) return { asked, end: 'broken' };
    if (frame.opcode >= 8) continue;
    if (pieces === undefined) text = frame.opcode === 1;
    pieces = [...(pieces ?? []), frame.payload];
    if (!frame.fin) continue;
    // Requests are binary, whatever a text says.
    const request = text ? undefined : readRequest(Buffer.concat(pieces));
    if (request === undefined) return { asked, end: 'broken' };
    asked.push(request);
    pieces = undefined;
  }
  return { asked, end: pieces === undefined ? 'whole' : 'partial' };
}

function readFrame(rest: Buffer, within: boolean, before: number): ClientFrame | 'partial' | 'broken' {
  if (rest.length < 2) return 'partial';
  const [first, second] = [rest.readUInt8(0), rest.readUInt8(1)];
  const opcode = first & 0x0f;
  const fin = (first & 0x80) !== 0;
  const short = second & 0x7f;
  const control = opcode >= 8;
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return 'broken';
  if (control ? opcode > 10 || !fin || short > 125 : opcode > 2) return 'broken';
  if (!control && (opcode === 0) !== within) return 'broken';
  const header = 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + 4;
  if (rest.length < header - 4) return 'partial';
  const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
  if (!control && before + length > MESSAGE_BYTES_MAX) return 'broken';
  if (rest.length < header + length) return 'partial';
  const mask = rest.subarray(header - 4, header);
  const payload = rest.subarray(header, header + length).map((byte, index) => byte ^ mask.readUInt8(index % 4)) as Buffer;
  return { fin, opcode, payload, size: header + length };
}

function readRequest(message: Buffer): Asked | undefined {
  if (message.length < 20 || message.toString('latin1', 0, 8) !== 'ft-v1.0\0') return undefined;
  return { protoId: message.readUInt32BE(8), number: message.readBigUInt64BE(12) };
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
