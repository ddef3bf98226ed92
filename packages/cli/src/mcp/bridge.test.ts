import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { McpStdio } from '../../../../test/support/mcp-stdio.js';
import { answerJson, beginStream, ScriptedMcp, type SeenRequest } from '../../../../test/support/scripted-mcp.js';
import { until } from '../../../../test/support/until.js';

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const AGREED = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{}}}}';
const ENVELOPE = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';

let gateway: ScriptedMcp;
let open: McpStdio[];
/** Sessions that the scripted gateway knows. */
let sessions: string[];

beforeEach(async () => {
  open = [];
  sessions = [];
  gateway = new ScriptedMcp(answerOf);
  await gateway.start();
});
afterEach(async () => {
  for (const stdio of open) {
    stdio.interrupt();
    await stdio.status;
  }
  await gateway.stop();
});

function bridge(args: readonly string[] = [], more: ConstructorParameters<typeof McpStdio>[1] = {}): McpStdio {
  const stdio = new McpStdio(['--rest-url', gateway.url, ...args], more);
  open.push(stdio);
  return stdio;
}

/** A gateway with sessions that answers every call with an empty result and keeps GETs open. */
function answerOf(request: SeenRequest): void {
  const { method, headers, body } = request;
  const session = headers['mcp-session-id'];
  if (session !== undefined && !sessions.includes(String(session))) answerJson(request, errorOf('null', -32001), 404);
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
  const name = `session-${sessions.length + 1}`;
  sessions.push(name);
  return name;
}

function errorOf(id: string, code: number, message = 'no'): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`;
}

function call(id: number, params = ''): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"svc_ping"${params}}}`;
}

function ping(id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
}

function idOf({ body }: SeenRequest): unknown {
  return (JSON.parse(body) as { id?: unknown }).id;
}

function isCall({ body }: SeenRequest): boolean {
  return body.includes('tools/call');
}

