/**
 * The access path of one request in ns, with 1, 100 and 10,000 keys: hash the key text, look it up, check scope, account,
 * market and symbol, pass the seven gates (orders), write the audit record (to a file). The steps are those of
 * packages/gateway/src/pipeline/, in its order and by the same functions; 64 requests share a turn of the event loop, and the
 * write to the audit file at its end is part of the figure.
 *
 *   node bench/access.mjs [rounds]
 *
 * The limit is one bare SHA-256 of a key text by node:crypto, which no such path can do without.
 *
 * An order's reservation is put into a store in memory here: what the disk adds to it, bench/orders.mjs measures.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '@svc-gateway/contract/clock';
import { quote, trade } from '@svc-gateway/contract/operations';
import { MemoryStore } from '@svc-gateway/storage';
import { Permissions } from '../packages/gateway/dist/permissions.js';
import { decodeRequest } from '../packages/interfaces/dist/rest/body.js';
import { temporaryFolder, wideLimits, writeKeys } from './lib/fixture.mjs';
import { composeAccess } from './lib/gateway.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, spread } from './lib/statistics.mjs';
import { PER_TURN, turns } from './lib/timing.mjs';

const COUNTS = [1, 100, 10_000];
/** Times the one hash that no such path can do without. */
const HASHES_MAX = 6;
/**
 * Turns of a measurement of reads: each key comes several times. A key that has not come since other figures were measured says
 * how long memory takes, not a gateway whose keys are in use.
 */
const READ_TURNS = Math.ceil((4 * Math.max(...COUNTS)) / PER_TURN);
const rounds = Number(process.argv[2] ?? 31);

const folder = temporaryFolder();
const quoteRequest = decodeRequest(quote.getQuote, 'POST', Buffer.from('{"symbol":"HK.00700"}'), '');
const orderRequest = decodeRequest(
  trade.placeOrder,
  'POST',
  Buffer.from('{"market":1,"acc_id":281756000000000001,"env":1,"side":1,"symbol":"HK.00700","qty":100,"price":512.5}'),
  '',
);
const facts = {
  accId: 281756000000000001n,
  legs: [
    {
      markets: ['HK'],
      symbol: 'HK.00700',
      side: 'BUY',
      worth: { currency: 'HKD', value: 51_250_000_000_000n, increase: 51_250_000_000_000n },
    },
  ],
  rates: () => undefined,
};
// 10,000 keys spend at most this much of their rate in a run, one key all of it: the gate's work must be the same.
const limits = { ...wideLimits, max_orders_per_minute: 100_000, max_daily_value: 1e20 };

const measurements = {};
// An interface numbers its requests before it hands them on.
const requestIds = new Array(PER_TURN).fill('');
for (const count of COUNTS) {
  const keys = writeKeys(join(folder, 'keys'), count, { limits });
  const access = composeAccess({ keysFile: keys.path, auditFile: join(folder, `audit-${count}.jsonl`), store: new MemoryStore() });
  const permissions = new Permissions(access, new Set(['--enable-trading']));
  const inOrder = keys.texts;
  // Drawn beforehand: to draw one is not part of the path.
  const atRandom = Array.from({ length: 65_536 }, () => inOrder[Math.floor(Math.random() * count)]);

  const identify = (operation, request, text, now) => {
    const authenticated = access.authenticate(text, now);
    if (!authenticated.ok) throw new Error(authenticated.message);
    const denied = permissions.scope(operation, authenticated.key) ?? permissions.check(operation, authenticated.key, request);
    if (denied !== undefined) throw new Error(denied.message);
    return authenticated.key;
  };
  const record = (endpoint, key, outcome, index, now) =>
    access.audit.record({ iface: 'rest', endpoint, keyId: key.id, outcome, reason: '', requestId: requestIds[index % PER_TURN] }, now);
  const read = (text, index) => {
    const now = systemClock.now();
    record('POST /api/quote', identify(quote.getQuote, quoteRequest, text, now), 'allow', index, now);
  };
  const order = (text, index) => {
    const key = identify(trade.placeOrder, orderRequest, text, systemClock.now());
    const admittance = access.gates.admit(key, facts, systemClock.now());
    if (!admittance.ok) throw new Error(admittance.denial.reason);
    record('POST /api/order', key, 'trade', index, systemClock.now());
  };
  for (const [choice, textOf] of [
    ['in order', (index) => inOrder[index % count]],
    ['at random', (index) => atRandom[index & 65_535]],
  ]) {
    // A key text has just come from a socket when its request is judged: a new string, in the processor's cache; what the
    // gateway keeps of the key may not be.
    const arrived = new Array(PER_TURN).fill('');
    const prepare = (index) => {
      arrived[index % PER_TURN] = Buffer.from(textOf(index), 'latin1').toString('latin1');
      requestIds[index % PER_TURN] = `bench-${index}`;
    };
    measurements[`read ${choice} ${count}`] = () =>
      turns((index) => read(arrived[index % PER_TURN], index), { prepare, count: READ_TURNS });
    // Fewer, so that one key stays within its orders a minute.
    measurements[`order ${choice} ${count}`] = () => turns((index) => order(arrived[index % PER_TURN], index), { prepare, count: 10 });
  }
}
const text = `svc_${'x'.repeat(43)}`;
measurements.hash = () => turns(() => hash('sha256', text, 'hex'));
await interleave(5, measurements);
const results = await interleave(rounds, measurements);

const figures = [];
for (const [kind, bound] of [
  ['read', HASHES_MAX],
  ['order', undefined],
]) {
  for (const choice of ['in order', 'at random']) {
    for (const count of COUNTS) figures.push(absolute(`${kind} ${choice} ${count}`, kind, choice, count, bound));
    figures.push(drift(kind, choice));
  }
}
report(figures);
process.exit();

function absolute(key, kind, choice, count, bound) {
  const ns = median(results[key]);
  const what = kind === 'read' ? 'a read' : 'an order, with the seven gates and its reservation';
  const bare = median(results.hash);
  const hashes = median(results[key].map((each, round) => each / results.hash[round]));
  return {
    name: `access path of ${what}; ${number(count)} keys ${choice}`,
    value: `${number(hashes, 2)} hashes, ${number(ns)} ns`,
    limit: `one SHA-256 of the key text ${number(bare)} ns`,
    ratio: 1 / hashes,
    spread: `${spread(results[key], 0)} ns`,
    // Ratios of one round: what else the machine does falls on both.
    ...(bound === undefined ? {} : { floor: `≤ ${bound} hashes`, pass: hashes <= bound }),
  };
}

function drift(kind, choice) {
  const ratios = results[`${kind} ${choice} 10000`].map((ns, round) => ns / results[`${kind} ${choice} 1`][round]);
  const ratio = median(ratios);
  return {
    name: `the same, 10,000 keys against 1, ${choice} (${kind})`,
    value: `${ratio.toFixed(2)} times`,
    spread: spread(ratios),
    score: -ratio,
  };
}
