/**
 * REST `POST /api/quote` with key, gates and audit to a file, 64 keep-alive connections, against a bare `node:http`
 * server that reads and parses the same body and answers the same bytes.
 *
 *   node bench/rest.mjs [rounds]
 *
 * Two pairs: the gateway over plain HTTP (composed here; the daemon refuses keys without TLS) against node:http, and the
 * daemon itself against node:https. Every server has the same core to itself while it is loaded; rounds alternate.
 */
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { temporaryFolder, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { load, pairFigure, warmUp } from './lib/load.mjs';
import { start, startDaemon, svcdFlags } from './lib/processes.mjs';
import { report } from './lib/report.mjs';
import { interleave } from './lib/statistics.mjs';

const CONNECTIONS = 64;
const GENERATORS = 2;
/** Short, so that what else the machine does falls on the two sides of a pair alike. */
const ROUND_MS = 300;
const FLOOR = 0.7;
const rounds = Number(process.argv[2] ?? 33);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 100);
const body = '{"symbol":"HK.00700"}';
const headers = { authorization: `Bearer ${keys.texts[50]}` };

const gateway = await start(
  'servers/gateway.mjs',
  'server',
  { folder, keysFile: keys.path, auditFile: join(folder, 'audit-plain.jsonl') },
  svcdFlags,
);
const daemonFlags = ['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key];
const daemon = await startDaemon(folder, [...daemonFlags, '--audit-log', join(folder, 'audit-tls.jsonl')]);
const answer = await post(requestTls, daemon.url.port, body);
await post(request, gateway.ready.port, body);
const bare = await start('servers/bare.mjs', 'server', { body: answer }, svcdFlags);
const bareTls = await start('servers/bare.mjs', 'server', { body: answer, tls }, svcdFlags);

const servers = {
  gateway: { pid: gateway.pid, port: gateway.ready.port, tls: false },
  bare: { pid: bare.pid, port: bare.ready.port, tls: false },
  daemon: { pid: daemon.pid, port: Number(daemon.url.port), tls: true },
  bareTls: { pid: bareTls.pid, port: bareTls.ready.port, tls: true },
};
const targets = Object.entries(servers).map(([name, { port, tls: secure }]) => ({
  name,
  port,
  tls: secure,
  path: '/api/quote',
  headers,
  body,
}));
const generators = await Promise.all(
  Array.from({ length: GENERATORS }, () => start('load/http-load.mjs', 'load', { targets, connections: CONNECTIONS / GENERATORS })),
);

const names = Object.keys(servers);
const round = (name, ms = ROUND_MS) => load(generators, { target: name, pid: servers[name].pid, ms });
await warmUp(names, round);
const results = await interleave(rounds, Object.fromEntries(names.map((name) => [name, () => round(name)])));

report([
  figure('REST /api/quote, key, gates and audit, plain HTTP', 'gateway', 'bare', 'node:http', FLOOR),
  figure('REST /api/quote, the daemon over TLS', 'daemon', 'bareTls', 'node:https', FLOOR),
]);
for (const process of [...generators, gateway, bare, bareTls, daemon]) await process.stop();

function figure(name, measured, limit, limitName, floor) {
  return pairFigure({ name, load: `${CONNECTIONS} connections`, measured: results[measured], limit: results[limit], limitName, floor });
}

/** One request; its answer must be a success. */
function post(send, port, text) {
  return new Promise((resolve, reject) => {
    const sent = send({ port, host: '127.0.0.1', method: 'POST', path: '/api/quote', headers, rejectUnauthorized: false }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      response.on('end', () => (received.startsWith('{"ret_type":0') ? resolve(received) : reject(new Error(received))));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
