/**
 * Orders with everything that must survive a crash on disk, by REST over TLS to the daemon, with a key whose caps have to be
 * reserved. Measured against one bare write + fdatasync of 300 bytes in the same folder, on the same core, in the same run:
 *
 *   placed → acknowledged, one after another, with and without idempotency keys (32 at once: orders-at-once.mjs)
 *   cancelled → acknowledged with 8,000 orders open, one after another and 200 at once
 *   how long cancel-all of 16,000 orders, and the list of them, hold the event loop at the most
 *   memory for each order that is open, and for each of 100,000 that are over
 *
 * The daemon has one core for all its threads, the load the others. CPU time stands beside the rates: it says the same on a
 * machine that does other things too.
 *
 *   node bench/orders.mjs [rounds]
 *
 * SVC_BENCH_FOLDER=<folder> measures another disk than that of /tmp.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDesk } from './lib/desk.mjs';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { start, startDaemon } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const SYNCS_MAX = 6;
const HOLD_MS_MAX = 20;
const ORDER_BYTES_MAX = 1_024;
const CONCURRENT = 32;
const ROUND_MS = 300;
const SYNCS = 60;
const OPEN_TO_CANCEL = 8_000;
const CANCELS = 300;
const CANCELS_AT_ONCE = 200;
const CANCELS_AT_ONCE_MS_MAX = 500;
/** The order path is compiled step by step, over some 15,000 orders; a busy machine is measured as warm as it has become. */
const WARM_ORDERS = 15_000;
const WARM_MS_MAX = 30_000;
const OPEN_TO_CANCEL_ALL = 16_000;
const KEPT = 100_000;
const rounds = Number(process.argv[2] ?? 6);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 100, { limits: { ...wideLimits, max_daily_value: 1e17 } });
const authorization = `Bearer ${keys.texts[7]}`;
/** More than any rate limit allows within a minute: placed by another key, which has none. */
const bulk = keyWithoutRate();
const probeFile = join(folder, 'probe.json');
const daemon = await startDaemon(
  folder,
  [
    ...['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key],
    ...['--enable-trading', '--audit-log', join(folder, 'audit.jsonl'), '--log-level', 'warn'],
  ],
  {
    nodeFlags: ['--import', fileURLToPath(new URL('lib/loop-probe.mjs', import.meta.url))],
    variables: { SVC_BENCH_PROBE: probeFile },
  },
);
const desk = await openDesk({ port: daemon.url.port, authorization, connections: CANCELS_AT_ONCE });
const { order, post, cancelAll, untilNoneOpen } = desk;
const bareSync = await start('servers/bare-sync.mjs', 'server', { path: join(folder, 'bare') });

const target = { path: '/api/order', port: Number(daemon.url.port), tls: true, headers: { authorization }, body: JSON.stringify(order) };
const targets = [
  { ...target, name: 'plain' },
  { ...target, name: 'repeatable', unique: true },
];
const one = await start('load/http-load.mjs', 'load', { targets, connections: 1 });
const many = await start('load/http-load.mjs', 'load', { targets, connections: CONCURRENT });

for (let placed = 0, until = performance.now() + WARM_MS_MAX; placed < WARM_ORDERS && performance.now() < until; ) {
  for (const { name } of targets) placed += (await place(many, name)).placed + (await place(one, name)).placed;
}
await many.stop();
const results = await interleave(rounds, {
  bare: () => bareSync.ask(SYNCS),
  one: () => place(one, 'plain'),
  oneRepeatable: () => place(one, 'repeatable'),
});
const bare = median(results.bare.flatMap(({ latencies }) => latencies));
await Promise.all([one.stop(), bareSync.stop()]);
const figures = [
  latencyFigure('one connection', 'one'),
  latencyFigure('one connection, with an idempotency key', 'oneRepeatable'),
  ...(await cancelFigures()),
  ...(await holdFigures()),
  await memoryFigure(),
];
report(figures);
desk.close();
await daemon.stop();

function latencyFigure(name, key) {
  const latencies = results[key].flatMap((round) => round.latencies);
  const p50 = median(latencies);
  return {
    name: `order placed → acknowledged over REST, durable, ${name}`,
    value: `p50 ${number(p50, 2)} ms, p99 ${number(quantile(latencies, 0.99), 2)} ms, ${number(p50 / bare, 1)} times the limit`,
    limit: `one write + fdatasync p50 ${number(bare, 3)} ms`,
    ratio: bare / p50,
    spread: `p50 ${spread(results[key].map((round) => median(round.latencies)))} ms`,
    score: bare / p50,
    floor: `< ${SYNCS_MAX} times`,
    pass: p50 < SYNCS_MAX * bare,
  };
}

async function cancelFigures() {
  await placeAtLeast(OPEN_TO_CANCEL);
  const ids = (await desk.openIds()).slice(0, CANCELS + CANCELS_AT_ONCE);
  const cancel = async (order_id) => {
    const started = performance.now();
    await post('/api/cancel-order', { ...desk.of, order_id });
    return performance.now() - started;
  };
  const latencies = [];
  for (const id of ids.slice(0, CANCELS)) latencies.push(await cancel(id));
  const started = performance.now();
  await Promise.all(ids.slice(CANCELS).map(cancel));
  const together = performance.now() - started;
  await cancelAll();
  const name = `with ${number(OPEN_TO_CANCEL)} orders open`;
  return [
    {
      name: `order cancelled → acknowledged, ${name}`,
      value: `p50 ${number(median(latencies), 2)} ms, p99 ${number(quantile(latencies, 0.99), 2)} ms`,
      score: -median(latencies),
    },
    {
      name: `${CANCELS_AT_ONCE} cancels at once, ${name}`,
      value: `${number(together)} ms until the last is acknowledged`,
      score: -together,
      floor: `< ${CANCELS_AT_ONCE_MS_MAX} ms`,
      pass: together < CANCELS_AT_ONCE_MS_MAX,
    },
  ];
}

async function holdFigures() {
  const none = await probe();
  const placed = await placeAtLeast(OPEN_TO_CANCEL_ALL);
  const open = (await probe()).bytes - none.bytes;
  const listed = performance.now();
  await post('/api/orders', desk.of);
  const listMs = performance.now() - listed;
  const list = await probe();
  const started = performance.now();
  await post('/api/cancel-all-order', desk.of);
  const allMs = performance.now() - started;
  await untilNoneOpen();
  const all = await probe();
  const figure = (name, ms, { holdMs, ownMs, useMs }) => ({
    name: `longest hold of the event loop by ${name}`,
    score: -ownMs,
    value: `${number(ownMs, 1)} ms, ${number(useMs, 1)} ms of them processor time of the main thread; with its waits for the core, ${number(holdMs, 1)} ms (answered after ${number(ms)} ms)`,
    floor: `≤ ${HOLD_MS_MAX} ms`,
    pass: ownMs <= HOLD_MS_MAX,
  });
  return [
    figure(`cancel-all of ${number(OPEN_TO_CANCEL_ALL)} orders`, allMs, all),
    figure(`the list of ${number(OPEN_TO_CANCEL_ALL)} orders`, listMs, list),
    {
      name: `memory for each of ${number(placed)} open orders`,
      value: `${number(open / placed)} bytes (heap and buffers)`,
      score: -open / placed,
    },
  ];
}

async function memoryFigure() {
  const before = await probe();
  let placed = 0;
  while (placed < KEPT) {
    placed += await placeAtLeast(KEPT / 5);
    await cancelAll();
  }
  const after = await probe();
  const bytes = (after.bytes - before.bytes) / placed;
  return {
    name: `memory for each of ${number(placed)} orders that are over`,
    value: `${number(bytes)} bytes (heap and buffers), ${number((after.rss - before.rss) / placed)} bytes resident`,
    score: -bytes,
    floor: `≤ ${number(ORDER_BYTES_MAX)} bytes`,
    pass: bytes <= ORDER_BYTES_MAX,
  };
}

/** Places for so long; latencies in ms. */
async function place(generator, name) {
  const { requests, latencies } = await generator.ask({ target: name, ms: ROUND_MS });
  await cancelAll();
  return { placed: requests, latencies: latencies.map((us) => us / 1000) };
}

async function placeAtLeast(count) {
  let placed = 0;
  // Connected when it is needed: the daemon closes connections that ask for nothing.
  const bulkTarget = { ...target, name: 'bulk', headers: { authorization: bulk } };
  const generator = await start('load/http-load.mjs', 'load', { targets: [bulkTarget], connections: CONCURRENT });
  while (placed < count) placed += (await generator.ask({ target: 'bulk', ms: 500 })).requests;
  await generator.stop();
  return placed;
}

/** Reads the daemon's own probe since the last time. */
async function probe() {
  rmSync(probeFile, { force: true });
  process.kill(daemon.pid, 'SIGUSR2');
  for (;;) {
    try {
      return JSON.parse(readFileSync(probeFile, 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function keyWithoutRate() {
  const content = JSON.parse(readFileSync(keys.path, 'utf8'));
  const { max_orders_per_minute: _, ...limits } = content.keys[8].limits;
  content.keys[8].limits = limits;
  writeFileSync(keys.path, JSON.stringify(content));
  return `Bearer ${keys.texts[8]}`;
}
