/**
 * A daemon that has traded for long: 100,000 orders work, a million are over, half of them filled.
 *
 *   spawn → ready line
 *   placed → acknowledged over REST, against one bare write + fdatasync of 300 bytes in the same folder, in the same run
 *   memory with the million and without, on the same orders that work
 *
 *   node bench/old-account.mjs [starts [placing rounds [working [over]]]]
 *
 * It writes the state folders first, which takes a minute or two. SVC_BENCH_FOLDER=<folder> measures another disk than that of /tmp.
 */
import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDesk } from './lib/desk.mjs';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { addHistory, copyState, writeWorkingOrders } from './lib/old-state.mjs';
import { start, startDaemon } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const READY_MS_MAX = 3_000;
const SYNCS_MAX = 5;
const SYNCS = 60;
const ROUND_MS = 300;
const WARM_ORDERS = 10_000;
const WARM_MS_MAX = 30_000;
/** Maximum memory for a million more orders on disk; 8 bytes each would exceed it. */
const HISTORY_BYTES_MAX = 8 * 1024 * 1024;
const RESTING_PRICE = 1;
const [starts = 5, rounds = 6, working = 100_000, over = 1_000_000] = process.argv.slice(2).map(Number);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 10, { limits: { ...wideLimits, max_daily_value: 1e17 } });
const authorization = `Bearer ${keys.texts[7]}`;
const [young, old] = ['young', 'old'].map((name) => join(folder, name));

const began = performance.now();
mkdirSync(join(young, 'state'), { recursive: true, mode: 0o700 });
await writeWorkingOrders(join(young, 'state'), working, RESTING_PRICE);
copyState(join(young, 'state'), join(old, 'state'));
await addHistory(join(old, 'state'), over);
console.log(
  `${number(working)} working orders and ${number(over)} that are over, written in ${number((performance.now() - began) / 1000)} s`,
);

const results = await interleave(starts, { young: () => startOnce(young), old: () => startOnce(old) });
const placing = await placingFigure();
report([startFigure(), placing, memoryFigure()]);

async function boot(home) {
  const probeFile = join(home, 'probe.json');
  const began = performance.now();
  const daemon = await startDaemon(
    home,
    [
      ...['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key],
      ...['--enable-trading', '--audit-log', join(home, 'audit.jsonl'), '--log-level', 'warn'],
    ],
    { nodeFlags: ['--import', fileURLToPath(new URL('lib/loop-probe.mjs', import.meta.url))], variables: { SVC_BENCH_PROBE: probeFile } },
  );
  return { daemon, probeFile, ms: performance.now() - began };
}

async function startOnce(home) {
  const { daemon, probeFile, ms } = await boot(home);
  const { bytes, rss } = await probe(daemon, probeFile);
  await daemon.stop();
  return { ms, bytes, rss };
}

function startFigure() {
  const ms = median(results.old.map((one) => one.ms));
  return {
    name: `svcd: spawn to ready line, with ${number(working)} working orders and ${number(over)} that are over`,
    value: `${number(ms)} ms`,
    limit: `without those that are over ${number(median(results.young.map((one) => one.ms)))} ms`,
    spread: `${spread(
      results.old.map((one) => one.ms),
      0,
    )} ms`,
    score: -ms,
    floor: `< ${number(READY_MS_MAX)} ms`,
    pass: ms < READY_MS_MAX,
  };
}

function memoryFigure() {
  const of = (name, what) => median(results[name].map((one) => one[what]));
  const more = of('old', 'bytes') - of('young', 'bytes');
  const mb = (bytes) => `${number(bytes / 1024 ** 2, 1)} MB`;
  return {
    name: `memory that ${number(over)} orders which are over take, when it is ready`,
    value: `${mb(more)} (heap and buffers: ${mb(of('old', 'bytes'))} with them, ${mb(of('young', 'bytes'))} without; resident ${mb(of('old', 'rss'))} and ${mb(of('young', 'rss'))})`,
    score: -more,
    floor: `< ${mb(HISTORY_BYTES_MAX)}`,
    pass: more < HISTORY_BYTES_MAX,
  };
}

async function placingFigure() {
  const { daemon } = await boot(old);
  const desk = await openDesk({ port: daemon.url.port, authorization });
  const target = { path: '/api/order', port: Number(daemon.url.port), tls: true, headers: { authorization } };
  const body = JSON.stringify({ ...desk.order, price: RESTING_PRICE });
  const one = await start('load/http-load.mjs', 'load', { targets: [{ ...target, body, name: 'plain' }], connections: 1 });
  const place = async () => (await one.ask({ target: 'plain', ms: ROUND_MS })).latencies.map((us) => us / 1000);
  for (let placed = 0, until = performance.now() + WARM_MS_MAX; placed < WARM_ORDERS && performance.now() < until; )
    placed += (await place()).length;
  const file = openSync(join(folder, 'bare'), 'a');
  const measured = await interleave(rounds, { bare: async () => bareSyncs(file), placed: place });
  closeSync(file);
  await one.stop();
  desk.close();
  await daemon.stop();
  const [bare, p50] = [median(measured.bare.flat()), median(measured.placed.flat())];
  return {
    name: `order placed → acknowledged over REST, durable, beside ${number(working)} working orders and ${number(over)} that are over`,
    value: `p50 ${number(p50, 2)} ms, p99 ${number(quantile(measured.placed.flat(), 0.99), 2)} ms, ${number(p50 / bare, 1)} times the limit`,
    limit: `one write + fdatasync p50 ${number(bare, 3)} ms`,
    ratio: bare / p50,
    spread: `p50 ${spread(measured.placed.map(median))} ms`,
    score: bare / p50,
    floor: `< ${SYNCS_MAX} times`,
    pass: p50 < SYNCS_MAX * bare,
  };
}

function bareSyncs(file) {
  const line = Buffer.alloc(300, 'x');
  return Array.from({ length: SYNCS }, () => {
    const started = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    return performance.now() - started;
  });
}

/** Reads the daemon's own probe. */
async function probe({ pid }, probeFile) {
  rmSync(probeFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    try {
      return JSON.parse(readFileSync(probeFile, 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
