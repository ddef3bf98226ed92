import type { ServerResponse } from 'node:http';
import { ProtocolErrorCode, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '../../contract/clock.js';
import { isJsonObject, type JsonValue } from '../../contract/json/value.js';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import type { PushConnection } from '../../gateway/push/index.js';
import type { HttpCallers } from '../common/callers.js';
import type { Exchange } from '../common/exchange.js';
import { authInfoOf } from './auth-info.js';
import { EventStore } from './event-store.js';
import { Holders } from './holders.js';
import { EventSink } from './push.js';
import { pushFormat } from './push-format.js';
import type { SessionSide } from './session-side.js';
import type { Visitor } from './visitor.js';
import { Watch } from './watch.js';
import { webRequest, writeWebResponse } from './web.js';

export interface SessionParts {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
  readonly clock: Clock;
  /** The protocol's server, joined to what the session keeps. */
  readonly createServer: (session: SessionSide) => Server;
  readonly onClosed: (session: Session) => void;
  readonly onError: (error: Error) => void;
}

/** What the protocol library calls the stream that a client opens by GET, in the event store. */
const OWN_STREAM = '_GET_stream';
/** How long a client may take to open its stream, or to come back to it, before nothing is kept for it any more. */
const LISTEN_MS_MAX = 60_000;

/**
 * One client's session, of the revisions that have them: its server, its stream of server-sent events, and what it is
 * subscribed to, which ends with it.
 */
export class Session implements SessionSide {
  readonly #parts: SessionParts;
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #sink: EventSink;
  readonly #push: PushConnection | undefined;
  readonly #events = new EventStore();
  /** For whom what is kept here was made. */
  #holders: Holders;
  readonly enabled = new Set<string>();
  #watch: Watch | undefined;
  #openExchanges = 0;
  #usedAt: number;
  #closed = false;
  #cancelSilence: () => void = () => undefined;
  #cancelDeafness: () => void = () => undefined;

  private constructor(
    readonly id: string,
    /** Who opened it; to everybody else it does not exist. */
    readonly visitor: Visitor,
    parts: SessionParts,
  ) {
    this.#parts = parts;
    this.#holders = this.#newHolders();
    this.#usedAt = parts.clock.monotonic();
    this.#sink = new EventSink(
      (params) => this.#notify('notifications/svc/push', params),
      () => this.close(),
    );
    this.#push = this.#openPush();
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events,
    });
    this.#server = parts.createServer(this);
    this.#server.onclose = () => this.close();
    this.#server.onerror = parts.onError;
    this.#cancelDeafness = this.#scheduleDeafness();
  }

  static async open(id: string, visitor: Visitor, parts: SessionParts): Promise<Session> {
    const session = new Session(id, visitor, parts);
    await session.#server.connect(session.#transport);
    return session;
  }

  /** The handshake that begins a session was accepted. */
  get begun(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Since when no request is under way and no stream is open, on the monotonic clock; undefined while one is. */
  get idleSince(): number | undefined {
    return this.#openExchanges === 0 ? this.#usedAt : undefined;
  }

  /** Serves one exchange of the session. `visitor` is who sent it. */
  async serve(exchange: Exchange, body: JsonValue | undefined, visitor: Visitor): Promise<void> {
    const { request, response } = exchange;
    this.#forgetOutdated(visitor);
    this.#openExchanges += 1;
    this.#cancelSilence();
    response.once('close', () => {
      this.#openExchanges -= 1;
      this.#usedAt = this.#parts.clock.monotonic();
      // What was sent is kept for a client that lost its connection, and comes back for it at once.
      if (this.#openExchanges === 0 && !this.#closed) {
        this.#cancelSilence = this.#parts.clock.after(LISTEN_MS_MAX, () => this.#events.clear());
      }
    });
    const connectionOwner = this.#push?.ownOwner;
    const caller = connectionOwner === undefined ? visitor.caller : { ...visitor.caller, connectionOwner };
    const web = await this.#transport.handleRequest(webRequest(exchange), {
      authInfo: authInfoOf({ ...visitor, caller, answeredAs: (identity) => this.#holders.add(identity) }),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
    const written = writeWebResponse(web, response, visitor.caller.requestId);
    if (request.method === 'GET' && web.ok && this.#isOwnStream(request.headers['last-event-id'])) this.#streamOpened(response);
    for (const id of cancelledBy(body)) this.#endCancelled(id);
    await written;
  }

  #newHolders(): Holders {
    return new Holders((identity) => this.#parts.gateway.isAsItWas(identity));
  }

  /** Forgets everything made for a key that has been changed, revoked or has run out since. */
  #forgetOutdated({ identity }: Visitor): void {
    if (!this.#holders.areAsTheyWere) {
      this.#events.clear();
      this.#sink.forget();
      this.#watch?.sink.forget();
      this.#holders = this.#newHolders();
    }
    this.#holders.add(identity);
  }

  /** Whether a GET opens the client's own stream: it may also resume the one of a single request. */
  #isOwnStream(lastEventId: string | string[] | undefined): boolean {
    return lastEventId === undefined || this.#events.streamOf(String(lastEventId)) === OWN_STREAM;
  }

  #streamOpened(stream: ServerResponse): void {
    this.#cancelDeafness();
    stream.once('close', () => {
      if (!this.#closed) this.#cancelDeafness = this.#scheduleDeafness();
    });
    this.#sink.opened(stream);
    this.#watch?.sink.opened(stream);
  }

  #scheduleDeafness(): () => void {
    this.#cancelDeafness();
    return this.#parts.clock.after(LISTEN_MS_MAX, () => {
      this.#sink.deafen();
      this.#watch?.sink.deafen();
    });
  }

  /**
   * A cancelled request is not answered, and the protocol library would keep its stream and its id for as long as the
   * session lasts. Its stream is closed; the answer that follows then goes nowhere and only makes the library forget the id.
   */
  #endCancelled(id: string | number): void {
    this.#transport.closeSSEStream(id);
    const error = { code: ProtocolErrorCode.InternalError, message: 'cancelled' };
    // Fails when the request has been answered already, which is as good.
    this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
  }

  async watch(uri: string, visitor: Visitor): Promise<Rejection | undefined> {
    if (this.#watch === undefined) {
      const opened = Watch.open(this.#parts, visitor, {
        changed: (changedUri) => this.#notify('notifications/resources/updated', { uri: changedUri }),
        // The session goes on: the client was told to read it again, and may subscribe again.
        ended: () => undefined,
        closed: () => this.close(),
      });
      if (opened instanceof Rejection) return opened;
      this.#watch = opened;
      const stream = this.#sink.stream;
      if (stream !== undefined) opened.sink.opened(stream);
    }
    return this.#watch.add(uri, visitor);
  }

  async unwatch(uri: string, visitor: Visitor): Promise<void> {
    await this.#watch?.remove(uri, visitor);
  }

  /** The tools may be others than before. */
  toolsChanged(): void {
    this.#notify('notifications/tools/list_changed', undefined);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelSilence();
    this.#cancelDeafness();
    this.#push?.disconnected();
    this.#watch?.close();
    this.#parts.onClosed(this);
    void this.#transport.close();
  }

  /** Live events, for callers who may see them; the others' sessions do without. */
  #openPush(): PushConnection | undefined {
    const { gateway } = this.#parts;
    const opened = gateway.openPush(this.visitor.caller);
    if (opened instanceof Rejection) return undefined;
    const { identity, permits } = opened;
    const keyId = identity.key === undefined ? {} : { keyId: identity.key.id };
    const connection = gateway.push.connect({
      iface: 'mcp',
      owner: identity.owner,
      permits,
      format: pushFormat,
      sink: this.#sink,
      ...keyId,
    });
    this.#sink.attach(connection);
    return connection;
  }

  #notify(method: string, params: Record<string, unknown> | undefined): void {
    // A notification that belongs to no request goes to the client's own stream, and into what it can have again.
    this.#transport.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }).catch(this.#parts.onError);
  }
}

/** The requests that a message, or a batch of them, cancels. */
function cancelledBy(body: JsonValue | undefined): (string | number)[] {
  return [body].flat().flatMap((message) => {
    if (!isJsonObject(message) || message.method !== 'notifications/cancelled' || !isJsonObject(message.params)) return [];
    const { requestId } = message.params;
    return typeof requestId === 'string' || typeof requestId === 'number' ? [requestId] : [];
  });
}
