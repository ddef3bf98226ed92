import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getOrInsert } from '@svc-gateway/contract/memo';
import { nearestName } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations as declared } from '@svc-gateway/contract/operations';
import { PREVIEW_PATH } from '@svc-gateway/contract/preview-path';
import { Rejection } from '@svc-gateway/contract/rejection';
import { operationMeant } from '@svc-gateway/contract/trade-words';
import type { Gateway } from '@svc-gateway/gateway';
import { Arriving, noRoom } from '../common/arriving.js';
import type { Exchange, Mount } from '../common/exchange.js';
import { pathOf } from '../common/http.js';
import { HttpListener } from '../common/http-listener.js';
import type { TlsListener } from '../common/listen.js';
import type { PageOrigins } from '../common/page-origins.js';
import { inOriginForm } from '../common/plain-request.js';
import type { TlsPair } from '../common/tls.js';
import { consoleRoutes } from './console.js';
import { Cors } from './cors.js';
import { docsRoute, openApiRoute } from './docs.js';
import { previewRoute } from './preview.js';
import { probeRoutes } from './probes.js';
import { type BodyOutcome, readBody } from './read-body.js';
import { Responder, type RouteHandler } from './responder.js';

export interface RestOptions {
  readonly gateway: Gateway;
  /** Operations to serve; every declared one by default. */
  readonly operations?: readonly Operation[];
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: TlsPair;
  /** Browser pages that may call. */
  readonly origins: PageOrigins;
  readonly metricsPublic: boolean;
  readonly version: string;
  /** The reverse proxy's address, for the servers of the OpenAPI document. */
  readonly publicUrl?: string;
  /** Folder of the built console, which is not served without it. */
  readonly consoleFolder?: URL;
  /** Other interfaces on this listener. */
  readonly mounts?: readonly Mount[];
  /** A WebSocket on this listener. */
  readonly webSocket?: {
    readonly path: string;
    /** Takes a handshake; every refusal is answered on the socket. */
    readonly handshake: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  };
  /** Told of connections that could not be accepted. */
  readonly onTrouble?: (error: Error) => void;
}

export interface RestServer extends TlsListener {
  /** Underneath: for figures. */
  readonly server: Server;
}

/** Largest request body: 1 MiB. No operation's body comes near it. */
const BODY_BYTES_MAX = 1024 * 1024;
const CONNECTIONS_MAX = 20_000;

const tooLarge = new Rejection('request.too_large', `body too large: at most ${BODY_BYTES_MAX} bytes are accepted`);

/**
 * REST: one route per declared path. A route decodes the body, names the caller, hands over to the pipeline and
 * writes the answer; no rule lives here. Every path is a constant, so a route is one look-up in a map and `node:http`
 * is all that is needed underneath.
 */
