import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ManualClock } from '@svc-gateway/contract/clock';
import type * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import type * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller } from '@svc-gateway/gateway';
import { answerSubInfo, answerSubscribe, type PushConnection, PushHub } from '@svc-gateway/gateway/push';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FakeBackend, notify, quote, stream, trade } from '../../../../test/support/push-fakes.js';
import { writeError } from '../common/error-body.js';
import { PageOrigins } from '../common/page-origins.js';
import type { UpgradeRefusal } from '../common/upgrade.js';
import type { Command } from './commands.js';
import { type Authentication, WsEndpoint, type WsEndpointOptions } from './endpoint.js';

const rethrow = (error: unknown) => {
  throw error;
};

const tencent = stream('HK.00700');
const PING_INTERVAL_MS = 30_000;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

/** Keys of these tests: `good` and `other`. */
function authenticate(_request: IncomingMessage, token: string | undefined): Authentication {
  if (token === undefined) return { ok: false, rejection: new Rejection('auth.missing', 'a key is needed') };
  if (token === 'weak') return { ok: false, rejection: new Rejection('auth.scope', 'qot:read is needed') };
  if (token !== 'good' && token !== 'other') return { ok: false, rejection: new Rejection('auth.invalid', 'no such key') };
  const peer = { address: '127.0.0.1', loopback: true };
  const caller: Caller = { iface: 'ws', endpoint: 'GET /ws', requestId: 'r1', peer, keyText: token };
  return { ok: true, caller, owner: `key:${token}`, keyId: token, permits: () => true };
}

function refuse(_request: IncomingMessage, _token: string | undefined, rejection: Rejection): UpgradeRefusal {
  return { status: rejection.kind.http, body: writeError(rejection, 'r1') };
}

