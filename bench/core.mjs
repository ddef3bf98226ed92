/**
 * The core interfaces: the public protocol over TCP and WebSocket.
 *
 *   node bench/core.mjs [idle connections] [loud connections]
 *
 * (a) what an idle connection costs; (b) connections that each hear 50 symbols at 10 events a second: all of it, in order,
 * and how late; (c) the round trip of a request against a bare echo of the same frame, by turns with it. Servers and readers
 * are processes of their own. Prints one line of JSON last.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBasicQot, HEADER_BYTES, keepAlive, openTcp, openWebSocket, subscribe, tcpFrame } from './lib/core-client.mjs';
import { temporaryFolder } from './lib/fixture.mjs';
import { readersNeed, start } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const SYMBOLS = 50;
const EVENTS_PER_SYMBOL = 10;
const SECONDS = 10;
const IDLE_BYTES_MAX = 12 * 1024;
const P99_MS_MAX = 100;
const ROUND_TRIP_MAX = 1.35;
const MARK = 'mark:';
/** As the daemon is started, but for the collector, which the figures call. */
const svcdFlags = ['--max-semi-space-size=16', '--expose-gc'];

if (process.send === undefined) await main();
else {
  const task = JSON.parse(process.argv[2]);
  await (task.kind === 'rounds' ? answerRounds(task) : read(task));
}

/** A reader process: opens its connections, subscribes where it is told to, and looks at what comes. */
async function read({ port, kind, connections, listens }) {
  let events = 0;
  let disorder = 0;
  let latencies = [];
  for (let index = 0; index < connections; index++) {
    const socket = await (kind === 'tcp' ? openTcp(port) : openWebSocket(port));
    if (!listens) continue;
    let rest = Buffer.alloc(0);
    let serial = 0;
    let last = -1;
    let answered;
    const subscribed = new Promise((resolve) => {
      answered = resolve;
    });
    socket.on('data', (chunk) => {
      const received = Number(process.hrtime.bigint() / 1000n);
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      while (at + HEADER_BYTES <= data.length) {
        const end = at + HEADER_BYTES + data.readUInt32LE(at + 12);
        if (end > data.length) break;
        if (data.readUInt32LE(at + 2) === 3001) answered();
        else {
          events += 1;
          serial += 1;
          if (data.readUInt32LE(at + 8) !== serial) disorder += 1;
          // Every event's number is looked at, the time of one in 61.
          const mark = data.indexOf(MARK, at + HEADER_BYTES) + MARK.length;
          const count = Number(data.latin1Slice(mark, mark + 8));
          if (count !== last + 1) disorder += 1;
          last = count;
          if (events % 61 === 0) latencies.push(received - Number(data.latin1Slice(mark + 8, mark + 24)));
        }
        at = end;
      }
      rest = data.subarray(at);
    });
    socket.write(tcpFrame(3001, subscribe(SYMBOLS), 2));
    await subscribed;
  }
  process.send('open');
  process.on('message', () => {
    process.send({ events, disorder, latencies });
    latencies = [];
  });
  process.on('disconnect', () => process.exit());
}

async function main() {
  const idle = Number(process.argv[2] ?? 5000);
  const loud = Number(process.argv[3] ?? 1000);
  const figures = [...(await idleFigures(idle)), ...(await loudFigures(loud)), ...(await roundTripFigures())];
  report(figures);
  process.exit();
}

async function idleFigures(connections) {
  const figures = [];
  for (const [kind, name] of [
    ['tcp', 'core TCP'],
    ['websocket', 'core WebSocket'],
  ]) {
    // Without svcd's larger young generation: its room is the process's, whatever the number of connections.
    const server = await start('servers/core.mjs', 'server', { folder: temporaryFolder() }, ['--expose-gc']);
    const port = kind === 'tcp' ? server.ready.api : server.ready.websocket;
    // The first hundred pay for what all share.
    const warm = await start('core.mjs', 'load', { port, kind, connections: 100, listens: false });
    const before = await server.ask({});
    const reader = await start('core.mjs', 'load', { port, kind, connections, listens: false });
    const after = await server.ask({});
    const bytes = (after.rss - before.rss) / connections;
    const heap = (after.heapUsed + after.external - before.heapUsed - before.external) / connections;
    figures.push({
      name: `(a) an idle connection of ${name}, of ${number(connections)}`,
      value: `${number(bytes / 1024, 1)} KB resident, ${number(heap / 1024, 1)} KB of them in the heap`,
      floor: `≤ ${IDLE_BYTES_MAX / 1024} KB`,
      pass: bytes <= IDLE_BYTES_MAX,
      score: -bytes,
    });
    for (const process of [reader, warm, server]) await process.stop();
  }
  return figures;
}

