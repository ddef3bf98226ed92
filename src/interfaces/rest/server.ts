import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { openApi } from '../../contract/openapi.js';
import type { Operation } from '../../contract/operation.js';
import { operations as declared } from '../../contract/operations/index.js';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import type { Exchange, Mount } from '../common/exchange.js';
import { isAllowedOrigin, isTrustedHost, pathOf } from '../common/http.js';
import { probeRoutes } from './probes.js';
import { readBody } from './read-body.js';
import { Responder, type RouteHandler } from './responder.js';

export interface RestOptions {
  readonly gateway: Gateway;
  /** What is served; every declared operation by default. */
  readonly operations?: readonly Operation[];
  /** PEM texts; without them the listener speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Origins of browser pages that may call besides those of this machine: "https://desk.example". */
  readonly allowedOrigins: readonly string[];
  readonly metricsPublic: boolean;
  readonly version: string;
  /** Other interfaces on this listener. */
  readonly mounts?: readonly Mount[];
}

export interface RestServer {
  /** For upgrades to other protocols. */
  readonly server: Server;
  /** Resolves to the port; rejects with the system's error when the address cannot be had. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Takes no more connections, answers the requests under way, and resolves when the last connection has ended. */
  close(): Promise<void>;
}

/** Largest request body: 1 MiB. No operation's body comes near it. */
const BODY_BYTES_MAX = 1024 * 1024;
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
const KEEP_ALIVE_MS = 75_000;
const CONNECTIONS_MAX = 20_000;
/** How long requests under way may take once the server closes; below the daemon's own limit of ten seconds. */
const CLOSE_MS_MAX = 5000;

/**
 * REST: one route per declared path. A route decodes the body, names the caller, hands over to the pipeline and
 * writes the answer; no rule lives here. Every path is a constant, so a route is one look-up in a map and `node:http`
 * is all that is needed underneath.
 */
export function createRestServer(options: RestOptions): RestServer {
  const { gateway, operations = declared, metricsPublic, version, mounts = [] } = options;
  const responder = new Responder(gateway);
  const routes = new Map<string, Map<string, RouteHandler>>();
  const add = (method: string, path: string, handler: RouteHandler) => {
    const methods = routes.get(path);
    if (methods === undefined) routes.set(path, new Map([[method, handler]]));
    else methods.set(method, handler);
  };
  for (const operation of operations) for (const route of operation.rest) add(route.method, route.path, responder.route(operation, route));
  for (const [path, handler] of probeRoutes(gateway, responder, metricsPublic)) add('GET', path, handler);
  for (const { path, methods, serve } of mounts) {
    const handler: RouteHandler = (exchange, body) =>
      serve(exchange, body, (rejection, caller) => responder.reject(exchange, rejection, caller));
    for (const method of methods) add(method, path, handler);
  }
  // Put together when it is first asked for.
  let document: string | undefined;
  add('GET', '/openapi.json', (exchange) => {
    document ??= openApi({ version, operations });
    responder.text(exchange, 200, 'application/json', document);
  });

  const server = createServer((request, response) => {
    const exchange = { request, response };
    try {
      const found = checkOrigin(request, options) ?? routeOf(routes, exchange);
      if (found instanceof Rejection) responder.reject(exchange, found);
      else if (request.method === 'GET') found(exchange, undefined);
      else serveWithBody(responder, exchange, found);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  }, options);
  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    async close() {
      responder.beginClosing();
      // A connection whose last answer is not known to be written yet counts as idle even with a new request under way; by
      // the time that immediates run, every answer that such a request followed is known to be.
      await new Promise((resolve) => setImmediate(resolve));
      // A client that never finishes its request must not hold the daemon up.
      const giveUp = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      clearTimeout(giveUp);
    },
  };
}

function routeOf(
  routes: ReadonlyMap<string, ReadonlyMap<string, RouteHandler>>,
  { request, response }: Exchange,
): RouteHandler | Rejection {
  const methods = routes.get(pathOf(request.url));
  if (methods === undefined) return new Rejection('route.not_found', 'not found');
  const handler = methods.get(request.method ?? '');
  if (handler !== undefined) return handler;
  const allowed = [...methods.keys()];
  response.setHeader('allow', allowed.join(', '));
  return new Rejection('route.method_not_allowed', `${request.method} is not accepted here, use ${allowed.join(' or ')}`);
}

function serveWithBody(responder: Responder, exchange: Exchange, handler: RouteHandler): void {
  readBody(exchange.request, BODY_BYTES_MAX, (outcome) => {
    if (outcome.kind === 'aborted') return;
    if (outcome.kind === 'too_large') {
      responder.reject(exchange, new Rejection('request.too_large', `body too large: accepted are at most ${BODY_BYTES_MAX} bytes`));
      return;
    }
    try {
      handler(exchange, outcome.bytes);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  });
}

function createServer(listener: RequestListener, { tls }: RestOptions): Server {
  const settings = { requestTimeout: REQUEST_MS_MAX, headersTimeout: HEADERS_MS_MAX, keepAliveTimeout: KEEP_ALIVE_MS };
  const server =
    tls === undefined ? createHttpServer(settings, listener) : createHttpsServer({ ...settings, ...tls, minVersion: 'TLSv1.2' }, listener);
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
    else socket.destroy();
  });
  return server as Server;
}

function checkOrigin(request: IncomingMessage, { gateway, allowedOrigins }: RestOptions): Rejection | undefined {
  const { origin, host } = request.headers;
  if (!isAllowedOrigin(origin, host, allowedOrigins)) {
    return new Rejection('auth.origin', `origin ${origin} may not call this daemon; list it in --allowed-origins`);
  }
  // With keys, a page would need one; without, the name it was loaded by is all there is to tell it by.
  if (!gateway.scopeMode && !isTrustedHost(host)) {
    return new Rejection(
      'auth.origin',
      `host ${host} is not this machine; without a keys file only its addresses and localhost are answered`,
    );
  }
  return undefined;
}
