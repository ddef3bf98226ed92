/**
 * Loaded into a daemon under measurement by --import. At SIGUSR2 it writes how long the event loop was held at the most
 * since the last time, and what is in memory, to the file that SVC_BENCH_PROBE names.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 1;
const file = process.env.SVC_BENCH_PROBE;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  const holdMs = delay.max / 1e6 - RESOLUTION_MS;
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeFileSync(`${file}.new`, JSON.stringify({ holdMs, bytes: heapUsed + external, rss }));
  renameSync(`${file}.new`, file);
  setImmediate(() => delay.reset());
});
