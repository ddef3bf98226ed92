import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, inject, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { HttpListener } from './http-listener.js';
import type { TlsPair } from './tls.js';

let listener: HttpListener;
let client: Socket;
afterEach(async () => {
  client.destroy();
  await listener.close();
});

async function open(onRequest: RequestListener, tls?: TlsPair): Promise<void> {
  listener = new HttpListener({ connectionsMax: 10, onHandshake: () => 'declined', onRequest, ...(tls === undefined ? {} : { tls }) });
  const port = await listener.listen({ host: '127.0.0.1', port: 0 });
  client = connect({ host: '127.0.0.1', port });
  client.on('error', () => undefined);
  await once(client, 'connect');
}

it('works on 33 requests of a connection at a time, and answers in order all that it was sent', async () => {
  const count = 3_000;
  let [underWay, most] = [0, 0];
  await open((request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => setImmediate(() => response.end(`${body};`)));
  });
  const body = (n: number) => String(n).padStart(100, '0');
  for (let n = 0; n < count; n++) client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n${body(n)}`);
  let text = '';
  client.on('data', (part) => {
    text += part.toString('latin1');
  });
  await until(() => text.endsWith(`${body(count - 1)};`), 'the last answer');
  expect(text.match(/\d{100};/g)).toEqual(Array.from({ length: count }, (_, n) => `${body(n)};`));
  expect(most).toBe(33);
});

it('lets go of a connection that is reset while its wish for another protocol waits', async () => {
  const answers: ServerResponse[] = [];
  await open((_request, response) => void answers.push(response));
  client.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  await until(() => answers.length === 1, 'the request');
  const [answer] = answers as [ServerResponse];
  const socket = answer.socket as Socket;
  client.resetAndDestroy();
  // Written until the reset is noticed.
  await until(() => {
    if (!answer.destroyed) answer.write('more');
    return socket.destroyed;
  }, 'the end of the connection');
  await until(() => answer.destroyed, 'the end of the answer');
});

/** Passes bytes on, those that are held in one piece: of TLS, several records that arrive together. */
class Gate extends Duplex {
  #held: Buffer[] | undefined;

  constructor(private readonly under: Socket) {
    super();
    under.on('data', (part) => this.push(part));
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    this.under.write(Buffer.concat(this.#held ?? []));
    this.#held = undefined;
  }

  override _read(): void {}

  override _write(part: Buffer, _encoding: string, taken: () => void): void {
    if (this.#held === undefined) this.under.write(part);
    else this.#held.push(part);
    taken();
  }
}

it('reads a request whose body is a TLS record of its own while the answer before it waits for its reader', async () => {
  // More than sockets of the loopback hold.
  const long = Buffer.alloc(64 * 1024 * 1024, 'x');
  let server: Socket | undefined;
  await open(
    async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      server = request.socket;
      response.end(parts.length === 0 ? long : Buffer.concat(parts));
    },
    { cert: readFileSync(inject('tls').cert, 'utf8'), key: readFileSync(inject('tls').key, 'utf8') },
  );
  const gate = new Gate(client);
  const secured = connectTls({ socket: gate, ca: readFileSync(inject('tls').cert), servername: 'localhost' });
  await once(secured, 'secureConnect');
  client.pause();
  secured.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => server?.writableNeedDrain === true, 'the answer that nobody reads');
  gate.hold();
  const parts = ['POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n', 'body'];
  for (const part of parts) await new Promise((resolve) => secured.write(part, resolve));
  gate.release();
  let end = '';
  secured.on('data', (part) => {
    end = (end + part.subarray(-400).toString('latin1')).slice(-400);
  });
  client.resume();
  await until(() => end.endsWith('body') || secured.destroyed || secured.readableEnded, 'the last answer');
  expect(end).toMatch(/x+HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nbody$/);
});
