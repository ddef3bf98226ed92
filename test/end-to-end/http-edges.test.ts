import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

const keys = { desk: { scopes: ['qot:read', 'acc:read', 'admin'] } } as const;
let secure: TestDaemon<'desk'>;
let plain: TestDaemon<'desk'>;
const sockets: Socket[] = [];
beforeAll(async () => {
  secure = await TestDaemon.start({ keys, flags: ['--allowed-origins', 'https://desk.example'] });
  plain = await TestDaemon.start({ flags: ['--allowed-origins', 'https://desk.example'] });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([secure.stop(), plain.stop()]);
});

/** A connection on which a test writes what it likes, and what came back. */
class RawConnection {
  text = '';
  closed = false;

  private constructor(readonly socket: Socket) {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      this.text += part.toString('latin1');
    });
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static async to({ url, ca }: TestDaemon): Promise<RawConnection> {
    const { hostname: host, port, protocol } = new URL(url);
    const secured = protocol === 'https:';
    const socket = secured ? connectTls({ host, port: Number(port), ca, servername: 'localhost' }) : connect({ host, port: Number(port) });
    await once(socket, secured ? 'secureConnect' : 'connect');
    return new RawConnection(socket);
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  /** The status lines that came, once there are so many or the connection was closed. */
  async statuses(count: number): Promise<string[]> {
    const found = () => this.text.match(/HTTP\/1\.1 \d+/g) ?? [];
    await until(() => this.closed || found().length >= count, `${count} answers`);
    return found().map((line) => line.slice('HTTP/1.1 '.length));
  }
}

const both = [
  ['plain HTTP', () => plain],
  ['TLS', () => secure],
] as const;
const auth = () => `Authorization: Bearer ${secure.keys.desk}`;

describe.each(both)('an Upgrade to something else, over %s', (_, daemon) => {
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA'];

  it('is ignored: the request and those after it are answered as HTTP/1.1', async () => {
    const connection = await RawConnection.to(daemon());
    const ping = ['GET /api/ping HTTP/1.1', 'Host: localhost', auth()];
    connection.send(...ping, ...h2c, '', '');
    expect(await connection.statuses(1)).toEqual(['200']);
    connection.send(...ping, ...h2c, '', '', ...ping, '', '');
    expect(await connection.statuses(3)).toEqual(['200', '200', '200']);
    // Answered in the turn in which it comes.
    const alive = ['GET /livez HTTP/1.1', 'Host: localhost', ...h2c, '', ''];
    connection.send(...alive, alive.join('\r\n'));
    expect(await connection.statuses(5)).toEqual(['200', '200', '200', '200', '200']);
    expect(connection.text).not.toMatch(/^upgrade:/im);
  });

  it.each(['h2c', 'websocket'])('behind a request that is not answered yet waits for that, and is answered then: %s', async (protocol) => {
    const connection = await RawConnection.to(daemon());
    const wait = '{"condition":1,"symbol":"HK.00700","relation":1,"price":99999,"timeout":1}';
    const body = '{"symbol":"HK.00700"}';
    const post = (path: string, text: string, ...headers: string[]) => [
      ...[`POST ${path} HTTP/1.1`, 'Host: localhost', auth(), `Content-Length: ${text.length}`, ...headers, ''],
      text,
    ];
    const wishing = post('/api/quote', body, 'Connection: Upgrade', `Upgrade: ${protocol}`).join('\r\n');
    connection.send(post('/api/wait-for', wait).join('\r\n') + wishing + wishing);
    expect(await connection.statuses(3)).toEqual(['200', '200', '200']);
    expect(connection.text.indexOf('"outcome"')).toBeLessThan(connection.text.indexOf('"basic_qot_list"'));
  });

  it('is ignored with a body, in one piece or in two', async () => {
    const body = '{"symbol":"HK.00700"}';
    const head = ['POST /api/quote HTTP/1.1', 'Host: localhost', auth(), ...h2c];
    const sized = [...head, `Content-Length: ${body.length}`, '', body].join('\r\n');
    const chunked = [...head, 'Transfer-Encoding: chunked', '', body.length.toString(16), body, '0', '', ''].join('\r\n');
    for (const request of [sized, chunked]) {
      const whole = await RawConnection.to(daemon());
      whole.send(request + request);
      expect(await whole.statuses(2)).toEqual(['200', '200']);
      const halved = await RawConnection.to(daemon());
      const half = request.indexOf('HK.');
      halved.send(request.slice(0, half));
      halved.send(request.slice(half));
      expect(await halved.statuses(1)).toEqual(['200']);
    }
  });
});

