import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { err, ok, type Result } from '@svc-gateway/access';
import { packageVersion } from '@svc-gateway/control/version';
import { CONNECT_MS_MAX, explain, silence, watchConnection } from '../http-client.js';
import { addressOf, type Target } from '../target.js';
import { GatewayError, SERVER_ERROR } from './gateway-error.js';
import { toWebResponse } from './web-response.js';

/** One HTTP request to the gateway's `/mcp`. */
export interface Exchange {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly signal: AbortSignal;
}

export interface EndpointOptions {
  readonly findTarget: () => Result<Target, string>;
  /** `X-Svc-Toolsets` of every request. */
  readonly toolsets?: string | undefined;
  /** Prints a line for people. */
  readonly explain: (line: string) => void;
  readonly firstAnswerMsMax?: number;
}

/** Reason why there is no answer, and advice. */
interface Unreached {
  /** True if the request may have been carried out. */
  readonly sent: boolean;
  readonly message: string;
}

/** Time to the head of the first answer: a peer that stays silent is no gateway. */
const FIRST_ANSWER_MS_MAX = 10_000;
/** The server closes an idle connection after 75 s. Closing it here long before avoids using one that is being closed. */
const IDLE_MS_MAX = 15_000;
/** As many connections as there are pending messages: a cancellation waits for none of them. */
const keptAlive = { keepAlive: true, timeout: IDLE_MS_MAX };

/**
 * The gateway's MCP endpoint over HTTP. The target is looked up again after a failure to connect, so that a demo that
 * was started meanwhile is found on whatever port it has. A request is never sent twice.
 */
export class Endpoint {
  readonly #http = new HttpAgent(keptAlive);
  readonly #https = new HttpsAgent(keptAlive);
  #target: Target | undefined;
  /** Origin that has answered: from then on an answer may take its time. */
  #answering: string | undefined;
  #reached: boolean | undefined;

  constructor(private readonly options: EndpointOptions) {}

  /** Sends a request. Resolves with the head of its answer; rejects with a {@link GatewayError} if it is not one of success. */
  async send(exchange: Exchange): Promise<Response> {
    const answer = await this.#reach(exchange);
    if (answer.ok) return toWebResponse(exchange.method, answer.value);
    const problem = answer.error.sent ? 'gateway connection lost, the request may have been carried out' : 'gateway connect failed';
    throw new GatewayError({ code: SERVER_ERROR, message: `${problem}: ${answer.error.message}` });
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  async #reach(exchange: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    const before = this.#target;
    let answer = await this.#attempt(before === undefined ? this.options.findTarget() : ok(before), exchange);
    if (!answer.ok && !answer.error.sent) {
      this.#target = undefined;
      this.#answering = undefined;
      const found = this.options.findTarget();
      const moved = before !== undefined && found.ok && found.value.url.href !== before.url.href;
      if (moved && !exchange.signal.aborted) answer = await this.#attempt(found, exchange);
    }
    this.#note(exchange.signal, answer);
    return answer;
  }

  /** Reports once that the gateway is gone, and once that it is back. */
  #note({ aborted }: AbortSignal, answer: Result<IncomingMessage, Unreached>): void {
    const reached = answer.ok || answer.error.sent;
    if (!reached && aborted) return;
    if (!reached && this.#reached !== false) this.options.explain(`gateway connect failed: ${answer.error.message}`);
    if (reached && this.#reached === false) this.options.explain('connected to the gateway');
    this.#reached = reached;
  }

  async #attempt(found: Result<Target, string>, { method, headers, body, signal }: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    if (!found.ok) return err({ sent: false, message: found.error });
    const target = found.value;
    const { toolsets, firstAnswerMsMax: ms = FIRST_ANSWER_MS_MAX } = this.options;
    const { origin, protocol } = target.url;
    const address = addressOf(target.url, '/mcp');
    const options = {
      method,
      signal,
      headers: {
        'user-agent': `svcctl/${packageVersion}`,
        ...(target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` }),
        ...(toolsets === undefined ? {} : { 'x-svc-toolsets': toolsets }),
        ...headers,
      },
    };
    return new Promise((resolve) => {
      const request =
        protocol === 'https:'
          ? httpsRequest(address, { ...options, agent: this.#https, ...(target.ca === undefined ? {} : { ca: target.ca }) })
          : httpRequest(address, { ...options, agent: this.#http });
      const isConnected = watchConnection(request, CONNECT_MS_MAX);
      const deadline = origin === this.#answering ? undefined : setTimeout(() => request.destroy(silence('no answer', ms)), ms);
      request.once('close', () => clearTimeout(deadline));
      // An abort behind the last byte of an answer destroys the socket when the request does not listen to it any more.
      request.once('socket', (socket) => request.reusedSocket || socket.on('error', () => undefined));
      request.on('response', (response) => {
        clearTimeout(deadline);
        this.#target = target;
        this.#answering = origin;
        resolve(ok(response));
      });
      request.on('error', (error) => {
        const sent = isConnected();
        if (sent) this.#target = target;
        resolve(err({ sent, message: explain(error, target.url, sent) }));
      });
      request.end(body);
    });
  }
}
