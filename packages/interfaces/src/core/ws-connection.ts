import type { Duplex } from 'node:stream';
import * as InitWebSocket from '@svc-gateway/contract/generated/InitWebSocket_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller, Credential, Peer } from '@svc-gateway/gateway';
import { decodeWsRequest, encodeWsAnswer, type WsRequest, wsCommand, wsError } from '@svc-gateway/wire';
import type { RawData } from 'ws';
import { closeReason, type SinkWebSocket, SocketSink } from '../common/socket-sink.js';
import { readC2S, rejectionBody, successBody } from './bodies.js';
import { newConnectionId } from './connection-id.js';
import type { CoreConnection } from './connections.js';
import { binaryFrame, wsPushFormat } from './push-formats.js';
import type { CoreServices } from './services.js';
import { CoreSession } from './session.js';

export interface WsConnectionOptions {
  readonly services: CoreServices;
  readonly webSocket: SinkWebSocket;
  /** Socket below the WebSocket. */
  readonly socket: Duplex;
  readonly peer: Peer;
  /** The key text of the upgrade, if there was one. */
  readonly token: string | undefined;
}

/** Clients begin the handshake as soon as they are connected. */
const HANDSHAKE_MS_MAX = 10_000;
/** Below the idle limit of common proxies (60 s), so that a quiet connection is not cut. */
const PING_INTERVAL_MS = 30_000;
/** Pings that may stay unanswered. */
const PINGS_MISSED_MAX = 2;

/** Maximum unsent bytes of a peer, apart from the hub's frames, which have their own bound. */
const UNREAD_BYTES_MAX = 64 * 1024;

/** RFC 6455, section 7.4.1. */
const close = { goingAway: 1001, unsupportedData: 1003, policy: 1008 } as const;

/** One client of the core WebSocket, from the upgrade on: InitWebSocket, and then a {@link CoreSession}. */
export class WsConnection implements CoreConnection {
  readonly #openedAt: number;
  #session: CoreSession | undefined;
  #finishing = false;
  #nextPing: number;
  #pingsMissed = 0;
  /** Messages that came in the same chunk as the one with which too many were under way. */
  readonly #waiting: WsRequest[] = [];

