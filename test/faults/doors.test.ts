import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { editKey } from '../support/keys.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';

const keys = { desk: { scopes: ['qot:read'] }, gone: { scopes: ['qot:read'] } } as const;
const DESCRIPTORS = 256;
const LIMITED = ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`, process.execPath] as const;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function boot(launcher?: readonly [string, ...string[]], flags: readonly string[] = []): Promise<SpawnedDaemon<'desk' | 'gone'>> {
  const daemon = new SpawnedDaemon<'desk' | 'gone'>(true);
  cleanUps.push(() => daemon.stop());
  for (const id of ['desk', 'gone'] as const) await daemon.addKey(id, keys[id]);
  await daemon.boot(flags, launcher);
  return daemon;
}

/** A connection, and the moment when the daemon has let it go. */
function peer(socket: Socket): { readonly socket: Socket; readonly gone: Promise<unknown> } {
  cleanUps.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.resume();
  return { socket, gone: new Promise((resolve) => socket.once('close', resolve)) };
}

describe('peers that do not keep to the protocol', () => {
  it('are let go, whatever they leave open, and the daemon ends without them', { timeout: 90_000 }, async () => {
    const daemon = await boot();
    const [rest, grpc] = [daemon.url, daemon.grpcUrl].map((url) => Number(new URL(url).port)) as [number, number];
    const host = '127.0.0.1';
    const secured = async (text: string) => {
      const socket = connectTls({ host, port: rest, ca: daemon.ca, servername: 'localhost' });
      const found = peer(socket);
      await once(socket, 'secureConnect');
      socket.write(text);
      return found;
    };
    const silent = [rest, grpc].map((port) => peer(connect({ host, port })));
    const plain = [rest, grpc].map((port) => {
      const found = peer(connect({ host, port }));
      found.socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return found;
    });
    const halfHead = await secured('GET /livez HTTP/1.1\r\nHost: local');
    const halfBody = await secured('POST /api/quote HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"symbol"');
    const garbage = await secured('\x16\x03\x01\r\n\r\n');
    await Promise.all([...silent, ...plain, halfHead, halfBody, garbage].map(({ gone }) => gone));
    const late = [...[rest, grpc].map((port) => peer(connect({ host, port }))), await secured('GET /livez HT')];
    await Promise.all(late.map(({ socket }) => (socket.connecting ? once(socket, 'connect') : undefined)));
    expect(await daemon.end()).toBe(0);
    await Promise.all(late.map(({ gone }) => gone));
  });
});

/** A crowd that says nothing at a port; those for whom there is no place are let go at once. */
async function crowdAt(host: string, port: number): Promise<{ leave(): void }> {
  const crowd = Array.from({ length: 2 * DESCRIPTORS }, () => peer(connect({ host, port })));
  await Promise.race(crowd.map(({ gone }) => gone));
  return {
    leave() {
      for (const { socket } of crowd) socket.destroy();
    },
  };
}

describe.skipIf(spawnSync('bash', ['-c', `ulimit -n ${DESCRIPTORS}`]).status !== 0)('a crowd at one port', () => {
  it.each(['gRPC', 'core WebSocket', 'core TCP'])('leaves the others their connections, and the daemon its files, at %s', async (name) => {
    const daemon = await boot(LIMITED, ['--api-key-id', 'desk']);
    const urls: Record<string, string> = { gRPC: daemon.grpcUrl, 'core WebSocket': String(daemon.ready.websocket) };
    const { hostname, port } = new URL(urls[name] ?? `tcp://${daemon.apiAddress}`);
    const crowd = await crowdAt(hostname, Number(port));
    // Connections of their own, and the file.
    const answers = await Promise.all(Array.from({ length: 20 }, () => daemon.as('desk').get('/api/ping')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    editKey(daemon.keysPath, 'gone', undefined);
    daemon.hangUp();
    await until(() => daemon.stderr.includes('keys file reloaded'), 'the reload');
    expect((await daemon.as('gone').get('/api/ping')).status).toBe(401);
    await until(() => /as many as it may hold.*cannot accept connections/.test(daemon.stderr), 'its word about the crowd');
    crowd.leave();
  });
});

describe.skipIf(spawnSync('prlimit', ['--nofile']).status !== 0)('a daemon without a descriptor left', () => {
  it('goes on, and takes up its keys file all the same', async () => {
    const daemon = await boot();
    // The limit on open files shrinks after the listeners have shared it out.
    expect(spawnSync('prlimit', ['--pid', String(daemon.ready.pid), `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`]).status).toBe(0);
    const { hostname: host, port } = new URL(daemon.url);
    const line = connectTls({ host, port: Number(port), ca: daemon.ca, servername: 'localhost' });
    cleanUps.push(() => line.destroy());
    await once(line, 'secureConnect');
    const ask = async (id: 'desk' | 'gone') => {
      line.write(`GET /api/ping HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${daemon.keys[id]}\r\n\r\n`);
      const [answer] = await once(line, 'data');
      return String(answer).slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
    };
    expect(await ask('gone')).toBe('200');
    const crowd = await crowdAt(host, Number(port));
    editKey(daemon.keysPath, 'gone', undefined);
    daemon.hangUp();
    await until(() => daemon.stderr.includes('keys file reloaded'), 'the reload');
    expect(await ask('gone')).toBe('401');
    expect(await ask('desk')).toBe('200');
    crowd.leave();
    await until(
      async () =>
        (
          await daemon
            .as('desk')
            .get('/api/ping')
            .catch(() => undefined)
        )?.status === 200,
      'new connections',
    );
    expect(await daemon.end()).toBe(0);
  });
});
