/**
 * 500 sessions of MCP clients (2025-11-25) at a time, each with its stream open and five symbols subscribed, while sessions
 * end and begin, by word and without one: what the gateway keeps when all have gone.
 *
 *   node bench/mcp-sessions.mjs [seconds]
 *
 * The first round, which is like the others and not counted, fills caches and code. The heap is read after a collection.
 */
import { join } from 'node:path';
import { temporaryFolder, writeKeys } from './lib/fixture.mjs';
import { beginSession, headersOf, post } from './lib/mcp.mjs';
import { start, svcdFlags } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';

const SESSIONS = 500;
const SYMBOLS = ['HK.00700', 'HK.00005', 'HK.09988', 'US.AAPL', 'US.NIO'];
const AT_A_TIME = 20;
const WARM_UP_MS = 10_000;
const SETTLE_MS_MAX = 20_000;
const LEFT_MB_MAX = 5;
const MB = 2 ** 20;
const seconds = Number(process.argv[2] ?? 60);

const folder = temporaryFolder();
const keys = writeKeys(join(folder, 'keys'), 10);
const parameters = { folder, keysFile: keys.path, auditFile: join(folder, 'audit.jsonl') };
const gateway = await start('servers/gateway.mjs', 'server', parameters, [...svcdFlags, '--expose-gc']);
const { port } = gateway.ready;
let [begun, events] = [0, 0];

const fresh = await gateway.ask('collect');
await round(WARM_UP_MS);
const before = await settled();
const peak = await round(seconds * 1000);
const after = await settled();

const left = (after.heapUsed - before.heapUsed) / MB;
const open = after.sessions + after.pushConnections + after.subscriptions + after.sockets;
const megabytes = ({ heapUsed, rss }) => `heap ${number(heapUsed / MB, 1)} MB, RSS ${number(rss / MB)} MB`;
report([
  {
    name: `MCP, ${SESSIONS} sessions with ${SYMBOLS.length} symbols each for ${seconds} s, ${number(begun)} begun, ${number(events)} events`,
    value: `left over ${number(left, 1)} MB of heap (${megabytes(after)})`,
    limit: `after the first round ${megabytes(before)}; at the start ${megabytes(fresh)}, at the peak ${megabytes(peak)}`,
    floor: `≤ ${LEFT_MB_MAX} MB`,
    pass: left <= LEFT_MB_MAX,
  },
  {
    name: 'MCP, what is open when all have gone: sessions, push connections, subscriptions, sockets',
    value: [after.sessions, after.pushConnections, after.subscriptions, after.sockets].join(', '),
    floor: '0',
    pass: open === 0,
  },
]);
await gateway.stop();

/** Keeps all sessions open for so long, some of them replaced all the time, then ends them; what was used at the peak. */
async function round(ms) {
  const until = performance.now() + ms;
  const clients = [];
  while (clients.length < SESSIONS) clients.push(...(await beginSome()));
  let peak = await gateway.ask('usage');
  if (peak.sessions !== SESSIONS) throw new Error(`${peak.sessions} sessions are open instead of ${SESSIONS}`);
  while (performance.now() < until) {
    const leaving = clients.splice(0, AT_A_TIME);
    const [more] = await Promise.all([beginSome(), ...leaving.map(leave)]);
    clients.push(...more);
    const usage = await gateway.ask('usage');
    if (usage.heapUsed > peak.heapUsed) peak = usage;
  }
  await Promise.all(clients.map(leave));
  return peak;
}

function beginSome() {
  return Promise.all(Array.from({ length: AT_A_TIME }, begin));
}

/** A session with its stream open, once it has heard of each of its symbols. */
async function begin() {
  const authorization = `Bearer ${keys.texts[begun % keys.texts.length]}`;
  begun += 1;
  const site = { port, path: '/mcp', way: 'sessions', authorization };
  const session = { 'mcp-session-id': await beginSession(site) };
  const gone = new AbortController();
  // No connection outlives its exchange: what is left open at the end is the gateway's doing.
  const headers = { ...headersOf('sessions', { method: 'GET', params: {} }, authorization), ...session, connection: 'close' };
  const stream = await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: gone.signal });
  const heard = hear(stream);
  const subscribe = { method: 'tools/call', params: { name: 'svc_subscribe', arguments: { symbols: SYMBOLS, sub_types: ['Basic'] } } };
  await post({ ...site, question: subscribe, headers: session });
  await heard;
  return { headers, gone };
}

/** Ends a session, every other one with its stream cut off before. */
async function leave({ headers, gone }, index) {
  if (index % 2 === 0) gone.abort();
  const { status } = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'DELETE', headers });
  if (status !== 200) throw new Error(`a session was not ended: ${status}`);
}

/** Reads a stream to its end; resolves as soon as each symbol has come. */
function hear(stream) {
  const missing = new Set(SYMBOLS);
  return new Promise((resolve, reject) => {
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of stream.body) {
        const text = decoder.decode(chunk, { stream: true });
        events += text.split('notifications/svc/push').length - 1;
        for (const symbol of missing) if (text.includes(symbol)) missing.delete(symbol);
        if (missing.size === 0) resolve();
      }
    };
    // A stream that is cut off or ends too early is one that has not heard everything.
    read().then(() => reject(new Error(`nothing was heard of ${[...missing].join(', ')}`)), reject);
  });
}

/** Memory of the gateway once the last socket has ended, after a collection. */
async function settled() {
  const until = performance.now() + SETTLE_MS_MAX;
  for (;;) {
    const usage = await gateway.ask('collect');
    if (usage.sockets === 0 || performance.now() > until) return usage;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