describe.each(both)('what cannot be read, over %s', (_, daemon) => {
  it('is refused in words, after the answers to what was asked before it', async () => {
    const connection = await RawConnection.to(daemon());
    const wait = '{"condition":1,"symbol":"HK.00700","relation":1,"price":99999,"timeout":1}';
    const asked = ['POST /api/wait-for HTTP/1.1', 'Host: localhost', auth(), `Content-Length: ${wait.length}`, '', wait];
    connection.send(`${asked.join('\r\n')}}} what is this\r\n\r\n`);
    connection.send('and this\r\n\r\n');
    expect(await connection.statuses(2)).toEqual(['200', '400']);
    await until(() => connection.closed, 'the end of the connection');
    const [first = '', second = ''] = connection.text.split(/(?=HTTP\/1\.1 400)/);
    expect(first).toContain('"outcome":2');
    expect(JSON.parse(second.split('\r\n\r\n')[1] ?? '')).toMatchObject({
      code: 'request.invalid',
      error: expect.stringMatching(/^not a request of HTTP\/1\.1: ./),
      request_id: expect.stringMatching(/^http-/),
    });
  });

  it('within a request is refused at once, or after the answers to those before it', async () => {
    const broken = ['POST /api/quote HTTP/1.1', 'Host: localhost', auth(), 'Transfer-Encoding: chunked', '', 'no length', ''];
    const connection = await RawConnection.to(daemon());
    connection.send(...broken);
    expect(await connection.statuses(1)).toEqual(['400']);
    await until(() => connection.closed, 'the end of the connection');
    const another = await RawConnection.to(daemon());
    const wait = '{"condition":1,"symbol":"HK.00700","relation":1,"price":99999,"timeout":1}';
    const asked = ['POST /api/wait-for HTTP/1.1', 'Host: localhost', auth(), `Content-Length: ${wait.length}`, '', wait];
    another.send(asked.join('\r\n') + broken.join('\r\n'));
    expect(await another.statuses(2)).toEqual(['200', '400']);
  });
});

describe.each(both)('requests that do not wait for each other, over %s', (_, daemon) => {
  it('are answered whole and in order, and the last closes the connection', async () => {
    const connection = await RawConnection.to(daemon());
    const symbol = '{"symbol":"HK.00700"}';
    const of = (request: string, ...headers: string[]) => [`${request} HTTP/1.1`, 'Host: localhost', auth(), ...headers, ''];
    connection.send(
      ...of('POST /api/quote', `Content-Length: ${symbol.length}`),
      symbol + of('HEAD /api/ping').join('\r\n'),
      ...of('GET /api/nothing'),
      ...of('GET /api/ping', 'Connection: close'),
      '',
    );
    await until(() => connection.closed, 'the end of the connection');
    const answers: [string, unknown][] = [];
    for (let at = 0; at < connection.text.length; ) {
      const end = connection.text.indexOf('\r\n\r\n', at) + 4;
      const head = connection.text.slice(at, end);
      // The answer to HEAD, the second, has none of the bytes that it speaks of.
      const length: number = answers.length === 1 ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      answers.push([head.slice(9, 12), length === 0 ? undefined : JSON.parse(connection.text.slice(end, end + length)).ret_type]);
      at = end + length;
    }
    expect(answers).toEqual([
      ['200', 0],
      ['200', undefined],
      ['404', -1],
      ['200', 0],
    ]);
  });
});

