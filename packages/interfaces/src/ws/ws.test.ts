import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { notify, quote, stream, trade } from '../../../../test/support/push-fakes.js';
import { openWsEndpoint } from '../../../../test/support/ws-endpoint.js';

const tencent = stream('HK.00700');
const PING_INTERVAL_MS = 30_000;

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
    const { hub, join } = await openWsEndpoint();
    await join('?token=good');
    await join('', { Authorization: 'Bearer other' });
    expect(hub.connections().map(({ keyId }) => keyId)).toEqual(['good', 'other']);
  });

  it('is refused as HTTP with the JSON error body', async () => {
    const { port, hub } = await openWsEndpoint();
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
    const { port } = await openWsEndpoint();
    const { text } = await handshake(port, '/ws?token=good&fromat=protobuf');
    expect(JSON.parse(text)).toMatchObject({
      ret_msg: expect.stringContaining('unknown query parameter "fromat"; did you mean "format"?'),
      field: 'fromat',
    });
  });

  it('lets in pages of the daemon itself, of the machine and of the list', async () => {
    const { port } = await openWsEndpoint({ allowedOrigins: ['https://desk.example'] });
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
    const { port, join } = await openWsEndpoint({ maxConnections: 1 });
    await join();
    expect(await handshake(port, '/ws?token=good')).toMatchObject({ status: 503, text: expect.stringContaining('limit.connections') });
    const broken = await openWsEndpoint({ authenticate: () => Promise.reject(new Error('defect')) });
    expect((await handshake(broken.port, '/ws?token=good')).status).toBe(500);
    expect(broken.defects).toHaveLength(1);
  });
});

describe('events', () => {
  it('arrive with numbers of the connection, in the format it asked for', async () => {
    const { backend, clock, hub, join } = await openWsEndpoint();
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
    const { backend, clock, hub, join } = await openWsEndpoint();
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
    const { backend, clock, hub, join } = await openWsEndpoint({ maxBacklogBytes: 1024 * 1024 });
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
    const { backend, clock, hub, join } = await openWsEndpoint({ maxBacklogBytes: 1024 * 1024 * 1024 });
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
    const { hub, join } = await openWsEndpoint();
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
    const { clock, endpoint, join } = await openWsEndpoint();
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