describe('relayed messages', () => {
  it('requests reach the gateway byte for byte, and answers keep their texts and values', async () => {
    const asked = '{ "jsonrpc":"2.0",  "id":7,"method":"tools/call","params":{"acc_id":18446744073709551615,"p":300.10}}';
    const answered = '{"jsonrpc":"2.0","id":7, "result":{"text":"{\\"order_id\\":18446744073709551615,\\"p\\":300.10}","n":"\\u91d1"}}';
    gateway.answer = (request) => answerJson(request, answered);
    const stdio = bridge(['--api-key', 'svc_k', '--toolsets', 'quote, account']);
    stdio.send(asked);
    await stdio.answer(7);
    expect(stdio.lines.map((line) => JSON.parse(line))).toEqual([JSON.parse(answered)]);
    expect(stdio.lines[0]).toContain('{\\"order_id\\":18446744073709551615,\\"p\\":300.10}');
    expect(gateway.seen[0]?.body).toBe(asked);
    expect(gateway.seen[0]?.headers).toMatchObject({ authorization: 'Bearer svc_k', 'x-svc-toolsets': 'quote,account' });
  });

  it('the error to a request with an id beyond 2^53 repeats every digit of the id', async () => {
    gateway.answer = (request) => answerJson(request, errorOf('null', -32600, 'bad'), 400);
    const stdio = bridge();
    stdio.send('{"jsonrpc":"2.0","id":281756479859383816,"method":"ping"}');
    await until(() => stdio.lines.length === 1, 'the answer');
    expect(stdio.lines).toEqual([`${errorOf('281756479859383816', -32600, 'bad')}\n`]);
  });

  it('each message of an event stream is printed as one line', async () => {
    gateway.answer = (request) => {
      beginStream(request).end(
        ': hello\n\nid: 1\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":"2.0",\ndata: "id":1,"result":{"n":1.5}}\n\n',
      );
    };
    const stdio = bridge();
    stdio.send(ping(1));
    await stdio.answer(1);
    expect(stdio.lines).toEqual(['{"jsonrpc":"2.0","method":"notifications/progress"}\n', '{"jsonrpc":"2.0","id":1,"result":{"n":1.5}}\n']);
  });

  it('invalid and oversized lines are answered with JSON-RPC errors, and the next request is served', async () => {
    const stdio = bridge();
    stdio.send('hello', '7', `{"x":"${'y'.repeat(10 * 1024 * 1024)}"}`, '', ping(5));
    await stdio.answer(5);
    expect(stdio.lines.slice(0, 3).map((line) => (JSON.parse(line) as { id: unknown; error: { code: number } }).error.code)).toEqual([
      -32700, -32600, -32600,
    ]);
    expect(stdio.lines[2]).toContain('10485768 bytes; at most 10485760');
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([
    ['JSON', (request: SeenRequest) => answerOf(request)],
    [
      'event streams',
      (request: SeenRequest) => void beginStream(request).end(`data: {"jsonrpc":"2.0","id":${idOf(request)},"result":{}}\n\n`),
    ],
  ])('requests that follow each other share a connection, with answers as %s', async (_, answer) => {
    const ports = new Set<number | undefined>();
    gateway.answer = (request) => {
      ports.add(request.response.socket?.remotePort);
      answer(request);
    };
    const stdio = bridge();
    for (let id = 1; id <= 3; id++) {
      stdio.send(ping(id));
      await stdio.answer(id);
      await until(() => gateway.seen.every(({ closed }) => closed), 'the end of the answer');
    }
    expect(ports.size).toBe(1);
  });

  it('requests do not wait for each other', async () => {
    const held: SeenRequest[] = [];
    gateway.answer = (request) => (isCall(request) ? void held.push(request) : answerOf(request));
    const stdio = bridge();
    stdio.send(call(1), call(2), ping(3));
    await stdio.answer(3);
    await until(() => held.length === 2, 'both calls');
    expect(stdio.lines).toHaveLength(1);
  });

  it('requests are refused while too many are pending', async () => {
    gateway.answer = () => {};
    const stdio = bridge();
    for (let id = 0; id <= 1_024; id++) stdio.send(ping(id));
    expect(await stdio.answer(1_024)).toContain('1024 messages are under way');
    expect(stdio.lines).toHaveLength(1);
  });

  it('an event stream is read no faster than standard output takes it', async () => {
    let release = () => {};
    const stdio = bridge([], {
      drained: () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    });
    const event = `data: {"jsonrpc":"2.0","method":"notifications/x","params":{"x":"${'x'.repeat(100_000)}"}}\n\n`;
    let full = false;
    gateway.answer = async (request) => {
      const stream = beginStream(request);
      for (let n = 0; n < 300; n++) full = !stream.write(event) || full;
      stream.end(`data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`);
    };
    stdio.send(ping(1));
    await until(() => full && stdio.lines.length === 1, 'the first event');
    const served = gateway.seen[0]?.response;
    expect(served?.writableFinished).toBe(false);
    await until(() => {
      release();
      return stdio.lines.length === 301;
    }, 'all events');
  });
});

describe('a session', () => {
  it('is named in later messages, resumes its stream after the last event, and ends with the input', async () => {
    const stdio = bridge();
    // At once, as a script would: nothing may overtake the handshake.
    stdio.send(INITIALIZE, INITIALIZED, ping(1));
    await stdio.answer(1);
    const [, initialized, pinged] = gateway.seen.filter(({ method }) => method === 'POST');
    expect(initialized?.body).toBe(INITIALIZED);
    for (const request of [initialized, pinged]) {
      expect(request?.headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' });
    }
    const listening = await gateway.request('a GET', ({ method }) => method === 'GET');
    expect(listening.headers).toMatchObject({ 'mcp-session-id': 'session-1', accept: 'text/event-stream' });
    listening.response.end('retry: 5\nid: e7\ndata: {"jsonrpc":"2.0","method":"notifications/svc/push","params":{"n":1}}\n\n');
    await stdio.line('the push', (line) => line.includes('svc/push'));
    const again = await gateway.request('another GET', (request) => request.method === 'GET' && request !== listening);
    expect(again.headers['last-event-id']).toBe('e7');

    expect(await stdio.end()).toBe(0);
    expect(gateway.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } });
    expect(again.closed).toBe(true);
  });

  it('reopens its stream from the present if the last event is no longer available', async () => {
    const stdio = bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    const listening = await gateway.request('a GET', ({ method }) => method === 'GET');
    gateway.answer = (request) =>
      request.headers['last-event-id'] === undefined ? answerOf(request) : answerJson(request, errorOf('null', -32000), 400);
    listening.response.end('retry: 5\nid: e7\ndata:\n\n');
    const again = await gateway.request(
      'a GET that asks for nothing missed',
      (request) => request.method === 'GET' && request !== listening && request.headers['last-event-id'] === undefined,
    );
    again.response.write('data: {"jsonrpc":"2.0","method":"notifications/svc/push","params":{"n":1}}\n\n');
    await stdio.line('the push', (line) => line.includes('svc/push'));
  });

  it('does without a stream if the gateway has none', async () => {
    gateway.answer = (request) => (request.method === 'GET' ? answerJson(request, '', 405) : answerOf(request));
    const stdio = bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await gateway.request('a GET', ({ method }) => method === 'GET');
    stdio.send(ping(1));
    await stdio.answer(1);
    expect(gateway.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('is begun again after a restart of the gateway, and requests that met the restart are sent again', async () => {
    const stdio = bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await gateway.request('a GET', ({ method }) => method === 'GET');
    await gateway.stop();
    sessions = ['taken'];
    await gateway.start();
    const from = gateway.seen.length;
    stdio.send(call(1), call(2));
    await Promise.all([stdio.answer(1), stdio.answer(2)]);
    const posts = gateway.seen.slice(from).filter(({ method }) => method === 'POST');
    expect(posts.filter(({ body }) => body === INITIALIZE)).toHaveLength(1);
    expect(posts.filter(({ body }) => body === INITIALIZED)).toHaveLength(1);
    expect(posts.filter((request) => isCall(request) && request.headers['mcp-session-id'] === 'session-2')).toHaveLength(2);
    // The client has its answer to initialize already; it hears that its subscriptions are gone.
    expect(stdio.lines.filter((line) => line.includes('"id":0'))).toHaveLength(1);
    expect(stdio.lines.filter((line) => line.includes('Earlier subscriptions are gone'))).toHaveLength(1);
    await gateway.request(
      'a GET of the new session',
      ({ headers, method }) => method === 'GET' && headers['mcp-session-id'] === 'session-2',
    );
  });

  it('is begun again when its stream finds it lost, without a message of the client', async () => {
    const stdio = bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await gateway.request('a GET', ({ method }) => method === 'GET');
    await gateway.stop();
    sessions = ['taken'];
    await gateway.start();
    await gateway.request(
      'a GET of the new session',
      ({ headers, method }) => method === 'GET' && headers['mcp-session-id'] === 'session-2',
    );
    await stdio.line('the news', (line) => line.includes('Earlier subscriptions are gone'));
  });

  it('is begun again only once for a request', async () => {
    const stdio = bridge();
    stdio.send(INITIALIZE);
    await stdio.answer(0);
    gateway.answer = (request) =>
      isCall(request) ? answerJson(request, errorOf('null', -32001, 'Session not found'), 404) : answerOf(request);
    stdio.send(call(1));
    expect(await stdio.answer(1)).toContain('"code":-32001,"message":"Session not found"');
    expect(gateway.seen.filter(isCall)).toHaveLength(2);
  });

  it('is ended when a second initialize begins another', async () => {
    const stdio = bridge();
    stdio.send(INITIALIZE, INITIALIZE, ping(1));
    await stdio.answer(1);
    expect(gateway.seen.map(({ method, headers }) => `${method} ${headers['mcp-session-id'] ?? '-'}`)).toEqual([
      'POST -',
      'DELETE session-1',
      'POST -',
      'POST session-2',
    ]);
  });
});

describe('a revision without sessions', () => {
  it('repeats the envelope in headers, also for the notifications after it', async () => {
    const stdio = bridge();
    stdio.send(call(1, `,${ENVELOPE}`));
    await stdio.answer(1);
    stdio.send('{"jsonrpc":"2.0","method":"notifications/x"}');
    const notification = await gateway.request('the notification', ({ body }) => body.includes('notifications/x'));
    expect(gateway.seen[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'svc_ping',
    });
    expect(notification.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/x' });
    expect(await stdio.end()).toBe(0);
    expect(gateway.seen.some(({ method }) => method !== 'POST')).toBe(false);
  });

  it.each([
    ['tools/call', '"name":"svc_get_quote"', 'svc_get_quote'],
    ['resources/read', '"uri":"svc://quote/HK.00700"', 'svc://quote/HK.00700'],
    ['prompts/get', '"name":"日報"', '=?base64?5pel5aCx?='],
    ['prompts/get', '"name":" spaced "', '=?base64?IHNwYWNlZCA=?='],
    ['prompts/get', '"name":"=?base64?eA==?="', `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
    ['tools/list', '"name":"not repeated"', undefined],
  ])('repeats revision, method and name of %s with %s in headers', async (method, field, name) => {
    const stdio = bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${field},${ENVELOPE}}}`);
    await stdio.answer(1);
    expect(gateway.seen[0]?.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
    expect(gateway.seen[0]?.headers['mcp-name']).toBe(name);
  });

  it('answers a request that HTTP cannot carry', async () => {
    const stdio = bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"a\\nb: c","params":{${ENVELOPE}}}`, ping(2));
    expect(await stdio.answer(1)).toContain('"code":-32600,"message":"cannot be sent over HTTP');
    await stdio.answer(2);
  });

  it('cancels a request by closing its stream, and does not answer it', async () => {
    gateway.answer = (request) => (isCall(request) ? void beginStream(request) : answerOf(request));
    const stdio = bridge();
    stdio.send(call(1, `,${ENVELOPE}`));
    const held = await gateway.request('the call', isCall);
    stdio.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await until(() => held.closed, 'the stream to be closed');
    stdio.send(ping(2));
    await stdio.answer(2);
    expect(stdio.lines).toHaveLength(1);
    expect(gateway.seen).toHaveLength(2);
  });
});

it('cancels a request of a session by closing its stream and notifying the gateway', async () => {
  gateway.answer = (request) => (isCall(request) ? void beginStream(request) : answerOf(request));
  const stdio = bridge();
  stdio.send(INITIALIZE, INITIALIZED, call(1));
  const held = await gateway.request('the call', isCall);
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  stdio.send(cancelled);
  await until(() => held.closed, 'the stream to be closed');
  await gateway.request('the cancellation', ({ body, headers }) => body === cancelled && headers['mcp-session-id'] === 'session-1');
  expect(stdio.lines.filter((line) => line.includes('"id":1'))).toEqual([]);
});

describe('an error answer', () => {
  it('without a gateway says so, and the first message after it is up is served', async () => {
    await gateway.stop();
    const stdio = bridge();
    stdio.send(INITIALIZE, ping(1));
    expect(await stdio.answer(0)).toMatch(/"code":-32000,"message":"gateway connect failed: nothing listens at .*svcd.*--rest-url/);
    expect(await stdio.answer(1)).toContain('gateway connect failed');
    expect(stdio.said.match(/gateway connect failed/g)).toHaveLength(1);
    await gateway.start();
    stdio.send(ping(2));
    expect(await stdio.answer(2)).toContain('"result"');
    expect(stdio.said).toContain('connected to the gateway');
  });

  it.each([
    [
      'a refusal of the gateway',
      401,
      '{"error":"key expired","code":"auth.expired"}',
      '"code":-32000,"message":"HTTP 401 auth.expired: key expired',
    ],
    ['an error that names no request', 400, errorOf('null', -32600, 'bad'), '"id":1,"error":{"code":-32600,"message":"bad"}'],
    ['an error that names it', 400, errorOf('1', -32022, 'unsupported'), '"id":1,"error":{"code":-32022,"message":"unsupported"}'],
    [
      'an error with data',
      400,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["a"]}}}',
      '"message":"no","data":{"supported":["a"]}}',
    ],
    ['no endpoint', 404, 'not here', '"code":-32000,"message":"HTTP 404'],
    ['no JSON', 200, '<html>', 'answered with no message'],
    ['nothing', 200, '', 'gateway connection lost before the answer'],
  ])('is made from %s', async (_, status, body, expected) => {
    gateway.answer = (request) => answerJson(request, body, status);
    const stdio = bridge();
    stdio.send(ping(1));
    expect(await stdio.answer(1)).toContain(expected);
    expect(stdio.lines).toHaveLength(1);
  });

  it('is given to each request of a batch that the gateway leaves unanswered', async () => {
    gateway.answer = (request) => answerJson(request, '[{"jsonrpc":"2.0","id":"b","result":{}}]');
    const stdio = bridge();
    stdio.send(`[${ping(1)},{"jsonrpc":"2.0","id":"b","method":"ping"}]`);
    expect(await stdio.answer(1)).toContain('gateway connection lost');
    expect(stdio.lines[0]).toBe('{"jsonrpc":"2.0","id":"b","result":{}}\n');
  });

  it('says that the request may have been carried out if its stream breaks off, and it is not sent again', async () => {
    gateway.answer = (request) => void beginStream(request).write(': begun\n\n', () => request.response.destroy());
    const stdio = bridge();
    stdio.send(call(1));
    expect(await stdio.answer(1)).toContain('may have been carried out');
    expect(gateway.seen).toHaveLength(1);
  });

  it('is not needed if a broken stream can be resumed after its last event', async () => {
    const stdio = bridge();
    gateway.answer = (request) => {
      if (request.headers['last-event-id'] === 'e1') return void beginStream(request).end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
      if (isCall(request)) return void beginStream(request).end('id: e1\nretry: 1\ndata:\n\n');
      answerOf(request);
    };
    stdio.send(INITIALIZE, call(1));
    expect(await stdio.answer(1)).toContain('"result"');
  });

  it('replaces an answer that is longer than a client takes', async () => {
    gateway.answer = (request) => answerJson(request, `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(10 * 1024 * 1024)}"}`);
    const stdio = bridge();
    stdio.send(ping(1));
    expect(await stdio.answer(1)).toContain('longer than 10485760 bytes');
  });
});

describe('shutdown', () => {
  it('waits at the end of the input for pending requests', async () => {
    gateway.answer = (request) => (isCall(request) ? void beginStream(request) : answerOf(request));
    const stdio = bridge();
    stdio.send(INITIALIZE, call(1));
    const held = await gateway.request('the call', isCall);
    const status = stdio.end();
    held.response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    expect(await status).toBe(0);
    expect(stdio.lines).toHaveLength(2);
    expect(gateway.seen.at(-1)?.method).toBe('DELETE');
  });

  it('does not wait for streams without an end', async () => {
    gateway.answer = (request) => void beginStream(request);
    const stdio = bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{${ENVELOPE}}}`);
    const listening = await gateway.request('the subscription', () => true);
    expect(await stdio.end()).toBe(0);
    await until(() => listening.closed, 'the stream to be closed');
  });

  it.each(['interrupt', 'closeOutput'] as const)('ends requests and the session at once on %s', async (end) => {
    gateway.answer = (request) => (isCall(request) ? void beginStream(request) : answerOf(request));
    const stdio = bridge();
    stdio.send(INITIALIZE, call(1));
    const held = await gateway.request('the call', isCall);
    stdio[end]();
    expect(await stdio.status).toBe(0);
    await until(() => held.closed, 'the call to be closed');
    expect(gateway.seen.at(-1)?.method).toBe('DELETE');
  });
});

it.each([
  [['--toolsets', 'quote,accounts'], 'unknown toolset "accounts", accepted: system, '],
  [['--embedded'], 'conflicts'],
  [['--rest-url', 'nowhere'], '--rest-url must be like'],
])('refuses %j as wrong usage', async (args, reason) => {
  const stdio = bridge(args);
  expect(await stdio.status).toBe(2);
  expect(stdio.said + stdio.lines.join('')).toMatch(reason === 'conflicts' ? /cannot be used with/ : reason);
});
