import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuthService, ServiceFailure } from './auth-service.js';

const ANSWER_MS_MAX = 15_000;
const OK = 'HTTP/1.1 200 OK\r\n';

let clock: ManualClock;
let server: Server;
let answer: (socket: Socket) => void;
let asked: Promise<Socket>;
let connections = 0;
const sockets = new Set<Socket>();

beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 7, 3));
  connections = 0;
  server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      answer(socket);
      server.emit('asked', socket);
    });
  });
  asked = once(server, 'asked').then(([socket]) => socket as Socket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function logIn(): Promise<unknown> {
  const { signal } = new AbortController();
  return new AuthService(url(), clock).login({ account: '1' }, signal).catch((thrown: unknown) => thrown);
}

describe('a login service that', () => {
  it.each([
    ['closes', (socket: Socket) => socket.end(), /cannot reach/],
    ['says what is no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), /cannot reach/],
    [
      'switches to another protocol',
      (socket: Socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
      /HTTP 101/,
    ],
    ['sends a header without an end', (socket: Socket) => socket.end(`${OK}x: ${'y'.repeat(1024 * 1024)}`), /cannot reach/],
    ['breaks off', (socket: Socket) => socket.end(`${OK}content-length: 100\r\n\r\n{"ret_type":0`), /cannot reach/],
    ['sends much', (socket: Socket) => socket.end(`${OK}content-length: 99999999\r\n\r\n${' '.repeat(300_000)}`), /more than 262144 bytes/],
    [
      'points elsewhere',
      (socket: Socket) => socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${url()}/elsewhere\r\ncontent-length: 0\r\n\r\n`),
      /HTTP 307/,
    ],
    ['nests deep', (socket: Socket) => socket.end(`${OK}connection: close\r\n\r\n${'['.repeat(200_000)}`), /not JSON/],
    ['answers with a list', (socket: Socket) => socket.end(`${OK}connection: close\r\n\r\n[]`), /as a login service does/],
    ['answers with no number', (socket: Socket) => socket.end(`${OK}connection: close\r\n\r\n{"ret_type":NaN}`), /not JSON/],
    ['succeeds without a payload', (socket: Socket) => socket.end(`${OK}connection: close\r\n\r\n{"ret_type":0}`), /must be/],
  ] as const)('%s is said to have, and asked no second time', async (_, act, says) => {
    answer = act;
    const failure = await logIn();
    expect(failure).toBeInstanceOf(ServiceFailure);
    expect((failure as Error).message).toMatch(says);
    expect(connections).toBe(1);
  });

  it.each([
    ['says nothing', () => undefined],
    ['sends its header byte by byte', (socket: Socket) => socket.write(OK.slice(0, 5))],
    ['goes on saying that it goes on', (socket: Socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100))],
    ['does not end its answer', (socket: Socket) => socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`)],
  ] as const)('%s is given up after 15 s', async (_, act) => {
    answer = act;
    const failed = logIn();
    const socket = await asked;
    const closed = new Promise((resolve) => socket.on('close', resolve));
    clock.advance(ANSWER_MS_MAX);
    expect(await failed).toMatchObject({ constructor: ServiceFailure, message: expect.stringMatching(/no answer from .* within 15 s/) });
    await closed;
  });
});
