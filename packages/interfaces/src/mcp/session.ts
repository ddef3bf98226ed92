import type { ServerResponse } from 'node:http';
import { ProtocolErrorCode, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Clock } from '@svc-gateway/contract/clock';
import { isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Gateway } from '@svc-gateway/gateway';
import type { PushConnection } from '@svc-gateway/gateway/push';
import type { HttpCallers } from '../common/callers.js';
import type { Exchange } from '../common/exchange.js';
import { authInfoOf } from './auth-info.js';
import { EventStore } from './event-store.js';
import { Holders } from './holders.js';
import type { McpCaller } from './mcp-caller.js';
import { EventSink } from './push.js';
import { pushFormat } from './push-format.js';
import { Watch } from './watch.js';
import { webRequest, writeWebResponse } from './web.js';

export interface SessionDeps {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
  readonly clock: Clock;
  /** Creates the protocol's server for a session. */
  readonly createServer: (session: Session) => Server;
  readonly onClosed: (session: Session) => void;
  readonly onError: (error: Error) => void;
}

/** Time for a client to open its stream, or come back to it, before nothing is kept for it any more. */
const LISTEN_MS_MAX = 60_000;

/**
 * A client's session, in the revisions that have them: its server, its stream of server-sent events, and its
 * subscriptions, which end with it.
 */
export class Session {
  readonly #transport: WebStandardStreamableHTTPServerTransport;
  readonly #server: Server;
  readonly #sink: EventSink;
  readonly #push: PushConnection | undefined;
  readonly #events = new EventStore();
  /** Callers for whom the kept events were made. */
  #holders: Holders;
  /** Names of the tools that the client has enabled with the finder. */
  readonly enabled = new Set<string>();
  #watch: Watch | undefined;
  #openExchanges = 0;
  #usedAt: number;
  /** Since when no stream is open, epoch ms. */
  #withoutStreamSince: number;
  #closed = false;
  #cancelSilence: () => void = () => undefined;
  #cancelDeafness: () => void = () => undefined;

