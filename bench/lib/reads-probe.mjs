/**
 * Loaded into a daemon under measurement by --import. Told "begin" by its parent, it starts to measure; told "end", it says how much processor time the
 * main thread has used since then, for how long the event loop was held at the most, what was allocated (undefined where a collection has taken
 * some of it away) and what is in memory. Told "collect", it collects first. Processor time is the kernel's count, which is to the nanosecond for one
 * thread.
 */
import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const schedule = process.platform === 'linux' ? openSync('/proc/self/schedstat', 'r') : undefined;
const line = Buffer.alloc(64);
function processorMs() {
  if (schedule === undefined) return Number.NaN;
  return Number(line.latin1Slice(0, readSync(schedule, line, 0, line.length, 0)).split(' ', 1)[0]) / 1e6;
}

let begun = { heap: 0, collections: 0, cpuMs: 0 };
process.channel.unref();
process.on('message', (word) => {
  const memory = process.memoryUsage();
  const heap = memory.heapUsed + memory.external;
  const cpuMs = processorMs();
  if (word === 'end') {
    // Collections are told of a turn later.
    setImmediate(() => {
      const allocated = collections === begun.collections ? heap - begun.heap : undefined;
      process.send({ cpuMs: cpuMs - begun.cpuMs, holdMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS), allocated, rss: memory.rss });
    });
    return;
  }
  if (word === 'collect') collect();
  // The observer hears of the collection a moment later.
  setTimeout(
    () => {
      delay.reset();
      const { heapUsed, external } = process.memoryUsage();
      begun = { heap: heapUsed + external, collections, cpuMs: processorMs() };
      process.send('begun');
    },
    word === 'collect' ? 5 : 0,
  );
});
