/**
 * Latency that the gateway adds in front of an upstream daemon, over core TCP on both sides: the same reads and events through it
 * and straight from that upstream, by turns.
 *
 *   node bench/bridge.mjs
 *
 * The upstream makes its events itself, each marked with its number and the time of its making. Upstream, gateway and client are
 * processes of their own. Prints one line of JSON last.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBasicQotOf, HEADER_BYTES, openTcp, subscribe, tcpFrame } from './lib/core-client.mjs';
import { temporaryFolder } from './lib/fixture.mjs';
import { cpuSeconds, start, startDaemon, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const ADDED_US_MAX = 150;
const EVENT_MS_MAX = 1;
const THROUGHPUT_MIN = 0.6;
const SYMBOLS = 50;
const EVENTS_PER_SECOND = 10_000;
const SECONDS = 10;
const IN_FLIGHT = 64;
const READS_A_ROUND = 20_000;
const ROUNDS = 10;
const MARK = 'mark:';
/** Symbols that the upstream's simulation has. */
const CODES = ['00001', '00002', '00003', '00005', '00006', '00011', '00012', '00016', '00019', '00027'];

if (process.send === undefined) await main();
else await client(JSON.parse(process.argv[2]));

async function main() {
  const upstream = await start('servers/core.mjs', 'load', { folder: temporaryFolder() }, [...svcdFlags, '--expose-gc']);
  const folder = temporaryFolder();
  const flags = ['--audit-log', `${folder}/audit.jsonl`, '--log-level', 'warn'];
  const gateway = await startDaemon(folder, ['--backend', `opend://127.0.0.1:${upstream.ready.api}`, ...flags]);
  await ready(gateway.url);
  const ports = { direct: upstream.ready.api, through: gateway.apiPort };
  const delay = await eventDelay(upstream, gateway.apiPort);
  const idle = await start('bridge.mjs', 'load', { ports: { through: gateway.apiPort } });
  // Every symbol has a quote by now, and a subscriber.
  await upstream.ask({ run: { rate: SYMBOLS, seconds: 1, symbols: SYMBOLS } });
  report([await addedLatency(ports), await throughput(ports, { direct: upstream.pid, through: gateway.pid }), delay]);
  await idle.stop();
  await gateway.stop();
  await upstream.stop();
  process.exit();
}

async function ready(url) {
  while (!(await fetch(new URL('/readyz', url))).ok) await sleep(50);
}

async function addedLatency(ports) {
  const reader = await start('bridge.mjs', 'load', { ports });
  const { direct, through } = await reader.ask({ task: 'latency' });
  await reader.stop();
  const added = through.map((value, index) => value - direct[index]);
  const us = median(added);
  return {
    name: 'a quote read through the gateway, p50 added',
    value: `${us.toFixed(0)} µs (${median(through).toFixed(0)} µs in all)`,
    limit: `the upstream itself ${median(direct).toFixed(0)} µs`,
    spread: `${spread(added, 0)} µs`,
    score: -us,
    floor: `< ${ADDED_US_MAX} µs`,
    pass: us < ADDED_US_MAX,
  };
}

/** By processor time: gateway and upstream would each have a core. */
async function throughput(ports, pids) {
  const reader = await start('bridge.mjs', 'load', { ports });
  const cost = { direct: [], through: [] };
  const rates = { direct: [], through: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of ['direct', 'through']) {
      const before = cpuSeconds(pids[way]);
      const seconds = await reader.ask({ task: 'reads', way });
      if (round === 0) continue;
      cost[way].push(((cpuSeconds(pids[way]) - before) / READS_A_ROUND) * 1e6);
      rates[way].push(READS_A_ROUND / seconds);
    }
  }
  await reader.stop();
  const ratios = cost.direct.map((value, index) => value / cost.through[index]);
  const ratio = median(ratios);
  return {
    name: `quote reads of ${CODES.length} symbols through the gateway, ${IN_FLIGHT} at once, by processor time`,
    value: `${median(cost.through).toFixed(1)} µs CPU each (${number(median(rates.through))}/s with three processes on this machine)`,
    limit: `the upstream ${median(cost.direct).toFixed(1)} µs CPU each (${number(median(rates.direct))}/s)`,
    ratio,
    spread: spread(ratios),
    floor: `≥ ${THROUGHPUT_MIN}`,
    pass: ratio >= THROUGHPUT_MIN,
  };
}

