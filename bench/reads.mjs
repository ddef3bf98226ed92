/**
 * Every read operation once, over HTTPS against the daemon, with a key: how long it takes (the median, beside that of `/livez` in the same run, by
 * turns), the processor time of the main thread, the bytes of its answer, what is allocated for it, and what the first call of all costs, with the
 * longest time for which it holds the event loop.
 *
 *   node bench/reads.mjs [rounds [figure…]]
 *
 * The calls are those of examples/requests.http, of a world to which 20,000 instruments were added. Then the figures that have a limit of their own: an
 * expiry of an option chain with its Greeks, a thousand bars, and a screen over all the instruments. Limits hold by the clock, at the median; the processor
 * time beside it is what that would be on a machine that does nothing else. Figures are named by their operation, or `chain`, `bars` and `screen`.
 */
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations } from '@svc-gateway/contract/operations';
import { examples, fillIn } from './lib/examples.mjs';
import { temporaryFolder, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { pin, startDaemon } from './lib/processes.mjs';
import { number, report } from './lib/report.mjs';
import { median, spread } from './lib/statistics.mjs';

const READ_MS = 10;
const HOLD_MS = 20;
const SCREEN_MS = 50;
const CHAIN_MS = 5;
const BARS_RATIO = 1.5;
const rounds = Number(process.argv[2] ?? 15);
const named = process.argv.slice(3);
const isAsked = (name) => named.length === 0 || named.includes(name);
const SWITCHES = [
  '--enable-v18-kline-patterns',
  '--enable-v18-kline-pattern-performance',
  '--enable-v18-experimental-reads',
  '--enable-desktop-phase2-reads',
];

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 1, { limits: {}, scopes: ['qot:read', 'qot:write', 'acc:read', 'trade:simulate'] });
const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
const authorization = `Bearer ${keys.texts[0]}`;
const livez = { method: 'GET', path: '/livez' };

let daemon;
daemon = await started();
const answers = new Map();
const measured = [];
// Lists of the user's own have something to show.
for (const { rest } of operations.filter(({ group, effect }) => group === 'user_state' && effect !== 'read')) {
  await ask(await callOf(examples().find(({ path }) => path === rest[0].path)));
}
for (const operation of operations.filter(({ name, effect, group }) => effect === 'read' && group !== 'admin' && isAsked(name))) {
  const example = examples().find(({ path }) => operation.rest.some((route) => route.path === path));
  if (example === undefined) throw new Error(`examples/requests.http does not call ${operation.name}`);
  measured.push(await measure(operation.name, await callOf(example)));
  console.log(`${operation.name}: ${readFigure(measured.at(-1)).value}`);
}
const figures = measured.map(readFigure);
if (isAsked('chain')) figures.push(await chainFigure());
if (isAsked('bars')) figures.push(await barsFigure());
await daemon.stop();
if (isAsked('screen')) {
  // Nobody has asked it for anything yet.
  daemon = await started();
  figures.push(...(await screenFigures()));
  await daemon.stop();
}
agent.destroy();
report(figures);

