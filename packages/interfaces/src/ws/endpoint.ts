import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, every } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller, ResponseMessage } from '@svc-gateway/gateway';
import type { Permits, PushConnection, PushHub } from '@svc-gateway/gateway/push';
import { pathOf } from '../common/http.js';
import { type SinkServer, type SinkWebSocket, SocketSink, sinkServer } from '../common/socket-sink.js';
import { offeredKeysOf, pushProtocol, refuseUpgrade, tokenOf, type UpgradeRefusal } from '../common/upgrade.js';
import type { Command } from './commands.js';
import { pushFormatOf } from './push-formats.js';
import { Session } from './session.js';
import { type Handshake, handshakeOf } from './wire-format.js';

/** Caller of a handshake, and what it may see. */
export type Authentication =
  | { readonly ok: true; readonly caller: Caller; readonly owner: string; readonly keyId?: string; readonly permits: Permits }
  | { readonly ok: false; readonly rejection: Rejection };

export interface WsEndpointOptions {
  readonly hub: PushHub;
  readonly clock: Clock;
  /** `token` is the key text of `Authorization: Bearer`, `?token=` or the subprotocol, if there is one. */
  readonly authenticate: (request: IncomingMessage, token: string | undefined) => Authentication | Promise<Authentication>;
  /** Runs an in-band command for the caller of the handshake; its subscriptions belong to `connection.ownOwner`. */
  readonly command: (
    caller: Caller,
    connection: PushConnection,
    command: Command,
  ) => ResponseMessage | Rejection | Promise<ResponseMessage | Rejection>;
  /** Refuses handshakes of browser pages from origins that are not allowed, whatever their key. */
  readonly checkPage: (request: IncomingMessage) => Rejection | undefined;
  /** Default 30 s: below the idle limit of common proxies (60 s), so that a quiet stream is not cut. */
  readonly pingIntervalMs?: number;
  /** Default 10,000. */
  readonly maxConnections?: number;
  /** Commands a second of one connection; default 100. */
  readonly commandsPerSecond?: number;
  /** Records a refusal and writes its body. */
  readonly refuse: (request: IncomingMessage, token: string | undefined, rejection: Rejection) => UpgradeRefusal;
  readonly onDefect: (error: unknown) => void;
}

export const WS_PATH = '/ws';
const PING_INTERVAL_MS = 30_000;
const MAX_CONNECTIONS = 10_000;
const COMMANDS_PER_SECOND = 100;
/** How long peers may take to answer the close of a daemon that stops. */
const CLOSE_MS_MAX = 1000;
/** Commands are short; a longer message closes the connection with 1009. */
const MESSAGE_BYTES_MAX = 64 * 1024;

/** `/ws`: takes upgrades of an HTTP or HTTPS server and joins them to the hub. */
export class WsEndpoint {
  readonly #server: SinkServer;
  readonly #sessions = new Set<Session>();
  readonly #endBeats: () => void;
  #onEmpty: () => void = () => undefined;

  constructor(private readonly options: WsEndpointOptions) {
    this.#server = sinkServer({
      maxPayload: MESSAGE_BYTES_MAX,
      // By default the first that a client offers would be agreed to.
      handleProtocols: pushProtocol,
    });
    this.#server.on('wsClientError', (error, socket, request) => {
      refuseUpgrade(socket, options.refuse(request, keyOf(request), new Rejection('request.invalid', error.message)));
    });
    this.#endBeats = every(options.clock, options.pingIntervalMs ?? PING_INTERVAL_MS, () => {
      for (const session of this.#sessions) session.beat();
    });
  }

  get connectionCount(): number {
    return this.#sessions.size;
  }

  /** Takes one `upgrade` event of the server. Every refusal is answered on the socket. */
  async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const onError = () => socket.destroy();
    socket.on('error', onError);
    try {
      const admission = await this.#admit(request);
      if (!admission.ok) {
        refuseUpgrade(socket, this.options.refuse(request, keyOf(request), admission.rejection));
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        socket.off('error', onError);
        this.#open(webSocket, socket, admission);
      });
    } catch (error) {
      this.options.onDefect(error);
      refuseUpgrade(socket, this.options.refuse(request, keyOf(request), new Rejection('internal', 'internal error')));
    }
  }

  /** Ends it, after the hub has closed the connections: peers that do not answer the close within a second are cut off. */
  async close(): Promise<void> {
    this.#endBeats();
    this.#server.close();
    if (this.#sessions.size === 0) return;
    const { clock } = this.options;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(CLOSE_MS_MAX, () => {
        for (const session of this.#sessions) session.terminate();
        resolve();
      });
      this.#onEmpty = () => {
        cancel();
        resolve();
      };
    });
  }

  async #admit(request: IncomingMessage): Promise<Admission> {
    // An upgrade comes here whatever its path: HTTP's own routing does not see it.
    if (pathOf(request.url) !== WS_PATH) return refused(new Rejection('route.not_found', 'not found'));
    const foreign = this.options.checkPage(request);
    if (foreign !== undefined) return refused(foreign);
    const handshake = handshakeOf(request);
    if (handshake instanceof Rejection) return refused(handshake);
    const authentication = await this.options.authenticate(request, keyOf(request));
    if (!authentication.ok) return authentication;
    const { maxConnections = MAX_CONNECTIONS } = this.options;
    if (this.#sessions.size >= maxConnections) {
      return refused(new Rejection('limit.connections', `the push stream has reached its limit of ${maxConnections} connections`));
    }
    return { ...authentication, ...handshake };
  }

  #open(webSocket: SinkWebSocket, socket: Duplex, { caller, owner, keyId, permits, format, int64, enums, since }: Admitted): void {
    const { hub, clock, command, commandsPerSecond = COMMANDS_PER_SECOND, onDefect } = this.options;
    const sink = new SocketSink(socket, webSocket);
    const wire = pushFormatOf({ format, int64, enums });
    const connection = hub.connect({ iface: 'ws', owner, permits, format: wire, sink, keyId, since });
    const run = (given: Command) => command(caller, connection, given);
    const session = new Session({ webSocket, connection, json: { int64, enums }, clock, commandsPerSecond, run, onDefect });
    this.#sessions.add(session);
    socket.on('drain', () => connection.drained());
    // Protocol errors and resets; `close` follows.
    webSocket.on('error', () => undefined);
    webSocket.on('close', () => {
      this.#sessions.delete(session);
      connection.disconnected();
      if (this.#sessions.size === 0) this.#onEmpty();
    });
  }
}

type Admitted = Extract<Authentication, { ok: true }> & Handshake;
type Admission = Admitted | { readonly ok: false; readonly rejection: Rejection };

/** The key text of a handshake, by any of the ways to send one, of which there may be but one. */
function keyOf(request: IncomingMessage): string | undefined {
  return tokenOf(request, offeredKeysOf(request));
}

function refused(rejection: Rejection): Admission {
  return { ok: false, rejection };
}