it.each(['/', '/sse', '/messages', '/mcp/'])('POST %s says where MCP is, and nothing else does', async (path) => {
  expect(await secure.as().post(path)).toMatchObject({ status: 404, json: { error: 'not found: MCP is served at POST /mcp' } });
  expect((await secure.as().get(path)).json.error).toBe('not found');
  expect((await secure.as().post('/api/nowhere')).json.error).toBe('not found');
});

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    for (const path of ['/api/ping', '/livez', '/openapi.json', '/docs', '/api/admin/status']) {
      const [head, get] = [await secure.as('desk').request('HEAD', path, {}), await secure.as('desk').get(path)];
      expect([path, head.status, head.text, head.headers['content-type']]).toEqual([path, 200, '', get.headers['content-type']]);
      expect(Number(head.headers['content-length'])).toBeGreaterThan(10);
      expect(head.headers['cache-control']).toBe('no-store');
    }
    expect((await secure.as().request('HEAD', '/api/admin/status', {})).status).toBe(401);
    expect((await secure.as('desk').request('HEAD', '/api/quote', {})).status).toBe(405);
  });

  it('is not taken for the stream of /mcp', async () => {
    expect((await secure.as('desk').request('HEAD', '/mcp', {})).status).toBe(405);
  });
});

describe('a target', () => {
  it('may be a whole URL, whose host counts and not the header’s', async () => {
    const connection = await RawConnection.to(plain);
    connection.send('GET http://localhost/api/ping HTTP/1.1', 'Host: localhost', '', '');
    connection.send('GET HTTP://127.0.0.1:1?x=1 HTTP/1.1', 'Host: localhost', '', '');
    connection.send('GET http://evil.example/api/ping HTTP/1.1', 'Host: localhost', '', '');
    expect(await connection.statuses(3)).toEqual(['200', '404', '403']);
    const audited = (await plain.audit()).map(({ endpoint }) => endpoint);
    expect(audited.slice(-3)).toEqual(['GET /api/ping', 'GET /', 'GET /api/ping']);
  });
});

describe('/ws', () => {
  it('says 426 to a GET that is no handshake', async () => {
    const answer = await secure.as('desk').get('/ws');
    expect([answer.status, answer.json.code, answer.headers.upgrade]).toEqual([426, 'route.upgrade_required', 'websocket']);
    expect((await secure.as('desk').post('/ws', {})).status).toBe(405);
  });

  it('takes a handshake behind a request once that is answered', async () => {
    const connection = await RawConnection.to(plain);
    const wait = '{"condition":1,"symbol":"HK.00700","relation":1,"price":99999,"timeout":1}';
    connection.send('POST /api/wait-for HTTP/1.1', 'Host: localhost', `Content-Length: ${wait.length}`, '', wait);
    const wish = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='];
    connection.send('GET /ws HTTP/1.1', 'Host: localhost', ...wish, '', '');
    expect(await connection.statuses(2)).toEqual(['200', '101']);
  });

  it('agrees to no subprotocol, whatever a client offers; the core WebSocket neither', async () => {
    const urls = [`${secure.url.replace('https', 'wss')}/ws?token=${secure.keys.desk}`, secure.daemon.websocketUrl ?? ''];
    for (const url of urls) {
      const socket = new WebSocket(url, ['graphql-ws', 'mqtt'], { ca: secure.ca });
      // The client's own opinion does not matter here.
      socket.on('error', () => undefined);
      const [response] = await once(socket, 'upgrade');
      expect([response.statusCode, response.headers['sec-websocket-protocol']]).toEqual([101, undefined]);
      socket.terminate();
    }
  });
});