async function loudFigures(connections) {
  const server = await start('servers/core.mjs', 'server', { folder: temporaryFolder() }, svcdFlags);
  const task = { port: server.ready.api, kind: 'tcp', connections: connections / 2, listens: true };
  const readers = await Promise.all([start('core.mjs', 'load', task), start('core.mjs', 'load', task)]);
  const rate = SYMBOLS * EVENTS_PER_SYMBOL;
  const { sent, cpu, elapsed } = await server.ask({ run: { rate, seconds: SECONDS, symbols: SYMBOLS } });
  const latencies = [];
  let events = 0;
  let disorder = 0;
  for (let last = -1; last !== events; ) {
    last = events;
    await sleep(200);
    const reports = await Promise.all(readers.map((reader) => reader.ask({})));
    for (const { latencies: of } of reports) for (const microseconds of of) latencies.push(microseconds / 1000);
    events = reports.reduce((sum, each) => sum + each.events, 0);
    disorder = reports.reduce((sum, each) => sum + each.disorder, 0);
  }
  const lost = sent * connections - events;
  const p99 = quantile(latencies, 0.99);
  for (const process of [...readers, server]) await process.stop();
  const late = `p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return [
    {
      name: `(b) ${number(connections)} connections of core TCP, ${SYMBOLS} symbols each at ${EVENTS_PER_SYMBOL} events/s`,
      value: `${number((sent / elapsed) * connections)} events/s, ${number((cpu / elapsed) * 100)} % of a core, ${lost} lost, ${disorder} out of order, ${late}`,
      floor: `none lost, in order, p99 ≤ ${P99_MS_MAX} ms`,
      pass: lost === 0 && disorder === 0 && p99 <= P99_MS_MAX,
      score: -p99,
      ...readersNeed(2),
    },
  ];
}

async function roundTripFigures() {
  const core = await start('servers/core.mjs', 'server', { folder: temporaryFolder() }, svcdFlags, { mainOnly: true });
  const echo = await start('servers/echo.mjs', 'server', {}, [], { mainOnly: true });
  const figures = [];
  for (const [name, protoId] of [
    ['KeepAlive', 1004],
    ['a basic quote', 3004],
  ]) {
    const client = await start('core.mjs', 'load', { kind: 'rounds', core: core.ready.api, echo: echo.ready.port, protoId });
    const { asked, echoed } = await client.ask({});
    await client.stop();
    const ratios = asked.map((value, index) => value / echoed[index]);
    const ratio = median(ratios);
    figures.push({
      name: `(c) round trip of ${name} over core TCP, p50`,
      value: `${median(asked).toFixed(1)} µs`,
      limit: `bare echo of the same frame ${median(echoed).toFixed(1)} µs`,
      ratio,
      spread: spread(ratios),
      score: -ratio,
      floor: `≤ ${ROUND_TRIP_MAX}`,
      pass: ratio <= ROUND_TRIP_MAX,
    });
  }
  for (const server of [core, echo]) await server.stop();
  return figures;
}

/** The client of the round trips, on a core of its own as the servers are: by turns, median microseconds of each round. */
async function answerRounds({ core, echo, protoId }) {
  const asked = await openTcp(core);
  const echoed = connect({ port: echo, host: '127.0.0.1', noDelay: true });
  asked.write(tcpFrame(3001, subscribe(1), 2));
  await once(asked, 'data');
  const frame = tcpFrame(protoId, protoId === 3004 ? getBasicQot : keepAlive, 7);
  const measurements = { asked: () => roundTrips(asked, frame, 500), echoed: () => roundTrips(echoed, frame, 500) };
  process.send('ready');
  process.on('disconnect', () => process.exit());
  await once(process, 'message');
  await interleave(10, measurements);
  process.send(await interleave(40, measurements));
}

/** Median microseconds until the answer to a frame has begun to come, one after the other. */
async function roundTrips(socket, frame, count) {
  const times = [];
  for (let round = 0; round < count; round++) {
    const started = process.hrtime.bigint();
    const answered = once(socket, 'data');
    socket.write(frame);
    await answered;
    times.push(Number(process.hrtime.bigint() - started) / 1000);
  }
  return median(times);
}
