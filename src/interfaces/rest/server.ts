import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { openApi } from '../../contract/openapi.js';
import type { Operation } from '../../contract/operation.js';
import { operations as declared } from '../../contract/operations/index.js';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import { isAllowedOrigin, isTrustedHost, pathOf } from '../common/http.js';
import { mountProbes } from './probes.js';
import { type Exchange, Responder } from './responder.js';

export interface RestOptions {
  readonly gateway: Gateway;
  /** PEM texts; without them the listener speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Origins of browser pages that may call besides those of this machine: "https://desk.example". */
  readonly allowedOrigins: readonly string[];
  readonly metricsPublic: boolean;
  readonly version: string;
  /** What is served; every declared operation by default. */
  readonly operations?: readonly Operation[];
}

/** Largest request body: 1 MiB. No operation's body comes near it. */
const BODY_BYTES_MAX = 1024 * 1024;
const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;
const KEEP_ALIVE_MS = 75_000;
const CONNECTIONS_MAX = 20_000;

/**
 * REST: one route per declared path. A route decodes the body, names the caller, hands over to the pipeline and
 * writes the answer; no rule lives here. The framework finds the route and reads the body; answers are written to
 * `node:http` itself, which halves what the framework costs a request.
 */
export async function createRestServer(options: RestOptions): Promise<FastifyInstance> {
  const { gateway, operations = declared } = options;
  const methods = methodsByPath(operations);
  const responder = new Responder(gateway);
  const app = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    // Requests under way are answered; new ones on a closing server are refused by the closed listener.
    return503OnClosing: false,
    serverFactory: (handler) =>
      createServer((request, response) => {
        // Also where it is empty or no media type at all, which the framework would refuse.
        if (request.headers['content-type'] !== undefined) request.headers['content-type'] = 'application/json';
        const refused = checkOrigin(request, options);
        if (refused === undefined) handler(request, response);
        else responder.reject({ request, response }, refused);
      }, options),
    clientErrorHandler: (error, socket) => {
      const status =
        (error as { code?: string }).code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      else socket.destroy();
    },
  });
  app.addHook('preClose', (done) => {
    responder.beginClosing();
    // Idle connections are ended next. One whose last answer is not known to be written yet counts as idle even with a new
    // request under way; by the time that immediates run, every answer that such a request followed is known to be.
    setImmediate(done);
  });
  app.removeAllContentTypeParsers();
  // Whatever the content type says: curl -d calls JSON a form.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.setErrorHandler((error: { code?: string; statusCode?: number; message: string }, request, reply) => {
    const rejection = rejectionOf(error);
    if (rejection === undefined) responder.fail(takeOver(request, reply), error);
    else responder.reject(takeOver(request, reply), rejection);
  });
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.get(pathOf(request.url));
    if (allowed !== undefined) void reply.header('allow', allowed.join(', '));
    const rejection =
      allowed === undefined
        ? new Rejection('route.not_found', 'not found')
        : new Rejection('route.method_not_allowed', `${request.method} is not accepted here, use ${allowed.join(' or ')}`);
    responder.reject(takeOver(request, reply), rejection);
  });

  for (const operation of operations) {
    for (const route of operation.rest) {
      const serve = responder.route(operation, route);
      app.route({
        method: route.method,
        url: route.path,
        handler: (request, reply) => {
          reply.hijack();
          serve({ request: request.raw, response: reply.raw }, request.body as Buffer | undefined);
        },
      });
    }
  }
  const document = openApi({ version: options.version, operations });
  app.get('/openapi.json', (_request, reply) => reply.header('content-type', 'application/json').send(document));
  mountProbes(app, gateway, { metricsPublic: options.metricsPublic, responder });
  return app;
}

/** Takes a reply out of the framework's hands, with the headers that it has got there. */
function takeOver(request: FastifyRequest, reply: FastifyReply): Exchange {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  return { request: request.raw, response: reply.raw };
}

function methodsByPath(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of operations.flatMap(({ rest }) => rest)) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

function createServer(listener: RequestListener, { tls }: RestOptions): Server {
  const settings = { requestTimeout: REQUEST_MS_MAX, headersTimeout: HEADERS_MS_MAX, keepAliveTimeout: KEEP_ALIVE_MS };
  const server =
    tls === undefined ? createHttpServer(settings, listener) : createHttpsServer({ ...settings, ...tls, minVersion: 'TLSv1.2' }, listener);
  server.maxConnections = CONNECTIONS_MAX;
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

/** What the caller did wrong, or undefined where it was nothing. */
function rejectionOf(error: { code?: string; statusCode?: number; message: string }): Rejection | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Rejection('request.too_large', `body too large: accepted are at most ${BODY_BYTES_MAX} bytes`);
  if (error.statusCode !== undefined && error.statusCode < 500) return new Rejection('request.invalid', error.message);
  return undefined;
}
