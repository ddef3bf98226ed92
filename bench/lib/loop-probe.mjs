/**
 * Loaded into a daemon under measurement by --import. At SIGUSR2 it writes how long the event loop was held at the most
 * since the last time, how much processor time the main thread used at the most within one hold (which says the same however
 * busy its core is; the kernel counts it in ticks of some milliseconds), and what is in memory, to the file that
 * SVC_BENCH_PROBE names.
 */
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 1;
const file = process.env.SVC_BENCH_PROBE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

/** Of the main thread; none outside Linux. */
const schedule = process.platform === 'linux' ? openSync('/proc/self/schedstat', 'r') : undefined;
const line = Buffer.alloc(64);
let usedMs = processorMs();
let longestUseMs = 0;
setInterval(() => {
  const now = processorMs();
  longestUseMs = Math.max(longestUseMs, now - usedMs - RESOLUTION_MS);
  usedMs = now;
}, RESOLUTION_MS).unref();

function processorMs() {
  if (schedule === undefined) return Number.NaN;
  return Number(line.latin1Slice(0, readSync(schedule, line, 0, line.length, 0)).split(' ', 1)[0]) / 1e6;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  const holdMs = delay.max / 1e6 - RESOLUTION_MS;
  const useMs = longestUseMs;
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ holdMs, useMs, bytes: heapUsed + external, rss }));
  renameSync(`${file}.new`, file);
  setImmediate(() => {
    delay.reset();
    usedMs = processorMs();
    longestUseMs = 0;
  });
});
