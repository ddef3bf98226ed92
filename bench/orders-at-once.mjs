/**
 * 32 orders at once, each acknowledged when everything that must survive a crash is on disk, with a key whose caps have to be
 * reserved, over REST, gRPC (both by TLS) and core TCP. Against servers that know nothing of orders, in the same run:
 *
 *   node:https that keeps each body as one row of the same database, and answers once that is on disk; over gRPC, an empty
 *   service on the same library that does
 *
 *   node bench/orders-at-once.mjs [rounds]
 *
 * Over REST the rate is what counts; the other ways are held against an order over REST in the same run.
 *
 * Every server has one core for all its threads, the load the others. CPU time stands beside the rates: it says the same on a
 * machine that does other things too.
 *
 * SVC_BENCH_FOLDER=<folder> measures another disk than that of /tmp.
 */
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { GatewayRequestSchema, GatewayResponseSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import * as PlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { openDesk } from './lib/desk.mjs';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { load } from './lib/load.mjs';
import { pinning, start, startDaemon, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

/** Over REST. */
const RATE_MIN = 3_000;
const CONCURRENT = 32;
const ROUND_MS = 400;
const PLACE_ORDER = 2202;
/**
 * The order path is compiled step by step, over some 15,000 orders. It counts as warm after so many orders, once two turns in a
 * row are no cheaper than before; a machine too busy for that is measured as warm as it has become, and so is a run that would
 * come near a key's orders per minute.
 */
const WARM_ORDERS = 15_000;
const WARM_ORDERS_MAX = 50_000;
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
const durable = await start('servers/bare-durable.mjs', 'server', { body: answer, tls, folder: join(folder, 'bare') }, svcdFlags);

const target = { path: '/api/order', tls: true, headers: { authorization: authorizationOf(7) }, body: JSON.stringify(order) };
const http = await start('load/http-load.mjs', 'load', {
  connections: CONCURRENT,
  targets: [
    { ...target, name: 'rest', port },
    { ...target, name: 'restKeyed', port, headers: { authorization: authorizationOf(9) }, unique: true },
    { ...target, name: 'durable', port: durable.ready.port },
  ],
});
const header = { ...message.header, accID: BigInt(order.acc_id) };
// Without a number of its own: gRPC callers that want to repeat send an idempotency key.
const request = create(PlaceOrder.RequestSchema, { c2s: { ...message, header, packetID: { connID: 0n, serialNo: 0 } } });
const body = toBinary(PlaceOrder.RequestSchema, request);
const grpcMessage = Buffer.from(toBinary(GatewayRequestSchema, create(GatewayRequestSchema, { protoId: PLACE_ORDER, body })));
const placed = create(PlaceOrder.ResponseSchema, { retType: 0, s2c: { header, orderID: BigInt(s2c.order_id) } });
const grpcAnswer = toBinary(
  GatewayResponseSchema,
  create(GatewayResponseSchema, { protoId: PLACE_ORDER, body: toBinary(PlaceOrder.ResponseSchema, placed) }),
);
const library = await start(
  'servers/bare-grpc.mjs',
  'server',
  { answer: Buffer.from(grpcAnswer).toString('base64'), tls, folder: join(folder, 'bare-grpc') },
  svcdFlags,
);
const grpcTarget = { tls: true, headers: { authorization: authorizationOf(10) }, message: grpcMessage.toString('base64') };
const grpc = await start('load/grpc-load.mjs', 'load', {
  targets: [
    { ...grpcTarget, name: 'grpc', port: Number(daemon.grpcUrl.port) },
    { ...grpcTarget, name: 'library', port: library.ready.port },
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
  durable: (ms = ROUND_MS) => load([http], { target: 'durable', pid: durable.pid, ms }),
  library: (ms = ROUND_MS) => load([grpc], { target: 'library', pid: library.pid, ms }),
};
await warmUp(Object.values(measurements));
const results = await interleave(rounds, measurements);
await Promise.all([http.stop(), grpc.stop(), core.stop(), durable.stop(), library.stop()]);
report([
  restFigure(),
  otherFigure('REST, with idempotency keys', 'restKeyed', 2),
  otherFigure('gRPC', 'grpc', 2, 'library', 'an empty service'),
  otherFigure('core TCP, each under its packet id', 'core', 2),
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
    cold = cold.filter(({ answered, settled }) => answered < WARM_ORDERS || (settled < 2 && answered < WARM_ORDERS_MAX));
  }
}

/** Orders over REST, as many a second as were promised. */
function restFigure() {
  const rate = medianOf('rest', 'rate');
  const limitRate = medianOf('durable', 'rate');
  return {
    ...measured('REST', 'rest', 'durable', 'node:https'),
    floor: `≥ ${number(RATE_MIN)}/s`,
    pass: rate >= RATE_MIN,
    ...(limitRate < RATE_MIN ? { cannot: `not shown by this machine: a bare server keeps ${number(limitRate)} rows/s` } : {}),
  };
}

/**
 * Orders in another way, held against those over REST in the same round: by the processor time of both, each without that of
 * its own limit, which is none of the gateway's.
 */
function otherFigure(name, key, timesMax, limit = 'durable', limitName = 'node:https') {
  const own = (one, bare) => results[one].map(({ cpu }, round) => cpu - results[bare][round].cpu);
  const rest = own('rest', 'durable');
  const times = median(own(key, limit).map((cpu, round) => cpu / rest[round]));
  const figure = measured(name, key, limit, limitName);
  return {
    ...figure,
    value: `${figure.value}; without that, ${number(times, 2)} times an order over REST`,
    floor: `≤ ${timesMax} times`,
    pass: times <= timesMax,
  };
}

/** Orders over an interface, against its limit. */
function measured(name, key, limit, limitName) {
  const rate = medianOf(key, 'rate');
  const limitRate = medianOf(limit, 'rate');
  const latencies = results[key].flatMap((round) => round.latencies);
  const milliseconds = (share) => `${number(quantile(latencies, share) / 1000, 2)} ms`;
  const times = median(results[key].map((round, index) => round.cpu / results[limit][index].cpu));
  return {
    name: `orders placed and acknowledged over ${name}, durable, ${CONCURRENT} at once (${pinning})`,
    score: rate,
    value: `${number(rate)}/s, ${number(medianOf(key, 'cpu'))} µs CPU each, p50 ${milliseconds(0.5)}, p99 ${milliseconds(0.99)}; by processor time ${number(times, 1)} times its limit`,
    limit: `${limitName} with one durable row ${number(limitRate)}/s, ${number(medianOf(limit, 'cpu'))} µs CPU each`,
    ratio: rate / limitRate,
    spread: `${spread(
      results[key].map((round) => round.rate),
      0,
    )}/s`,
  };
}

function medianOf(key, of) {
  return median(results[key].map((round) => round[of]));
}
