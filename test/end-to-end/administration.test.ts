import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { backendName } from '../support/backend-behind.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { differs } from '../support/differences.js';
import { ScriptedBackend, serveGateway } from '../support/gateway.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';

const kept = stoppedAfterEach();

const keys = { ops: { scopes: ['admin', 'metrics:read'] }, desk: { scopes: ['qot:read', 'acc:read'] } } as const;

describe('/api/admin/status', () => {
  it('tells of the daemon, its backend and its keys', async () => {
    const daemon = kept(await TestDaemon.start({ keys, flags: ['--enable-trading'] }));
    const client = await daemon.push('desk');
    await daemon.as('desk').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1, 2] });
    await client.settled();
    const { s2c } = (await daemon.as('ops').get('/api/admin/status')).json;
    expect(s2c).toMatchObject({
      pid: process.pid,
      auth_mode: 'scope',
      backend: backendName,
      trading_enabled: true,
      last_reload_refresh: 'never_run',
      push_connection_count: 1,
      subscription_count: 2,
      keys_file: { path: daemon.keysPath, key_count: 2 },
      platform: { lifecycle_state: 'ready', lifecycle_generation: 1, reconnect_attempts: 0 },
    });
    expect(s2c.brokers.length).toBeGreaterThan(0);
    for (const broker of s2c.brokers) {
      expect(broker).toMatchObject({ broker_id: expect.any(Number), lifecycle_state: 'ready', lifecycle_generation: 1 });
    }
    expect(s2c.keys_file.last_error).toBeUndefined();
    expect(Date.parse(s2c.started_at)).toBeLessThanOrEqual(Date.now());
  });
});

describe('/api/admin/reload', () => {
  it.skipIf(differs('credentials to refresh'))('there may be nothing to refresh', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    expect((await daemon.as('ops').post('/api/admin/reload')).json.s2c.last_reload_refresh).toBe('running');
    const state = async () => (await daemon.as('ops').get('/api/admin/status')).json.s2c.last_reload_refresh;
    expect(await state()).toBe('not_applicable');
  });

  it('clears the keys of connections before it answers', async () => {
    const backend = new ScriptedBackend();
    const clearCiphers = vi.fn();
    const gateway = kept(await serveGateway({ backend: Object.assign(backend, { clearCiphers }), keys }));
    for (const times of [1, 2]) {
      expect((await gateway.as('ops').post('/api/admin/reload')).status).toBe(200);
      expect(clearCiphers).toHaveBeenCalledTimes(times);
    }
  });

  it('runs in the background: running, skipped while it runs, then its outcome', async () => {
    const backend = new ScriptedBackend();
    const gateway = kept(await serveGateway({ backend, keys }));
    const state = async () => (await gateway.as('ops').get('/api/admin/status')).json.s2c.last_reload_refresh;
    const reload = async () => (await gateway.as('ops').post('/api/admin/reload')).json.s2c.last_reload_refresh;
    expect(await state()).toBe('never_run');
    for (const outcome of ['succeeded', 'failed', 'not_applicable'] as const) {
      let finish: (outcome: 'succeeded' | 'failed' | 'not_applicable') => void = () => undefined;
      backend.refresh = () => new Promise((resolve) => (finish = resolve));
      expect(await reload()).toBe('running');
      expect(await state()).toBe('running');
      expect(await reload()).toBe('skipped');
      finish(outcome);
      await until(async () => (await state()) === outcome, `the state ${outcome}`);
    }
    backend.refresh = () => Promise.reject(new Error('no way'));
    expect(await reload()).toBe('running');
    await until(async () => (await state()) === 'failed', 'the state failed');
  });
});

describe('/api/admin/shutdown', () => {
  it('answers, then the process ends with status 0 and the push connections with 1001', async () => {
    const daemon = kept(await SpawnedDaemon.start({ keys }));
    const client = await daemon.push('desk');
    const ended = daemon.exited();
    const answer = await daemon.as('ops').post('/api/admin/shutdown');
    expect([answer.status, answer.json.ret_type]).toEqual([200, 0]);
    expect((await client.closed).code).toBe(1001);
    expect(await ended).toBe(0);
    await expect(daemon.as('ops').get('/livez')).rejects.toThrow();
  });
});

describe('the ready line', () => {
  const url = (scheme: string) => expect.stringMatching(new RegExp(`^${scheme}://127\\.0\\.0\\.1:\\d+$`));

  it('says where each listener is, over TLS with keys and plain without', async () => {
    const legacy = kept(await SpawnedDaemon.start());
    expect(legacy.ready).toEqual({
      event: 'ready',
      rest: url('http'),
      grpc: url('http'),
      websocket: url('ws'),
      api: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      pid: expect.any(Number),
    });
    const daemon = kept(await SpawnedDaemon.start({ keys, flags: ['--no-grpc', '--no-websocket'] }));
    expect(daemon.ready).toEqual({ event: 'ready', rest: url('https'), pid: expect.any(Number) });
    expect((await daemon.push('desk')).socket.url).toMatch(/^wss:/);
    expect((await legacy.push()).socket.url).toMatch(/^ws:/);
    await legacy.end();
    await legacy.boot(['--no-api']);
    expect(legacy.ready).toEqual({ event: 'ready', rest: url('http'), grpc: url('http'), websocket: url('ws'), pid: expect.any(Number) });
  });
});

describe('where it listens', () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
  const hosts = ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])];
  /** Addresses of loopback at which a port takes connections. */
  const reachedAt = (port: string) =>
    Promise.all(
      hosts.map(async (host) => {
        const socket = connect({ host, port: Number(port) });
        const outcome = await once(socket, 'connect').then(
          () => [host],
          () => [],
        );
        socket.destroy();
        return outcome;
      }),
    );

  it('localhost is loopback of both families, for every listener', async () => {
    const daemon = kept(await SpawnedDaemon.start({ flags: ['--bind', 'localhost'] }));
    const { rest, grpc, websocket, api } = daemon.ready as Record<string, string>;
    for (const address of [rest, grpc, websocket, `tcp://${api}`]) {
      const { hostname, port } = new URL(address ?? '');
      expect([address, hostname, (await reachedAt(port)).flat()]).toEqual([address, 'localhost', hosts]);
    }
    expect(await daemon.end()).toBe(0);
  });

  it.each([['0.0.0.0', '127.0.0.1'], ...(hasIpv6 ? [['::', '[::1]']] : [])])(
    'the addresses of one that listens at %s are those at which its certificate verifies',
    async (bind, host) => {
      const daemon = kept(await SpawnedDaemon.start({ keys, flags: ['--bind', bind] }));
      expect(new URL(daemon.url).hostname).toBe(host);
      expect((await daemon.as('ops').get('/livez')).status).toBe(200);
    },
  );
});

describe('signals', () => {
  it('SIGTERM ends the daemon in good order; it starts again on the same state', async () => {
    const daemon = kept(await SpawnedDaemon.start({ keys }));
    expect(await daemon.end('SIGTERM')).toBe(0);
    await daemon.boot();
    expect((await daemon.as('desk').get('/api/ping')).status).toBe(200);
    expect(await daemon.end('SIGINT')).toBe(0);
  });
});
