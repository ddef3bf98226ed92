import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../support/daemon.js';
import { FaultyBackend } from '../../support/faulty-backend.js';
import { serveGateway } from '../../support/gateway.js';
import { McpClient, ways } from '../../support/mcp-client.js';
import { initialize, McpWire, request, stateless } from '../../support/mcp-wire.js';
import { notify } from '../../support/push-fakes.js';
import { until } from '../../support/until.js';

/** Clients that are broken, or mean harm: whatever they send is answered below 500, and the daemon is as it was. */
let desk: McpWire;

const daemon = TestDaemon.forAll({
  keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] }, other: { scopes: ['qot:read'] } },
  flags: ['--enable-trading'],
});
beforeAll(async () => {
  desk = new McpWire(daemon, daemon.keys.desk);
});
afterEach(async () => {
  expect((await desk.send('POST', ping, await desk.begin())).text).toContain('server_time');
  expect(daemon.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

const ping = request('tools/call', { name: 'svc_ping', arguments: {} });
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS] = [-32700, -32600, -32601, -32602];

it.each(ways)('an answer of JSON ends with one newline (%s)', async (way) => {
  const ask = await desk.way(way);
  const answers = [await ask('tools/list', {}), await ask('no/such', {}), await desk.send('POST', '{"jsonrpc":'), await desk.send('GET')];
  const ofJson = answers.filter(({ headers }) => headers.get('content-type')?.startsWith('application/json'));
  expect(ofJson.length).toBeGreaterThan(1);
  for (const { text } of ofJson) expect(text).toMatch(/[^\n]\n$/);
});

it.each(ways)('a prompt without arguments names all that it lacks (%s)', async (way) => {
  const { message } = await (await desk.way(way))('prompts/get', { name: 'order_ticket', arguments: {} });
  expect(message.error?.message).toBe('missing field "symbol": The security as MARKET.CODE: HK.00700; also missing: "side", "qty"');
  expect(message.error?.data).toEqual({ code: 'request.missing_field', field: 'symbol' });
});

it.each(ways)('a resource that is refused has the code that a tool would have (%s)', async (way) => {
  const ask = await desk.way(way);
  const read = async (uri: string) => (await ask('resources/read', { uri })).message.error?.data;
  expect(await read('svc://quote/HK.99999')).toMatchObject({ code: 'broker.unknown_code', err_code: 'broker.unknown_code', ret_type: -1 });
  expect(await read('svc://funds/7')).toMatchObject({ code: 'broker.account', err_code: 'broker.account', ret_type: -1 });
  expect(await read('svc://quote/Tencent')).toMatchObject({ code: 'request.invalid' });
  expect(await read('svc://tools/svc_get_quot')).toMatchObject({ code: 'route.not_found' });
  expect(await read('svc://nothing')).toEqual({ uri: 'svc://nothing', code: 'route.not_found' });
});

describe('a body that is no message', () => {
  it.each<[string, string | Uint8Array, number, number]>([
    ['nothing', '', 400, PARSE_ERROR],
    ['half of one', '{"jsonrpc":', 400, PARSE_ERROR],
    ['a name twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, PARSE_ERROR],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400, PARSE_ERROR],
    ['100,000 levels deep', nested(100_000), 400, PARSE_ERROR],
    ['a number', '1', 400, INVALID_REQUEST],
    ['null', 'null', 400, INVALID_REQUEST],
    ['an empty batch', '[]', 400, INVALID_REQUEST],
    ['another protocol', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, INVALID_REQUEST],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, INVALID_REQUEST],
    ['an id of 30 digits', `{"jsonrpc":"2.0","id":${'9'.repeat(30)},"method":"ping"}`, 400, INVALID_REQUEST],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}', 400, INVALID_REQUEST],
    ['a method that there is none of', '{"jsonrpc":"2.0","id":1,"method":"no/such"}', 200, METHOD_NOT_FOUND],
    [
      'arguments that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_ping","arguments":[]}}',
      200,
      INVALID_PARAMS,
    ],
    ['a tool without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, INVALID_PARAMS],
  ])('%s', async (_, body, status, code) => {
    const answer = await desk.send('POST', body, await desk.begin());
    expect([answer.status, answer.message.error?.code], answer.text).toEqual([status, code]);
  });

  it('is in the audit trail with the key that sent it', async () => {
    await desk.send('POST', '{"jsonrpc":');
    expect((await daemon.audit()).at(-1)).toMatchObject({
      iface: 'mcp',
      endpoint: 'POST /mcp',
      key_id: 'desk',
      outcome: 'reject',
      reason: expect.stringContaining('malformed JSON, line 1, column 12'),
    });
  });

  it('is too large beyond 1 MiB', async () => {
    const answer = await desk.send('POST', request('tools/call', { name: 'svc_ping', arguments: { x: 'x'.repeat(2 ** 20) } }));
    expect(answer.status).toBe(413);
  });

  it('whatever it is, is never a defect', async () => {
    const session = await desk.begin();
    const members = {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2),
      id: fc.jsonValue(),
      method: fc.oneof(
        fc.constantFrom(
          'tools/call',
          'resources/read',
          'prompts/get',
          'initialize',
          'subscriptions/listen',
          'logging/setLevel',
          'completion/complete',
        ),
        fc.string(),
      ),
      params: fc.jsonValue(),
    };
    const likeOne = fc.record(members, { requiredKeys: ['method'] });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          likeOne.map((value) => JSON.stringify(value)),
        ),
        fc.boolean(),
        async (body, inSession) => {
          expect((await desk.send('POST', body, inSession ? session : {})).status).toBeLessThan(500);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe.each(ways)('arguments, over the way with %s', (way) => {
  it.each([
    ['of 1 MB', { symbol: 'x'.repeat(1_000_000) }],
    ['of 1,000 names', Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`name_${index}`, index]))],
    ['nested deeper than any message', { symbol: JSON.parse(nested(50)) }],
    ['that hold a program', { symbol: '$(reboot)`;drop table orders;<script>' }],
  ])('%s are refused in a few words', async (_, args) => {
    const send = await desk.way(way);
    const answer = await send('tools/call', { name: 'svc_get_quote', arguments: args });
    expect(answer.message).toMatchObject({ result: { isError: true } });
    expect(answer.text.length).toBeLessThan(2000);
    const line = (await daemon.audit()).at(-1);
    expect(line).toMatchObject({ endpoint: 'svc_get_quote', key_id: 'desk', outcome: 'reject' });
    expect(JSON.stringify(line).length).toBeLessThan(2000);
  });

  it('may be anything', async () => {
    const send = await desk.way(way);
    const name = fc.constantFrom('svc_get_kline', 'svc_place_order', 'svc_subscribe', 'svc_get_positions', 'svc_get_static_info');
    const args = fc.dictionary(
      fc.oneof(fc.constantFrom('symbol', 'acc_id', 'env', 'c2s_json', 'cursor', 'preview', 'api_key'), fc.string()),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(name, args, async (tool, given) => {
        const { status, text, message } = await send('tools/call', { name: tool, arguments: given });
        expect(status, text).toBeLessThan(500);
        expect(message, text).toHaveProperty('result');
        expect(text).not.toContain('"internal"');
      }),
      { numRuns: 60 },
    );
  });

  it('cannot reach the prototype of anything', async () => {
    const send = await desk.way(way);
    await send(
      'tools/call',
      JSON.parse('{"name":"svc_ping","arguments":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}'),
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await send('tools/call', { name })).text).toContain('unknown MCP tool');
    }
  });

  it('a name of 1 MB does not fill the audit trail', async () => {
    const send = await desk.way(way);
    const name = 'x'.repeat(1_000_000);
    // The header that repeats the name would be too long for any server: the way without sessions refuses it there.
    if (way === 'sessions') expect((await send('tools/call', { name })).text.length).toBeLessThan(2000);
    else await expect(send('tools/call', { name })).resolves.toMatchObject({ status: 431 });
    expect(JSON.stringify((await daemon.audit()).at(-1)).length).toBeLessThan(2000);
  });
});

