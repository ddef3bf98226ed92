import { createMcpHandler, InMemoryServerEventBus, type McpHttpHandler, type Server } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Gateway } from '@svc-gateway/gateway';
import type { HttpCallers } from '../common/callers.js';
import type { Exchange } from '../common/exchange.js';
import { authInfoOf } from './auth-info.js';
import type { McpCaller } from './mcp-caller.js';
import { protocolError } from './resources.js';
import { Watch, type Watcher } from './watch.js';
import { jsonRpcRefusal, webRequest, writeWebResponse } from './web.js';

export interface StatelessOptions {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
  readonly createServer: () => Server;
  readonly onError: (error: Error) => void;
}

const LISTEN = 'subscriptions/listen';

/**
 * The protocol's revision of 2026-07-28, which has no sessions: each request is served by itself, and a client names what
 * it listens to when it opens its stream.
 */
export class Stateless {
  readonly #handler: McpHttpHandler;
  /** Handlers of open streams: each has its own events, which no other client gets. */
  readonly #listening = new Set<{ readonly handler: McpHttpHandler; readonly mcpCaller: McpCaller }>();
  readonly #stopListening: () => void;

  constructor(private readonly options: StatelessOptions) {
    this.#handler = this.#createHandler();
    const { gateway } = options;
    this.#stopListening = gateway.keys.follow(
      () => this.#keysChanged(),
      () => this.#endUnfit(),
    );
  }

  async serve(exchange: Exchange, body: JsonValue, mcpCaller: McpCaller): Promise<void> {
    if (isJsonObject(body) && body.method === LISTEN) return this.#listen(exchange, body, mcpCaller);
    const web = await this.#handler.fetch(webRequest(exchange), { authInfo: authInfoOf(mcpCaller), parsedBody: body });
    await writeWebResponse(web, exchange.response, mcpCaller.caller.requestId);
  }

  async close(): Promise<void> {
    this.#stopListening();
    await Promise.all([this.#handler, ...[...this.#listening].map(({ handler }) => handler)].map((handler) => handler.close()));
  }

  /** Opens a stream of events; the named resources are watched while it is open. */
  async #listen(exchange: Exchange, body: JsonObject, mcpCaller: McpCaller): Promise<void> {
    const bus = new InMemoryServerEventBus(this.options.onError);
    const handler = this.#createHandler(bus);
    const uris = watchedUris(body);
    const watch =
      uris.length === 0
        ? undefined
        : await this.#openWatch(uris, mcpCaller, {
            // Carries the event itself: without a session there is no other way for it.
            changed: (uri, push) => bus.publish({ kind: 'resource_updated', uri, params: { push } }),
            // Sent after everything published: the client learns that it must listen again.
            ended: () => void handler.close(),
            closed: () => exchange.response.destroy(),
          });
    if (watch instanceof Rejection) {
      const { code, message } = protocolError(watch);
      const id = typeof body.id === 'string' || typeof body.id === 'number' ? body.id : null;
      return writeWebResponse(jsonRpcRefusal(watch.kind.http, code, message, id), exchange.response, mcpCaller.caller.requestId);
    }
    if (exchange.response.destroyed) {
      watch?.close();
      return;
    }
    const entry = { handler, mcpCaller };
    this.#listening.add(entry);
    const gone = new AbortController();
    exchange.response.once('close', () => {
      gone.abort();
      watch?.close();
      this.#listening.delete(entry);
      void handler.close();
    });
    const web = await handler.fetch(webRequest(exchange, gone.signal), { authInfo: authInfoOf(mcpCaller), parsedBody: body });
    if (web.ok) watch?.sink.opened(exchange.response);
    await writeWebResponse(web, exchange.response, mcpCaller.caller.requestId);
  }

  async #openWatch(uris: readonly string[], mcpCaller: McpCaller, watcher: Watcher): Promise<Watch | Rejection> {
    const watch = Watch.open(this.options, mcpCaller, watcher);
    if (watch instanceof Rejection) return watch;
    for (const uri of uris) {
      const refused = await watch.add(uri, mcpCaller);
      if (refused === undefined) continue;
      watch.close();
      return refused;
    }
    return watch;
  }

  #createHandler(bus?: InMemoryServerEventBus): McpHttpHandler {
    const { createServer, onError } = this.options;
    return createMcpHandler(createServer, { legacy: 'reject', onerror: onError, ...(bus === undefined ? {} : { bus }) });
  }

  #keysChanged(): void {
    this.#endUnfit();
    for (const { handler } of this.#listening) handler.notify.toolsChanged();
  }

  /** Ends streams with invalid keys. */
  #endUnfit(): void {
    for (const entry of [...this.#listening]) {
      if (!(this.options.gateway.identify(entry.mcpCaller.caller) instanceof Rejection)) continue;
      this.#listening.delete(entry);
      void entry.handler.close();
    }
  }
}

/** Addresses in a listening request; the protocol library checks its form. */
function watchedUris({ params }: JsonObject): string[] {
  const notifications = isJsonObject(params) ? params.notifications : undefined;
  const uris = isJsonObject(notifications) ? notifications.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}
