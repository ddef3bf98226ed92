import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '../../access/index.js';
import type { ClientMessage } from './client-message.js';
import type { Endpoint, Exchange, Unreached } from './endpoint.js';
import { discard, readAnswer, streamStart } from './gateway-answer.js';
import { headersFor, postHeaders, sessionHeaders } from './headers.js';
import type { ServerMessage } from './server-message.js';
import { type Session, sessionOf } from './session.js';
import { holdStandingStream } from './standing-stream.js';

export interface LinkOptions {
  readonly endpoint: Endpoint;
  /** Takes what the gateway sends by itself. */
  readonly deliver: (text: string) => Promise<void>;
  /** Tells a person. */
  readonly explain: (line: string) => void;
  readonly random: () => number;
}

/** How long the gateway may take to accept a one-way message. */
const CONTROL_MS_MAX = 10_000;
const HANDSHAKE_MS_MAX = 30_000;
const GOODBYE_MS_MAX = 1_500;
const HTTP_NOT_FOUND = 404;
const replaced: Unreached = { sent: false, message: 'the session has ended' };
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const RENEWED =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"svcctl","data":"The gateway was restarted and a new session has begun. Earlier subscriptions are gone: subscribe again."}}';

/**
 * The way to the gateway and, in the revisions that have them, the session there: begun by the client's `initialize`,
 * listened to, begun again when a restarted gateway does not know it, and ended.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #ended = new AbortController();
  #session: Session | undefined;
  #listening = new AbortController();
  #renewal: Promise<Result<Session, Unreached>> | undefined;
  /** Revision of the newest envelope: that of the messages that have none. */
  #lastClaim: string | undefined;
  #reached: boolean | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Whether the client speaks a revision without sessions. */
  get sessionless(): boolean {
    return this.#session === undefined && this.#lastClaim !== undefined;
  }

  /** Sends a request. Where the gateway has lost the session, begins it again and sends once more: it was read by nobody. */
  async request(message: ClientMessage, signal: AbortSignal): Promise<Result<IncomingMessage, Unreached>> {
    this.#lastClaim = message.claim ?? this.#lastClaim;
    return this.#renewing(message, () => this.#post(message, signal));
  }

  /** Sends a message that has no answer. Resolves with the reason where it was not accepted. */
  async oneWay(message: ClientMessage): Promise<string | undefined> {
    const sent = await this.#renewing(message, () => this.#postControl(message, CONTROL_MS_MAX));
    if (!sent.ok) return sent.error.message;
    const refusal = await readAnswer(sent.value, streamStart(), ({ text }) => this.#options.deliver(text));
    return refusal?.message;
  }

  /** Goes on with the answer to a request after its last event that came. */
  resume(lastEventId: string, signal: AbortSignal): Promise<Result<IncomingMessage, Unreached>> {
    const headers = { ...this.#streamHeaders(), 'last-event-id': lastEventId };
    return this.#options.endpoint.send({ method: 'GET', headers, signal });
  }

  /** Sends the client's `initialize` in place of whatever session there was. */
  async begin(message: ClientMessage, signal: AbortSignal): Promise<Result<IncomingMessage, Unreached>> {
    await this.#goodbye();
    return this.#post(message, AbortSignal.any([signal, this.#within(HANDSHAKE_MS_MAX)]));
  }

  /** Takes up the session that an answer to `initialize` began. */
  adopt(message: ClientMessage, answer: ServerMessage, response: IncomingMessage): void {
    this.#session = sessionOf(message, answer, sessionIdOf(response)) ?? this.#session;
  }

  /** Opens the stream of what the gateway sends by itself: the client has said that it is ready. */
  listen(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#listening.abort();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#ended.signal]);
    const { endpoint, deliver, random } = this.#options;
    void holdStandingStream({
      open: (lastEventId) =>
        endpoint.send({
          method: 'GET',
          signal,
          headers: { ...this.#streamHeaders(), ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
        }),
      deliver: ({ text }) => deliver(text),
      renew: async () => (await this.#renew(session)).ok,
      random,
      signal,
    });
  }

  /** Ends the stream and the session. What is under way must be aborted by its own signal. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#goodbye();
    this.#options.endpoint.close();
  }

  async #renewing(
    message: ClientMessage,
    post: () => Promise<Result<IncomingMessage, Unreached>>,
  ): Promise<Result<IncomingMessage, Unreached>> {
    const session = message.claim === undefined ? this.#session : undefined;
    const answer = await post();
    if (session?.id === undefined || !answer.ok || answer.value.statusCode !== HTTP_NOT_FOUND) return answer;
    discard(answer.value);
    const renewed = await this.#renew(session);
    return renewed.ok ? post() : renewed;
  }

  /** Begins a lost session again; requests that find out at the same time wait for the same new one. */
  #renew(lost: Session): Promise<Result<Session, Unreached>> {
    if (this.#session !== lost) return Promise.resolve(this.#session === undefined ? err(replaced) : ok(this.#session));
    this.#renewal ??= this.#beginAgain(lost).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #beginAgain(lost: Session): Promise<Result<Session, Unreached>> {
    const sent = await this.#postControl(lost.initialize, HANDSHAKE_MS_MAX);
    if (!sent.ok) return sent;
    let session: Session | undefined;
    const refusal = await readAnswer(sent.value, streamStart(), async (answer) => {
      session = sessionOf(lost.initialize, answer, sessionIdOf(sent.value)) ?? session;
    });
    if (session === undefined)
      return err({ sent: false, message: `the session could not be restarted: ${refusal?.message ?? 'no answer'}` });
    if (session.version !== lost.version) {
      const message = `the restarted gateway speaks protocol revision ${session.version} instead of ${lost.version}: reconnect`;
      return err({ sent: false, message });
    }
    if (this.#session !== lost) return err(replaced);
    this.#session = session;
    const headers = { ...postHeaders, ...sessionHeaders(session) };
    const accepted = await this.#tell({ method: 'POST', headers, body: INITIALIZED, signal: this.#within(CONTROL_MS_MAX) });
    if (!accepted.ok) return accepted;
    discard(accepted.value);
    this.listen();
    this.#options.explain('the gateway was restarted: a new session has begun');
    if (session.logging) await this.#options.deliver(RENEWED);
    return ok(session);
  }

  async #post(message: ClientMessage, signal: AbortSignal): Promise<Result<IncomingMessage, Unreached>> {
    const headers = headersFor(message, this.#session, this.#lastClaim);
    return this.#noted(signal, await this.#options.endpoint.send({ method: 'POST', headers, body: message.bytes, signal }));
  }

  #postControl(message: ClientMessage, msMax: number): Promise<Result<IncomingMessage, Unreached>> {
    const headers = headersFor(message, this.#session, this.#lastClaim);
    return this.#tell({ method: 'POST', headers, body: message.bytes, signal: this.#within(msMax) });
  }

  async #tell(exchange: Exchange): Promise<Result<IncomingMessage, Unreached>> {
    return this.#noted(exchange.signal, await this.#options.endpoint.sendControl(exchange));
  }

  /** Tells a person when the gateway is gone and when it is back, not with every message. */
  #noted(signal: AbortSignal, answer: Result<IncomingMessage, Unreached>): Result<IncomingMessage, Unreached> {
    const reached = answer.ok || answer.error.sent;
    if (!reached && signal.aborted) return answer;
    if (!reached && this.#reached !== false) this.#options.explain(`gateway connect failed: ${answer.error.message}`);
    if (reached && this.#reached === false) this.#options.explain('connected to the gateway');
    this.#reached = reached;
    return answer;
  }

  async #goodbye(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#listening.abort();
    if (session?.id === undefined) return;
    const signal = AbortSignal.timeout(GOODBYE_MS_MAX);
    const answer = await this.#options.endpoint.sendControl({ method: 'DELETE', headers: sessionHeaders(session), signal });
    if (answer.ok) discard(answer.value);
  }

  #streamHeaders(): Record<string, string> {
    return { accept: 'text/event-stream', ...(this.#session === undefined ? {} : sessionHeaders(this.#session)) };
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#ended.signal, AbortSignal.timeout(ms)]);
  }
}

function sessionIdOf(response: IncomingMessage): string | undefined {
  const id = response.headers['mcp-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