describe('a batch', () => {
  const batch = (count: number, one: object) => Array.from({ length: count }, (_, index) => ({ ...one, id: index }));

  it('of 1,000 requests is refused whole', async () => {
    const before = (await daemon.audit()).length;
    const answer = await desk.send('POST', batch(1000, ping), await desk.begin());
    expect([answer.status, answer.message.error?.message]).toEqual([400, expect.stringContaining('must not exceed 100')]);
    // The one line is that of the session's start.
    expect((await daemon.audit()).length).toBe(before + 1);
  });

  it('does not begin sessions, and there is none without them', async () => {
    expect((await desk.send('POST', [initialize(), initialize()])).status).toBe(400);
    const [body, headers] = stateless('tools/call', { name: 'svc_ping', arguments: {} });
    expect((await desk.send('POST', batch(2, body), headers)).status).toBe(400);
  });
});

describe('headers', () => {
  it.each([
    ['content-type', 'text/plain', 415],
    ['content-type', 'application/x-www-form-urlencoded', 415],
    ['content-type', 'multipart/form-data; boundary=x', 415],
    ['accept', 'text/html', 406],
    ['mcp-protocol-version', '1999-01-01', 400],
    ['mcp-session-id', 'no-such-session', 404],
    ['mcp-session-id', '../../etc/passwd', 404],
    ['origin', 'https://evil.example', 403],
    ['origin', 'null', 403],
    ['x-svc-toolsets', 'everything', 400],
    ['authorization', 'Bearer svc_nobody', 401],
    ['authorization', 'Basic c3ZjOnN2Yw==', 401],
  ])('%s: %s', async (name, value, status) => {
    expect((await desk.send('POST', ping, { ...(await desk.begin()), [name]: value })).status).toBe(status);
  });

  it('are refused when they disagree with the body, without sessions', async () => {
    const [body, headers] = stateless('tools/call', { name: 'svc_ping', arguments: {} });
    expect((await desk.send('POST', body, { ...headers, 'mcp-name': 'svc_get_quote' })).status).toBe(400);
    expect((await desk.send('POST', body, { ...headers, 'mcp-method': 'tools/list' })).status).toBe(400);
    expect((await desk.send('POST', body)).status).toBe(400);
    const [future, futureHeaders] = stateless('tools/list', {}, '2099-01-01');
    const answer = await desk.send('POST', future, futureHeaders);
    expect([answer.status, answer.message.error?.message]).toEqual([400, expect.stringContaining('2099-01-01')]);
  });

  it('a version that there is none of gets the newest one with sessions', async () => {
    for (const version of ['1999-01-01', '2099-01-01', 'latest']) {
      expect((await desk.send('POST', initialize(version))).message).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    }
    expect((await desk.send('POST', initialize(7))).status).toBe(400);
  });
});

