import { describe, expect, it } from 'vitest';
import {
  call,
  ENVELOPE,
  errorOf,
  INITIALIZE,
  INITIALIZED,
  idOf,
  isCall,
  ping,
  scriptedBridge,
} from '../../../../test/support/scripted-bridge.js';
import { answerJson, beginStream, type SeenRequest } from '../../../../test/support/scripted-mcp.js';
import { until } from '../../../../test/support/until.js';

const relay = scriptedBridge();

describe('relayed messages', () => {
  it('requests reach the gateway byte for byte, and answers keep their texts and values', async () => {
    const asked = '{ "jsonrpc":"2.0",  "id":7,"method":"tools/call","params":{"acc_id":18446744073709551615,"p":300.10}}';
    const answered = '{"jsonrpc":"2.0","id":7, "result":{"text":"{\\"order_id\\":18446744073709551615,\\"p\\":300.10}","n":"\\u91d1"}}';
    relay.gateway.answer = (request) => answerJson(request, answered);
    const stdio = relay.bridge(['--api-key', 'svc_k', '--toolsets', 'quote, account']);
    stdio.send(asked);
    await stdio.answer(7);
    expect(stdio.lines.map((line) => JSON.parse(line))).toEqual([JSON.parse(answered)]);
    expect(stdio.lines[0]).toContain('{\\"order_id\\":18446744073709551615,\\"p\\":300.10}');
    expect(relay.gateway.seen[0]?.body).toBe(asked);
    expect(relay.gateway.seen[0]?.headers).toMatchObject({ authorization: 'Bearer svc_k', 'x-svc-toolsets': 'quote,account' });
  });

  it('the error to a request with an id beyond 2^53 repeats every digit of the id', async () => {
    relay.gateway.answer = (request) => answerJson(request, errorOf('null', -32600, 'bad'), 400);
    const stdio = relay.bridge();
    stdio.send('{"jsonrpc":"2.0","id":281756479859383816,"method":"ping"}');
    await until(() => stdio.lines.length === 1, 'the answer');
    expect(stdio.lines).toEqual([`${errorOf('281756479859383816', -32600, 'bad')}\n`]);
  });

  it('each message of an event stream is printed as one line', async () => {
    relay.gateway.answer = (request) => {
      beginStream(request).end(
        ': hello\n\nid: 1\ndata:\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":"2.0",\ndata: "id":1,"result":{"n":1.5}}\n\n',
      );
    };
    const stdio = relay.bridge();
    stdio.send(ping(1));
    await stdio.answer(1);
    expect(stdio.lines).toEqual(['{"jsonrpc":"2.0","method":"notifications/progress"}\n', '{"jsonrpc":"2.0","id":1,"result":{"n":1.5}}\n']);
  });

  it('invalid and oversized lines are answered with JSON-RPC errors, and the next request is served', async () => {
    const stdio = relay.bridge();
    stdio.send('hello', '7', `{"x":"${'y'.repeat(10 * 1024 * 1024)}"}`, '', ping(5));
    await stdio.answer(5);
    expect(stdio.lines.slice(0, 3).map((line) => (JSON.parse(line) as { id: unknown; error: { code: number } }).error.code)).toEqual([
      -32700, -32600, -32600,
    ]);
    expect(stdio.lines[2]).toContain('10485768 bytes; at most 10485760');
    expect(relay.gateway.seen).toHaveLength(1);
  });

  it.each([
    ['JSON', (request: SeenRequest) => relay.answerOf(request)],
    [
      'event streams',
      (request: SeenRequest) => void beginStream(request).end(`data: {"jsonrpc":"2.0","id":${idOf(request)},"result":{}}\n\n`),
    ],
  ])('requests that follow each other share a connection, with answers as %s', async (_, answer) => {
    const ports = new Set<number | undefined>();
    relay.gateway.answer = (request) => {
      ports.add(request.response.socket?.remotePort);
      answer(request);
    };
    const stdio = relay.bridge();
    for (let id = 1; id <= 3; id++) {
      stdio.send(ping(id));
      await stdio.answer(id);
      await until(() => relay.gateway.seen.every(({ closed }) => closed), 'the end of the answer');
    }
    expect(ports.size).toBe(1);
  });

  it('requests do not wait for each other', async () => {
    const held: SeenRequest[] = [];
    relay.gateway.answer = (request) => (isCall(request) ? void held.push(request) : relay.answerOf(request));
    const stdio = relay.bridge();
    stdio.send(call(1), call(2), ping(3));
    await stdio.answer(3);
    await until(() => held.length === 2, 'both calls');
    expect(stdio.lines).toHaveLength(1);
  });

  it('requests are refused while too many are pending', async () => {
    relay.gateway.answer = () => {};
    const stdio = relay.bridge();
    for (let id = 0; id <= 1_024; id++) stdio.send(ping(id));
    expect(await stdio.answer(1_024)).toContain('1024 messages are under way');
    expect(stdio.lines).toHaveLength(1);
  });

  it('an event stream is read no faster than standard output takes it', async () => {
    let release = () => {};
    const stdio = relay.bridge([], {
      drained: () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    });
    const event = `data: {"jsonrpc":"2.0","method":"notifications/x","params":{"x":"${'x'.repeat(100_000)}"}}\n\n`;
    let full = false;
    relay.gateway.answer = async (request) => {
      const stream = beginStream(request);
      for (let n = 0; n < 300; n++) full = !stream.write(event) || full;
      stream.end(`data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`);
    };
    stdio.send(ping(1));
    await until(() => full && stdio.lines.length === 1, 'the first event');
    const served = relay.gateway.seen[0]?.response;
    expect(served?.writableFinished).toBe(false);
    await until(() => {
      release();
      return stdio.lines.length === 301;
    }, 'all events');
  });
});

