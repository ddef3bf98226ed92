import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '@svc-gateway/contract/clock';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { JsonValue } from '@svc-gateway/contract/json/value';
import { withDeadline } from '@svc-gateway/protocol-client';
import { Malformed } from './json-fields.js';
import { type CodeAnswer, type LoginAnswer, readCodeAnswer, readLoginAnswer } from './login-answer.js';
import { CLIENT_VERSION, CLIENT_VERSION_HEADER } from './login-request.js';

/** The service did not answer, or not as a login service does: another try may help. */
export class ServiceFailure extends Error {
  constructor(
    message: string,
    /** How long the service wants to be left alone. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Body of a request for a device code. */
export interface CodeRequest {
  readonly account: string;
  readonly device_id: string;
  readonly device_verify_sig: string;
}

const ANSWER_MS_MAX = 15_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const RETRY_AFTER_SECONDS_MAX = 3_600;

/** The login service: two requests over HTTP(S), each on a connection of its own, never repeated and never redirected. Nothing of them is logged. */
export class AuthService {
  readonly #login: URL;
  readonly #deviceCode: URL;
  readonly #clock: Clock;

  /** `url` is `--auth-url`: the paths come after its own. */
  constructor(url: string, clock: Clock) {
    const base = url.endsWith('/') ? url : `${url}/`;
    this.#login = new URL('authority/', base);
    this.#deviceCode = new URL('authority/device-code', base);
    this.#clock = clock;
  }

  /** Logs in by the fifteen fields. Rejects with {@link ServiceFailure} where there is no answer. */
  async login(body: Readonly<Record<string, string | number>>, signal: AbortSignal): Promise<LoginAnswer> {
    return read(this.#login, await this.#post(this.#login, body, signal), readLoginAnswer);
  }

  /** Has a code sent to the account's phone. Rejects with {@link ServiceFailure} where there is no answer. */
  async requestDeviceCode(body: CodeRequest, signal: AbortSignal): Promise<CodeAnswer> {
    return read(this.#deviceCode, await this.#post(this.#deviceCode, body, signal), readCodeAnswer);
  }

  async #post(url: URL, body: object, signal: AbortSignal): Promise<JsonValue> {
    const text = JSON.stringify(body);
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      [CLIENT_VERSION_HEADER]: String(CLIENT_VERSION),
    };
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = request(url, { method: 'POST', headers, agent: false });
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', resolve);
      // Node says nothing else of a connection that is to go on in another protocol.
      outgoing.on('upgrade', (answer, socket) => {
        socket.destroy();
        reject(noLoginService(answer, url));
      });
    });
    outgoing.end(text);
    const answer = response.then((incoming) => gather(incoming, url));
    const deadline = this.#clock.monotonic() + ANSWER_MS_MAX;
    try {
      return await withDeadline(this.#clock, answer, { deadline, signal }, (departure) => {
        return new ServiceFailure(departure === 'late' ? `no answer from ${url.origin} within ${ANSWER_MS_MAX / 1000} s` : 'given up');
      });
    } catch (thrown) {
      throw thrown instanceof ServiceFailure ? thrown : new ServiceFailure(explain(thrown as Error, url));
    } finally {
      outgoing.destroy();
    }
  }
}

async function gather(response: IncomingMessage, url: URL): Promise<JsonValue> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > ANSWER_BYTES_MAX)
      throw new ServiceFailure(`${url.origin} answered more than ${ANSWER_BYTES_MAX} bytes: it is no login service`);
    parts.push(part);
  }
  const status = response.statusCode ?? 0;
  const parsed = parseJson(Buffer.concat(parts).toString());
  // A refusal may come with a status of its own; what has no ret_type is told from it by its reader.
  if (parsed.ok && (status === 200 || hasRetType(parsed.value))) return parsed.value;
  throw noLoginService(response, url);
}

function noLoginService(response: IncomingMessage, { origin, pathname }: URL): ServiceFailure {
  const why = response.statusCode === 200 ? 'what is not JSON' : `HTTP ${response.statusCode}`;
  return new ServiceFailure(`${origin}${pathname} answered ${why}; check --auth-url`, retryAfterMs(response));
}

function hasRetType(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && 'ret_type' in value;
}

function retryAfterMs({ headers }: IncomingMessage): number | undefined {
  const seconds = Number(headers['retry-after']);
  return seconds >= 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) * 1000 : undefined;
}

function read<T>(url: URL, body: JsonValue, reader: (body: JsonValue) => T): T {
  try {
    return reader(body);
  } catch (thrown) {
    if (!(thrown instanceof Malformed)) throw thrown;
    throw new ServiceFailure(`${url.origin}${url.pathname} did not answer as a login service does: ${thrown.message}`);
  }
}

function explain(error: NodeJS.ErrnoException, { origin }: URL): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing listens at ${origin}: check --auth-url`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot resolve the host of ${origin}: check --auth-url`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `the certificate of ${origin} is not trusted: name the authority's certificate in NODE_EXTRA_CA_CERTS`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the certificate of ${origin} is for other hosts (${error.message})`;
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${origin} has expired`;
    case 'EPROTO':
      return `${origin} does not speak TLS: check --auth-url`;
  }
  return `cannot reach ${origin}: ${error.message}`;
}