  private constructor(
    readonly id: string,
    /** Caller that opened it; hidden from all others. */
    readonly mcpCaller: McpCaller,
    private readonly deps: SessionDeps,
  ) {
    this.#holders = this.#newHolders();
    this.#usedAt = deps.clock.monotonic();
    this.#withoutStreamSince = deps.clock.now();
    this.#sink = new EventSink(
      (params) => this.#notify('notifications/svc/push', params),
      () => this.close(),
    );
    this.#push = this.#openPush();
    this.#transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: this.#events,
    });
    this.#server = deps.createServer(this);
    this.#server.onclose = () => this.close();
    this.#server.onerror = deps.onError;
    this.#cancelDeafness = this.#scheduleDeafness();
  }

  static async open(id: string, mcpCaller: McpCaller, deps: SessionDeps): Promise<Session> {
    const session = new Session(id, mcpCaller, deps);
    await session.#server.connect(session.#transport);
    return session;
  }

  /** True once the handshake was accepted. */
  get begun(): boolean {
    return this.#transport.sessionId !== undefined;
  }

  /** Start of the time without requests and streams, on the monotonic clock; undefined while there are any. */
  get idleSince(): number | undefined {
    return this.#openExchanges === 0 ? this.#usedAt : undefined;
  }

  /** Serves one exchange of the session. */
  async serve(exchange: Exchange, body: JsonValue | undefined, mcpCaller: McpCaller): Promise<void> {
    const { request, response } = exchange;
    this.#forgetOutdated(mcpCaller);
    this.#openExchanges += 1;
    this.#cancelSilence();
    response.once('close', () => {
      this.#openExchanges -= 1;
      this.#usedAt = this.deps.clock.monotonic();
      // Events stay for a client that lost its connection, and comes back for them at once.
      if (this.#openExchanges === 0 && !this.#closed) {
        this.#cancelSilence = this.deps.clock.after(LISTEN_MS_MAX, () => this.#events.clear());
      }
    });
    const connectionOwner = this.#push?.ownOwner;
    const caller = connectionOwner === undefined ? mcpCaller.caller : { ...mcpCaller.caller, connectionOwner };
    const asked = webRequest(exchange);
    // Before a stream that is still open is closed for the new one.
    const since = this.#withoutStreamSince;
    const stream = request.method === 'GET' ? this.#comingBack(asked.headers) : undefined;
    const web = await this.#transport.handleRequest(asked, {
      authInfo: authInfoOf({ ...mcpCaller, caller, answeredAs: (identity) => this.#holders.add(identity) }),
      ...(body === undefined ? {} : { parsedBody: body }),
    });
    const written = writeWebResponse(web, response, mcpCaller.caller.requestId);
    if (web.ok && stream !== undefined) this.#streamOpened(response, stream === 'anew' ? since : undefined);
    for (const id of cancelledBy(body)) this.#endCancelled(id);
    await written;
  }

  #newHolders(): Holders {
    return new Holders((identity) => this.deps.gateway.isAsItWas(identity));
  }

  /** Drops everything made for a key that was changed or revoked, or has expired. */
  #forgetOutdated({ identity }: McpCaller): void {
    if (!this.#holders.areAsTheyWere) {
      this.#events.clear();
      this.#sink.forget();
      this.#watch?.sink.forget();
      this.#holders = this.#newHolders();
    }
    this.#holders.add(identity);
  }

  /**
   * How a GET opens the client's own stream; undefined where it resumes that of a single request. After an event that is not kept any
   * more the stream begins anew: a client that is refused gives up, and hears nothing any more.
   */
  #comingBack(headers: Headers): 'first' | 'resumed' | 'anew' | undefined {
    const lastEventId = headers.get('last-event-id');
    if (lastEventId === null) return 'first';
    if (!this.#events.isOwnEvent(lastEventId)) return undefined;
    // The client has lost the stream that is open, though its connection may look alive here.
    this.#transport.closeStandaloneSSEStream();
    if (this.#events.isKept(lastEventId)) return 'resumed';
    headers.delete('last-event-id');
    return 'anew';
  }

  #streamOpened(stream: ServerResponse, missedSince: number | undefined): void {
    this.#cancelDeafness();
    stream.once('close', () => {
      if (this.#closed || this.#sink.stream !== undefined) return;
      this.#withoutStreamSince = this.deps.clock.now();
      this.#cancelDeafness = this.#scheduleDeafness();
    });
    for (const sink of [this.#sink, this.#watch?.sink]) sink?.opened(stream, missedSince);
  }

  #scheduleDeafness(): () => void {
    this.#cancelDeafness();
    return this.deps.clock.after(LISTEN_MS_MAX, () => {
      for (const sink of [this.#sink, this.#watch?.sink]) sink?.deafen(this.#withoutStreamSince);
    });
  }

  /**
   * A cancelled request is not answered, and the protocol library would keep its stream and its id for as long as the
   * session lasts. Its stream is closed here; the later answer goes nowhere and makes the library forget the id.
   */
  #endCancelled(id: string | number): void {
    this.#transport.closeSSEStream(id);
    const error = { code: ProtocolErrorCode.InternalError, message: 'cancelled' };
    // Fails if the request has been answered already, which is fine.
    this.#transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
  }

  /** Reports changes of a resource to the client from now on. */
  async watch(uri: string, mcpCaller: McpCaller): Promise<Rejection | undefined> {
    if (this.#watch === undefined) {
      const opened = Watch.open(this.deps, mcpCaller, {
        changed: (changedUri) => this.#notify('notifications/resources/updated', { uri: changedUri }),
        // The session goes on: the client was told to read the resource again, and may subscribe again.
        ended: () => undefined,
        closed: () => this.close(),
      });
      if (opened instanceof Rejection) return opened;
      this.#watch = opened;
      const stream = this.#sink.stream;
      if (stream !== undefined) opened.sink.opened(stream);
    }
    return this.#watch.add(uri, mcpCaller);
  }

  async unwatch(uri: string, mcpCaller: McpCaller): Promise<void> {
    await this.#watch?.remove(uri, mcpCaller);
  }

  /** Tells the client that the tools may have changed. */
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
    this.deps.onClosed(this);
    void this.#transport.close();
  }

  /** Opens the push of live events, for callers who may see them. */
  #openPush(): PushConnection | undefined {
    const { gateway } = this.deps;
    const opened = gateway.admissions.openPush(this.mcpCaller.caller);
    if (opened instanceof Rejection) return undefined;
    const { identity, permits } = opened;
    const connection = gateway.push.connect({
      iface: 'mcp',
      owner: identity.owner,
      permits,
      format: pushFormat,
      sink: this.#sink,
      keyId: identity.key?.id,
    });
    this.#sink.attach(connection);
    return connection;
  }

  #notify(method: string, params: Record<string, unknown> | undefined): void {
    // A notification without a request goes to the client's own stream, and into the event store.
    this.#transport.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }).catch(this.deps.onError);
  }
}

/** Ids of the requests that a message or a batch cancels. */
function cancelledBy(body: JsonValue | undefined): (string | number)[] {
  return [body].flat().flatMap((message) => {
    if (!isJsonObject(message) || message.method !== 'notifications/cancelled' || !isJsonObject(message.params)) return [];
    const { requestId } = message.params;
    return typeof requestId === 'string' || typeof requestId === 'number' ? [requestId] : [];
  });
}