async function eventDelay(upstream, port) {
  const reader = await start('bridge.mjs', 'load', { ports: { through: port } });
  await reader.ask({ task: 'listen' });
  const { sent } = await upstream.ask({ run: { rate: EVENTS_PER_SECOND, seconds: SECONDS, symbols: SYMBOLS } });
  let heard = { events: -1 };
  for (let last = -2; last !== heard.events; ) {
    last = heard.events;
    await sleep(200);
    heard = await reader.ask({ task: 'heard' });
  }
  await reader.stop();
  const ms = quantile(heard.latencies, 0.5);
  const lost = sent - heard.events;
  return {
    name: `an event from the upstream to a client, ${number(EVENTS_PER_SECOND)} events/s`,
    value: `p50 ${ms.toFixed(2)} ms, p99 ${quantile(heard.latencies, 0.99).toFixed(2)} ms, ${lost} lost, ${heard.disorder} out of order`,
    score: -ms,
    floor: `p50 < ${EVENT_MS_MAX} ms, none lost`,
    pass: ms < EVENT_MS_MAX && lost === 0 && heard.disorder === 0,
  };
}

async function client({ ports }) {
  const sockets = {};
  for (const [way, port] of Object.entries(ports)) {
    sockets[way] = await openTcp(port);
    sockets[way].write(tcpFrame(3001, subscribe(SYMBOLS), 2));
    await once(sockets[way], 'data');
  }
  const listening = { events: 0, disorder: 0, latencies: [], last: -1 };
  process.send('ready');
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ task, way }) => {
    if (task === 'latency') process.send(await latency(sockets));
    else if (task === 'reads') process.send(await reads(sockets[way]));
    else if (task === 'heard') process.send(listening);
    else {
      listen(sockets.through, listening);
      process.send('listening');
    }
  });
}

async function latency({ direct, through }) {
  const measurements = { direct: () => roundTrips(direct), through: () => roundTrips(through) };
  await interleave(5, measurements);
  return interleave(40, measurements);
}

async function roundTrips(socket) {
  const frame = tcpFrame(3004, getBasicQotOf(CODES[0]), 7);
  const times = [];
  for (let round = 0; round < 200; round++) {
    const started = process.hrtime.bigint();
    const answered = once(socket, 'data');
    socket.write(frame);
    await answered;
    times.push(Number(process.hrtime.bigint() - started) / 1000);
  }
  return median(times);
}

/** Seconds for a round of reads, so many always under way. */
async function reads(socket) {
  const frames = CODES.map((code, index) => tcpFrame(3004, getBasicQotOf(code), index + 10));
  let asked = 0;
  let answered = 0;
  const started = performance.now();
  await new Promise((resolve) => {
    const ask = (count) => {
      const wanted = Math.min(count, READS_A_ROUND - asked);
      if (wanted > 0) socket.write(Buffer.concat(Array.from({ length: wanted }, () => frames[asked++ % frames.length])));
    };
    const stop = onFrames(socket, (count) => {
      answered += count;
      if (answered < READS_A_ROUND) ask(count);
      else {
        stop();
        resolve();
      }
    });
    ask(IN_FLIGHT);
  });
  return (performance.now() - started) / 1000;
}

function listen(socket, listening) {
  onFrames(socket, (_count, data, ends) => {
    const received = Number(process.hrtime.bigint() / 1000n);
    let at = 0;
    for (const end of ends) {
      const mark = data.indexOf(MARK, at + HEADER_BYTES) + MARK.length;
      if (data.readUInt32LE(at + 2) === 3005 && mark >= MARK.length && mark < end) {
        const count = Number(data.latin1Slice(mark, mark + 8));
        if (count !== listening.last + 1) listening.disorder += 1;
        listening.last = count;
        listening.events += 1;
        if (listening.events % 7 === 0) listening.latencies.push((received - Number(data.latin1Slice(mark + 8, mark + 24))) / 1000);
      }
      at = end;
    }
  });
}

/** Tells how many whole frames came, with their bytes and ends. Returns its own removal. */
function onFrames(socket, told) {
  let rest = Buffer.alloc(0);
  const listener = (chunk) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const ends = [];
    let at = 0;
    while (at + HEADER_BYTES <= data.length) {
      const end = at + HEADER_BYTES + data.readUInt32LE(at + 12);
      if (end > data.length) break;
      ends.push(end);
      at = end;
    }
    rest = data.subarray(at);
    if (ends.length > 0) told(ends.length, data, ends);
  };
  socket.on('data', listener);
  return () => socket.off('data', listener);
}
