import { afterEach, beforeEach } from 'vitest';
import { McpStdio } from './mcp-stdio.js';
import { answerJson, beginStream, ScriptedMcp, type SeenRequest } from './scripted-mcp.js';

export const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
export const ENVELOPE = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
const AGREED = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{}}}}';

/** A gateway with sessions that answers every call with an empty result and keeps GETs open, and bridges to it; new for each test of a file. */
export function scriptedBridge() {
  let open: McpStdio[];
  const relay = {
    gateway: new ScriptedMcp(answerOf),
    /** Sessions that the gateway knows. */
    sessions: [] as string[],
    answerOf,
    bridge(args: readonly string[] = [], more: ConstructorParameters<typeof McpStdio>[1] = {}): McpStdio {
      const stdio = new McpStdio(['--rest-url', relay.gateway.url, ...args], more);
      open.push(stdio);
      return stdio;
    },
    /** The first GET, which opens the stream of a session. */
    listening: () => relay.gateway.request('a GET', ({ method }) => method === 'GET'),
    newListening: () => {
      const isOfNewSession = ({ headers, method }: SeenRequest) => method === 'GET' && headers['mcp-session-id'] === 'session-2';
      return relay.gateway.request('a GET of the new session', isOfNewSession);
    },
  };
  beforeEach(async () => {
    open = [];
    relay.sessions = [];
    relay.gateway = new ScriptedMcp(answerOf);
    await relay.gateway.start();
  });
  afterEach(async () => {
    for (const stdio of open) {
      stdio.interrupt();
      await stdio.status;
    }
    await relay.gateway.stop();
  });

  function answerOf(request: SeenRequest): void {
    const { method, headers, body } = request;
    const session = headers['mcp-session-id'];
    if (session !== undefined && !relay.sessions.includes(String(session))) answerJson(request, errorOf('null', -32001), 404);
    else if (method === 'GET') beginStream(request);
    else if (method === 'DELETE') answerJson(request, '');
    else {
      const { id, method: called } = JSON.parse(body) as { id?: unknown; method?: string };
      if (called === 'initialize') answerJson(request, AGREED, 200, { 'mcp-session-id': newSession() });
      else if (id === undefined) request.response.writeHead(202).end();
      else answerJson(request, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`);
    }
  }

  function newSession(): string {
    const name = `session-${relay.sessions.length + 1}`;
    relay.sessions.push(name);
    return name;
  }

  return relay;
}

export function errorOf(id: string, code: number, message = 'no'): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;
}

export function call(id: number, params = ''): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"svc_ping"${params}}}`;
}

export function ping(id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
}

export function idOf({ body }: SeenRequest): unknown {
  return (JSON.parse(body) as { id?: unknown }).id;
}

export function isCall({ body }: SeenRequest): boolean {
  return body.includes('tools/call');
}