  constructor(private readonly options: WsConnectionOptions) {
    const { services, webSocket, socket } = options;
    this.#openedAt = services.clock.monotonic();
    this.#nextPing = this.#openedAt + PING_INTERVAL_MS;
    webSocket.on('message', (data, isBinary) => this.#received(data, isBinary));
    webSocket.on('pong', () => {
      this.#pingsMissed = 0;
    });
    // Protocol errors and resets; `close` follows.
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => this.#session?.disconnected());
    socket.on('drain', () => this.#session?.drained());
  }

  tick(now: number): void {
    const { webSocket } = this.options;
    if (this.#session === undefined && now >= this.#openedAt + HANDSHAKE_MS_MAX) webSocket.terminate();
    if (now < this.#nextPing) return;
    this.#nextPing = now + PING_INTERVAL_MS;
    if (this.#pingsMissed >= PINGS_MISSED_MAX) {
      webSocket.terminate();
      return;
    }
    this.#pingsMissed += 1;
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
  }

  finish(): Promise<void> {
    this.#finishing = true;
    return this.#session?.whenIdle() ?? Promise.resolve();
  }

  end(): void {
    this.options.webSocket.close(close.goingAway, 'the daemon is shutting down');
  }

  destroy(): void {
    this.options.webSocket.terminate();
  }

  #received(data: RawData, isBinary: boolean): void {
    const { webSocket, services } = this.options;
    if (this.#finishing || webSocket.readyState !== webSocket.OPEN) return;
    if (!isBinary) {
      webSocket.close(close.unsupportedData, 'requests are binary messages');
      return;
    }
    const read = decodeWsRequest(data as Buffer);
    if (!read.ok) {
      webSocket.close(close.unsupportedData, closeReason(read.error));
      return;
    }
    this.#waiting.push(read.message);
    try {
      this.#proceed();
    } catch (error) {
      services.onDefect(error);
      webSocket.terminate();
    }
  }

  /** Takes the messages that are there, as far as they may be answered now. */
  #proceed(): void {
    const { webSocket } = this.options;
    while (this.#session?.busy !== true) {
      const message = this.#waiting.shift();
      if (message === undefined) {
        if (webSocket.isPaused && !this.#finishing) webSocket.resume();
        return;
      }
      this.#take(message);
    }
    webSocket.pause();
  }

  #take(message: WsRequest): void {
    const { command, section, body } = message;
    if (command === wsCommand.initWebSocket) {
      this.#greet(message);
    } else if (this.#session === undefined) {
      const rejection = new Rejection('auth.missing', 'InitWebSocket must come first');
      this.#answer(message, rejectionBody(rejection, 'protobuf'));
    } else {
      this.#session.request({ protoId: command, format: 'protobuf', body, tag: section });
    }
  }

  #greet(message: WsRequest): void {
    const { services, peer, token } = this.options;
    if (this.#session !== undefined) {
      const rejection = new Rejection('request.invalid', 'the connection is already initialised');
      this.#answer(message, rejectionBody(rejection, 'protobuf'));
      return;
    }
    const c2s = readC2S(InitWebSocket, message.body, 'protobuf');
    if (c2s instanceof Rejection) {
      this.#refuse(message, c2s);
      return;
    }
    const caller: Caller = {
      iface: 'core-ws',
      endpoint: 'init_websocket',
      requestId: services.nextRequestId(),
      peer,
      keyText: undefined,
    };
    const opened = services.gateway.admissions.openSession(caller, credentialOf(c2s, token));
    if (opened instanceof Rejection) {
      this.#refuse(message, opened);
      return;
    }
    const connectionId = newConnectionId();
    const serverTime = BigInt(Math.floor(services.clock.now() / 1000));
    this.#answer(message, successBody(InitWebSocket, { serverTime, connID: connectionId }, 'protobuf'));
    const { identity, permits } = opened;
    this.#session = new CoreSession(services, {
      iface: 'core-ws',
      peer,
      key: identity.key,
      owner: identity.owner,
      connectionId,
      permits,
      format: wsPushFormat,
      sink: new SocketSink(this.options.socket, this.options.webSocket),
      answerFrame: ({ protoId, tag }, body) => {
        const answer = { command: protoId, section: BigInt(tag), error: wsError.none, errorText: '', body };
        return binaryFrame(encodeWsAnswer(answer), { kind: 'kept' }, false);
      },
      onFree: () => this.#proceed(),
    });
  }

  /** An answer outside of a session. Who asks on and does not read is cut off. */
  #answer({ command, section }: WsRequest, body: Uint8Array): void {
    const { webSocket, socket } = this.options;
    if (socket.writableLength > UNREAD_BYTES_MAX) {
      webSocket.terminate();
      return;
    }
    webSocket.send(encodeWsAnswer({ command, section, error: wsError.none, errorText: '', body }));
  }

  /** The published client looks at the header's error to learn that its login was refused, and does not try again. */
  #refuse({ command, section }: WsRequest, rejection: Rejection): void {
    const { webSocket } = this.options;
    const body = rejectionBody(rejection, 'protobuf');
    webSocket.send(encodeWsAnswer({ command, section, error: wsError.disconnected, errorText: rejection.message, body }));
    webSocket.close(close.policy, closeReason(rejection.message));
  }
}

/** A key shown in the handshake counts; without one, that of the upgrade. */
function credentialOf({ websocketKey }: InitWebSocket.C2S, token: string | undefined): Credential {
  return websocketKey === '' ? { kind: 'text', text: token } : { kind: 'sdk', md5Hex: websocketKey };
}
