import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '@svc-gateway/contract/clock';
import type { Environment } from '@svc-gateway/daemon/environment';
import { createLog } from '@svc-gateway/daemon/log';
import type { BrokerageAddresses, OpendAddresses } from '@svc-gateway/sim-server';
import { afterEach, describe, expect, it } from 'vitest';
import { type SimServe, startSimServe } from '../../../packages/daemon/src/sim-serve.js';
import { planSimServe } from '../../../packages/daemon/src/sim-serve-command.js';
import { HK_CASH } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { loginFields, postJson } from '../../support/sim-serve.js';

/** `svcd sim serve`: its flags, its lines, its state folder. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-sim-'));
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const environment: Environment = {
  variables: { SVC_SIM_PASSWORD: 'from the environment' },
  home: '/home/me',
  cwd: '/srv',
  platform: 'linux',
};
const plan = (...args: string[]) => planSimServe(args, environment);

describe('the flags', () => {
  it('are read as the daemon reads its own', () => {
    const startup = plan(
      'serve',
      '--broker-port',
      '1001=5001',
      '--broker-port=1008=0',
      '--state-dir',
      'here',
      '--sim-clock',
      'calendar',
      '--faults',
    );
    expect(startup).toMatchObject({
      kind: 'run',
      stateDir: '/srv/here',
      settings: {
        profile: 'brokerage',
        brokerPort: new Map([
          [1001, 5001],
          [1008, 0],
        ]),
        password: 'from the environment',
        simClock: { mode: 'calendar' },
        faults: true,
      },
    });
    expect(plan('serve')).toMatchObject({ stateDir: '/home/me/.local/state/svc/sim-serve', settings: { faults: false } });
    expect(plan('serve', '--profile', 'opend')).toMatchObject({ settings: { profile: 'opend', apiPort: 11_111, language: 'en' } });
  });

  it.each([
    [['serve', '--port', '1'], "unknown option '--port'"],
    [['serve', '--broker-port', '1009=1'], '--broker-port must be <id>=<port> with an id of 1001, 1007, 1008'],
    [['serve', '--broker-port', '1001=65536'], '--broker-port must be'],
    [
      ['serve', '--auth-port', 'x', '--quota-level', '5'],
      '--auth-port must be a whole number from 0 to 65535; found "x"\nsvcd sim serve: --quota-level belongs to',
    ],
    [['serve', '--api-port', '1'], '--api-port belongs to --profile opend, and this is brokerage'],
    [['serve', '--profile', 'opend', '--account', 'a'], '--account belongs to --profile brokerage, and this is opend'],
    [['serve', '--account', 'a b'], '--account must be an id, a phone number or an e-mail address'],
    [['serve', 'now'], 'too many arguments'],
    [['start'], "unknown command 'start'"],
  ])('%j are refused', (args, text) => {
    const startup = plan(...args);
    expect(startup.kind).toBe('refuse');
    expect('text' in startup && startup.text).toContain(text);
  });

  it('are explained', () => {
    const startup = plan('serve', '--help');
    expect(startup).toMatchObject({ kind: 'print', text: expect.stringContaining('--platform-port <port>') });
    for (const secret of ['simulated\n', '123456']) expect('text' in startup && startup.text).not.toContain(secret);
  });
});

async function start(...args: string[]): Promise<SimServe> {
  const startup = plan('serve', ...args);
  if (startup.kind !== 'run') throw new Error(startup.text);
  const logger = createLog({ level: 'error', target: { write: () => undefined }, readable: false });
  return startSimServe({ ...startup, clock: systemClock, logger, onDeviceCode: () => undefined });
}

describe('the state folder', () => {
  it('is private, and keeps orders and ports over a restart', async () => {
    const stateDir = join(folder(), 'state');
    const place = async (address: string) => {
      const client = await CoreTcpClient.open(address);
      const header = { accID: HK_CASH, trdEnv: 0, trdMarket: 1 };
      const order = { trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1 };
      const placed = await client.ask('Trd_PlaceOrder', { packetID: { connID: client.init.s2c?.connID, serialNo: 1 }, header, ...order });
      expect(placed.retType).toBe(0);
      const { s2c } = await client.ask('Trd_GetOrderList', { header });
      client.close();
      return (s2c?.orderList ?? []) as unknown[];
    };
    const first = await start('--profile', 'opend', '--api-port', '0', '--state-dir', stateDir);
    const { api } = first.addresses as OpendAddresses;
    expect(await place(api)).toHaveLength(1);
    await first.stop();
    expect(statSync(stateDir).mode & 0o077).toBe(0);
    const second = await start('--profile', 'opend', '--api-port', '0', '--state-dir', stateDir);
    cleanups.push(() => second.stop());
    expect((second.addresses as OpendAddresses).api).toBe(api);
    expect(await place(api)).toHaveLength(2);
    await expect(start('--profile', 'opend', '--api-port', '0', '--state-dir', stateDir)).rejects.toThrow(
      'another svcd uses the state folder',
    );
  });

  it('remembers a port that somebody else has taken meanwhile, and does with another', async () => {
    const stateDir = folder();
    const first = await start('--state-dir', stateDir);
    const { platform } = first.addresses as BrokerageAddresses;
    await first.stop();
    const other = createServer().listen(Number(platform.split(':')[1]), '127.0.0.1');
    await once(other, 'listening');
    const second = await start('--state-dir', stateDir);
    expect((second.addresses as BrokerageAddresses).platform).not.toBe(platform);
    await second.stop();
    await expect(start('--state-dir', stateDir, '--platform-port', platform.split(':')[1] ?? '')).rejects.toThrow('EADDRINUSE');
    other.close();
  });
});

/** `bin/svcd sim serve` as a process, and the lines of its stdout. */
function run(...args: string[]): { readonly child: ChildProcess; next(event: string): Promise<Record<string, string>> } {
  const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'svcd');
  const child = spawn(process.execPath, [bin, 'sim', 'serve', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  cleanups.push(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async next(event) {
      const { value } = await lines.next();
      const line = JSON.parse(String(value)) as Record<string, string>;
      expect(line.event).toBe(event);
      return line;
    },
  };
}

it('prints where it is reached and which codes it sends, and ends on SIGTERM', async () => {
  const { child, next } = run('--state-dir', folder(), '--account', 'me@example.com', '--password', 'secret');
  const ready = (await next('ready')) as unknown as BrokerageAddresses;
  expect(ready).toEqual({
    event: 'ready',
    auth: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    platform: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    brokers: [1001, 1007, 1008].map((broker_id) => ({ broker_id, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) })),
    pid: child.pid,
  });
  const account = { account: 'me@example.com', device_id: 'device-1' };
  const fields = loginFields({ ...account, account_kind: 'email' }, 'secret');
  const { answer } = await postJson(`${ready.auth}/authority/`, fields, { 'x-svc-client-version': '800' });
  const { device_verify_sig } = answer as { device_verify_sig: string };
  await postJson(`${ready.auth}/authority/device-code`, { ...account, device_verify_sig });
  expect(await next('device_code')).toEqual({ event: 'device_code', account: 'me@example.com', code: expect.stringMatching(/^\d{6}$/) });
  expect((await fetch(`${ready.auth}/faults`)).status).toBe(404);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
