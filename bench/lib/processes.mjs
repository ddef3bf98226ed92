import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ownRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The flags that Node is started with for svcd: they stand in the first line of bin/svcd. */
export const svcdFlags = readFileSync(join(ownRoot, 'bin/svcd'), 'utf8')
  .split('\n', 1)[0]
  .split(' ')
  .filter((word) => word.startsWith('--'));

/** Servers get a core of their own, load generators the others. */
const pinnable = process.platform === 'linux' && availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;
const cores = { server: '0', load: availableParallelism() > 2 ? `1-${availableParallelism() - 1}` : '1' };

/** Puts a process, all its threads or (with no `threads`) its main one, on the cores of its role. */
export function pin(pid, role, { threads = ['-a'] } = {}) {
  if (pinnable) spawnSync('taskset', [...threads, '-c', '-p', cores[role], String(pid)]);
}

export const pinning = pinnable ? `servers on core ${cores.server}, load on ${cores.load}` : 'not pinned';

/** Marks a figure as unmeasurable when its readers, one core each, have too few cores. */
export function readersNeed(count) {
  const has = availableParallelism() - 1;
  return has >= count ? {} : { cannot: `not shown by ${has + 1} cores: the readers need ${count} of their own` };
}

/**
 * A script of this folder in a process of its own, once it has sent its first message: that message is `ready`.
 *
 * All its threads are pinned, so that what a request costs falls on one core. With `mainOnly` the thread pool is not: on the
 * core of a thread that answers one request at a time, the write of an audit line would be in the way of the next answer,
 * where a machine has an idle core for it.
 */
export async function start(script, role, parameters, flags = [], { mainOnly = false } = {}) {
  const execArgv = role === 'server' ? [...profilingFlags(), ...flags] : [];
  const child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)), [JSON.stringify(parameters)], { execArgv });
  if (!mainOnly) pin(child.pid, role);
  const ended = failure(child, script);
  const [ready] = await Promise.race([once(child, 'message'), ended]);
  // Its threads are there by now; what is begun later inherits the core.
  if (mainOnly) pin(child.pid, role, { threads: [] });
  return {
    ready,
    pid: child.pid,
    async ask(question) {
      child.send(question);
      const [answer] = await Promise.race([once(child, 'message'), ended]);
      return answer;
    },
    async stop() {
      ended.catch(() => undefined);
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** `svcd` itself, of this checkout or the one at `root`, with these flags, once it is ready. Unpinned, or its main thread alone pinned, where its threads (the database's writer) are to run beside each other. */
export async function startDaemon(folder, flags, { root = ownRoot, pinned = true, nodeFlags = [], variables = {}, ipc = false } = {}) {
  const environment = { ...process.env, ...variables, SVC_CONFIG_DIR: `${folder}/config`, SVC_STATE_DIR: `${folder}/state` };
  const stdio = ['ignore', 'pipe', 'inherit', ...(ipc ? ['ipc'] : [])];
  const child = spawn(
    process.execPath,
    [
      ...profilingFlags(),
      ...nodeFlags,
      ...svcdFlags,
      join(root, 'bin/svcd'),
      '--rest-port',
      '0',
      '--grpc-port',
      '0',
      '--websocket-port',
      '0',
      '--api-port',
      '0',
      ...flags,
    ],
    {
      env: environment,
      stdio,
    },
  );
  if (pinned === true) pin(child.pid, 'server');
  // A bench that fails half way leaves no daemon behind.
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = failure(child, 'svcd');
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (pinned === 'main') pin(child.pid, 'server', { threads: [] });
  const { rest, grpc, websocket, api } = JSON.parse(line);
  return {
    url: new URL(rest),
    grpcUrl: new URL(grpc),
    websocketUrl: websocket && new URL(websocket),
    apiPort: api && Number(api.split(':').at(-1)),
    async ask(question) {
      child.send(question);
      const [answer] = await Promise.race([once(child, 'message'), ended]);
      return answer;
    },
    pid: child.pid,
    async stop() {
      ended.catch(() => undefined);
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** `SVC_BENCH_PROFILE=<folder>` writes a CPU profile of every server there. */
function profilingFlags() {
  const folder = process.env.SVC_BENCH_PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', folder];
}

async function failure(child, name) {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`${name} ended early (${signal ?? code})`);
}

/** CPU seconds that the threads of a process have used, the kernel's work for them included, to the nanosecond; NaN outside Linux. */
export function cpuSeconds(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  const threads = readdirSync(`/proc/${pid}/task`);
  const run = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]));
  return run.reduce((sum, ns) => sum + ns, 0) / 1e9;
}
