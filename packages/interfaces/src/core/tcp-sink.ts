import type { Socket } from 'node:net';
import type { PushSink } from '@svc-gateway/gateway/push';
import { type Cipher, plainText, sealFrames } from '@svc-gateway/wire';

/** Where frames of a core TCP connection go: the hub makes them in plain text, for all; each connection has a key of its own. */
export class TcpSink implements PushSink {
  constructor(
    private readonly socket: Socket,
    private readonly cipher: Cipher,
    private readonly end: () => void,
  ) {}

  get bufferedBytes(): number {
    return this.socket.writableLength;
  }

  write(frames: Buffer): number {
    if (this.socket.writable) this.socket.write(this.cipher === plainText ? frames : sealFrames(frames, this.cipher));
    return this.socket.writableLength;
  }

  close(): void {
    this.end();
  }
}
