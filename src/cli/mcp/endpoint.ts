import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { err, ok, type Result } from '../../access/index.js';
import { packageVersion } from '../../version.js';
import { explain, silence } from '../http-client.js';
import { addressOf, type Target } from '../target.js';

/** One HTTP request to the gateway's `/mcp`. */
export interface Exchange {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal: AbortSignal;
}

/** Why there is no answer, and what to do about it. */
export interface Unreached {
  /** The request may have been carried out. */
  readonly sent: boolean;
  readonly message: string;
}

const CONNECT_MS_MAX = 10_000;
/** For the head of the first answer: whoever says nothing at all is no gateway. */
const FIRST_ANSWER_MS_MAX = 10_000;
/** The server closes an idle connection after 75 s. Closed here long before, none is ever used while it closes. */
const IDLE_MS_MAX = 15_000;
const REQUEST_SOCKETS_MAX = 256;
const CONTROL_SOCKETS_MAX = 16;

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };

/**
 * The gateway's MCP endpoint over HTTP. Who the gateway is, is asked anew after a failure to connect: a demo that was
 * started meanwhile, on whatever port, is found.
 */
export class Endpoint {
  readonly #findTarget: () => Result<Target, string>;
  readonly #toolsets: string | undefined;
  /** What takes long has connections of its own, so that a cancellation or a person's answer never waits behind it. */
  readonly #requests = agents(REQUEST_SOCKETS_MAX);
  readonly #control = agents(CONTROL_SOCKETS_MAX);
  readonly #established: Established = new WeakSet();
  readonly #firstAnswerMsMax: number;
  #target: Target | undefined;
  /** Origin that has answered: from then on an answer may take its time. */
  #answering: string | undefined;

  /** `toolsets` goes along with every request as `X-Svc-Toolsets`. */
  constructor(findTarget: () => Result<Target, string>, toolsets: string | undefined, firstAnswerMsMax = FIRST_ANSWER_MS_MAX) {
    this.#findTarget = findTarget;
    this.#toolsets = toolsets;
    this.#firstAnswerMsMax = firstAnswerMsMax;
  }

  /** Sends a request that may be under way for long. Resolves when the head of its answer is there. */
  send(exchange: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    return this.#sendOn(this.#requests, exchange);
  }

  /** Sends what is answered at once. */
  sendControl(exchange: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    return this.#sendOn(this.#control, exchange);
  }

  close(): void {
    for (const { http, https } of [this.#requests, this.#control]) {
      http.destroy();
      https.destroy();
    }
  }

  async #sendOn(lane: Agents, exchange: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    const before = this.#target;
    const target = before === undefined ? this.#findTarget() : ok(before);
    if (!target.ok) return err({ sent: false, message: target.error });
    const answer = await this.#attempt(target.value, lane, exchange);
    if (answer.ok || answer.error.sent) {
      this.#target = target.value;
      return answer;
    }
    this.#target = undefined;
    this.#answering = undefined;
    const found = this.#findTarget();
    const moved = before !== undefined && found.ok && found.value.url.href !== before.url.href;
    return moved && !exchange.signal.aborted ? this.#attempt(found.value, lane, exchange) : answer;
  }

  #attempt(target: Target, lane: Agents, { method, headers, body, signal }: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    return new Promise((resolve) => {
      const options = {
        method,
        signal,
        headers: {
          'user-agent': `svcctl/${packageVersion}`,
          ...(target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` }),
          ...(this.#toolsets === undefined ? {} : { 'x-svc-toolsets': this.#toolsets }),
          ...headers,
        },
      };
      const address = addressOf(target.url, '/mcp');
      const secure = target.url.protocol === 'https:';
      const request = secure
        ? httpsRequest(address, { ...options, agent: lane.https, ...(target.ca === undefined ? {} : { ca: target.ca }) })
        : httpRequest(address, { ...options, agent: lane.http });
      const connection = watchConnection(request, secure, this.#established);
      const { origin } = target.url;
      const ms = this.#firstAnswerMsMax;
      const deadline = origin === this.#answering ? undefined : setTimeout(() => request.destroy(silence('no answer', ms)), ms);
      request.once('close', () => clearTimeout(deadline));
      request.on('response', (response) => {
        clearTimeout(deadline);
        this.#answering = origin;
        resolve(ok(response));
      });
      request.on('error', (error) => {
        const sent = connection.established;
        resolve(err({ sent, message: explain(error, target.url, sent) }));
      });
      request.end(body);
    });
  }
}

function agents(maxSockets: number): Agents {
  const options = { keepAlive: true, timeout: IDLE_MS_MAX, maxSockets };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** Sockets that have proved to be connected. */
type Established = WeakSet<Socket>;

/** Whether the request got a connection that works; one that takes too long to come about is given up. */
function watchConnection(request: ClientRequest, secure: boolean, established: Established): { readonly established: boolean } {
  let socket: Socket | undefined;
  request.on('socket', (given) => {
    socket = given;
    // Node's own `reusedSocket` leaves out a socket that goes from one request straight to the next in line.
    if (established.has(given)) return;
    const deadline = setTimeout(() => request.destroy(silence('no connection', CONNECT_MS_MAX)), CONNECT_MS_MAX);
    request.once('close', () => clearTimeout(deadline));
    given.once(secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(deadline);
      established.add(given);
    });
  });
  return {
    get established() {
      return socket !== undefined && established.has(socket);
    },
  };
}
