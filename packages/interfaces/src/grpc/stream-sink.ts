import type { ServerWritableStream } from '@grpc/grpc-js';
import type { PushSink } from '@svc-gateway/gateway/push';
import { LENGTH_BYTES } from './push-format.js';
import { statusOfClose } from './status.js';

/** Writes the hub's frames to a stream, message by message. Data held back by the peer's flow control counts as buffered. */
export class StreamSink implements PushSink {
  #bufferedBytes = 0;
  #open = true;

  constructor(
    private readonly call: ServerWritableStream<Buffer, Buffer>,
    private readonly requestId: string,
    private readonly onDrained: () => void,
  ) {}

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  write(frames: Buffer): number {
    if (!this.#open) return this.#bufferedBytes;
    this.#bufferedBytes += frames.length;
    let start = LENGTH_BYTES;
    while (start < frames.length) {
      const end = start + frames.readUInt32BE(start - LENGTH_BYTES);
      // Messages are written in order: when the last is sent, all are.
      if (end === frames.length) this.call.write(frames.subarray(start, end), () => this.#written(frames.length));
      else this.call.write(frames.subarray(start, end));
      start = end + LENGTH_BYTES;
    }
    return this.#bufferedBytes;
  }

  close(code: number, reason: string): void {
    if (!this.#open) return;
    this.#open = false;
    // The library ends the stream with this status, after the pending messages.
    this.call.emit('error', statusOfClose(code, reason, this.requestId));
  }

  #written(bytes: number): void {
    this.#bufferedBytes -= bytes;
    if (this.#open && this.#bufferedBytes === 0) this.onDrained();
  }
}