describe('a session', () => {
  it('is named in later messages, resumes its stream after the last event, and ends with the input', async () => {
    const stdio = relay.bridge();
    // At once, as a script would: nothing may overtake the handshake.
    stdio.send(INITIALIZE, INITIALIZED, ping(1));
    await stdio.answer(1);
    const [, initialized, pinged] = relay.gateway.seen.filter(({ method }) => method === 'POST');
    expect(initialized?.body).toBe(INITIALIZED);
    for (const request of [initialized, pinged]) {
      expect(request?.headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' });
    }
    const listening = await relay.listening();
    expect(listening.headers).toMatchObject({ 'mcp-session-id': 'session-1', accept: 'text/event-stream' });
    listening.response.end('retry: 5\nid: e7\ndata: {"jsonrpc":"2.0","method":"notifications/svc/push","params":{"n":1}}\n\n');
    await stdio.line('the push', (line) => line.includes('svc/push'));
    const again = await relay.gateway.request('another GET', (request) => request.method === 'GET' && request !== listening);
    expect(again.headers['last-event-id']).toBe('e7');

    expect(await stdio.end()).toBe(0);
    expect(relay.gateway.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } });
    expect(again.closed).toBe(true);
  });

  it('reopens its stream from the present if the last event is no longer available', async () => {
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    const listening = await relay.listening();
    relay.gateway.answer = (request) =>
      request.headers['last-event-id'] === undefined ? relay.answerOf(request) : answerJson(request, errorOf('null', -32000), 400);
    listening.response.end('retry: 5\nid: e7\ndata:\n\n');
    const again = await relay.gateway.request(
      'a GET that asks for nothing missed',
      (request) => request.method === 'GET' && request !== listening && request.headers['last-event-id'] === undefined,
    );
    again.response.write('data: {"jsonrpc":"2.0","method":"notifications/svc/push","params":{"n":1}}\n\n');
    await stdio.line('the push', (line) => line.includes('svc/push'));
  });

  it('does without a stream if the gateway has none', async () => {
    relay.gateway.answer = (request) => (request.method === 'GET' ? answerJson(request, '', 405) : relay.answerOf(request));
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await relay.listening();
    stdio.send(ping(1));
    await stdio.answer(1);
    expect(relay.gateway.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  it('is begun again after a restart of the gateway, and requests that met the restart are sent again', async () => {
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await relay.listening();
    await relay.gateway.stop();
    relay.sessions = ['taken'];
    await relay.gateway.start();
    const from = relay.gateway.seen.length;
    stdio.send(call(1), call(2));
    await Promise.all([stdio.answer(1), stdio.answer(2)]);
    const posts = relay.gateway.seen.slice(from).filter(({ method }) => method === 'POST');
    expect(posts.filter(({ body }) => body === INITIALIZE)).toHaveLength(1);
    expect(posts.filter(({ body }) => body === INITIALIZED)).toHaveLength(1);
    expect(posts.filter((request) => isCall(request) && request.headers['mcp-session-id'] === 'session-2')).toHaveLength(2);
    // The client has its answer to initialize already; it hears that its subscriptions are gone.
    expect(stdio.lines.filter((line) => line.includes('"id":0'))).toHaveLength(1);
    expect(stdio.lines.filter((line) => line.includes('Earlier subscriptions are gone'))).toHaveLength(1);
    await relay.newListening();
  });

  it('is begun again when its stream finds it lost, without a message of the client', async () => {
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, INITIALIZED);
    await relay.listening();
    await relay.gateway.stop();
    relay.sessions = ['taken'];
    await relay.gateway.start();
    await relay.newListening();
    await stdio.line('the news', (line) => line.includes('Earlier subscriptions are gone'));
  });

  it('is begun again only once for a request', async () => {
    const stdio = relay.bridge();
    stdio.send(INITIALIZE);
    await stdio.answer(0);
    relay.gateway.answer = (request) =>
      isCall(request) ? answerJson(request, errorOf('null', -32001, 'Session not found'), 404) : relay.answerOf(request);
    stdio.send(call(1));
    expect(await stdio.answer(1)).toContain('"code":-32001,"message":"Session not found"');
    expect(relay.gateway.seen.filter(isCall)).toHaveLength(2);
  });

  it('is ended when a second initialize begins another', async () => {
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, INITIALIZE, ping(1));
    await stdio.answer(1);
    expect(relay.gateway.seen.map(({ method, headers }) => `${method} ${headers['mcp-session-id'] ?? '-'}`)).toEqual([
      'POST -',
      'DELETE session-1',
      'POST -',
      'POST session-2',
    ]);
  });
});

