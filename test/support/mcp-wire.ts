import type { McpSite, Way } from './mcp-client.js';
import { trustingFetch } from './trusting-fetch.js';

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON-RPC message in it: the body, or the last event of a stream. */
  readonly message: {
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
    readonly [name: string]: unknown;
  };
}

const REVISION = '2026-07-28';
const clientInfo = { name: 'wire', version: '1' };

/** Messages of the protocol over HTTP without its client, well-formed or not. */
export class McpWire {
  constructor(
    readonly site: McpSite,
    readonly keyText?: string,
  ) {}

  /** One exchange, whose answer ends. `body` goes as it is when it is text or bytes. */
  async send(method: string, body?: unknown, headers: Record<string, string> = {}): Promise<WireAnswer> {
    const response = await this.stream(method, body, headers);
    const text = await response.text();
    const data = [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? text;
    return { status: response.status, headers: response.headers, text, message: parse(data) };
  }

  /** One exchange, whose answer may never end. */
  stream(method: string, body?: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    return trustingFetch(this.site.ca)(`${this.site.url}/mcp`, {
      method,
      headers: {
        accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.keyText === undefined ? {} : { authorization: `Bearer ${this.keyText}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Begins a session; the header that names it. */
  async begin(): Promise<Record<string, string>> {
    const { headers } = await this.send('POST', initialize());
    return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  }

  /** Events of a session's stream, one after the other, comments left out. */
  async *events(headers: Record<string, string>): AsyncGenerator<string, void, undefined> {
    const { body } = await this.stream('GET', undefined, headers);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        if (/^data: ./m.test(event)) yield event;
      }
    }
  }

  /** Sender of requests in one way: with its headers and its parameters. */
  async way(way: Way): Promise<(method: string, params: Record<string, unknown>) => Promise<WireAnswer>> {
    const session = way === 'sessions' ? await this.begin() : {};
    return (method, params) => {
      const [body, headers] = way === 'sessions' ? [request(method, params), session] : stateless(method, params);
      return this.send('POST', body, headers);
    };
  }
}

export function initialize(protocolVersion: unknown = '2025-11-25'): object {
  return request('initialize', { protocolVersion, capabilities: {}, clientInfo }, 1);
}

export function request(method: string, params: Record<string, unknown> = {}, id: unknown = 2): object {
  return { jsonrpc: '2.0', id, method, params };
}

/** A request of the revision without sessions, with the headers that must repeat it. */
export function stateless(method: string, params: Record<string, unknown>, revision = REVISION): [object, Record<string, string>] {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const named = params.name ?? params.uri;
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': method };
  return [request(method, { ...params, _meta }), typeof named === 'string' ? { ...headers, 'mcp-name': named } : headers];
}

function parse(text: string): WireAnswer['message'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