describe('CORS', () => {
  const origin = 'https://desk.example';
  const preflight = (path: string, headers: Record<string, string>) =>
    secure.as().request('OPTIONS', path, { headers: { 'access-control-request-method': 'POST', ...headers } });

  it('answers the preflight of a listed origin, without a key', async () => {
    for (const [path, methods] of [
      ['/api/quote', 'POST'],
      ['/api/ping', 'GET, HEAD'],
      ['/mcp', 'GET, POST, DELETE'],
    ] as const) {
      const { status, headers, text } = await preflight(path, { origin, 'access-control-request-headers': 'authorization' });
      expect([path, status, text, headers['access-control-allow-methods']]).toEqual([path, 204, '', methods]);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-headers']?.toLowerCase()).toContain('authorization');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers.vary).toBe('Origin');
    }
  });

  it('lets a page of a listed origin read answers and refusals, and their headers', async () => {
    for (const answer of [
      await secure.as('desk').get('/api/ping', { origin }),
      await secure.as().get('/api/ping', { origin }),
      await secure.as().get('/nowhere', { origin }),
      await secure
        .as('desk')
        .post('/mcp', { jsonrpc: '2.0', id: 1, method: 'nothing' }, { origin, accept: 'application/json, text/event-stream' }),
    ]) {
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      const exposed = answer.headers['access-control-expose-headers']?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['Retry-After', 'X-Request-Id', 'Idempotent-Replayed', 'Mcp-Session-Id']));
    }
  });

  it('has no header for anybody else', async () => {
    const local = new URL(secure.url).origin;
    for (const other of ['https://evil.example', 'https://desk.example.evil.example', 'null', 'http://localhost:3000', local, undefined]) {
      const headers = other === undefined ? {} : { origin: other };
      for (const answer of [await preflight('/api/quote', headers), await secure.as('desk').get('/api/ping', headers)]) {
        expect([other, Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))]).toEqual([other, []]);
        expect([200, 403, 405]).toContain(answer.status);
      }
    }
  });
});

