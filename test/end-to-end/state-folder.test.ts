import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BUY, HK, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';

const root = join(import.meta.dirname, '..', '..');
const TRADING = ['--enable-trading'];
const CANCELLED = 15;

/** Each starts several daemons. */
vi.setConfig({ testTimeout: 120_000 });

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Bot = SpawnedDaemon<'bot'>;

async function started(flags: readonly string[] = TRADING): Promise<Bot> {
  const keys = { bot: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'admin'] } } as const;
  const daemon = await SpawnedDaemon.start({ keys, flags });
  cleanUps.push(() => daemon.stop());
  return daemon;
}

function place(daemon: Bot, idempotencyKey: string) {
  const body = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 20, qty: 400 };
  return daemon.as('bot').post('/api/order', body, { 'idempotency-key': idempotencyKey });
}

async function openOrders(daemon: Bot): Promise<number> {
  const { order_list: list = [] } = await daemon.as('bot').s2c('/api/orders', { acc_id: HK_CASH, env: SIMULATE, market: HK });
  return list.length;
}

const stateOf = (daemon: Bot): string => daemon.variables.SVC_STATE_DIR ?? '';
const databaseOf = (daemon: Bot): string => join(stateOf(daemon), 'database');

/** `bin/svcd` or `bin/svcctl` to its end. */
async function run(daemon: Bot, program: 'svcd' | 'svcctl', args: readonly string[]) {
  const child = spawn(process.execPath, [join(root, 'bin', program), ...args], {
    env: { PATH: process.env.PATH, HOME: daemon.folder, ...daemon.variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status, signal]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status, signal, stderr };
}

describe('the lock of the state folder', () => {
  it('is the kernel’s: a stale pid in a file blocks no start', async () => {
    const daemon = await started();
    await daemon.end('SIGKILL');
    // Earlier versions took this for a living daemon.
    writeFileSync(join(stateOf(daemon), 'daemon.lock'), `${process.pid}\n`);
    writeFileSync(join(databaseOf(daemon), 'LOCK'), `${process.pid}\n`);
    await daemon.boot(TRADING);
    expect((await place(daemon, 'one')).json.ret_type).toBe(0);
  });

  it('is held by the process that uses the database, also under another path', async () => {
    const daemon = await started();
    const elsewhere = mkdtempSync(join(tmpdir(), 'svc-state-'));
    cleanUps.push(() => rmSync(elsewhere, { recursive: true, force: true }));
    symlinkSync(stateOf(daemon), join(elsewhere, 'state'));
    const second = await run(daemon, 'svcd', ['--state-dir', join(elsewhere, 'state'), '--rest-port', '0']);
    expect(second).toMatchObject({ status: 2, signal: null });
    expect(second.stderr).toMatch(/another svcd \(process \d+\) uses the state folder/);
  });

  it.skipIf(process.platform === 'win32')('lets nobody else read what is in the folder', async () => {
    const daemon = await started();
    await place(daemon, 'one');
    for (const name of readdirSync(databaseOf(daemon))) {
      expect([name, statSync(join(databaseOf(daemon), name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect([stateOf(daemon), databaseOf(daemon)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  });
});

describe.skipIf(process.platform === 'win32')('the lock of a daemon that runs', () => {
  it('cannot be taken from a running daemon by removing its file', async () => {
    const daemon = await started();
    await place(daemon, 'one');
    rmSync(join(databaseOf(daemon), 'LOCK'));
    const second = await run(daemon, 'svcd', [...daemon.flags, ...TRADING]);
    expect(second).toMatchObject({ status: 2, signal: null, stderr: expect.stringMatching(/another svcd \(process \d+\) uses/) });
  });

  it('is gone with its folder, and nothing more is acknowledged', async () => {
    const daemon = await started();
    await place(daemon, 'one');
    rmSync(stateOf(daemon), { recursive: true });
    const refused = await place(daemon, 'two');
    expect(refused.json).toMatchObject({ code: 'storage.failed', error: expect.stringContaining('lock file was removed') });
    expect((await daemon.as().get('/readyz')).status).toBe(503);
  });

  it('is gone with its folder, and reads, cancels and halts go on and say that they are not on disk', async () => {
    const daemon = await started();
    const bot = daemon.as('bot');
    const account = { acc_id: HK_CASH, env: SIMULATE, market: HK };
    const [first] = [await place(daemon, 'one'), await place(daemon, 'two')];
    rmSync(stateOf(daemon), { recursive: true });
    const lost = expect.stringMatching(/^not on disk, and lost when the daemon stops: .*lock file was removed .*restart the daemon$/);
    const { order_id_ex } = first.json.s2c as { order_id_ex: string };
    const cancelled = await bot.post('/api/cancel-order', { ...account, order_id_ex });
    expect(cancelled.json).toMatchObject({ ret_type: 0, ret_msg: lost });
    const statusOfFirst = async () => {
      const { order_list } = await bot.s2c('/api/orders', account);
      return (order_list as { order_id_ex: string; order_status: number }[]).find((order) => order.order_id_ex === order_id_ex)
        ?.order_status;
    };
    await until(async () => (await statusOfFirst()) === CANCELLED, 'the exchange to cancel the order');
    const halted = await bot.post('/api/admin/halt', { reason: 'gone', cancel_all: true });
    expect(halted.json).toMatchObject({ ret_type: 0, ret_msg: lost, s2c: { account_list: [{ accepted_count: 1 }] } });
    expect(await openOrders(daemon)).toBe(2);
    const refused = await place(daemon, 'three');
    expect(refused.json).toMatchObject({
      code: 'storage.failed',
      error: expect.stringMatching(/lock file was removed .*nothing was sent/),
    });
    expect(await daemon.end()).toBe(1);
  });
});

describe('a state folder that went back in time', () => {
  /** A daemon on an older copy of its state: it lacks the second of two orders. */
  async function restored(): Promise<Bot> {
    const daemon = await started();
    await place(daemon, 'one');
    await daemon.end();
    const copy = mkdtempSync(join(tmpdir(), 'svc-copy-'));
    cleanUps.push(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(stateOf(daemon), copy, { recursive: true });
    await daemon.boot(TRADING);
    await place(daemon, 'two');
    await daemon.end();
    rmSync(stateOf(daemon), { recursive: true });
    cpSync(copy, stateOf(daemon), { recursive: true });
    return daemon;
  }

  it('trades nothing until that is accepted, however often it starts', async () => {
    const daemon = await restored();
    for (let start = 0; start < 2; start++) {
      await daemon.boot(TRADING);
      const refused = await place(daemon, 'two');
      expect([refused.status, refused.json.code]).toEqual([403, 'feature_disabled']);
      expect(refused.json.error).toMatch(/trading is off: the state folder .* is an older copy.*--accept-restored-state/);
      expect(await openOrders(daemon)).toBe(1);
      await daemon.end(start === 0 ? 'SIGKILL' : 'SIGTERM');
    }
    expect(daemon.stderr).toMatch(/"level":50.*TRADING IS OFF/);
    await daemon.boot([...TRADING, '--accept-restored-state']);
    expect((await place(daemon, 'three')).json.ret_type).toBe(0);
    await daemon.end();
    await daemon.boot(TRADING);
    expect((await place(daemon, 'four')).json.ret_type).toBe(0);
  });

  it('is noticed after a kill as well, when the copy was made while the daemon ran', async () => {
    const daemon = await started();
    await place(daemon, 'one');
    const copy = mkdtempSync(join(tmpdir(), 'svc-copy-'));
    cleanUps.push(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(databaseOf(daemon), copy, { recursive: true });
    await place(daemon, 'two');
    await daemon.end('SIGKILL');
    rmSync(databaseOf(daemon), { recursive: true });
    cpSync(copy, databaseOf(daemon), { recursive: true });
    await daemon.boot(TRADING);
    expect((await place(daemon, 'again')).status).toBe(403);
  });

  it('is one whose last write a crash has taken from the disk though it was acknowledged', async () => {
    const daemon = await started();
    for (let order = 0; order < 5; order++) await place(daemon, `order-${order}`);
    await daemon.end('SIGKILL');
    const log = readdirSync(databaseOf(daemon)).find((name) => name.endsWith('.log')) ?? 'none';
    // The exchange writes of the last order after its acknowledgement: that may be on its way when the daemon is killed.
    truncateSync(join(databaseOf(daemon), log), statSync(join(databaseOf(daemon), log)).size >> 1);
    await daemon.boot(TRADING);
    const repeated = await place(daemon, 'order-4');
    expect([repeated.status, repeated.json.code]).toEqual([403, 'feature_disabled']);
  });

  const damages: readonly [string, (note: Buffer) => unknown][] = [
    [
      'a flipped bit',
      (note: Buffer) => note.writeUInt8(note.readUInt8(note.indexOf('"sequence":') + 11) ^ 1, note.indexOf('"sequence":') + 11),
    ],
    ['a note that is no JSON', (note: Buffer) => note.fill('{')],
  ];
  it.each(damages)('may be one where the note of its progress is damaged: %s', async (_, damage) => {
    const daemon = await started();
    await place(daemon, 'one');
    await daemon.end();
    const folder = join(daemon.folder, 'config', 'state-markers');
    const [name = 'none'] = readdirSync(folder);
    const note = readFileSync(join(folder, name));
    damage(note);
    writeFileSync(join(folder, name), note);
    for (let start = 0; start < 2; start++) {
      await daemon.boot(TRADING);
      const refused = await place(daemon, 'two');
      expect([refused.status, refused.json.code]).toEqual([403, 'feature_disabled']);
      expect(refused.json.error).toMatch(/the note of the state folder's progress, .* is damaged.*--accept-restored-state/);
      await daemon.end();
    }
    await daemon.boot([...TRADING, '--accept-restored-state']);
    expect((await place(daemon, 'two')).json.ret_type).toBe(0);
    await daemon.end();
    await daemon.boot(TRADING);
    expect((await place(daemon, 'three')).json.ret_type).toBe(0);
  });

  it('is not what an empty one is, nor one that only stopped', async () => {
    const daemon = await started();
    await place(daemon, 'one');
    await daemon.end('SIGKILL');
    await daemon.boot(TRADING);
    expect((await place(daemon, 'two')).json.ret_type).toBe(0);
    await daemon.end();
    rmSync(stateOf(daemon), { recursive: true });
    await daemon.boot(TRADING);
    expect((await place(daemon, 'three')).json.ret_type).toBe(0);
  });
});

describe('a damaged database', () => {
  it.each([
    ['a log that is overwritten in the middle', /\.log$/, (path: string) => overwrite(path, 0.3)],
    ['a manifest that is cut short', /^MANIFEST/, (path: string) => truncateSync(path, 20)],
    ['a CURRENT without content', /^CURRENT$/, (path: string) => truncateSync(path, 0)],
  ])('ends the start with a sentence: %s', async (_, pattern, harm) => {
    const daemon = await started();
    for (let order = 0; order < 20; order++) await place(daemon, `order-${order}`);
    await daemon.end('SIGKILL');
    const name = readdirSync(databaseOf(daemon)).find((entry) => pattern.test(entry) && statSync(join(databaseOf(daemon), entry)).size > 0);
    harm(join(databaseOf(daemon), name ?? 'none'));
    const { status, signal, stderr } = await run(daemon, 'svcd', [...daemon.flags, ...TRADING]);
    expect([status, signal]).toEqual([2, null]);
    expect(stderr).toMatch(/^svcd: the database in .*database is damaged: .*; put a backup .*or move the folder away to start empty$/m);
    expect(stderr).not.toContain('    at ');
  });

  function overwrite(path: string, share: number): void {
    const bytes = readFileSync(path);
    const at = Math.floor(bytes.length * share);
    bytes.fill(0x5a, at, at + 64);
    writeFileSync(path, bytes);
  }
});

describe('svcctl reload', () => {
  it('has the daemon of the state folder read its keys again, and says what came of it', async () => {
    const daemon = await started();
    await (daemon as SpawnedDaemon<string>).addKey('reader', { scopes: ['qot:read'] });
    expect(await run(daemon, 'svcctl', ['reload'])).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^keys file reloaded: 1 added, 0 removed, 0 changed/),
    });
    writeFileSync(daemon.keysPath, 'not json');
    const refused = await run(daemon, 'svcctl', ['reload']);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: keys file refused; the previous keys stay in force/),
    });
  });

  it('disturbs nobody when no daemon runs, whatever a dead one left', async () => {
    const daemon = await started();
    await daemon.end('SIGKILL');
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    cleanUps.push(() => bystander.kill('SIGKILL'));
    writeFileSync(join(stateOf(daemon), 'daemon.lock'), `${bystander.pid}\n`);
    const { status, stderr } = await run(daemon, 'svcctl', ['reload']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('no svcd runs with the state folder')]);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  it.runIf(process.platform === 'linux')('reaches a state folder whose path is too long for a socket', async () => {
    const daemon = await started();
    await daemon.end();
    const long = join(daemon.folder, 'x'.repeat(120));
    mkdirSync(long);
    await daemon.boot([...TRADING, '--state-dir', long]);
    expect(await run(daemon, 'svcctl', ['reload', '--state-dir', long])).toMatchObject({ status: 0 });
  });
});