describe('a revision without sessions', () => {
  it('repeats the envelope in headers, also for the notifications after it', async () => {
    const stdio = relay.bridge();
    stdio.send(call(1, `,${ENVELOPE}`));
    await stdio.answer(1);
    stdio.send('{"jsonrpc":"2.0","method":"notifications/x"}');
    const notification = await relay.gateway.request('the notification', ({ body }) => body.includes('notifications/x'));
    expect(relay.gateway.seen[0]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'svc_ping',
    });
    expect(notification.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/x' });
    expect(await stdio.end()).toBe(0);
    expect(relay.gateway.seen.some(({ method }) => method !== 'POST')).toBe(false);
  });

  it.each([
    ['tools/call', '"name":"svc_get_quote"', 'svc_get_quote'],
    ['resources/read', '"uri":"svc://quote/HK.00700"', 'svc://quote/HK.00700'],
    ['prompts/get', '"name":"日報"', '=?base64?5pel5aCx?='],
    ['prompts/get', '"name":" spaced "', '=?base64?IHNwYWNlZCA=?='],
    ['prompts/get', '"name":"=?base64?eA==?="', `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
    ['tools/list', '"name":"not repeated"', undefined],
  ])('repeats revision, method and name of %s with %s in headers', async (method, field, name) => {
    const stdio = relay.bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${field},${ENVELOPE}}}`);
    await stdio.answer(1);
    expect(relay.gateway.seen[0]?.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
    expect(relay.gateway.seen[0]?.headers['mcp-name']).toBe(name);
  });

  it('answers a request that HTTP cannot carry', async () => {
    const stdio = relay.bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"a\\nb: c","params":{${ENVELOPE}}}`, ping(2));
    expect(await stdio.answer(1)).toContain('"code":-32600,"message":"cannot be sent over HTTP');
    await stdio.answer(2);
  });

  it('cancels a request by closing its stream, and does not answer it', async () => {
    relay.gateway.answer = (request) => (isCall(request) ? void beginStream(request) : relay.answerOf(request));
    const stdio = relay.bridge();
    stdio.send(call(1, `,${ENVELOPE}`));
    const held = await relay.gateway.request('the call', isCall);
    stdio.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    await until(() => held.closed, 'the stream to be closed');
    stdio.send(ping(2));
    await stdio.answer(2);
    expect(stdio.lines).toHaveLength(1);
    expect(relay.gateway.seen).toHaveLength(2);
  });
});

it('cancels a request of a session by closing its stream and notifying the gateway', async () => {
  relay.gateway.answer = (request) => (isCall(request) ? void beginStream(request) : relay.answerOf(request));
  const stdio = relay.bridge();
  stdio.send(INITIALIZE, INITIALIZED, call(1));
  const held = await relay.gateway.request('the call', isCall);
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  stdio.send(cancelled);
  await until(() => held.closed, 'the stream to be closed');
  await relay.gateway.request('the cancellation', ({ body, headers }) => body === cancelled && headers['mcp-session-id'] === 'session-1');
  expect(stdio.lines.filter((line) => line.includes('"id":1'))).toEqual([]);
});
