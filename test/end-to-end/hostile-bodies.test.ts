import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { operations } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

/** Warning about a disk that others keep busy; no body causes it. */
const SLOW_DISK = '"target":"audit"';

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock', 'auth:setup'] as const;
const daemon = TestDaemon.forAll({ keys: { desk: { scopes } }, flags: ['--enable-trading'] });
afterEach(async () => {
  expect((await daemon.as('desk').post('/api/quote', { symbol: 'HK.00700' })).json.ret_type).toBe(0);
  expect(daemon.log.filter((line) => line.includes('"level":50') && !line.includes(SLOW_DISK))).toEqual([]);
});

const posts = operations.filter(({ group }) => group !== 'admin').flatMap(({ rest }) => rest.filter(({ method }) => method === 'POST'));
const path = fc.constantFrom(...posts.map((route) => route.path));
/** Routes whose body cannot be empty. */
const demanding = fc.constantFrom('/api/quote', '/api/kline', '/api/funds', '/api/order', '/api/modify-order', '/api/cancel-order');

const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;

describe('bodies that are no request', () => {
  it('answers 400 to random bytes', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(demanding, bytes, async (target, body) => {
        expect((await daemon.as('desk').post(target, body)).status).toBe(400);
      }),
      { numRuns: 120 },
    );
  });

  it('JSON of any kind is never a defect', async () => {
    await fc.assert(
      fc.asyncProperty(path, fc.json(), async (target, body) => {
        expect((await daemon.as('desk').post(target, body)).status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });

  it('any value in any field is never a defect', async () => {
    const fields = operations.flatMap(({ name, group, rest, shape }) => {
      const route = rest.find(({ method }) => method === 'POST');
      if (group === 'admin' || route === undefined) return [];
      return shape.filter(({ hidden }) => !hidden).map((param) => ({ name, path: route.path, field: param.name }));
    });
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        '1e999',
        '-0',
        '9007199254740993',
        '18446744073709551616',
        '1e-400',
        '-1',
        '0.1',
        `1${'0'.repeat(400)}`,
        '"\\ud800"',
        '"\\u0000"',
      ),
      fc.string().map((text) => JSON.stringify(`HK.${text}`)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), odd, async ({ path: target, field }, value) => {
        const known = { symbol: '"HK.00700"', market: '1', acc_id: '"281756478396547002"', env: '1', side: '1', qty: '100', price: '1' };
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        const body = { ...(target === '/api/order' ? known : {}), [field]: text };
        const members = Object.entries(body).map(([name, member]) => `${JSON.stringify(name)}:${member}`);
        expect((await daemon.as('desk').post(target, `{${members.join(',')}}`)).status).toBeLessThan(500);
      }),
      { numRuns: 250 },
    );
  });

  const rows: [string, string | Uint8Array][] = [
    ['arrays in arrays', nested(100_000, '[', ']')],
    ['objects in objects', nested(100_000, '{"c2s":', '}')],
    ['half a nesting', '['.repeat(500_000)],
    ['a number of a hundred thousand digits', `{"symbol":${'9'.repeat(100_000)}}`],
    ['an exponent beyond all bounds', '{"symbol":1e99999999999}'],
    ['a key given twice', '{"symbol":"HK.00700","symbol":"HK.00005"}'],
    ['a key given twice in two spellings', '{"symbol":"HK.00700","symbo\\u006c":"HK.00005"}'],
    ['__proto__', '{"__proto__":{"symbol":"HK.00700"}}'],
    ['constructor', '{"constructor":{"prototype":{"symbol":"HK.00700"}}}'],
    ['a lone surrogate', '{"symbol":"\\ud800"}'],
    ['a byte order mark', '\uFEFF{"symbol":"HK.00700"}'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"symbol":"HK.'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ['a NUL', '{"symbol":"HK.00700"}\0'],
    ['a comment', '{"symbol":"HK.00700"/**/}'],
    ['single quotes', "{'symbol':'HK.00700'}"],
    ['a trailing comma', '{"symbol":"HK.00700",}'],
    ['NaN', '{"symbol":NaN}'],
    ['two documents', '{"symbol":"HK.00700"}{"symbol":"HK.00700"}'],
    ['whitespace', ' \n\t '],
    ['a hundred thousand keys', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
  ];
  it.each(rows)('answers 400 to %s', async (_what, body) => {
    const answer = await daemon.as('desk').post('/api/quote', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.length).toBeLessThan(1000);
  });

  it('answers 413 to 10 MB without reading further', async () => {
    // The daemon stops reading: a client that goes on writing may see its connection end instead of the answer.
    const status = await daemon
      .as('desk')
      .post('/api/quote', Buffer.alloc(10_000_000, 0x20))
      .then(
        (answer) => answer.status,
        (error: NodeJS.ErrnoException) => error.code,
      );
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(status);
  });

  it('whatever the content type says, JSON is read and nothing else is', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'x/y',
      '',
    ]) {
      const good = await daemon.as('desk').post('/api/quote', { symbol: 'HK.00700' }, { 'content-type': type });
      expect([type, good.status]).toEqual([type, 200]);
      const bad = await daemon.as('desk').post('/api/quote', 'symbol=HK.00700', { 'content-type': type });
      expect([type, bad.status]).toEqual([type, 400]);
    }
  });
});