/** A daemon with 20,000 instruments more than it has by itself, whose time begins at the one that the examples are about. */
async function started() {
  const access = ['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key, '--enable-trading'];
  const world = ['--sim-clock', 'replay:2026-11-20T15:00:00Z', '--sim-instruments', '20000'];
  const nodeFlags = ['--import', fileURLToPath(new URL('lib/reads-probe.mjs', import.meta.url))];
  const begun = await startDaemon(temporaryFolder(), [...world, '--request-timeout', '300', ...access, ...SWITCHES], {
    nodeFlags,
    ipc: true,
    pinned: false,
  });
  daemon = begun;
  // One call at a time: collections, writes and the thread of long reads have the other core, as they would on any machine. Threads that begin after the
  // main one is pinned share its core.
  await ask({ method: 'POST', path: '/api/owner-plate', body: '{"symbols":["HK.00700"]}' });
  pin(begun.pid, 'server', { threads: [] });
  for (let count = 0; count < 200; count++) await ask(livez);
  return begun;
}

/** A call with what earlier calls of the examples have answered. */
async function callOf({ method, path, headers, body = '' }) {
  for (const [, name] of body.matchAll(/\{\{(\w+)\.response/g)) {
    if (answers.has(name)) continue;
    const earlier = examples().find((one) => one.name === name);
    answers.set(name, JSON.parse((await ask(await callOf(earlier))).text));
  }
  return { method, path, headers, body: body === '' ? undefined : fillIn(body, answers) };
}

/** The first call, then rounds by turns with `/livez`, then calls one by one for what they allocate. */
async function measure(name, call) {
  await daemon.ask('watch');
  const first = await ask(call);
  const cold = await daemon.ask('end');
  for (let count = 0; count < 3; count++) await ask(call);
  const times = [];
  const baseline = [];
  const used = [];
  for (let round = 0; round < rounds; round++) {
    baseline.push((await ask(livez)).ms);
    await daemon.ask('begin');
    times.push((await ask(call)).ms);
    used.push((await daemon.ask('end')).cpuMs);
  }
  const allocated = [];
  for (let count = 0; count < 5; count++) {
    await daemon.ask('collect');
    await ask(call);
    const { allocated: bytes } = await daemon.ask('end');
    if (bytes !== undefined) allocated.push(bytes);
  }
  return { name, first, cold, times, baseline, used, allocated, bytes: Buffer.byteLength(first.text) };
}

function readFigure({ name, first, cold, times, baseline, used, allocated, bytes }) {
  const ms = median(times);
  const memory = allocated.length === 0 ? 'more than a collection leaves' : `${number(median(allocated) / 1024)} KB allocated`;
  const start = `the first ${number(first.ms, 1)} ms, ${number(cold.cpuMs, 1)} ms of processor time, held the loop ${number(cold.holdMs, 1)} ms`;
  return {
    name,
    value: `${number(ms, 2)} ms, ${number(median(used), 2)} ms of processor time, ${number(bytes)} bytes, ${memory}; ${start}`,
    limit: `/livez ${number(median(baseline), 2)} ms`,
    ratio: median(baseline) / ms,
    spread: `${spread(times)} ms`,
    floor: `< ${READ_MS} ms, the loop held < ${HOLD_MS} ms`,
    pass: ms < READ_MS && cold.holdMs < HOLD_MS,
    score: -ms,
  };
}

/** The first screens of a world, and those after them. */
async function screenFigures() {
  const base = [
    { field_name: 5, filter_min: 5, sort_dir: 2 },
    { field_name: 14, is_no_filter: true },
  ];
  const screens = [1, 11, 21].map((market) => ({
    method: 'POST',
    path: '/api/stock-filter',
    body: JSON.stringify({ market, num: 200, base_filter_list: base }),
  }));
  let found = 0;
  let ms = 0;
  await daemon.ask('watch');
  for (const screen of screens) {
    const answer = await ask(screen);
    found += JSON.parse(answer.text).s2c.all_count;
    ms += answer.ms;
  }
  const { cpuMs, holdMs, rss } = await daemon.ask('end');
  const what = `a screen over the stocks of Hong Kong, the United States and mainland China, in three calls, ${number(found)} found`;
  const value = `${number(ms)} ms, ${number(cpuMs)} ms of processor time, held the loop ${number(holdMs, 1)} ms, ${number(rss / 1e6)} MB resident`;
  return [{ name: `the first of them: ${what}`, value }, limited(what, await repeated(screens), SCREEN_MS)];
}

async function chainFigure() {
  const body = {
    owner_symbol: 'US.AAPL',
    begin_time: '2026-12-18',
    end_time: '2026-12-18',
    delta_min: -1,
    delta_max: 1,
    iv_min: 0,
    gamma_min: 0,
  };
  const chain = { method: 'POST', path: '/api/option-chain', body: JSON.stringify(body) };
  return limited('one expiry of an option chain, filtered by its Greeks', await repeated([chain]), CHAIN_MS);
}

/** Duration of consecutive calls, and the processor time of the main thread. */
async function repeated(calls) {
  const rows = [];
  for (let round = -3; round < rounds; round++) {
    await daemon.ask('begin');
    let ms = 0;
    for (const call of calls) ms += (await ask(call)).ms;
    const { cpuMs } = await daemon.ask('end');
    if (round >= 0) rows.push({ ms, cpuMs });
  }
  return rows;
}

function limited(name, rows, bound) {
  const [ms, cpuMs] = [median(rows.map((row) => row.ms)), median(rows.map((row) => row.cpuMs))];
  const value = `${number(ms, 2)} ms, ${number(cpuMs, 2)} ms of processor time`;
  const times = `${spread(rows.map((row) => row.ms))} ms`;
  return { name, value, spread: times, floor: `< ${bound} ms`, pass: ms < bound, score: -ms };
}

/** A thousand bars, what any request costs left out, against writing their message as JSON: processor time of one process, by turns. */
async function barsFigure() {
  const bars = { method: 'POST', path: '/api/kline', body: '{"symbol":"HK.00700","kl_type":1,"req_num":1000}' };
  const { text } = await ask(bars);
  const encode = async () => (await daemon.ask({ operation: 'get_kline', text })).cpuMs;
  await encode();
  const each = async (call) => {
    await daemon.ask('begin');
    for (let count = 0; count < 20; count++) await ask(call);
    return (await daemon.ask('end')).cpuMs / 20;
  };
  const [used, bare, encoded] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    encoded.push(await encode());
    used.push(await each(bars));
    bare.push(await each(livez));
  }
  const [ms, any, encoding] = [median(used), median(bare), median(encoded)];
  const beyond = ms - any;
  return {
    name: 'a K-line of 1,000 bars, beyond what any request costs',
    value: `${number(beyond, 2)} ms of processor time (${number(ms, 2)} with it)`,
    limit: `encoding it ${number(encoding, 2)} ms`,
    ratio: encoding / beyond,
    spread: `${spread(used.map((one, round) => one - bare[round]))} ms`,
    floor: `< ${BARS_RATIO} times`,
    pass: beyond < BARS_RATIO * encoding,
  };
}

/** One call; its answer must be a success. */
function ask({ method, path, headers, body }) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, host: daemon.url.hostname, port: daemon.url.port, method, path, headers: { ...headers, authorization } },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - started;
          const text = Buffer.concat(chunks).toString();
          const succeeded = response.statusCode === 200 && (path === livez.path || text.startsWith('{"ret_type":0'));
          if (succeeded) resolve({ ms, text });
          else reject(new Error(`${path} ${body ?? ''}: ${response.statusCode} ${text.slice(0, 500)}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
