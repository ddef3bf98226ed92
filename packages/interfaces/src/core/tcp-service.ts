import type { Socket } from 'node:net';
import type { C2S as InitConnect } from '@svc-gateway/contract/generated/InitConnect_pb';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { Peer } from '@svc-gateway/gateway';
import type { BodyFormat, Cipher } from '@svc-gateway/wire';
import type { CoreRequest } from './core-request.js';

/** Serves the clients of a core TCP listener. The listener is the wire: frames, encryption, heartbeats, an orderly end. */
export interface TcpService {
  /** Lets a client in by its InitConnect, or says why not; the connection then ends. */
  greet(peer: Peer, c2s: InitConnect): Promise<Greeting | Rejection>;
  /** A connection was closed before its first byte. */
  refused(peer: Peer, rejection: Rejection): void;
}

/** A client that is let in. */
export interface Greeting {
  /** `serverVer`. */
  readonly version: number;
  /** `loginUserID`. */
  readonly userId: bigint;
  /** Called once, after InitConnect was answered. */
  open(link: TcpLink): TcpSession;
}

/** A connection whose handshake is done. */
export interface TcpLink {
  readonly connectionId: bigint;
  readonly peer: Peer;
  /** The client wants 1003 Notify. */
  readonly recvNotify: boolean;
  /** Format of pushes; an answer has the format of its request. */
  readonly pushFormat: BodyFormat;
  readonly socket: Socket;
  /** Seals the bodies of what is sent. */
  readonly cipher: Cipher;
  /** Ends the connection after what is buffered. */
  readonly end: () => void;
  /** Fewer requests are under way than may be: reading goes on. */
  readonly onFree: () => void;
}

/** A connection after its handshake. */
export interface TcpSession {
  /** True at the limit of requests in flight: the socket is not read. */
  readonly busy: boolean;
  request(request: CoreRequest): void;
  /** Resolves when no request is under way. */
  whenIdle(): Promise<void>;
  /** The socket's buffer has drained. */
  drained(): void;
  /** The peer is gone. */
  disconnected(): void;
}