async function setUp(options: Partial<WsEndpointOptions> & { maxBacklogBytes?: number; allowedOrigins?: readonly string[] } = {}) {
  const backend = new FakeBackend();
  const clock = new ManualClock(Date.UTC(2026, 7, 3));
  const hub = new PushHub({ backend, onDefect: rethrow, clock, maxBacklogBytes: options.maxBacklogBytes ?? 8 * 1024 * 1024 });
  const defects: unknown[] = [];
  const command = (_caller: Caller, connection: PushConnection, { operation, request }: Command) =>
    operation.name === 'query_subscription'
      ? answerSubInfo(hub, connection.ownOwner, request as QotGetSubInfo.C2S)
      : answerSubscribe(hub, connection.ownOwner, request as QotSub.C2S);
  const onDefect = (error: unknown) => defects.push(error);
  const origins = new PageOrigins(options.allowedOrigins ?? []);
  const checkPage = ({ headers }: IncomingMessage) => origins.check(headers, { scopeMode: true });
  const endpoint = new WsEndpoint({ hub, clock, checkPage, authenticate, refuse, command, onDefect, ...options });
  const server: Server = createServer();
  server.on('upgrade', (request, socket, head) => void endpoint.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  cleanups.push(() => {
    endpoint.close();
    hub.stop(1001, 'going away');
    server.close();
    server.closeAllConnections();
  });
  const join = async (query = '?token=good', headers: Record<string, string> = {}) => {
    const client = new Client(new WebSocket(`ws://127.0.0.1:${port}/ws${query}`, { headers }));
    cleanups.push(() => client.webSocket.terminate());
    await client.opened;
    return client;
  };
  return { backend, clock, hub, endpoint, port, defects, join };
}

/** A client that keeps what it receives and lets a test wait for more. */
class Client {
  readonly texts: string[] = [];
  readonly opened: Promise<unknown>;
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => undefined;

  constructor(readonly webSocket: WebSocket) {
    this.opened = once(webSocket, 'open');
    this.closed = new Promise((resolve) => webSocket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data) => {
      this.texts.push(String(data));
      this.#wake();
    });
  }

  /** Frames so far, once there are so many. */
  async frames(count: number): Promise<Record<string, unknown>[]> {
    while (this.texts.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.texts.map((text) => JSON.parse(text));
  }

  async ask(text: string): Promise<Record<string, unknown>> {
    const count = this.texts.length + 1;
    this.webSocket.send(text);
    return (await this.frames(count)).at(-1)!;
  }
}

/** A handshake by hand: status and body of the answer. */
async function handshake(port: number, path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const socket = connect(port, '127.0.0.1');
  const all = {
    Host: `127.0.0.1:${port}`,
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.startsWith('HTTP/1.1 101')) break;
  }
  socket.destroy();
  return { status: Number(text.split(' ')[1]), text: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

describe('the handshake', () => {
  it('takes the key from the query or the header', async () => {
    const { hub, join } = await setUp();
    await join('?token=good');
    await join('', { Authorization: 'Bearer other' });
    expect(hub.connections().map(({ keyId }) => keyId)).toEqual(['good', 'other']);
  });

  it('is refused as HTTP with the JSON error body', async () => {
    const { port, hub } = await setUp();
    const expected: [string, Record<string, string>, number, string][] = [
      ['/ws', {}, 401, 'auth.missing'],
      ['/ws?token=bad', {}, 401, 'auth.invalid'],
      ['/ws?token=weak', {}, 403, 'auth.scope'],
      ['/ws?token=good&format=xml', {}, 400, 'request.out_of_range'],
      ['/ws?token=good&int64=float', {}, 400, 'request.out_of_range'],
      ['/ws?token=good&fromat=protobuf', {}, 400, 'request.unknown_field'],
      ['/ws?token=good&Format=protobuf', {}, 400, 'request.unknown_field'],
      ['/ws?token=good&format=json&format=protobuf', {}, 400, 'request.invalid'],
      ['/ws?token=good&token=other', {}, 400, 'request.invalid'],
      ['/ws?token=good', { Origin: 'https://evil.example' }, 403, 'auth.origin'],
      ['/ws?token=good', { Origin: 'null' }, 403, 'auth.origin'],
      ['/ws?token=good', { 'Sec-WebSocket-Key': 'short' }, 400, 'request.invalid'],
    ];
    for (const [path, headers, status, code] of expected) {
      const answer = await handshake(port, path, headers);
      expect([path, answer.status, JSON.parse(answer.text)]).toEqual([
        path,
        status,
        expect.objectContaining({ code, ret_type: -1, err_code: code }),
      ]);
    }
    expect(hub.connections()).toEqual([]);
  });

  it('names the parameter that was meant', async () => {
    const { port } = await setUp();
    const { text } = await handshake(port, '/ws?token=good&fromat=protobuf');
    expect(JSON.parse(text)).toMatchObject({
      ret_msg: expect.stringContaining('unknown query parameter "fromat"; did you mean "format"?'),
      field: 'fromat',
    });
  });

  it('lets in pages of the daemon itself, of the machine and of the list', async () => {
    const { port } = await setUp({ allowedOrigins: ['https://desk.example'] });
    for (const origin of [`http://127.0.0.1:${port}`, 'http://localhost:5173', 'http://[::1]:8080', 'https://desk.example']) {
      expect([origin, (await handshake(port, '/ws?token=good', { Origin: origin })).status]).toEqual([origin, 101]);
    }
    // Rebinding: a page whose own name leads here sends that name as Host too.
    const rebound = { Origin: `http://evil.example:${port}`, Host: `evil.example:${port}` };
    expect((await handshake(port, '/ws?token=good', rebound)).status).toBe(403);
    for (const origin of ['https://desk.example.evil.example', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example']) {
      expect([origin, (await handshake(port, '/ws?token=good', { Origin: origin })).status]).toEqual([origin, 403]);
    }
  });

  it('is refused with 503 when all connections are taken, and 500 when the authentication has a defect', async () => {
    const { port, join } = await setUp({ maxConnections: 1 });
    await join();
    expect(await handshake(port, '/ws?token=good')).toMatchObject({ status: 503, text: expect.stringContaining('limit.connections') });
    const broken = await setUp({ authenticate: () => Promise.reject(new Error('defect')) });
    expect((await handshake(broken.port, '/ws?token=good')).status).toBe(500);
    expect(broken.defects).toHaveLength(1);
  });
});

describe('events', () => {
  it('arrive with numbers of the connection, in the format it asked for', async () => {
    const { backend, clock, hub, join } = await setUp();
    const [json, text, protobuf] = [await join(), await join('?token=good&int64=string'), await join('?token=good&format=protobuf')];
    await hub.subscribe('key:good', [tencent], { push: true, first: true });
    await hub.subscribeAccounts('key:good', [281756455983234567n]);
    for (let price = 1; price <= 120; price++) backend.push(quote(tencent, price));
    backend.push(trade(281756455983234567n, 1, 9n));
    clock.advance(1);
    const frames = await json.frames(121);
    expect(frames.map(({ seq }) => seq)).toEqual([...Array(121)].map((_, index) => index + 1));
    expect(json.texts.at(-1)).toContain('"acc_id":281756455983234567,');
    await text.frames(121);
    expect(text.texts.at(-1)).toContain('"acc_id":"281756455983234567",');
    expect((await protobuf.frames(121)).every((frame) => typeof frame.body_b64 === 'string' && !('body' in frame))).toBe(true);
  });

  it('stay whole frames beside pings and pongs', async () => {
    const { backend, clock, hub, join } = await setUp();
    const client = await join();
    let pings = 0;
    client.webSocket.on('ping', () => pings++);
    const pongs = new Promise<void>((resolve) => {
      let left = 20;
      client.webSocket.on('pong', () => --left === 0 && resolve());
    });
    await hub.subscribe('key:good', [tencent], { push: true, first: false });
    for (let price = 1; price <= 20; price++) {
      client.webSocket.ping();
      backend.push(quote(tencent, price));
      clock.advance(PING_INTERVAL_MS);
      await client.frames(price);
    }
    await pongs;
    expect(pings).toBeGreaterThan(0);
    expect(client.webSocket.readyState).toBe(WebSocket.OPEN);
  });

  it('pile up for a reader that does not read until it is closed with 1013; others are not held up', async () => {
    const { backend, clock, hub, join } = await setUp({ maxBacklogBytes: 1024 * 1024 });
    const [slow, quick] = [await join(), await join()];
    slow.webSocket.pause();
    await hub.subscribeAccounts('key:good', [7n]);
    let sent = 0;
    while (hub.connections().length === 2) {
      for (let order = 0; order < 500; order++) backend.push(trade(7n, 1, BigInt(++sent)));
      clock.advance(1);
      await quick.frames(sent);
    }
    backend.push(notify('still there'));
    clock.advance(1);
    expect((await quick.frames(sent + 1)).at(-1)).toMatchObject({ type: 'notify', seq: sent + 1 });
    slow.webSocket.resume();
    expect(await slow.closed).toMatchObject({ code: 1013, reason: expect.stringContaining('backlog') });
    const seqs = (await slow.frames(1)).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('queued for a slow reader follow when it reads again, none missing', async () => {
    const { backend, clock, hub, join } = await setUp({ maxBacklogBytes: 1024 * 1024 * 1024 });
    const client = await join();
    client.webSocket.pause();
    await hub.subscribeAccounts('key:good', [7n]);
    let sent = 0;
    while ((hub.connections()[0]?.backlogBytes ?? 0) < 1024 * 1024) {
      for (let order = 0; order < 1000; order++) backend.push(trade(7n, 1, BigInt(++sent)));
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    client.webSocket.resume();
    const frames = await client.frames(sent);
    expect(frames.map(({ seq, body }) => [seq, (body as { order: { order_id: number } }).order.order_id])).toEqual(
      [...Array(sent)].map((_, index) => [index + 1, index + 1]),
    );
    expect(hub.connections()[0]).toMatchObject({ backlogBytes: 0, sentCount: sent });
  });

  it('end with 4401 when the key is revoked', async () => {
    const { hub, join } = await setUp();
    const [good, other] = [await join(), await join('?token=other')];
    hub.revokeOwner('key:good', 'key revoked');
    expect(await good.closed).toEqual({ code: 4401, reason: 'key revoked' });
    expect(other.webSocket.readyState).toBe(WebSocket.OPEN);
    hub.revokeOwner('key:other', `${'ä'.repeat(200)}`);
    expect(await other.closed).toEqual({ code: 4401, reason: 'ä'.repeat(61) });
  });
});

describe('heartbeats', () => {
  it('end a peer that leaves two pings unanswered', async () => {
    const { clock, endpoint, join } = await setUp();
    const [dead, alive] = [await join('?token=good'), await join('?token=other')];
    dead.webSocket.pong = () => undefined;
    (dead.webSocket as unknown as { _autoPong: boolean })._autoPong = false;
    for (let beat = 1; beat <= 3; beat++) {
      expect(endpoint.connectionCount).toBe(2);
      const pinged = once(alive.webSocket, 'ping');
      clock.advance(PING_INTERVAL_MS);
      await pinged;
      // The pong has arrived when what was sent after it is answered.
      await alive.ask('{"op":"ping"}');
    }
    expect((await dead.closed).code).toBe(1006);
    expect(endpoint.connectionCount).toBe(1);
    expect(alive.webSocket.readyState).toBe(WebSocket.OPEN);
  });
});

describe('commands', () => {
  it('subscribe, list and unsubscribe for the connection alone, each answered before what it brings', async () => {
    const { backend, clock, hub, join } = await setUp();
    backend.currents.set('HK.00700 1 0', quote(tencent, 100));
    const [client, sibling] = [await join(), await join()];
    client.webSocket.send('{"op":"subscribe","id":1,"symbols":["HK.00700"],"sub_types":[1]}');
    await client.frames(1);
    clock.advance(1);
    const [ack, first] = await client.frames(2);
    expect(ack).toEqual({ type: 'ack', id: 1, op: 'subscribe', ret_type: 0, ret_msg: null, err_code: null, s2c: {} });
    expect(first).toMatchObject({ type: 'quote', seq: 1, symbol: 'HK.00700' });
    clock.advance(1);
    const list = await client.ask('{"op":"query","id":"q"}');
    expect(list).toMatchObject({ id: 'q', op: 'query', ret_type: 0, s2c: { conn_sub_info_list: [{ used_quota: 1 }] } });
    clock.advance(1);
    expect(await client.ask('{"op":"unsubscribe","id":2,"unsub_all":true}')).toMatchObject({ id: 2, op: 'unsubscribe', ret_type: 0 });
    expect(hub.subscriptions.listAll()).toEqual([]);
    expect(sibling.texts).toEqual([]);
  });

  it('are refused with the error fields, and the connection goes on', async () => {
    const run = () => new Rejection('auth.scope', 'qot:state is needed');
    const { clock, join } = await setUp({ command: run });
    const client = await join();
    const cases: [string, Record<string, unknown>][] = [
      ['{"op":', { id: null, code: 'request.malformed_json' }],
      ['[1]', { id: null, code: 'request.wrong_type' }],
      ['{"id":1}', { id: 1, code: 'request.missing_field' }],
      [
        '{"op":"sub","id":2}',
        {
          id: 2,
          op: 'sub',
          code: 'request.out_of_range',
          error: 'op: expected one of subscribe, unsubscribe, query, sub_acc, unsub_acc, ping, found the string "sub"',
        },
      ],
      ['{"op":"__proto__","id":3}', { id: 3, code: 'request.out_of_range' }],
      ['{"op":"ping","id":4,"x":1}', { id: 4, code: 'request.unknown_field' }],
      ['{"op":"ping","id":{}}', { id: null, code: 'request.wrong_type' }],
      ['{"op":"subscribe","id":5,"symbol_list":["HK.00700"],"sub_types":[1],"frst_push":true}', { id: 5, code: 'request.unknown_field' }],
      ['{"op":"subscribe","id":6,"symbols":["00700"],"sub_types":[1]}', { id: 6, code: 'request.invalid' }],
      ['{"op":"subscribe","id":7,"symbols":["HK.00700"],"sub_types":[3]}', { id: 7, code: 'request.out_of_range' }],
      ['{"op":"subscribe","id":8,"symbols":["HK.00700"],"sub_types":[1]}', { id: 8, code: 'auth.scope', ret_msg: 'qot:state is needed' }],
      ['{"op":"ping","id":123456789012345678901}', { op: 'ping', ret_type: 0 }],
    ];
    for (const [text, expected] of cases) {
      const asked = client.ask(text);
      const timer = setInterval(() => clock.advance(1), 1);
      const answer = await asked;
      clearInterval(timer);
      expect([text, answer]).toEqual([text, expect.objectContaining({ type: 'ack', ...expected })]);
      if (expected.code !== undefined) expect(answer).toMatchObject({ ret_type: -1, err_code: expected.code, error: answer.ret_msg });
    }
    expect(client.texts.at(-1)).toContain('"id":123456789012345678901,');
  });

  it('are answered in the order in which they came, and a defect is not silent', async () => {
    let fail = false;
    const { clock, defects, join } = await setUp({
      command: () => {
        if (fail) throw new Error('defect');
        fail = true;
        return new Promise<Rejection>((resolve) => setImmediate(() => resolve(new Rejection('limit.symbol', 'no'))));
      },
    });
    const client = await join();
    for (const text of ['{"op":"query","id":1}', '{"op":"query","id":2}', '{"op":"ping","id":3}']) client.webSocket.send(text);
    const timer = setInterval(() => clock.advance(1), 1);
    const acks = await client.frames(3);
    clearInterval(timer);
    expect(acks.map(({ id, code }) => [id, code])).toEqual([
      [1, 'limit.symbol'],
      [null, 'internal'],
      [3, undefined],
    ]);
    expect(defects).toHaveLength(1);
  });

  it('are bounded in their rate', async () => {
    const { clock, join } = await setUp({ commandsPerSecond: 5 });
    const client = await join();
    for (let id = 1; id <= 7; id++) client.webSocket.send(`{"op":"ping","id":${id}}`);
    const timer = setInterval(() => clock.advance(1), 1);
    const acks = await client.frames(7);
    clearInterval(timer);
    expect(acks.filter(({ ret_type }) => ret_type === 0)).toHaveLength(5);
    const refused = acks.filter(({ code, retry_after }) => code === 'limit.rate' && retry_after === 1);
    expect(refused.map(({ id, op }) => [id, op])).toEqual([
      [6, 'ping'],
      [7, 'ping'],
    ]);
    clock.advance(1000);
    expect(await client.ask('{"op":"ping","id":8}')).toMatchObject({ id: 8, ret_type: 0 });
  });

  it('must be text of a sensible size', async () => {
    const { join } = await setUp();
    const [binary, large, broken] = [await join(), await join(), await join()];
    binary.webSocket.send(Buffer.from('{"op":"ping"}'));
    expect((await binary.closed).code).toBe(1003);
    large.webSocket.send(`{"op":"ping","id":"${'x'.repeat(70_000)}"}`);
    expect((await large.closed).code).toBe(1009);
    broken.webSocket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await broken.closed).code).toBe(1007);
  });

  it('of any text leave the connection alive', async () => {
    const { clock, defects, join } = await setUp({ commandsPerSecond: 1_000_000 });
    const client = await join();
    const timer = setInterval(() => clock.advance(1), 1);
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ op: fc.constantFrom('subscribe', 'query', 'ping'), id: fc.anything() })
        .map((value) => JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? String(field) : field))),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await client.ask(text)).toMatchObject({ type: 'ack' });
      }),
      { numRuns: 200 },
    );
    clearInterval(timer);
    expect(defects).toEqual([]);
  });
});
