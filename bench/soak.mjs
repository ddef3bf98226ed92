/**
 * Whether the daemon is the same after many minutes of mixed load as at their beginning: REST, /ws, MCP, gRPC, the core
 * WebSocket and core TCP at once, with orders, cancels, subscriptions and connections that come and go.
 *
 *   npm run soak -- [--minutes N]
 *
 * The load rests between rounds: what the daemon then holds is looked at after a collection. The first quarter warms up; over
 * the rest a straight line is laid through each figure, and what it rises by is held against a bound. Exit status 1 beyond one.
 */
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { temporaryFolder, wideLimits, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { startDaemon } from './lib/processes.mjs';
import { number } from './lib/report.mjs';
import { coreTcpClient, coreWsClient, grpcClient, mcpClient, restClient, wsClient } from './lib/soak-clients.mjs';

const ROUND_MS = 15_000;
const MB = 1024 ** 2;
/** Memory that an order may cost which is kept. */
const ORDER_BYTES_MAX = 1024;
/** How much more there may be at the end: noise, and not a leak of one a connection. */
const BOUNDS = { heap: 4 * MB, rss: 48 * MB, descriptors: 4, timers: 8, pushConnections: 1, subscriptions: 1 };

/** Until then the young generation, of up to 192 MB, is still being touched for the first time. */
const RSS_MINUTES_MIN = 10;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '22' } } });
const minutes = Number(values.minutes);
if (!(minutes >= 1)) {
  console.error('--minutes takes a number from 1');
  process.exit(2);
}

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 8, { limits: { ...wideLimits, allowed_symbols: null, max_daily_value: 1e17 } });
const daemon = await startDaemon(
  folder,
  [
    ...['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key, '--api-key-id', 'desk-5'],
    ...['--enable-trading', '--metrics-public', '--audit-log', join(folder, 'audit.jsonl'), '--log-level', 'warn'],
  ],
  { pinned: false, nodeFlags: ['--expose-gc', '--import', new URL('lib/soak-probe.mjs', import.meta.url).href], ipc: true },
);
const rest = restClient({ port: daemon.url.port, key: keys.texts[0], order: await cheapOrder() });
const clients = {
  REST: rest,
  '/ws': wsClient({ port: daemon.url.port, key: keys.texts[1] }),
  MCP: mcpClient({ port: daemon.url.port, key: keys.texts[2] }),
  gRPC: grpcClient({ port: daemon.grpcUrl.port, key: keys.texts[3] }),
  'core WebSocket': coreWsClient({ port: daemon.websocketUrl.port, key: keys.texts[4] }),
  'core TCP': coreTcpClient({ port: daemon.apiPort }),
};

const rounds = Math.max(4, Math.round((minutes * 60_000) / ROUND_MS));
const samples = [];
const counts = Object.fromEntries(Object.keys(clients).map((name) => [name, 0]));
for (let round = 0; round < rounds; round++) {
  const until = performance.now() + ROUND_MS;
  await Promise.all(
    Object.entries(clients).map(async ([name, client]) => {
      counts[name] += await client.run(until);
    }),
  );
  // The last closes are still on their way.
  await sleep(1000);
  const sample = { ...(await daemon.ask('look')), ...(await gauges()), orders: rest.done.orders };
  samples.push(sample);
  console.log(
    `${String(round + 1).padStart(3)}/${rounds}  heap ${number(sample.heap / MB, 1)} MB, RSS ${number(sample.rss / MB, 1)} MB, ` +
      `${sample.descriptors} descriptors, ${sample.timers} timers, ${sample.pushConnections} push connections, ${sample.subscriptions} subscriptions, ${number(sample.orders)} orders`,
  );
}
await daemon.stop();

const judged = samples.slice(Math.floor(samples.length / 4));
const ordersKept = judged.at(-1).orders - judged[0].orders;
let flat = true;
console.log(
  `\n${Object.entries(counts)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(', ')} requests in ${minutes} minutes`,
);
for (const [name, bound] of Object.entries(BOUNDS)) {
  const allowed = bound + (name === 'heap' || name === 'rss' ? ordersKept * ORDER_BYTES_MAX : 0);
  const rise = riseOf(judged.map((sample) => sample[name]));
  const [unit, digits, of] = allowed >= MB ? [' MB', 1, MB] : ['', 1, 1];
  const isFlat = rise <= allowed;
  const isJudged = name !== 'rss' || minutes >= RSS_MINUTES_MIN;
  if (isJudged) flat &&= isFlat;
  console.log(
    `${name}: rises by ${number(rise / of, digits)}${unit}, at most ${number(allowed / of, digits)}${unit}: ${isFlat ? 'flat' : isJudged ? 'NOT FLAT' : 'too short to say'}`,
  );
}
process.exit(flat ? 0 : 1);

/** Rise of the least-squares line through the values, from the first to the last. */
function riseOf(values) {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const above = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const below = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return (above / below) * (values.length - 1);
}

async function gauges() {
  const text = await get('/metrics');
  const gauge = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return { pushConnections: gauge('svc_push_connections'), subscriptions: gauge('svc_push_subscriptions') };
}

/** An order that rests far below the market. */
async function cheapOrder() {
  const headers = { authorization: `Bearer ${keys.texts[0]}`, 'x-svc-int64': 'string' };
  const { acc_list: accounts } = JSON.parse(await get('/api/accounts', headers)).s2c;
  const account = accounts.find(({ trd_env: env, trd_market_auth_list: markets }) => env === 1 && markets.includes(2));
  const quoted = JSON.parse(await get('/api/quote', headers, JSON.stringify({ symbol: 'US.NIO' })));
  const price = Number((quoted.s2c.basic_qot_list[0].cur_price * 0.6).toFixed(2));
  return { acc_id: account.acc_id, env: 1, market: 2, side: 1, order_type: 1, symbol: 'US.NIO', qty: 1, price };
}

async function get(path, headers = {}, body = undefined) {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: daemon.url.port, agent, path, headers, method: body === undefined ? 'GET' : 'POST' };
    const sent = request({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
