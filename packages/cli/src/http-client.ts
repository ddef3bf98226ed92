import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { err, ok, type Result } from '@svc-gateway/access';
import { packageVersion } from '@svc-gateway/control/version';
import { exitStatus } from './exit-status.js';
import { addressOf, type Target } from './target.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  readonly idempotencyKey?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** Body as it was received. */
  readonly body: string;
  /** `Retry-After` in seconds, if the answer has it. */
  readonly retryAfterSeconds: number | undefined;
}

/** Reason why there is no answer, and advice. */
export interface NoAnswer {
  /** `unreachable`: the request was not sent. `unanswered`: it may have been carried out. */
  readonly status: typeof exitStatus.unreachable | typeof exitStatus.unanswered;
  readonly message: string;
}

/** Default timeout of an answer. */
export const TIMEOUT_MS = 30_000;
/** Time to establish a connection, its TLS handshake included. */
export const CONNECT_MS_MAX = 10_000;

/** Sends one request on a connection of its own. Never repeats it. */
export function send(target: Target, request: HttpRequest, timeoutMs = TIMEOUT_MS): Promise<Result<HttpAnswer, NoAnswer>> {
  return new Promise((resolve) => {
    const outgoing = open(target, request, timeoutMs);
    // The request's own time limit begins when the connection stands.
    const isConnected = watchConnection(outgoing, Math.min(CONNECT_MS_MAX, timeoutMs));
    const fail = (error: Error) => {
      const connected = isConnected();
      const status = connected ? exitStatus.unanswered : exitStatus.unreachable;
      resolve(err({ status, message: explain(error as NodeJS.ErrnoException, target.url, connected) }));
    };
    outgoing.on('timeout', () => outgoing.destroy(silence('no answer', timeoutMs)));
    outgoing.on('error', fail);
    outgoing.on('response', (response) => {
      const seconds = Number(response.headers['retry-after']);
      text(response).then(
        (body) => resolve(ok({ status: response.statusCode ?? 0, body, retryAfterSeconds: seconds >= 0 ? seconds : undefined })),
        fail,
      );
    });
    outgoing.end(request.body);
  });
}

/**
 * Tells, when it is asked, whether the request got a working connection and so may have been carried out. Gives up a
 * connection that takes longer than `msMax` to be established.
 */
export function watchConnection(request: ClientRequest, msMax: number): () => boolean {
  let connected = false;
  const deadline = setTimeout(() => request.destroy(silence('no connection', msMax)), msMax);
  const stop = () => clearTimeout(deadline);
  request.once('close', stop);
  request.once('socket', (socket) => {
    if (request.reusedSocket) stop();
    else
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connected = true;
        stop();
      });
  });
  return () => connected || request.reusedSocket;
}

/** The reason why a silent peer was given up. `what` is "no connection" or "no answer". */
export function silence(what: string, ms: number): Error {
  return new Error(`${what} within ${ms / 1000} s; if svcd is running, something else may listen there: check --rest-url`);
}

function open({ url, apiKey, ca }: Target, { method, path, body, idempotencyKey }: HttpRequest, timeout: number): ClientRequest {
  const headers = {
    accept: 'application/json',
    'user-agent': `svcctl/${packageVersion}`,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const options = { method, headers, timeout, agent: false as const };
  const address = addressOf(url, path);
  return url.protocol === 'https:'
    ? httpsRequest(address, { ...options, ...(ca === undefined ? {} : { ca }) })
    : httpRequest(address, options);
}

const START_HINT = 'is svcd running? Start it with "npm start" or "svcd", or give its address with --rest-url';

/** Explains a connection error, with advice. */
export function explain(error: NodeJS.ErrnoException, url: URL, connected = false): string {
  const at = url.origin;
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${at}: ${START_HINT}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot resolve the host of ${at}: check --rest-url`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${at} is not trusted: give it with --ca-file (svcd --demo keeps its own in tls/localhost.crt of the configuration folder)`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${at} is for other hosts: use a name that it holds (${error.message})`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${at} has expired: renew it and reload (svcctl reload)`;
    case 'EPROTO':
      return `${at} does not speak TLS: in legacy mode (no keys file) the address is http://${url.host}`;
    case 'ECONNRESET':
    case 'HPE_INVALID_CONSTANT':
      if (url.protocol === 'http:') return `${at} closed the connection: with a keys file svcd speaks TLS only, at https://${url.host}`;
  }
  return connected ? `no answer from ${at}: ${error.message}` : `cannot connect to ${at}: ${error.message}`;
}
