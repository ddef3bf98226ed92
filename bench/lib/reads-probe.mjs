/**
 * Loaded into a daemon under measurement by --import. Told "begin" by its parent, it starts to measure; told "end", it says how much processor time the
 * main thread has used since then, what was allocated (undefined where a collection has taken some of it away) and what is in memory. Told "collect", it
 * collects first. Told "watch", it collects, and then looks at every turn of the event loop: for how long the longest one held it, without what the
 * thread waited for a processor meanwhile. As the thread does not sleep then, its processor time is a little more than otherwise. Times of processors are
 * the kernel's counts, which are to the nanosecond for one thread. Given an operation and the text of one of its answers, it says what writing that takes.
 */
import { openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const schedule = process.platform === 'linux' ? openSync('/proc/self/schedstat', 'r') : undefined;
const line = Buffer.alloc(64);
/** Processor time of the main thread, and how long it was ready to run and had to wait, in ms. */
function scheduled() {
  if (schedule === undefined) return { usedMs: Number.NaN, waitedMs: 0 };
  const [used, waited] = line.latin1Slice(0, readSync(schedule, line, 0, line.length, 0)).split(' ', 2);
  return { usedMs: Number(used) / 1e6, waitedMs: Number(waited) / 1e6 };
}

let watched;
let holdMs = 0;
/** Once in every turn: what has passed since the turn before. */
function watch() {
  const now = performance.now() - scheduled().waitedMs;
  if (watched !== undefined) holdMs = Math.max(holdMs, now - watched.now);
  watched = { now, next: setImmediate(watch) };
}

const ENCODINGS = 200;
/** Pause after a collection, whose later work (sweeping, weak references) would count for the first call. */
const SETTLE_MS = 300;

/** Processor time of writing an answer's message as JSON, once the writer is warm, by turns of a hundred milliseconds or so. */
async function encode({ operation, text }) {
  const [{ messageReader, messageWriter }, { parseJson }, { operations }] = await Promise.all([
    import('@svc-gateway/contract/json/message-json'),
    import('@svc-gateway/contract/json/parse'),
    import('@svc-gateway/contract/operations'),
  ]);
  const { S2CSchema } = operations.find(({ name }) => name === operation).messages;
  const message = messageReader(S2CSchema, 'rest').read(parseJson(text).value.s2c, 's2c');
  const write = messageWriter(S2CSchema, 'rest');
  const before = scheduled().usedMs;
  let written = 0;
  // As bytes: the parts of a text are not put together before somebody reads it.
  for (let count = 0; count < ENCODINGS; count++) written += Buffer.from(write(message)).length;
  return { cpuMs: (scheduled().usedMs - before) / ENCODINGS, written };
}

let begun = { heap: 0, collections: 0, cpuMs: 0 };
process.channel.unref();
process.on('message', (word) => {
  if (typeof word === 'object') {
    void encode(word).then((encoded) => process.send(encoded));
    return;
  }
  const memory = process.memoryUsage();
  const heap = memory.heapUsed + memory.external;
  const cpuMs = scheduled().usedMs;
  if (word === 'end') {
    if (watched !== undefined) clearImmediate(watched.next);
    watched = undefined;
    // Collections are told of a turn later.
    setImmediate(() => {
      const allocated = collections === begun.collections ? heap - begun.heap : undefined;
      process.send({ cpuMs: cpuMs - begun.cpuMs, holdMs, allocated, rss: memory.rss });
    });
    return;
  }
  if (word !== 'begin') collect();
  // The observer hears of the collection a moment later.
  setTimeout(
    () => {
      const { heapUsed, external } = process.memoryUsage();
      holdMs = 0;
      if (word === 'watch') watch();
      begun = { heap: heapUsed + external, collections, cpuMs: scheduled().usedMs };
      process.send('begun');
    },
    word === 'begin' ? 0 : word === 'watch' ? SETTLE_MS : 5,
  );
});
