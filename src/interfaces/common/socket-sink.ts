import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { PushSink } from '../../gateway/push/index.js';

/** RFC 6455, section 5.5: a control frame carries at most 125 bytes, two of which are the code. */
const REASON_BYTES_MAX = 123;

/**
 * Writes the hub's frames straight to the socket, beside `ws`. Safe because both write only whole frames, each in one
 * synchronous go: `ws` without per-message compression queues nothing of its own, and the hub never splits a frame
 * over two writes. What it saves is the work of `ws.send` per message and socket.
 */
export class SocketSink implements PushSink {
  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Duplex,
  ) {}

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  write(frames: Buffer): number {
    // After a close frame no data may follow (RFC 6455, section 5.5.1).
    if (this.webSocket.readyState === WebSocket.OPEN) this.socket.write(frames);
    return this.socket.writableLength;
  }

  close(code: number, reason: string): void {
    this.webSocket.close(code, closeReason(reason));
  }
}

/** As much of a reason as a close frame takes; `ws` throws on more. */
export function closeReason(reason: string): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= REASON_BYTES_MAX) return bytes;
  let end = REASON_BYTES_MAX;
  // Not within a UTF-8 sequence: its later bytes start with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