describe('a request that could be read in two ways', () => {
  const head = ['POST /api/quote HTTP/1.1', 'Host: localhost'];
  const smuggled = 'GET /api/ping HTTP/1.1\r\nHost: localhost\r\n\r\n';

  it.each([
    ['Content-Length and Transfer-Encoding', [...head, 'Content-Length: 4', 'Transfer-Encoding: chunked', '', `0\r\n\r\n${smuggled}`]],
    ['two Content-Lengths', [...head, 'Content-Length: 0', `Content-Length: ${smuggled.length}`, '', smuggled]],
    ['a length that is no number', [...head, 'Content-Length: +4', '', smuggled]],
    ['an unknown Transfer-Encoding', [...head, 'Transfer-Encoding: xchunked', '', smuggled]],
    ['chunked not at the end', [...head, 'Transfer-Encoding: chunked, identity', '', smuggled]],
    ['a blank before the colon', [...head, 'Content-Length : 4', '', smuggled]],
    ['no Host', ['GET /api/ping HTTP/1.1', '', smuggled]],
    ['a NUL in a header', [...head, 'X-Any: a\0b', '', smuggled]],
    ['a carriage return in a header', [...head, 'X-Any: a\rb: c', '', smuggled]],
  ])('%s is refused, and its connection closed', async (_, lines) => {
    const connection = await RawConnection.to(plain);
    connection.send(...lines);
    await until(() => connection.closed, 'the end of the connection');
    expect(await connection.statuses(1)).toEqual(['400']);
  });

  it('two keys are none', async () => {
    const connection = await RawConnection.to(secure);
    connection.send('GET /api/ping HTTP/1.1', 'Host: localhost', auth(), 'Authorization: Bearer other', '', '');
    connection.send('GET /api/ping HTTP/1.1', 'Host: localhost', 'Authorization: Bearer other', auth(), '', '');
    expect(await connection.statuses(2)).toEqual(['401', '401']);
  });

  it('two keys of a handshake are none, wherever they stand', async () => {
    const { desk } = secure.keys;
    const bearer = { authorization: `Bearer ${desk}` };
    const doors: Record<string, string> = { '/ws': `${secure.url.replace('https', 'wss')}/ws`, core: secure.daemon.websocketUrl ?? '' };
    const open = async (door: string, query = '', headers: Record<string, string> = {}, protocols: string[] = []) => {
      const socket = new WebSocket(`${doors[door]}${query}`, protocols, { ca: secure.ca, headers });
      socket.on('error', () => undefined);
      const answered = await Promise.race([
        once(socket, 'open').then(() => 101),
        once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
      ]);
      socket.terminate();
      return answered;
    };
    const offered = (...texts: string[]) => ['svc.push', ...texts.map((text) => `svc.key.${text}`)];
    for (const door of ['/ws', 'core']) {
      for (const other of ['svc_other', desk, ''])
        expect([door, other, await open(door, `?token=${other}`, bearer)]).toEqual([door, other, 401]);
      expect([door, await open(door, `?token=${desk}`, { authorization: 'Bearer svc_other' })]).toEqual([door, 401]);
      for (const query of [`?token=${desk}&token=svc_other`, `?token=${desk}&token=${desk}`]) {
        expect([door, query, await open(door, query)]).toEqual([door, query, 400]);
      }
      expect([door, await open(door, '', bearer), await open(door, `?token=${desk}`)]).toEqual([door, 101, 101]);
    }
    expect(await open('/ws', '', bearer, offered('svc_other'))).toBe(401);
    expect(await open('/ws', `?token=${desk}`, {}, offered('svc_other'))).toBe(401);
    expect(await open('/ws', '', bearer, offered('svc_other', 'svc_another'))).toBe(401);
    expect(await open('/ws', '', bearer, offered())).toBe(101);
    expect(await open('/ws', '', {}, offered(desk))).toBe(101);
    // As the published client asks, whose own parameters follow.
    expect(await open('core', `/?token=${desk}&p=:1&p=2`)).toBe(101);
  });

  it('two hosts are refused, with the error body of any other refusal', async () => {
    for (const [daemon, ...more] of [[plain], [secure, auth()]] as const) {
      const connection = await RawConnection.to(daemon);
      const heads = [
        ['GET /api/ping HTTP/1.1', 'Host: localhost', 'Host: evil.example'],
        ['GET /api/ping HTTP/1.1', 'Host: localhost', 'Host: localhost'],
        ['GET /docs HTTP/1.1', 'Host: localhost', 'Host:'],
        ['GET http://localhost/api/ping HTTP/1.1', 'Host: localhost', 'Host: evil.example'],
        ['GET /api/ping HTTP/1.1', 'Host: localhost', 'Host: evil.example', 'Origin: https://evil.example'],
      ];
      for (const lines of heads) connection.send(...lines, ...more, '', '');
      connection.send('GET /api/ping HTTP/1.1', 'Host: localhost', ...more, '', '');
      expect(await connection.statuses(6)).toEqual(['400', '400', '400', '400', '400', '200']);
      expect(connection.text.match(/"code":"request\.invalid"/g)).toHaveLength(5);
      const handshake = [
        'Upgrade: websocket',
        'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ];
      const other = await RawConnection.to(daemon);
      other.send('GET /ws HTTP/1.1', 'Host: localhost', 'Host: localhost', ...handshake, ...more, '', '');
      expect(await other.statuses(1)).toEqual(['400']);
    }
  });

  it('a flood of headers is cut off', async () => {
    const connection = await RawConnection.to(plain);
    connection.send('GET /api/ping HTTP/1.1', 'Host: localhost', ...Array.from({ length: 2_000 }, (_, n) => `X-${n}: 0123456789`), '', '');
    expect(await connection.statuses(1)).toEqual(['431']);
    await until(() => connection.closed, 'the end of the connection');
  });
});

describe('TLS', () => {
  it('is offered with authenticated encryption and forward secrecy alone, on every listener', async () => {
    const { restUrl, grpcUrl = '', websocketUrl = '' } = secure.daemon;
    for (const url of [restUrl, grpcUrl, websocketUrl]) {
      const port = Number(new URL(url).port);
      const shake = async (options: object) => {
        const socket = connectTls({
          port,
          host: '127.0.0.1',
          ca: secure.ca,
          servername: 'localhost',
          ALPNProtocols: ['h2', 'http/1.1'],
          ...options,
        });
        sockets.push(socket);
        const outcome = await Promise.race([
          once(socket, 'secureConnect').then(() => socket.getCipher().name),
          once(socket, 'error').then(() => 'refused'),
        ]).catch(() => 'refused');
        socket.on('error', () => undefined);
        socket.destroy();
        return outcome;
      };
      expect(await shake({ maxVersion: 'TLSv1.2' })).toMatch(/^ECDHE-.*(GCM|CHACHA20)/);
      expect(await shake({})).toMatch(/^TLS_.*(GCM|POLY1305)/);
      const weak = 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES128-SHA:AES128-GCM-SHA256:AES256-SHA';
      expect(await shake({ maxVersion: 'TLSv1.2', ciphers: weak })).toBe('refused');
      expect(await shake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).toBe('refused');
    }
  });
});