/** Everything that the daemon answers on one connection. */
async function raw(write: (socket: TLSSocket) => void | Promise<void>): Promise<string> {
  const { hostname, port } = new URL(daemon.url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    servername: 'localhost',
    ...(daemon.ca === undefined ? {} : { ca: daemon.ca }),
  });
  await once(socket, 'secureConnect');
  let heard = '';
  socket.on('data', (part) => {
    heard += part.toString('latin1');
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await write(socket);
  await closed;
  return heard;
}

const statuses = (heard: string) => [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

describe('requests that are no HTTP, or hardly', () => {
  const head = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`;
  const rows: [string, string, number][] = [
    ['garbage', '\x00\x01\x02 garbage\r\n\r\n', 400],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a target that is no path', head('//'), 404],
    ['a target of a bad escape', head('/%'), 404],
    ['a target of a bad escape further down', head('/api/%zz?x=%'), 404],
    ['a bad escape in a query', head('/api/risk-free-rate?rate_time=%zz'), 401],
    ['an absolute target', head('http://localhost/nowhere'), 404],
    ['headers of 64 KiB', head('/livez', `X-Long: ${'x'.repeat(65_536)}\r\n`), 431],
    ['both lengths', 'POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}', 400],
    ['two lengths', 'POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 400],
    ['a negative length', 'POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n', 400],
    ['a chunk of a bad size', 'POST /api/quote HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['an upgrade to nowhere', head('/nowhere').replace('Connection: close', 'Connection: close, Upgrade\r\nUpgrade: websocket'), 404],
    ['an upgrade to what is no WebSocket', head('/livez').replace('Connection: close', 'Connection: close, Upgrade\r\nUpgrade: h2c'), 200],
  ];
  it.each(rows)('%s', async (_what, text, status) => {
    const heard = await raw((socket) => {
      socket.write(text, 'latin1');
    });
    expect(statuses(heard)).toEqual([status]);
  });

  it('garbage after a good request does not spoil its answer', async () => {
    const good = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const heard = await raw((socket) => {
      socket.write(`${good}${good}\x00garbage\r\n\r\n`, 'latin1');
    });
    expect(statuses(heard)[0]).toBe(200);
    for (const status of statuses(heard)) expect([200, 400]).toContain(status);
  });

  it('a body that comes in single bytes is read as any other', async () => {
    const body = '{"symbol":"HK.00700"}';
    const heard = await raw(async (socket) => {
      socket.setNoDelay(true);
      const key = daemon.keys.desk;
      socket.write(
        `POST /api/quote HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      for (const byte of body) await new Promise((resolve) => socket.write(`1\r\n${byte}\r\n`, resolve));
      socket.write('0\r\n\r\n');
    });
    expect(statuses(heard)).toEqual([200]);
  });

  it('bodies of requests that come in one piece are each answered, in their order', async () => {
    const key = daemon.keys.desk;
    const post = (path: string, body: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const heard = await raw((socket) => {
      const get = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n';
      const posts = [post('/api/quote', '{"symbol":"HK.00700"}'), post('/api/quote', '{'), post('/api/nowhere', '{}')];
      socket.write(`${posts.join('')}${get}\r\n${post('/api/quote', '{"symbol":"HK.00005"}')}${get}Connection: close\r\n\r\n`);
    });
    expect(statuses(heard)).toEqual([200, 400, 404, 200, 200, 200]);
  });

  it('a client that goes away in the middle of its body is forgotten', async () => {
    const heard = await raw((socket) => {
      socket.write('POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"symbol":', () => socket.destroy());
    });
    expect(heard).toBe('');
  });
});
