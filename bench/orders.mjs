/**
 * An order from its sending to its acknowledgement, with everything that must survive a crash on disk: REST over TLS to
 * the daemon, with a key whose caps have to be reserved, with and without an idempotency key. Against one bare
 * write + fdatasync of 300 bytes in the same folder, in the same run.
 *
 *   node bench/orders.mjs [rounds]
 *
 * SVC_BENCH_FOLDER=<folder> measures another disk than that of /tmp.
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { startDaemon } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, quantile, spread } from './lib/statistics.mjs';

const P50_MS_MAX = 2;
const CONCURRENT = 32;
const ORDERS = 60;
const rounds = Number(process.argv[2] ?? 15);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 100, { ...wideLimits, max_daily_value: 1e17 });
const daemon = await startDaemon(
  folder,
  [
    ...['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key],
    ...['--enable-trading', '--audit-log', join(folder, 'audit.jsonl'), '--log-level', 'warn'],
  ],
  { pinned: false },
);
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT, rejectUnauthorized: false });
const file = openSync(join(folder, 'bare'), 'a');
const line = Buffer.alloc(300, 'x');

const SYMBOL = 'US.NIO';
const US = { env: 1, market: 2 };
const account = await simulatedAccount();
const quoted = await post('/api/quote', { symbol: SYMBOL });
// Far below the market: it rests, so that the order is all that is written. Cheap, so that the cash is enough for many.
const price = Number((quoted.s2c.basic_qot_list[0].cur_price * 0.6).toFixed(2));
let orders = 0;

await interleave(2, { warm: () => place(CONCURRENT * 4, CONCURRENT, true), one: () => place(20, 1, false) });
const results = await interleave(rounds, {
  bare: bareSync,
  one: () => place(ORDERS, 1, false),
  oneRepeatable: () => place(ORDERS, 1, true),
  many: () => place(ORDERS * 4, CONCURRENT, false),
  manyRepeatable: () => place(ORDERS * 4, CONCURRENT, true),
});

const bare = median(results.bare.flatMap(({ latencies }) => latencies));
report([
  figure('one connection', 'one', true),
  figure('one connection, with an idempotency key', 'oneRepeatable', true),
  figure(`${CONCURRENT} at once`, 'many', false),
  figure(`${CONCURRENT} at once, with idempotency keys`, 'manyRepeatable', false),
]);
agent.destroy();
closeSync(file);
await daemon.stop();

function figure(name, key, judged) {
  const latencies = results[key].flatMap((round) => round.latencies);
  const p50 = median(latencies);
  const rate = median(results[key].map((round) => round.rate));
  return {
    name: `order placed → acknowledged over REST, durable, ${name}`,
    value: `p50 ${number(p50, 2)} ms, p99 ${number(quantile(latencies, 0.99), 2)} ms, ${number(rate)} orders/s`,
    limit: `one write + fdatasync p50 ${number(bare, 3)} ms`,
    ratio: bare / p50,
    spread: `p50 ${spread(results[key].map((round) => median(round.latencies)))} ms`,
    ...(judged ? { floor: `p50 < ${P50_MS_MAX} ms`, pass: p50 < P50_MS_MAX } : {}),
  };
}

/** Places so many orders, some of them at once; latencies in ms, orders a second. */
async function place(count, concurrent, repeatable) {
  const latencies = [];
  const started = performance.now();
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      orders += 1;
      const sent = performance.now();
      const headers = repeatable ? { 'idempotency-key': `bench-${process.pid}-${orders}` } : {};
      await post('/api/order', { acc_id: account, env: 1, side: 1, symbol: SYMBOL, qty: 1, price, order_type: 1 }, headers);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: concurrent }, caller));
  const rate = count / ((performance.now() - started) / 1000);
  await post('/api/cancel-all-order', { acc_id: account, ...US });
  return { latencies, rate };
}

function bareSync() {
  const latencies = Array.from({ length: ORDERS }, () => {
    const started = performance.now();
    writeSync(file, line);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  return { latencies };
}

async function simulatedAccount() {
  const { s2c } = await send('GET', '/api/accounts', '');
  return s2c.acc_list.find(({ trd_env, trd_market_auth_list }) => trd_env === 1 && trd_market_auth_list.includes(2)).acc_id;
}

function post(path, fields, headers) {
  return send('POST', path, JSON.stringify(fields), headers);
}

/** One request, whose answer must be a success. Account ids come and go as text: they are too long for JSON.parse. */
function send(method, path, body, more = {}) {
  const headers = { authorization: `Bearer ${keys.texts[7]}`, 'content-type': 'application/json', 'x-svc-int64': 'string', ...more };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, method, host: '127.0.0.1', port: daemon.url.port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const answer = JSON.parse(text);
        if (answer.ret_type === 0) resolve(answer);
        else reject(new Error(`${path}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
