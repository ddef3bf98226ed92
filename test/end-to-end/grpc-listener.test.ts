import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

let daemon: TestDaemon | undefined;
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
});

/** A frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const [DATA, HEADERS, SETTINGS] = [0, 1, 4];
const [END_STREAM, END_HEADERS] = [1, 4];

/** A call by hand: no client of node:http2 sends a key twice. */
function callOf(stream: number, authorizations: readonly string[]): Buffer {
  const fields = [
    [':method', 'POST'],
    [':scheme', 'https'],
    [':path', '/svc.v1.Gateway/Request'],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...authorizations.map((value) => ['authorization', value]),
  ];
  // Literals without indexing (RFC 7541, section 6.2.2), all of them shorter than 127 bytes.
  const literals = fields.flatMap(([name = '', value = '']) => [
    Buffer.of(0, name.length),
    Buffer.from(name),
    Buffer.of(value.length),
    Buffer.from(value),
  ]);
  return Buffer.concat([
    frame(HEADERS, END_HEADERS, stream, Buffer.concat(literals)),
    frame(DATA, END_STREAM, stream, Buffer.of(0, 0, 0, 0, 0)),
  ]);
}

describe('the gRPC listener', () => {
  it('is plain without keys: reads are open, writes and unknown ids are not', async () => {
    daemon = await TestDaemon.start({ flags: ['--enable-trading'] });
    expect(daemon.grpcUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = daemon.grpc();
    expect(await client.call({ protoId: 1002, type: 'GetGlobalState', request: { userID: '0' } })).toMatchObject({ code: 'OK' });
    const unlock = { protoId: 2005, type: 'Trd_UnlockTrade', request: { unlock: false } };
    expect(await client.call(unlock)).toMatchObject({ code: 'UNAUTHENTICATED', metadata: { 'error-code': 'auth.legacy' } });
    expect(await client.call({ protoId: 9999 })).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await client.open()).opened.code).toBe('OPEN');
  });

  it('can be switched off', async () => {
    daemon = await TestDaemon.start({ flags: ['--no-grpc'] });
    expect(daemon.daemon.grpcUrl).toBeUndefined();
  });

  it('says which port is taken, and by which flag another is chosen', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    await expect(TestDaemon.start({ flags: ['--grpc-port', String(port)] })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is in use; stop what uses it or choose another with --grpc-port (0 = any free port)`,
    );
    blocker.close();
  });

  it('ends calls whose request does not come, and not their connection', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 20, 2, 30));
    daemon = await TestDaemon.start({ clock });
    const session = connectHttp2(daemon.grpcUrl);
    const call = (path = '/svc.v1.Gateway/Request') => {
      const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
      const stream = session.request(headers, { endStream: false });
      stream.on('error', () => undefined).resume();
      return stream;
    };
    // One call sends nothing, one a part, and one has no end.
    const stalled = [call(), call(), call()];
    stalled[1]?.write(Buffer.of(0, 0, 0, 0, 9, 8));
    stalled[2]?.write(Buffer.of(0, 0, 0, 0, 0));
    const reached = call();
    const statusOf = (stream: typeof reached) => once(stream, 'response').then(([headers]) => headers['grpc-status']);
    const [answers, gone] = [stalled.map(statusOf), stalled.map((stream) => once(stream, 'close'))];
    reached.end(Buffer.of(0, 0, 0, 0, 0));
    // There is no operation 0, for nobody's key.
    expect(await statusOf(reached)).toBe('16');
    clock.advance(29_000);
    const late = call();
    const last = statusOf(late);
    late.write(Buffer.of(0, 0));
    await new Promise<void>((resolve) => session.ping(() => resolve()));
    clock.advance(3_000);
    expect(await Promise.all(answers)).toEqual(['4', '4', '4']);
    await Promise.all(gone);
    late.end(Buffer.of(0, 0, 0));
    expect(await last).toBe('16');
    session.close();
  });

  it('takes two keys for none', async () => {
    const served = await TestDaemon.start({ keys: { desk: { scopes: ['qot:read'] } } });
    daemon = served;
    const [mine, other] = [`Bearer ${served.keys.desk}`, 'Bearer svc_other'];
    const port = Number(new URL(served.grpcUrl).port);
    const socket = connectTls({ port, ca: served.ca, servername: 'localhost', ALPNProtocols: ['h2'] });
    await once(socket, 'secureConnect');
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, 0)]));
    const calls = [[mine], [mine, other], [other, mine], [mine, mine], [mine]];
    for (const [n, keys] of calls.entries()) socket.write(callOf(2 * n + 1, keys));
    const lines = await until(async () => {
      const found = (await served.audit()).filter(({ iface }) => iface === 'grpc');
      return found.length >= calls.length && found;
    }, 'the audit lines');
    // There is no operation 0, and so none that a key may call: but whose it is is known.
    expect(lines.map(({ key_id, code }) => [key_id, code])).toEqual([
      ['desk', 'auth.scope'],
      ...Array.from({ length: 3 }, () => [null, 'auth.invalid']),
      ['desk', 'auth.scope'],
    ]);
    socket.destroy();
  });

  it('outlives peers that speak nothing it knows', async () => {
    daemon = await TestDaemon.start();
    const port = Number(new URL(daemon.grpcUrl).port);
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const bytes = fc.tuple(fc.boolean(), fc.uint8Array({ minLength: 1, maxLength: 200 }));
    await fc.assert(
      fc.asyncProperty(bytes, async ([greets, noise]) => {
        const socket = connect(port, '127.0.0.1');
        // A reset is as good an end as any.
        const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()));
        socket.resume();
        // Gone as soon as it has spoken: HTTP/2 may wait for the rest of a frame for as long as the peer is there.
        socket.end(Buffer.concat([greets ? preface : Buffer.alloc(0), noise]), () => socket.destroy());
        await closed;
      }),
      { numRuns: 100 },
    );
    expect(await daemon.grpc().check('')).toMatchObject({ code: 'OK', answer: { status: 'SERVING' } });
  });

  it('answers what is no gRPC as HTTP, and messages of any bytes as gRPC', async () => {
    daemon = await TestDaemon.start();
    const session = connectHttp2(daemon.grpcUrl);
    const ask = async (headers: Record<string, string>, body: Buffer) => {
      const stream = session.request({ ':method': 'POST', ...headers });
      stream.on('error', () => undefined).resume();
      let trailers: Record<string, unknown> = {};
      stream.on('trailers', (received) => {
        trailers = received;
      });
      stream.end(body);
      const [response] = (await once(stream, 'response')) as [Record<string, unknown>];
      if (!stream.closed) await once(stream, 'close');
      return { ...response, ...trailers };
    };
    expect(await ask({ ':path': '/api/quote', 'content-type': 'application/json' }, Buffer.from('{}'))).toMatchObject({ ':status': 415 });
    const grpc = { 'content-type': 'application/grpc', te: 'trailers' };
    expect(await ask({ ':path': '/svc.v1.Gateway/Nothing', ...grpc }, Buffer.alloc(5))).toMatchObject({ 'grpc-status': '12' });
    const message = (body: Uint8Array) => {
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(body.length, 1);
      return Buffer.concat([prefix, body]);
    };
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (body) => {
        const answer = await ask({ ':path': '/svc.v1.Gateway/Request', ...grpc }, message(body));
        // Not a message, a request at fault, or an id that the anonymous caller may not know of.
        expect(['0', '3', '16']).toContain(answer['grpc-status']);
      }),
      { numRuns: 200 },
    );
    session.close();
  });
});
