import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { listenAt } from './listen.js';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

const sockets: Socket[] = [];
let server: Server;
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** Whether a connection is taken: the server greets those that it takes. */
async function isTaken(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  sockets.push(socket);
  socket.on('error', () => undefined);
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

it.skipIf(!hasIpv6)('the bound on connections of localhost is for both families, and what is refused is told', async () => {
  server = createServer((socket) => socket.write('hello'));
  const troubles: string[] = [];
  const port = await listenAt(server, { host: 'localhost', port: 0, connectionsMax: 3 }, ({ message }) => troubles.push(message));
  expect([await isTaken('127.0.0.1', port), await isTaken('::1', port), await isTaken('::1', port)]).toEqual([true, true, true]);
  for (const host of ['::1', '127.0.0.1']) expect([host, await isTaken(host, port)]).toEqual([host, false]);
  const full = `port ${port} has 3 connections, which is as many as it may hold`;
  expect(troubles).toEqual([full, full]);
  const [, ended] = sockets;
  ended?.destroy();
  await until(() => isTaken('127.0.0.1', port), 'a place');
});