describe('a session', () => {
  it('of another key does not exist, and the attempt is in the audit trail', async () => {
    const session = await desk.begin();
    const other = new McpWire(daemon, daemon.keys.other);
    for (const [method, body] of [
      ['POST', ping],
      ['GET', undefined],
      ['DELETE', undefined],
    ] as const) {
      expect((await other.send(method, body, session)).status).toBe(404);
      expect((await daemon.audit()).at(-1)).toMatchObject({ iface: 'mcp', endpoint: `${method} /mcp`, key_id: 'other', outcome: 'reject' });
    }
    expect((await desk.send('POST', ping, session)).status).toBe(200);
  });

  it('is ended once', async () => {
    const session = await desk.begin();
    expect((await desk.send('DELETE', undefined, session)).status).toBe(200);
    expect((await desk.send('DELETE', undefined, session)).status).toBe(404);
    expect((await desk.send('DELETE')).status).toBe(400);
    expect((await desk.send('POST', ping, session)).status).toBe(404);
  });

  it('has one stream, which wants its Accept', async () => {
    const session = await desk.begin();
    expect((await desk.send('GET', undefined, { ...session, accept: '' })).status).toBe(406);
    expect((await desk.send('GET')).status).toBe(400);
    const open = await desk.stream('GET', undefined, session);
    expect((await desk.send('GET', undefined, session)).status).toBe(409);
    await open.body?.cancel();
    expect((await desk.send('GET', undefined, { ...session, 'last-event-id': 'bogus' })).status).toBe(400);
  });

  it('is not begun twice', async () => {
    expect((await desk.send('POST', initialize(), await desk.begin())).message.error?.code).toBe(INVALID_REQUEST);
  });
});

