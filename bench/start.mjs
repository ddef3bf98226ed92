/**
 * How soon the daemon is ready: from the spawn to its ready line, with a fresh state folder, with one that it finds and with 20,000 instruments
 * added to its world, by turns with a bare `node` that prints a line; and what it has in memory then.
 *
 *   node bench/start.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './lib/fixture.mjs';
import { cpuSeconds, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, spread } from './lib/statistics.mjs';

const BOUND_MS = 500;
const LARGE_MS = 2_000;
const LARGE_MB = 400;
const rounds = Number(process.argv[2] ?? 11);
const folder = temporaryFolder();
const svcd = fileURLToPath(new URL('../bin/svcd', import.meta.url));
const ports = ['--rest-port', '--grpc-port', '--websocket-port', '--api-port'].flatMap((flag) => [flag, '0']);

let count = 0;
const daemon = (name, ...flags) => start([...svcdFlags, svcd, ...ports, ...flags], join(folder, name));
const measurements = {
  node: () => start(['-e', 'console.log(""); setInterval(() => undefined, 1000)'], folder),
  fresh: () => daemon(`fresh-${++count}`),
  found: () => daemon('found'),
  large: () => daemon(`large-${++count}`, '--sim-instruments', '20000'),
};
await interleave(1, measurements);
const results = await interleave(rounds, measurements);
report([
  figure('with a fresh state folder', results.fresh, BOUND_MS),
  figure('with the state folder of a run before', results.found, BOUND_MS),
  figure('with 20,000 instruments', results.large, LARGE_MS),
  memoryFigure(),
]);

/** Milliseconds until the first line, and the processor time of all threads until then (NaN where the system does not say). */
async function start(args, home) {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, SVC_CONFIG_DIR: join(home, 'config'), SVC_STATE_DIR: join(home, 'state') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited.then(([status]) => Promise.reject(new Error(`ended with ${status}`)))]);
  const ms = performance.now() - started;
  const cpu = cpuSeconds(child.pid) * 1000;
  const mb = residentMb(child.pid);
  child.kill('SIGTERM');
  await exited;
  return { ms, cpu, mb };
}

/** NaN where the system does not say. */
function residentMb(pid) {
  if (process.platform !== 'linux') return Number.NaN;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
}

function memoryFigure() {
  const used = results.large.map(({ mb }) => mb);
  const mb = median(used);
  return {
    name: 'svcd: resident memory when it is ready, with 20,000 instruments',
    value: `${number(mb)} MB`,
    spread: `${spread(used, 0)} MB`,
    floor: `< ${LARGE_MB} MB`,
    ...(Number.isNaN(mb) ? { cannot: 'this system does not say' } : { pass: mb < LARGE_MB }),
    score: -mb,
  };
}

function figure(what, measured, bound) {
  const ms = median(measured.map((each) => each.ms));
  const bare = median(results.node.map((each) => each.ms));
  return {
    name: `svcd: spawn to ready line, ${what}`,
    value: `${number(ms)} ms, ${number(median(measured.map((each) => each.cpu)))} ms of processor time`,
    limit: `bare node ${number(bare)} ms`,
    ratio: bare / ms,
    spread: `${spread(
      measured.map((each) => each.ms),
      0,
    )} ms`,
    floor: `< ${bound} ms`,
    pass: ms < bound,
    score: -ms,
  };
}
