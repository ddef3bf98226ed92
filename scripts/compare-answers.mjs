// Compares the answers of two builds, byte for byte: every operation over REST and, where it has a protocol id, over core TCP, each for
// several symbols and markets, of the same seed at the same moment.
//
//   node scripts/compare-answers.mjs OLD [NEW] [-- flags of svcd]
//
// OLD and NEW are checkouts that are built; NEW is this one by default. Differences are printed, the first bytes of each, and the exit status is 1.
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { create, toBinary } from '@bufbuild/protobuf';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { operations } from '@svc-gateway/contract/operations';
import { requestDecoder } from '@svc-gateway/contract/request';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { HEADER_BYTES, initConnect, tcpFrame } from '../bench/lib/core-client.mjs';
import { examples, fillIn } from '../bench/lib/examples.mjs';
import { temporaryFolder, writeCertificate, writeKeys } from '../bench/lib/fixture.mjs';
import { startDaemon } from '../bench/lib/processes.mjs';

/** So slow that it stands still: every answer is of this moment. */
const CLOCK = 'replay:2026-11-20T15:00:00Z@0.000001';
const SHOWN_BYTES = 240;
/** Brackets are named at random. */
const BRACKET_IDS = /(bracket_id":"|svc-bracket )[\w-]{12}/g;

/** Symbols of every market and kind, each tried where an example names one. */
const SYMBOLS = [
  ...['HK.00700', 'HK.00005', 'HK.09988', 'HK.02800', 'HK.800000', 'HK.HSImain'],
  ...['US.AAPL', 'US.NIO', 'US.SPY', 'US.ARKK', 'US..SPX', 'US.ESmain'],
  ...['SH.600519', 'SZ.000858', 'SG.D05', 'JP.7203', 'MY.1155', 'FX.EURUSD', 'CC.BTCUSD', 'XX.NONE'],
];
const LISTS = [['HK.00700', 'US.AAPL', 'SH.600519'], SYMBOLS.slice(0, 12)];
const MARKETS = [1, 2, 11, 21, 22, 31, 41, 51, 61, 71, 81];
/** Operations whose answers tell the machine's time, or how long something took: their digits are not compared, nor their bytes over core TCP. */
const TIMED = new Set([
  'ping',
  'whoami',
  'wait_for',
  'get_delay_statistics',
  'get_global_state',
  'get_push_subscriber_info',
  'get_brackets',
]);
const SYMBOL_FIELDS = ['symbol', 'code', 'owner_symbol', 'stock'];
const MARKET_FIELDS = ['market', 'qot_market', 'market_type'];

const { positionals } = parseArgs({ allowPositionals: true, strict: false });
const [old, current = fileURLToPath(new URL('..', import.meta.url)), ...flags] = positionals;
if (old === undefined) {
  console.error('usage: node scripts/compare-answers.mjs OLD [NEW] [-- flags of svcd]');
  process.exit(2);
}
const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 1, { limits: {}, scopes });
const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
const builds = await Promise.all([old, current].map((root) => started(resolve(root))));
let asked = 0;
const differing = [];

for (const example of examples()) {
  const operation = operations.find(({ rest }) => rest.some(({ method, path }) => method === example.method && path === example.path));
  const [one, other] = builds.map(({ answers }) => filled(example.body, answers));
  if (one === null || other === null) {
    console.log(`not compared: ${example.method} ${example.path}: an earlier call did not answer what it needs`);
    continue;
  }
  const call = (body) => ({ method: example.method, path: example.path, headers: example.headers, body });
  const texts = await compareRest([call(one), call(other)], operation);
  for (const [index, { answers }] of builds.entries()) if (example.name !== undefined) answers.set(example.name, JSON.parse(texts[index]));
  if (operation?.effect !== 'read') continue;
  await compareCore(operation, one);
  if (one !== other) continue;
  for (const body of variants(operation, one)) {
    await compareRest([call(body), call(body)], operation);
    await compareCore(operation, body);
  }
}
console.log(`${asked} answers of each build, ${differing.length} of them differ`);
for (const build of builds) {
  build.socket.destroy();
  await build.daemon.stop();
}
process.exit(differing.length === 0 ? 0 : 1);

