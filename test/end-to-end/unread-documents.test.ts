import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { getDefaultHighWaterMark } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

const documents = ['/docs', '/openapi.json', '/console', '/console/script.js', '/console/style.css'];
/** So that what the system keeps of a connection is full long before the last of them, and the requests still come in one TLS record. */
const ROUNDS = 25;
/** An answer's stream takes what comes until it holds its high-water mark, which is larger from Node 22 on. */
const HELD_BYTES_MAX = 48 * 1024 + getDefaultHighWaterMark(false);

const both = [
  ['plain HTTP', {}],
  ['TLS', { keys: { desk: { scopes: ['qot:read'] } } }],
] as const;

let daemon: TestDaemon | undefined;
const answers: ServerResponse[] = [];
const onStart = (message: unknown) => answers.push((message as { response: ServerResponse }).response);
afterEach(async () => {
  unsubscribe('http.server.request.start', onStart);
  answers.length = 0;
  await daemon?.stop();
});

it.each(both)('documents that nobody reads are not kept for them, and come whole once they are read, over %s', async (_, options) => {
  const served = await TestDaemon.start(options);
  daemon = served;
  const wanted = await Promise.all(documents.map(async (path) => (await served.as().get(path)).text));
  subscribe('http.server.request.start', onStart);
  const { hostname: host, port, protocol } = new URL(served.url);
  const secured = protocol === 'https:';
  const client = secured
    ? connectTls({ host, port: Number(port), ca: served.ca, servername: 'localhost' })
    : connect({ host, port: Number(port) });
  await once(client, secured ? 'secureConnect' : 'connect');
  const ask = (method: string, path: string, end = '') => `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${end}\r\n`;
  const round = documents.map((path) => ask('HEAD', path) + ask('GET', path)).join('');
  client.write(round.repeat(ROUNDS) + ask('GET', '/livez', 'Connection: close\r\n'));

  await until(() => answers.length === 2 * ROUNDS * documents.length + 1, 'the requests');
  const socket = answers[0]!.req.socket;
  let [before, looks, most] = [0, 0, 0];
  await until(() => {
    most = Math.max(most, held(answers));
    looks = socket.writableLength > 0 && socket.bytesWritten === before ? looks + 1 : 0;
    before = socket.bytesWritten;
    return looks === 50;
  }, 'the standstill');
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(HELD_BYTES_MAX);

  const chunks: Buffer[] = [];
  client.on('data', (chunk) => chunks.push(chunk));
  await once(client, 'close');
  const bodies = bodiesOf(Buffer.concat(chunks), (n) => n % 2 === 0 && n < 2 * ROUNDS * documents.length);
  expect(bodies).toHaveLength(ROUNDS * documents.length + 1);
  for (const [n, body] of bodies.slice(0, -1).entries()) expect(body === wanted[n % documents.length]).toBe(true);
});

/** Bytes held for unread answers: each one's own, and their socket's once. */
function held(some: readonly ServerResponse[]): number {
  return some.reduce((sum, answer) => sum + (answer.writableFinished ? 0 : answer.writableLength), 0);
}

/** The bodies of answers that follow each other; `isHead` says which have none. */
function bodiesOf(bytes: Buffer, isHead: (n: number) => boolean): string[] {
  const bodies: string[] = [];
  let at = 0;
  for (let n = 0; at < bytes.length; n += 1) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/^content-length: (\d+)/im.exec(bytes.toString('latin1', at, end))?.[1]);
    at = isHead(n) ? end : end + length;
    if (!isHead(n)) bodies.push(bytes.toString('utf8', end, at));
  }
  return bodies;
}