describe('listening without a session', () => {
  it.each([
    [['svc://nothing/x'], /cannot be watched/],
    [['svc://quote/HK.NONE'], /unknown symbol/],
    [['svc://orders/1'], /account/],
  ])('to %j is refused in the protocol’s own form', async (uris, why) => {
    const [body, headers] = stateless('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    const { message } = await desk.send('POST', body, headers);
    expect(message).toMatchObject({ jsonrpc: '2.0', id: 2, error: { code: INVALID_PARAMS, message: expect.stringMatching(why) } });
    expect((await daemon.audit()).at(-1)).toMatchObject({ key_id: 'desk', outcome: expect.stringMatching(/reject|allow/) });
  });

  it('to too much is refused', async () => {
    const before = daemon.daemon.gateway.push.connections().length;
    const uris = Array.from({ length: 201 }, (_, index) => `svc://funds/${index}`);
    const [body, headers] = stateless('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    expect((await desk.send('POST', body, headers)).message.error).toBeDefined();
    await until(() => daemon.daemon.gateway.push.connections().length === before, 'the end of what was opened for it');
  });
});

describe('a page whose own name leads to this machine', () => {
  it('is refused with a key too, unless its name is allowed', async () => {
    const headers = (name: string) => ({
      host: name,
      origin: `https://${name}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
    const begun = async (at: TestDaemon<'desk'>, name: string) => (await at.as('desk').post('/mcp', initialize(), headers(name))).status;
    const pushed = (at: TestDaemon<'desk'>, name: string) => at.pushAt(`/ws?token=${at.keys.desk}`, headers(name));
    const open = await TestDaemon.start({
      keys: { desk: { scopes: ['qot:read'] } },
      flags: ['--allowed-origins', 'https://desk.example', '--public-url', 'https://gateway.example/svc'],
    });
    for (const name of ['desk.example', 'gateway.example']) {
      expect([name, await begun(open, name)]).toEqual([name, 200]);
      await pushed(open, name);
    }
    expect(await begun(open, 'evil.example')).toBe(403);
    await expect(pushed(open, 'evil.example')).rejects.toThrow('403');
    await open.stop();
  });
});

describe('a daemon without keys', () => {
  it('answers no page that was loaded by another name, and no foreign origin', async () => {
    const open = await TestDaemon.start();
    const wire = new McpWire(open);
    const port = new URL(open.url).port;
    expect((await wire.send('POST', initialize(), { host: `rebound.example:${port}` })).status).toBe(403);
    expect((await wire.send('POST', initialize(), { origin: 'http://evil.example' })).status).toBe(403);
    expect((await wire.send('POST', initialize(), { host: `localhost:${port}` })).status).toBe(200);
    const lines = await open.audit();
    expect(lines.filter(({ outcome, reason }) => outcome === 'reject' && String(reason).startsWith('auth: '))).toHaveLength(2);
    await open.stop();
  });
});

describe('a client that does not read its stream', () => {
  it('is cut off when a bounded amount waits for it; others miss nothing', async () => {
    const backend = new FaultyBackend();
    const gateway = await serveGateway({ backend, keys: { desk: { scopes: ['qot:read'] } } });
    const quick = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    const wire = new McpWire(gateway, gateway.key('desk'));
    const session = await wire.begin();
    const { hostname, port } = new URL(gateway.url);
    const slow = connect(Number(port), hostname);
    const lines = [
      'GET /mcp HTTP/1.1',
      `host: ${hostname}:${port}`,
      `authorization: Bearer ${gateway.key('desk')}`,
      'accept: text/event-stream',
      `mcp-session-id: ${session['mcp-session-id']}`,
    ];
    slow.write(`${lines.join('\r\n')}\r\n\r\n`);
    await once(slow, 'readable');
    // From here on it reads nothing.
    let sent = 0;
    while (gateway.pushConnections() === 2) {
      for (let index = 0; index < 10; index++) backend.push(notify(`${'x'.repeat(8 * 1024)} ${++sent}`));
      await quick.pushed(({ type }) => type === 'notify', sent);
      // 1 MiB of backlog, and what two sockets hold.
      expect(sent, 'notices of 8 KiB that were taken for it').toBeLessThan(4000);
    }
    expect((await wire.send('POST', ping, session)).status).toBe(404);
    // The daemon does not keep what nobody fetches: the connection is gone, not left to end some day.
    const ended = once(slow, 'close');
    slow.on('error', () => undefined);
    slow.resume();
    await ended;
    expect(quick.frames().filter(({ type }) => type === 'notify')).toHaveLength(sent);
    await quick.close();
    await gateway.stop();
  });
});