export function createRestServer(options: RestOptions): RestServer {
  const { gateway, operations = declared, metricsPublic, version, publicUrl, consoleFolder, mounts = [], webSocket } = options;
  const described = { version, operations, ...(publicUrl === undefined ? {} : { publicUrl }) };
  const responder = new Responder(gateway);
  const routes = new Map<string, Map<string, RouteHandler>>();
  const add = (method: string, path: string, handler: RouteHandler) => {
    getOrInsert(routes, path, () => new Map()).set(method, handler);
    // node:http leaves the body of its answer away.
    if (method === 'GET') routes.get(path)?.set('HEAD', handler);
  };
  for (const operation of operations) for (const route of operation.rest) add(route.method, route.path, responder.route(operation, route));
  add('POST', PREVIEW_PATH, previewRoute(responder, operations));
  for (const [path, handler] of probeRoutes(gateway, responder, metricsPublic)) add('GET', path, handler);
  for (const { path, methods, serve } of mounts) {
    const handler: RouteHandler = (exchange, body) => {
      if (body instanceof Rejection) responder.reject(exchange, body);
      else serve(exchange, body, (rejection, caller) => responder.reject(exchange, rejection, caller));
    };
    // Not by `add`: what answers GET with a stream has no answer to HEAD.
    routes.set(path, new Map(methods.map((method) => [method, handler])));
  }
  if (webSocket !== undefined) {
    add('GET', webSocket.path, (exchange) => {
      exchange.response.setHeader('upgrade', 'websocket');
      exchange.response.setHeader('connection', 'upgrade');
      responder.reject(exchange, new Rejection('route.upgrade_required', 'this is the push stream: connect with a WebSocket client'));
    });
  }
  add('GET', '/openapi.json', openApiRoute(responder, described));
  add('GET', '/docs', docsRoute(responder, described));
  if (consoleFolder !== undefined) for (const [path, handler] of consoleRoutes(responder, consoleFolder)) add('GET', path, handler);

  const cors = new Cors(options.origins.allowed);
  const arriving = new Arriving();
  const onRequest: RequestListener = (request, response) => {
    const exchange = { request, response };
    try {
      if (request.url?.charCodeAt(0) !== SLASH) inOriginForm(request);
      const refused = options.origins.check(request.headers, gateway);
      if (refused === undefined && cors.answersPreflight(exchange, routes)) return;
      const found = refused ?? routeOf(routes, operations, exchange);
      if (found instanceof Rejection) responder.reject(exchange, found);
      else if (request.method === 'GET' || request.method === 'HEAD') found(exchange, undefined);
      else serveWithBody(responder, arriving, exchange, found);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  };
  const listener = new HttpListener({
    connectionsMax: CONNECTIONS_MAX,
    onRequest,
    onHandshake: (request, socket, head) => {
      inOriginForm(request);
      if (webSocket === undefined || pathOf(request.url) !== webSocket.path) return 'declined';
      webSocket.handshake(request, socket, head);
      return 'taken';
    },
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...(options.onTrouble === undefined ? {} : { onTrouble: options.onTrouble }),
  });
  return {
    server: listener.server,
    listen: (address) => listener.listen(address),
    setTls: (pair) => listener.setTls(pair),
    close() {
      responder.beginClosing();
      return listener.close();
    },
  };
}

const SLASH = 0x2f;
const MCP_PATH = '/mcp';
/** Where clients of MCP look for it by mistake: the endpoints of its older transport, a slash too many, no path at all. */
const mcpGuesses: ReadonlySet<string> = new Set(['/', '/sse', '/sse/', '/messages', '/messages/', `${MCP_PATH}/`]);

function routeOf(
  routes: ReadonlyMap<string, ReadonlyMap<string, RouteHandler>>,
  operations: readonly Operation[],
  { request, response }: Exchange,
): RouteHandler | Rejection {
  const path = pathOf(request.url);
  const methods = routes.get(path);
  if (methods === undefined && request.method === 'POST' && mcpGuesses.has(path) && routes.has(MCP_PATH))
    return new Rejection('route.not_found', `not found: MCP is served at POST ${MCP_PATH}`);
  if (methods === undefined) return notFound(routes, operations, path);
  const handler = methods.get(request.method ?? '');
  if (handler !== undefined) return handler;
  // HEAD goes with GET.
  const allowed = [...methods.keys()].filter((method) => method !== 'HEAD');
  response.setHeader('allow', allowed.join(', '));
  return new Rejection('route.method_not_allowed', `${request.method} is not accepted here, use ${allowed.join(' or ')}`);
}

/** Shorter names are near to too many. */
const SUGGESTED_CHARACTERS_MIN = 4;

/** An unknown path, with the route of the operation that its last word means, or of the nearest name in its folder. */
function notFound(routes: ReadonlyMap<string, unknown>, operations: readonly Operation[], path: string): Rejection {
  const [, folder = '', name = ''] = /^(.*\/)([^/]+)\/?$/.exec(path) ?? [];
  const paths = new Map(operations.flatMap(({ name: operation, rest: [route] }) => (route === undefined ? [] : [[operation, route.path]])));
  const word = operationMeant(name, [...paths.keys()]);
  const meant = word && paths.get(word);
  if (meant !== undefined) return new Rejection('route.not_found', `not found; did you mean ${meant}?`);
  const siblings = [...routes.keys()].flatMap((route) => (route.startsWith(folder) ? [route.slice(folder.length)] : []));
  const near = name.length < SUGGESTED_CHARACTERS_MIN ? undefined : nearestName(name, siblings);
  return new Rejection('route.not_found', near === undefined ? 'not found' : `not found; did you mean ${folder}${near}?`);
}

function bodyIn(outcome: Exclude<BodyOutcome, { kind: 'aborted' }>): Buffer | Rejection {
  if (outcome.kind === 'read') return outcome.bytes;
  return outcome.kind === 'no_room' ? noRoom : tooLarge;
}

function serveWithBody(responder: Responder, arriving: Arriving, exchange: Exchange, handler: RouteHandler): void {
  readBody(exchange.request, BODY_BYTES_MAX, arriving, (outcome) => {
    if (outcome.kind === 'aborted') return;
    // The rest of an oversized body is not worth reading.
    if (outcome.kind === 'too_large') exchange.response.setHeader('connection', 'close');
    try {
      handler(exchange, bodyIn(outcome));
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  });
}
