import type { Duplex } from 'node:stream';
import type { PushSink } from '@svc-gateway/gateway/push';
import { type Server, type ServerOptions, WebSocket, WebSocketServer } from 'ws';

/** RFC 6455, section 5.5: a control frame carries at most 125 bytes, two of which are the code. */
const REASON_BYTES_MAX = 123;

/** A WebSocket that says when it begins to close, whichever side began. */
export class SinkWebSocket extends WebSocket {
  /** Called before anything else can be written. */
  onClosing: () => void = () => undefined;

  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason);
    this.onClosing();
  }
}

export type SinkServer = Server<typeof SinkWebSocket>;

/** A WebSocket server behind another listener, for sockets that a {@link SocketSink} also writes to. */
export function sinkServer(options: Required<Pick<ServerOptions, 'maxPayload' | 'handleProtocols'>>): SinkServer {
  return new WebSocketServer({ ...options, WebSocket: SinkWebSocket, noServer: true, clientTracking: false, perMessageDeflate: false });
}

/**
 * Writes the hub's frames straight to the socket, beside `ws`. Safe because both write only whole frames, each in one
 * synchronous go: `ws` without per-message compression queues nothing of its own, and the hub never splits a frame
 * over two writes. What it saves is the work of `ws.send` per message and socket.
 */
export class SocketSink implements PushSink {
  // Kept here, not asked of `ws`: with thousands of connections, each object that a write touches is felt.
  #open: boolean;

  constructor(
    private readonly socket: Duplex,
    private readonly webSocket: SinkWebSocket,
  ) {
    this.#open = webSocket.readyState === WebSocket.OPEN;
    webSocket.onClosing = () => {
      this.#open = false;
    };
  }

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  write(frames: Buffer): number {
    // After a close frame no data may follow (RFC 6455, section 5.5.1); a socket that the peer has ended is ended here too.
    if (this.#open && this.socket.writable) this.socket.write(frames);
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
