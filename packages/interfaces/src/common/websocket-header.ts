/** Headers of WebSocket messages from server to client: one unmasked frame each (RFC 6455, section 5.2). */

/** Kinds of messages. */
export const opcode = { text: 1, binary: 2 } as const;

const FIN = 0x80;
const LENGTH_7_MAX = 125;
const LENGTH_16_MAX = 0xffff;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Header size before a payload of this size. */
export function headerBytes(payload: number): number {
  return payload <= LENGTH_7_MAX ? 2 : payload <= LENGTH_16_MAX ? 4 : 10;
}

/** Writes the header at `offset`; returns the offset just after it. */
export function writeHeader(target: Buffer, offset: number, kind: number, payload: number): number {
  target[offset] = FIN | kind;
  if (payload <= LENGTH_7_MAX) {
    target[offset + 1] = payload;
    return offset + 2;
  }
  if (payload <= LENGTH_16_MAX) {
    target[offset + 1] = LENGTH_16;
    return target.writeUInt16BE(payload, offset + 2);
  }
  target[offset + 1] = LENGTH_64;
  target.writeUInt32BE(0, offset + 2);
  return target.writeUInt32BE(payload, offset + 6);
}
