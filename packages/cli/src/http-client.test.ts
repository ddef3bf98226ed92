import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, inject, it } from 'vitest';
import { exitStatus } from './exit-status.js';
import { send } from './http-client.js';

const { cert, key } = inject('tls');
let stranger: Server;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  stranger.close();
});

const hold = (socket: Socket) => void sockets.add(socket.on('error', () => undefined));
const plain = () => createServer(hold);
const tls = () => createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, hold);

it.each([
  ['over http', 'http', plain, 'unanswered', 'no answer from http'],
  ['over https, from the handshake on', 'https', plain, 'unreachable', 'cannot connect to https'],
  ['over https, after the handshake', 'https', tls, 'unanswered', 'no answer from https'],
] as const)('gives up whoever says nothing %s', async (_, scheme, listener, status, says) => {
  stranger = listener().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const url = new URL(`${scheme}://127.0.0.1:${(stranger.address() as AddressInfo).port}`);
  const target = { url, apiKey: undefined, ca: scheme === 'https' ? readFileSync(cert, 'utf8') : undefined };
  const answer = await send(target, { method: 'GET', path: '/' }, 500);
  if (answer.ok) throw new Error('an answer');
  expect(answer.error.status).toBe(exitStatus[status]);
  expect(answer.error.message).toContain(says);
  expect(answer.error.message).toContain('check --rest-url');
});