async function started(root) {
  const access = ['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key];
  const parameters = ['--sim-clock', CLOCK, '--api-key-id', 'desk-0', ...access, ...switches, ...flags];
  const daemon = await startDaemon(temporaryFolder(), parameters, { root, pinned: false });
  const socket = connect({ port: daemon.apiPort, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const build = { daemon, socket, serial: 0, answers: new Map() };
  await askCore(build, 1001, initConnect);
  return build;
}

/** A body with what earlier calls answered, or null where they did not. The clock stands still, and so does every order: nothing is waited for. */
function filled(body, answers) {
  try {
    return body && fillIn(body, answers).replace(/"timeout": ?\d+/, '"timeout":0');
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** The same body of other symbols and markets. */
function* variants(operation, body) {
  if (body === undefined || operation.waits !== null) return;
  const fields = JSON.parse(body);
  for (const name of SYMBOL_FIELDS) {
    if (typeof fields[name] === 'string') for (const symbol of SYMBOLS) yield JSON.stringify({ ...fields, [name]: symbol });
  }
  if (Array.isArray(fields.symbols)) {
    for (const symbols of [...LISTS, ...SYMBOLS.map((symbol) => [symbol])]) yield JSON.stringify({ ...fields, symbols });
  }
  for (const name of MARKET_FIELDS) {
    if (typeof fields[name] === 'number') for (const market of MARKETS) yield JSON.stringify({ ...fields, [name]: market });
  }
}

/** One call of each build; the bodies of the answers. */
async function compareRest(calls, operation) {
  const texts = await Promise.all(builds.map((build, index) => askRest(build, calls[index])));
  const [one, other] = texts.map((text) => {
    const named = text.replace(/"rest-[\w-]{8}(-\d+)"/g, '"rest$1"').replace(BRACKET_IDS, '$1');
    return Buffer.from(TIMED.has(operation?.name) ? named.replace(/\d/g, '') : named);
  });
  const [{ method, path, body = '' }] = calls;
  compare(`${method} ${path} ${body}`, one, other);
  return texts.map((text) => text.slice(text.indexOf('\n') + 1));
}

async function compareCore(operation, body) {
  if (operation.protoId === undefined || operation.protoId === null || TIMED.has(operation.name)) return;
  const read = requestDecoder(operation, 'rest')(body === undefined ? undefined : parseJson(body).value);
  if (!read.ok) return;
  const { RequestSchema } = operation.messages;
  const bytes = Buffer.from(toBinary(RequestSchema, create(RequestSchema, { c2s: read.value })));
  const [one, other] = await Promise.all(builds.map((build) => askCore(build, operation.protoId, bytes)));
  const named = (answer) => Buffer.from(answer.toString('latin1').replace(BRACKET_IDS, '$1'), 'latin1');
  compare(`${operation.protoId} ${operation.name} ${body ?? ''}`, named(one), named(other));
}

function compare(what, one, other) {
  asked += 1;
  if (process.env.SVC_COMPARE_TRACE) console.log(what, one.length);
  if (one.equals(other)) return;
  differing.push(what);
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const from = Math.max(0, at - SHOWN_BYTES / 2);
  const shown = (bytes) => JSON.stringify(bytes.subarray(from, from + SHOWN_BYTES).toString('latin1'));
  console.log(`${what}: ${one.length} and ${other.length} bytes, which differ from byte ${at}\n  ${shown(one)}\n  ${shown(other)}`);
}

/** The status and the body. */
function askRest({ daemon }, { method, path, headers, body }) {
  return new Promise((done, failed) => {
    const { hostname: host, port } = daemon.url;
    const sent = request(
      { agent, host, port, method, path, headers: { ...headers, authorization: `Bearer ${keys.texts[0]}` } },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => done(`${response.statusCode}\n${Buffer.concat(chunks)}`));
      },
    );
    sent.on('error', failed);
    sent.end(body);
  });
}

/** The body of the frame that answers. */
async function askCore(build, protoId, body) {
  const serial = ++build.serial;
  build.socket.write(tcpFrame(protoId, body, serial));
  let bytes = Buffer.alloc(0);
  for (;;) {
    while (bytes.length >= HEADER_BYTES && bytes.length >= HEADER_BYTES + bytes.readUInt32LE(12)) {
      const end = HEADER_BYTES + bytes.readUInt32LE(12);
      if (bytes.readUInt32LE(2) === protoId && bytes.readUInt32LE(8) === serial) return bytes.subarray(HEADER_BYTES, end);
      bytes = bytes.subarray(end);
    }
    const [chunk] = await once(build.socket, 'data');
    bytes = Buffer.concat([bytes, chunk]);
  }
}
