import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { Books } from './books.js';
import { acknowledgedId, placeConcurrently } from './load.js';

const svcd = join(import.meta.dirname, '..', '..', 'bin', 'svcd');
const KEYS = { bot: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } } as const;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-faults-'));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `svcd` in legacy mode with its state in `home`; `ended` tells how it went. */
function run(home: string, { command = [process.execPath, svcd], uid }: { command?: readonly string[]; uid?: number } = {}) {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, '--rest-port', '0', '--grpc-port', '0', '--websocket-port', '0', '--api-port', '0'], {
    env: { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: join(home, 'config'), SVC_STATE_DIR: join(home, 'state') },
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  cleanUps.push(() => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  const ready = new Promise<{ rest: string }>((resolve) =>
    child.stdout.on('data', (part) => {
      stdout += part;
      if (stdout.endsWith('\n')) resolve(JSON.parse(stdout));
    }),
  );
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  const ended = once(child, 'close').then(([status, signal]): Ended => ({ status, signal, stdout, stderr }));
  return { child, ready, ended };
}

async function spawned(flags: readonly string[] = []): Promise<SpawnedDaemon<'bot'>> {
  const daemon = await SpawnedDaemon.start({ keys: KEYS, flags });
  cleanUps.push(() => daemon.stop());
  return daemon;
}

function orders(prefix: string) {
  let count = 0;
  return () => {
    count += 1;
    const key = `${prefix}-${count}`;
    const body = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 20, qty: 400, remark: key };
    return { key, body };
  };
}

describe('one daemon to a state folder', () => {
  it('refuses a second one and says which process is in the way', async () => {
    const home = folder();
    const first = run(home);
    await first.ready;
    const { status, stdout, stderr } = await run(home).ended;
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`another svcd (process ${first.child.pid}) uses the state folder ${join(home, 'state')}`);
    expect(stderr).toContain('--state-dir');
  });

  it('takes over from one that was killed, and only one of several that try', async () => {
    const home = folder();
    const first = run(home);
    await first.ready;
    first.child.kill('SIGKILL');
    await first.ended;
    const rivals = Array.from({ length: 6 }, () => run(home));
    const outcomes = await Promise.all(
      rivals.map(({ ready, ended }) => Promise.race([ready.then(() => 'ready'), ended.then(({ status }) => status)])),
    );
    expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 2)).toHaveLength(5);
  });

  it('leaves no lock behind when it ends in good order', async () => {
    const home = folder();
    const first = run(home);
    await first.ready;
    first.child.kill('SIGTERM');
    expect((await first.ended).status).toBe(0);
    expect(readdirSync(join(home, 'state')).filter((name) => name.includes('lock'))).toEqual([]);
  });
});

describe('a state folder that cannot be used', () => {
  /** Root is refused nothing: it runs the daemon as an ordinary user. */
  const NOBODY = 65534;
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;

  it.skipIf(process.platform === 'win32')('is named when it is read-only', async (context) => {
    const home = folder();
    const state = join(home, 'state');
    mkdirSync(state);
    if (uid !== undefined) {
      chownSync(home, uid, uid);
      if (!(await readableBy(uid))) return context.skip(`user ${uid} cannot read this checkout, and root can write anywhere`);
    }
    chmodSync(state, 0o555);
    const { status, stderr } = await run(home, uid === undefined ? {} : { uid }).ended;
    expect(status).toBe(2);
    expect(stderr).toContain(`cannot write to the state folder ${state}`);
    expect(stderr).not.toContain('    at ');
  });

  async function readableBy(user: number): Promise<boolean> {
    const child = spawn(process.execPath, ['--check', svcd], { uid: user, gid: user, cwd: tmpdir(), stdio: 'ignore' });
    return (await once(child, 'close'))[0] === 0;
  }
});

describe('the end of a daemon', () => {
  it('answers what is under way on SIGTERM under load, and loses and invents nothing', async () => {
    const daemon = await spawned(['--enable-trading']);
    let ended: Promise<number | NodeJS.Signals> | undefined;
    let answers = 0;
    const load = placeConcurrently(daemon, () => 'bot', orders('term'), {
      connections: 16,
      onAnswer: () => {
        answers += 1;
        if (answers === 100) ended = daemon.end('SIGTERM');
      },
    });
    const attempts = await load.finished;
    expect(await ended).toBe(0);
    await daemon.boot(['--enable-trading']);
    const remarks = (await new Books(daemon, 'bot').orders()).map(({ remark }) => remark).sort();
    const acknowledged = attempts.filter((attempt) => acknowledgedId(attempt) !== undefined).map(({ key }) => key);
    expect(remarks).toEqual(acknowledged.sort());
  });

  it('answers a request that was half sent before SIGTERM, and does not wait for its connection to be closed from the other side', async () => {
    const { child, ready, ended } = run(folder());
    const socket = await sendHalfARequest((await ready).rest);
    const goodbye = once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(String(await goodbye)).toContain('shutting down');
    const answer = once(socket, 'data');
    socket.write(REST_OF_THE_REQUEST);
    expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i);
    expect((await ended).status).toBe(0);
  });

  it('comes at once with a second SIGINT, even while a request is under way', async () => {
    const home = folder();
    const { child, ready, ended } = run(home);
    await sendHalfARequest((await ready).rest);
    const goodbye = once(child.stderr, 'data');
    child.kill('SIGINT');
    expect(String(await goodbye)).toContain('shutting down');
    child.kill('SIGINT');
    expect((await ended).status).toBe(130);
  });

  it('comes with Ctrl-C at any moment of the start, and the next start finds everything in order', async () => {
    const home = folder();
    for (let delay = 0; delay <= 600; delay += 60) {
      const { child, ended } = run(home);
      // The moment is what is tested here.
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGINT');
      const { status, signal, stderr } = await ended;
      expect(status === 0 || signal === 'SIGINT', `after ${delay} ms: status ${status}, signal ${signal}\n${stderr}`).toBe(true);
      expect(stderr).not.toContain('    at ');
    }
    const last = run(home);
    await last.ready;
    last.child.kill('SIGTERM');
    expect((await last.ended).status).toBe(0);
  });
});

const [HALF_OF_THE_REQUEST, REST_OF_THE_REQUEST] = ['{"symbol":', '"HK.00700"}'];

/** Leaves a request at the daemon whose body has not come to its end. */
async function sendHalfARequest(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  cleanUps.push(() => socket.destroy());
  socket.on('error', () => undefined);
  const whole = `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const length = HALF_OF_THE_REQUEST.length + REST_OF_THE_REQUEST.length;
  socket.write(`${whole}POST /api/quote HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${length}\r\n\r\n${HALF_OF_THE_REQUEST}`);
  // Both were read together: when the first is answered, the second is under way.
  await once(socket, 'data');
  return socket;
}
