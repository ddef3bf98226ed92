/**
 * How soon the daemon is ready: from the spawn to its ready line, with a fresh state folder and with one that it finds, by
 * turns with a bare `node` that prints a line.
 *
 *   node bench/start.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './lib/fixture.mjs';
import { cpuSeconds, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, spread } from './lib/statistics.mjs';

const BOUND_MS = 500;
const rounds = Number(process.argv[2] ?? 11);
const folder = temporaryFolder();
const svcd = fileURLToPath(new URL('../bin/svcd', import.meta.url));
const ports = ['--rest-port', '--grpc-port', '--websocket-port', '--api-port'].flatMap((flag) => [flag, '0']);

let count = 0;
const daemon = (name) => start([...svcdFlags, svcd, ...ports], join(folder, name));
const measurements = {
  node: () => start(['-e', 'console.log(""); setInterval(() => undefined, 1000)'], folder),
  fresh: () => daemon(`fresh-${++count}`),
  found: () => daemon('found'),
};
await interleave(1, measurements);
const results = await interleave(rounds, measurements);
report([figure('with a fresh state folder', results.fresh), figure('with the state folder of a run before', results.found)]);

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
  child.kill('SIGTERM');
  await exited;
  return { ms, cpu };
}

function figure(what, measured) {
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
    floor: `< ${BOUND_MS} ms`,
    pass: ms < BOUND_MS,
    score: -ms,
  };
}
