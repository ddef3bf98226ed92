/**
 * Loaded into a daemon under measurement by --import. At SIGUSR2 it writes to the file that SVC_BENCH_PROBE names, of the time
 * since the last one: how long the event loop was held at the most, and how long without what its thread only waited for a core
 * that another thread had; how much processor time it used at the most within one hold; and what is in memory.
 */
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 1;
const file = process.env.SVC_BENCH_PROBE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** Scheduling counters of the main thread: nanoseconds running, and nanoseconds runnable. None outside Linux. */
const schedule = process.platform === 'linux' ? openSync('/proc/self/schedstat', 'r') : undefined;
const line = Buffer.alloc(64);
let last = moment();
let longest = { ownMs: 0, useMs: 0 };
setInterval(() => {
  const now = moment();
  const useMs = now.usedMs - last.usedMs - RESOLUTION_MS;
  const ownMs = now.atMs - last.atMs - (now.waitedMs - last.waitedMs) - RESOLUTION_MS;
  longest = { ownMs: Math.max(longest.ownMs, ownMs), useMs: Math.max(longest.useMs, useMs) };
  last = now;
}, RESOLUTION_MS).unref();

function moment() {
  const atMs = performance.now();
  if (schedule === undefined) return { atMs, usedMs: Number.NaN, waitedMs: 0 };
  const [used, waited] = line.latin1Slice(0, readSync(schedule, line, 0, line.length, 0)).split(' ');
  return { atMs, usedMs: used / 1e6, waitedMs: waited / 1e6 };
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  const holdMs = delay.max / 1e6 - RESOLUTION_MS;
  const { ownMs, useMs } = longest;
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ holdMs, ownMs, useMs, bytes: heapUsed + external, rss }));
  renameSync(`${file}.new`, file);
  setImmediate(() => {
    delay.reset();
    last = moment();
    longest = { ownMs: 0, useMs: 0 };
  });
});
