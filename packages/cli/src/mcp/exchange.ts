import { setTimeout as delay } from 'node:timers/promises';
import { isJSONRPCResponse, type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ClientMessage } from './client-message.js';
import type { Endpoint, Exchange } from './endpoint.js';
import { GatewayError, INVALID_REQUEST, MESSAGE_BYTES_MAX, noMessage, tooLong } from './gateway-error.js';

/** `Mcp-Session-Id` and `MCP-Protocol-Version`. */
export interface SessionHeaders {
  readonly sessionId?: string;
  readonly protocolVersion?: string;
}

/** Both sides of the bridge. */
export interface Wire {
  readonly endpoint: Endpoint;
  /** Resolves when the client takes more: nothing is read of a stream before. */
  readonly drained: () => Promise<void>;
}

export interface PostOptions {
  readonly session: SessionHeaders;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Takes each message of the answer; `sessionId` is that of the session which `initialize` began, or the given one. */
  readonly deliver: (message: JSONRPCMessage, sessionId: string | undefined) => void;
}

export interface ListenOptions {
  readonly session: SessionHeaders;
  readonly signal: AbortSignal;
  readonly deliver: (message: JSONRPCMessage) => void;
  /** Called when the gateway does not know the session any more. */
  readonly onLost: () => void;
}

/** The library needs an address; requests go to the endpoint's current target. */
const ADDRESS = new URL('http://gateway/mcp');
const reconnection = { initialReconnectionDelay: 250, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2 };
/** Tries to get the rest of an answer whose stream broke, for about 8 s. */
const RESUMPTIONS_MAX = 5;
const LISTEN_AGAIN_MS = 1_000;
const HTTP_BAD_REQUEST = 400;
const HTTP_NOT_FOUND = 404;
const HTTP_NO_SUCH_METHOD = 405;
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/;

/**
 * Posts a message and delivers what comes, until the answer ends. Headers, reading and resuming are the protocol
 * library's; the body is the client's own bytes, because the library rounds numbers beyond 2^53. Nothing is posted twice.
 *
 * Rejects with a {@link GatewayError}, or with the signal's reason.
 */
export async function post({ endpoint, drained }: Wire, message: ClientMessage, options: PostOptions): Promise<void> {
  const { signal, deliver, session, headers = {} } = options;
  let isSent = false;
  let isStream = false;
  let isResumed = false;
  let fail: (reason: unknown) => void = () => undefined;
  const transport = new StreamableHTTPClientTransport(ADDRESS, {
    ...session,
    requestInit: { headers },
    reconnectionOptions: { ...reconnection, maxRetries: RESUMPTIONS_MAX },
    fetch: async (_url, init) => {
      const exchange = exchangeOf(init, signal);
      isResumed = 'last-event-id' in exchange.headers;
      // The library opens the gateway's own stream after `notifications/initialized`; here that is up to `listen`.
      if (exchange.method === 'GET' && !isResumed) return new Response(null, { status: HTTP_NO_SUCH_METHOD });
      isSent = true;
      const response = await endpoint.send(isResumed ? exchange : { ...exchange, body: message.bytes });
      isStream = isEventStream(response);
      return paced(response, drained, () => fail(new GatewayError(tooLong)));
    },
  });
  try {
    await transport.start();
    await new Promise<void>((resolve, reject) => {
      fail = reject;
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      transport.onmessage = (answer) => {
        deliver(answer, transport.sessionId);
        // The stream of a resumption does not end with the answer.
        if (isResumed && isJSONRPCResponse(answer)) resolve();
      };
      transport.onerror = (error) => {
        // The rest of the answer is not to be had any more.
        if (isResumed && error instanceof GatewayError && error.status !== undefined) resolve();
      };
      transport.send(message.json, { onRequestStreamEnd: resolve }).then(() => isStream || resolve(), reject);
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError || signal.aborted) throw thrown;
    if (isSent) throw noMessage('application/json');
    throw new GatewayError({ code: INVALID_REQUEST, message: `cannot be sent over HTTP: ${String(thrown)}` });
  } finally {
    await transport.close();
  }
}

/**
 * Holds the stream of the gateway's own messages, through lost connections, until the signal is aborted. Ends early if the
 * gateway has no such stream.
 */
export async function listen({ endpoint, drained }: Wire, { signal, deliver, session, onLost }: ListenOptions): Promise<void> {
  const transport = new StreamableHTTPClientTransport(ADDRESS, {
    ...session,
    reconnectionOptions: { ...reconnection, maxRetries: Number.POSITIVE_INFINITY },
    fetch: async (_url, init) => {
      const exchange = exchangeOf(init, signal);
      const response = await endpoint.send(exchange).catch((thrown) => {
        if (!(thrown instanceof GatewayError) || thrown.status !== HTTP_BAD_REQUEST) throw thrown;
        // The last event is no longer available there: begin anew.
        const { 'last-event-id': _, ...headers } = exchange.headers;
        return endpoint.send({ ...exchange, headers });
      });
      return paced(response, drained, () => undefined);
    },
  });
  transport.onmessage = deliver;
  transport.onerror = (error) => {
    if (isLost(error)) onLost();
  };
  signal.addEventListener('abort', () => void transport.close(), { once: true });
  await transport.start();
  // The library reopens a stream by itself once it was open.
  while (!signal.aborted) {
    try {
      return await transport.resumeStream('');
    } catch {
      await delay(LISTEN_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Ends a session. */
export async function terminate({ endpoint }: Wire, session: SessionHeaders, signal: AbortSignal): Promise<void> {
  const transport = new StreamableHTTPClientTransport(ADDRESS, {
    ...session,
    fetch: (_url, init) => endpoint.send(exchangeOf(init, signal)),
  });
  await transport.terminateSession().catch(() => undefined);
}

/** True for the answer of a gateway that does not know the session. */
export function isLost(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.status === HTTP_NOT_FOUND;
}

function exchangeOf(init: RequestInit | undefined, signal: AbortSignal): Exchange {
  return { method: init?.method ?? 'GET', headers: Object.fromEntries(new Headers(init?.headers)), signal: init?.signal ?? signal };
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

/** The same response, whose stream is read no faster than the client takes it, and ends at an event that is too long. */
function paced(response: Response, drained: () => Promise<void>, onTooLong: () => void): Response {
  const { body, status, headers } = response;
  if (body === null || !isEventStream(response)) return response;
  async function* chunks(events: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let length = 0;
    let end = '';
    for await (const chunk of events) {
      const text = end + Buffer.from(chunk).toString('latin1');
      length = BLANK_LINE.test(text) ? 0 : length + chunk.length;
      end = text.slice(-3);
      if (length > MESSAGE_BYTES_MAX) return onTooLong();
      await drained();
      yield chunk;
    }
  }
  return new Response(ReadableStream.from(chunks(body)), { status, headers });
}
