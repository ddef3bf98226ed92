import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';

/** The socket of a service manager. Node has none of that kind; each note that comes is printed as a line of JSON. */
const LISTENER = `
import json, socket, sys
listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listening.bind(sys.argv[1])
print('bound', flush=True)
while True:
    print(json.dumps(listening.recv(4096).decode()), flush=True)
`;
const canRun = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const missing = !canRun('python3', '--version') || !canRun('systemd-notify', '--version');

describe.skipIf(missing)('a daemon under systemd', () => {
  const daemons: SpawnedDaemon[] = [];
  const notes: string[] = [];
  let manager: ChildProcess | undefined;

  beforeEach(() => {
    notes.length = 0;
  });
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop();
    manager?.kill();
  });

  async function start(variables: Readonly<Record<string, string>>): Promise<SpawnedDaemon> {
    const daemon = new SpawnedDaemon(false);
    daemons.push(daemon);
    const path = join(daemon.folder, 'notify');
    manager = spawn('python3', ['-c', LISTENER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (manager.stdout === null) throw new Error('the listener has no output');
    const lines = createInterface(manager.stdout);
    await once(lines, 'line');
    lines.on('line', (line) => notes.push(JSON.parse(line)));
    const set = Object.entries({ ...variables, NOTIFY_SOCKET: path }).map(([name, value]) => `${name}=${value}`);
    await daemon.boot([], ['env', ...set, process.execPath]);
    return daemon;
  }

  /** Assignments that were told, but for the barriers by which the teller learns that they were taken. */
  const told = () => notes.flatMap((note) => note.split('\n')).filter((line) => line !== '' && line !== 'BARRIER=1');

  it('says when it is ready, that it lives, when it reloads and when it stops', async () => {
    const daemon = await start({ WATCHDOG_USEC: '2000000' });
    await until(() => told().includes('READY=1'), 'READY=1');
    expect(told()[0]).toBe('READY=1');
    await until(() => told().filter((line) => line === 'WATCHDOG=1').length >= 2, 'two signs of life');
    daemon.hangUp();
    await until(() => told().lastIndexOf('READY=1') > told().indexOf('RELOADING=1') && told().includes('RELOADING=1'), 'the reload');
    expect(told().some((line) => /^MONOTONIC_USEC=\d+$/.test(line))).toBe(true);
    expect(await daemon.end('SIGTERM')).toBe(0);
    await until(() => told().includes('STOPPING=1'), 'STOPPING=1');
    expect(told().slice(told().indexOf('STOPPING=1'))).toEqual(['STOPPING=1']);
  });

  it('says nothing of its life where nobody watches for it', async () => {
    const daemon = await start({});
    await until(() => told().includes('READY=1'), 'READY=1');
    expect(await daemon.end('SIGTERM')).toBe(0);
    await until(() => told().includes('STOPPING=1'), 'STOPPING=1');
    expect(told()).toEqual(['READY=1', 'STOPPING=1']);
  });
});
