/**
 * 32 orders at once, each acknowledged when everything that must survive a crash is on disk, with a key whose caps have to be
 * reserved, over REST, gRPC (both by TLS) and core TCP. Against two servers that know nothing of orders, in the same run:
 *
 *   node:https that answers the same bytes at once
 *   node:https that keeps each body as one row of the same database, and answers once that is on disk
 *
 *   node bench/orders-at-once.mjs [rounds]
 *
 * Every server has one core for all its threads, the load the others. CPU time stands beside the rates: it says the same on a
 * machine that does other things too.
 *
 * SVC_BENCH_FOLDER=<folder> measures another disk than that of /tmp.
 */
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { GatewayRequestSchema } from '../dist/contract/generated/svc/v1/gateway_pb.js';
import * as PlaceOrder from '../dist/contract/generated/Trd_PlaceOrder_pb.js';
import { openDesk } from './lib/desk.mjs';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { load } from './lib/load.mjs';
import { pinning, start, startDaemon, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const RATE_MIN = 8_000;
const CONCURRENT = 32;
const ROUND_MS = 400;
const PLACE_ORDER = 2202;
/**
 * What an order runs through is compiled bit by bit, over some 15,000 orders. Warm is who has placed so many and then, in two
 * turns running, no cheaper than before; a machine that is too busy for that is measured as warm as it has become.
 */
const WARM_ORDERS = 15_000;
const WARM_FIRST_MS = 100;
const WARM_MS = 1_000;
const WARM_MS_MAX = 120_000;
const STILL_CHEAPER = 0.97;
const rounds = Number(process.argv[2] ?? 8);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 100, { ...wideLimits, max_daily_value: 1e17 });
/** A key for each figure: none may place more than 100,000 orders a minute. */
const authorizationOf = (index) => `Bearer ${keys.texts[index]}`;
const daemon = await startDaemon(folder, [
  ...['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key, '--api-key-id', 'desk-8'],
  ...['--enable-trading', '--audit-log', join(folder, 'audit.jsonl'), '--log-level', 'warn', '--max-idempotency-keys', '1000000'],
]);
const port = Number(daemon.url.port);
const desk = await openDesk({ port, authorization: authorizationOf(6) });
const { order } = desk;
const message = {
  header: { trdEnv: 0, accID: order.acc_id, trdMarket: 2 },
  ...{ trdSide: 1, orderType: 1, code: 'NIO', secMarket: 2, qty: order.qty, price: order.price },
};
const { s2c } = await desk.post('/api/order', order);
const answer = JSON.stringify({ ret_type: 0, ret_msg: '', err_code: 0, s2c });
const bare = await start('servers/bare.mjs', 'server', { body: answer, tls }, svcdFlags);
const durable = await start('servers/bare-durable.mjs', 'server', { body: answer, tls, folder: join(folder, 'bare') }, svcdFlags);

const target = { path: '/api/order', tls: true, headers: { authorization: authorizationOf(7) }, body: JSON.stringify(order) };
const http = await start('load/http-load.mjs', 'load', {
  connections: CONCURRENT,
  targets: [
    { ...target, name: 'rest', port },
    { ...target, name: 'restKeyed', port, headers: { authorization: authorizationOf(9) }, unique: true },
    { ...target, name: 'bare', port: bare.ready.port },
    { ...target, name: 'durable', port: durable.ready.port },
  ],
});
const header = { ...message.header, accID: BigInt(order.acc_id) };
// Without a number of its own: gRPC callers that want to repeat send an idempotency key.
const request = create(PlaceOrder.RequestSchema, { c2s: { ...message, header, packetID: { connID: 0n, serialNo: 0 } } });
const body = toBinary(PlaceOrder.RequestSchema, request);
const grpc = await start('load/grpc-load.mjs', 'load', {
  targets: [
    {
      ...{ name: 'grpc', port: Number(daemon.grpcUrl.port), tls: true, headers: { authorization: authorizationOf(10) } },
      message: Buffer.from(toBinary(GatewayRequestSchema, create(GatewayRequestSchema, { protoId: PLACE_ORDER, body }))).toString('base64'),
    },
  ],
  connections: CONCURRENT / 8,
  calls: 8,
});
const core = await start('load/core-load.mjs', 'load', { port: daemon.apiPort, order: message, connections: CONCURRENT });

const measurements = {
  rest: placing(http, 'rest'),
  restKeyed: placing(http, 'restKeyed'),
  grpc: placing(grpc, 'grpc'),
  core: placing(core, 'core'),
  bare: (ms = ROUND_MS) => load([http], { target: 'bare', pid: bare.pid, ms }),
  durable: (ms = ROUND_MS) => load([http], { target: 'durable', pid: durable.pid, ms }),
};
await warmUp(Object.values(measurements));
const results = await interleave(rounds, measurements);
await Promise.all([http.stop(), grpc.stop(), core.stop(), bare.stop(), durable.stop()]);
report([
  figure('REST', 'rest'),
  figure('REST, with idempotency keys', 'restKeyed'),
  figure('gRPC', 'grpc'),
  figure('core TCP, each under its packet id', 'core'),
]);
desk.close();
await daemon.stop();

/** Places for so long, and then clears the account. */
function placing(generator, name) {
  return async (ms = ROUND_MS) => {
    const placed = await load([generator], { target: name, pid: daemon.pid, ms });
    await desk.cancelAll();
    return placed;
  };
}

/** By turns: a server takes connections that ask for nothing for silent. */
async function warmUp(measures) {
  const until = performance.now() + WARM_MS_MAX;
  let cold = measures.map((measure) => ({ measure, answered: 0, cheapest: Number.POSITIVE_INFINITY, settled: 0 }));
  for (let ms = WARM_FIRST_MS; cold.length > 0 && performance.now() < until; ms = WARM_MS) {
    for (const one of cold) {
      const { requests, cpu } = await one.measure(ms);
      one.answered += requests;
      one.settled = cpu < one.cheapest * STILL_CHEAPER ? 0 : one.settled + 1;
      one.cheapest = Math.min(one.cheapest, cpu);
    }
    cold = cold.filter(({ answered, settled }) => answered < WARM_ORDERS || settled < 2);
  }
}

function figure(name, key) {
  const rate = median(results[key].map((round) => round.rate));
  const durableRate = median(results.durable.map((round) => round.rate));
  const latencies = results[key].flatMap((round) => round.latencies);
  const cpu = (of) => median(results[of].map((round) => round.cpu));
  const times = (of) => median(results[key].map((round, index) => round.cpu / results[of][index].cpu));
  const milliseconds = (share) => `${number(quantile(latencies, share) / 1000, 2)} ms`;
  return {
    name: `orders placed and acknowledged over ${name}, durable, ${CONCURRENT} at once (${pinning})`,
    score: rate,
    value: `${number(rate)}/s, ${number(cpu(key))} µs CPU each, p50 ${milliseconds(0.5)}, p99 ${milliseconds(0.99)}; by processor time ${number(times('bare'), 1)} times an answer alone, ${number(times('durable'), 1)} times an answer with one durable row`,
    limit: `node:https with one durable row ${number(durableRate)}/s, ${number(cpu('durable'))} µs CPU each; without ${number(median(results.bare.map((round) => round.rate)))}/s, ${number(cpu('bare'))} µs`,
    ratio: rate / durableRate,
    spread: `${spread(
      results[key].map((round) => round.rate),
      0,
    )}/s`,
    floor: `≥ ${number(RATE_MIN)}/s`,
    pass: rate >= RATE_MIN,
    // A machine on which a server that does nothing else writes no more has nothing left for the order.
    ...(durableRate < RATE_MIN ? { cannot: `not shown by this machine: a bare server keeps ${number(durableRate)} rows/s` } : {}),
  };
}
