/**
 * gRPC `Request` of a quote with key, gates and audit to a file, 64 calls under way on 8 connections, against an empty
 * service on the same library that answers the same bytes.
 *
 *   node bench/grpc.mjs [rounds]
 *
 * Two pairs, as in rest.mjs: the gateway over plain HTTP/2 (composed here; the daemon refuses keys without TLS), and the
 * daemon itself over TLS. Every server has the same core to itself while it is loaded; rounds alternate.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { credentials, Metadata, makeGenericClientConstructor } from '@grpc/grpc-js';
import * as QotGetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import { GatewayRequestSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import { temporaryFolder, writeCertificate, writeKeys } from './lib/fixture.mjs';
import { load, pairFigure, warmUp } from './lib/load.mjs';
import { start, startDaemon, svcdFlags } from './lib/processes.mjs';
import { report } from './lib/report.mjs';
import { interleave } from './lib/statistics.mjs';

const CONNECTIONS = 8;
const CALLS = 8;
const GENERATORS = 2;
const ROUND_MS = 1000;
const FLOOR = 0.7;
const rounds = Number(process.argv[2] ?? 11);

const folder = temporaryFolder();
const tls = await writeCertificate(folder);
const keys = writeKeys(join(folder, 'keys'), 100);
const key = keys.texts[50];
const quote = toBinary(
  QotGetBasicQot.RequestSchema,
  create(QotGetBasicQot.RequestSchema, { c2s: { securityList: [{ market: 1, code: '00700' }] } }),
);
const message = Buffer.from(toBinary(GatewayRequestSchema, create(GatewayRequestSchema, { protoId: 3004, body: quote })));

const gateway = await start(
  'servers/gateway-grpc.mjs',
  'server',
  { folder, keysFile: keys.path, auditFile: join(folder, 'audit-plain.jsonl') },
  svcdFlags,
);
const daemonFlags = ['--rest-keys-file', keys.path, '--rest-tls-cert', tls.cert, '--rest-tls-key', tls.key];
const daemon = await startDaemon(folder, [...daemonFlags, '--audit-log', join(folder, 'audit-tls.jsonl')]);
const daemonPort = Number(daemon.grpcUrl.port);
const answer = (await ask(daemonPort, credentials.createSsl(readFileSync(tls.cert)))).toString('base64');
await ask(gateway.ready.port, credentials.createInsecure());
const bare = await start('servers/bare-grpc.mjs', 'server', { answer }, svcdFlags);
const bareTls = await start('servers/bare-grpc.mjs', 'server', { answer, tls }, svcdFlags);

const servers = {
  gateway: { pid: gateway.pid, port: gateway.ready.port, tls: false },
  bare: { pid: bare.pid, port: bare.ready.port, tls: false },
  daemon: { pid: daemon.pid, port: daemonPort, tls: true },
  bareTls: { pid: bareTls.pid, port: bareTls.ready.port, tls: true },
};
const targets = Object.entries(servers).map(([name, { port, tls: secure }]) => ({
  name,
  port,
  tls: secure,
  headers: { authorization: `Bearer ${key}` },
  message: message.toString('base64'),
}));
const generators = await Promise.all(
  Array.from({ length: GENERATORS }, () =>
    start('load/grpc-load.mjs', 'load', { targets, connections: CONNECTIONS / GENERATORS, calls: CALLS }),
  ),
);

const names = Object.keys(servers);
const round = (name, ms = ROUND_MS) => load(generators, { target: name, pid: servers[name].pid, ms });
await warmUp(names, round);
const results = await interleave(rounds, Object.fromEntries(names.map((name) => [name, () => round(name)])));

report([
  figure('gRPC Request of a quote, key, gates and audit, plain HTTP/2', 'gateway', 'bare', FLOOR),
  figure('gRPC Request of a quote, the daemon over TLS', 'daemon', 'bareTls'),
]);
for (const process of [...generators, gateway, bare, bareTls, daemon]) await process.stop();

function figure(name, measured, limit, floor) {
  const load = `${CONNECTIONS * CALLS} calls on ${CONNECTIONS} connections`;
  return pairFigure({ name, load, measured: results[measured], limit: results[limit], limitName: 'an empty service', floor });
}

/** One call by the library's own client; the bytes of its answer. */
function ask(port, channelCredentials) {
  const same = (value) => value;
  const path = '/svc.v1.Gateway/Request';
  const Client = makeGenericClientConstructor(
    {
      request: {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    'Gateway',
  );
  const client = new Client(`localhost:${port}`, channelCredentials);
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  return new Promise((resolve, reject) => {
    client.request(message, metadata, (error, bytes) => {
      client.close();
      if (error !== null) reject(error);
      else resolve(bytes);
    });
  });
}
