import { isJSONRPCResultResponse, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { type ClientMessage, readClientMessage } from './client-message.js';
import { isLost, listen, type PostOptions, post, type SessionHeaders, terminate, type Wire } from './exchange.js';
import { GatewayError, SERVER_ERROR } from './gateway-error.js';

export interface GatewayClientOptions extends Wire {
  /** Takes a message that the gateway sends by itself. */
  readonly deliver: (message: JSONRPCMessage) => void;
  /** Prints a line for people. */
  readonly explain: (line: string) => void;
}

/** Agreed on by `initialize`, in the revisions that have sessions. */
interface Session {
  /** `Mcp-Session-Id`; undefined if the gateway keeps no sessions. */
  readonly id: string | undefined;
  readonly version: string;
  /** True if the gateway may send log messages. */
  readonly logging: boolean;
  /** The client's own request, to begin again with after the gateway was restarted. */
  readonly initialize: ClientMessage;
}

/** Time for the gateway to accept a one-way message. */
const CONTROL_MS_MAX = 10_000;
const HANDSHAKE_MS_MAX = 30_000;
const GOODBYE_MS_MAX = 1_500;
const initialized = ownMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}');
const renewed = ownMessage(
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"svcctl","data":"The gateway was restarted and a new session has begun. Earlier subscriptions are gone: subscribe again."}}',
);

/**
 * Client of the gateway over Streamable HTTP, by the protocol library's transport. In the revisions that have sessions it
 * holds the client's: begun by `initialize`, listened to, begun again if a restarted gateway does not know it, and ended.
 */
export class GatewayClient {
  readonly #ended = new AbortController();
  #session: Session | undefined;
  #listening = new AbortController();
  #renewal: Promise<void> | undefined;
  /** Revision of the newest envelope: that of the messages that have none. */
  #lastClaim: string | undefined;

  constructor(private readonly options: GatewayClientOptions) {}

  /** True if the client speaks a revision without sessions. */
  get sessionless(): boolean {
    return this.#session === undefined && this.#lastClaim !== undefined;
  }

  /**
   * Sends requests and delivers what comes, until the answer ends. Rejects with a {@link GatewayError}, or with the
   * signal's reason. If the gateway has lost the session, nobody read the request: it is sent again in a new one.
   */
  request(message: ClientMessage, signal: AbortSignal, deliver: (message: JSONRPCMessage) => void): Promise<void> {
    this.#lastClaim = message.claim ?? this.#lastClaim;
    return this.#renewing(message, () => this.#post(message, { signal, deliver }));
  }

  /** Sends a message that has no answer. Rejects if it is not accepted. */
  oneWay(message: ClientMessage): Promise<void> {
    return this.#renewing(message, () => this.#postWithin(message, CONTROL_MS_MAX, this.options.deliver));
  }

  /** Sends the client's `initialize`, in place of any earlier session. */
  async begin(message: ClientMessage, signal: AbortSignal, deliver: (message: JSONRPCMessage) => void): Promise<void> {
    await this.#goodbye();
    await this.#post(message, {
      signal: AbortSignal.any([signal, this.#within(HANDSHAKE_MS_MAX)]),
      deliver: (answer, sessionId) => {
        this.#session = sessionOf(message, answer, sessionId) ?? this.#session;
        deliver(answer);
      },
    });
  }

  /** Opens the stream of the gateway's own messages: the client has said that it is ready. */
  listen(): void {
    const session = this.#session;
    if (session === undefined) return;
    this.#listening.abort();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, this.#ended.signal]);
    void listen(this.options, {
      signal,
      session: headersOf(session),
      deliver: this.options.deliver,
      onLost: () => void this.#renew(session).catch(() => undefined),
    });
  }

  /** Ends the stream and the session. Requests are aborted by their own signals. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#goodbye();
    this.options.endpoint.close();
  }

  async #renewing(message: ClientMessage, post: () => Promise<void>): Promise<void> {
    const session = message.claim === undefined ? this.#session : undefined;
    try {
      await post();
    } catch (thrown) {
      if (session?.id === undefined || !isLost(thrown)) throw thrown;
      await this.#renew(session);
      await post();
    }
  }

  /** Begins a lost session again; requests that find out at the same time wait for the same new one. */
  async #renew(lost: Session): Promise<void> {
    if (this.#session !== lost) return;
    this.#renewal ??= this.#beginAgain(lost).finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
  }

  async #beginAgain(lost: Session): Promise<void> {
    let session: Session | undefined;
    let reason = 'no answer';
    const take = (answer: JSONRPCMessage, sessionId: string | undefined) => {
      session = sessionOf(lost.initialize, answer, sessionId) ?? session;
      if ('error' in answer) reason = answer.error.message;
    };
    await this.#postWithin(lost.initialize, HANDSHAKE_MS_MAX, take).catch((thrown: Error) => {
      reason = thrown.message;
    });
    if (session === undefined) {
      throw new GatewayError({ code: SERVER_ERROR, message: `gateway connect failed: the session could not be restarted: ${reason}` });
    }
    if (this.#session !== lost) return;
    this.#session = session;
    await this.#postWithin(initialized, CONTROL_MS_MAX, this.options.deliver);
    this.listen();
    this.options.explain('the gateway was restarted: a new session has begun');
    if (session.logging) this.options.deliver(renewed.json);
  }

  async #goodbye(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#listening.abort();
    if (session?.id !== undefined) await terminate(this.options, headersOf(session), AbortSignal.timeout(GOODBYE_MS_MAX));
  }

  #postWithin(message: ClientMessage, msMax: number, deliver: PostOptions['deliver']): Promise<void> {
    return this.#post(message, { signal: this.#within(msMax), deliver });
  }

  /** Posts a message as part of the session, or of the revision without sessions that the client speaks. */
  #post(message: ClientMessage, options: Omit<PostOptions, 'session' | 'headers'>): Promise<void> {
    const { claim, method } = message;
    if (claim === undefined && method === 'initialize') return post(this.options, message, { ...options, session: {} });
    if (claim === undefined && this.#session !== undefined) {
      return post(this.options, message, { ...options, session: headersOf(this.#session) });
    }
    const protocolVersion = claim ?? this.#lastClaim;
    const session = protocolVersion === undefined ? {} : { protocolVersion };
    // The library derives this header for requests with an envelope only.
    const headers = protocolVersion === undefined || method === undefined ? {} : { 'mcp-method': method };
    return post(this.options, message, { ...options, session, headers });
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#ended.signal, AbortSignal.timeout(ms)]);
  }
}

function headersOf({ id, version }: Session): SessionHeaders {
  return { protocolVersion: version, ...(id === undefined ? {} : { sessionId: id }) };
}

/** The session that the answer to `initialize` began; undefined if it is a refusal. */
function sessionOf(initialize: ClientMessage, answer: JSONRPCMessage, id: string | undefined): Session | undefined {
  if (!isJSONRPCResultResponse(answer)) return undefined;
  const { protocolVersion, capabilities } = answer.result as { protocolVersion?: unknown; capabilities?: { logging?: unknown } };
  if (typeof protocolVersion !== 'string') return undefined;
  return { id, version: protocolVersion, logging: capabilities?.logging !== undefined, initialize };
}

function ownMessage(text: string): ClientMessage {
  const message = readClientMessage(Buffer.from(text));
  if (!message.ok) throw new Error(message.error.message);
  return message.value;
}
