/**
 * A load generator: HTTP/2 connections to several targets, each with some unary calls under way at a time. Written on
 * bare sockets, so that one of these processes can fill any server on one core. Told
 * `{ target, ms }`, it loads one of the targets for so long and answers `{ requests, seconds, latencies }`; latencies in µs.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { repeatedPost } from '../lib/http2-frames.mjs';

const { targets, connections, calls } = JSON.parse(process.argv[2]);
const clients = new Map();

for (const target of targets) {
  clients.set(target.name, await Promise.all(Array.from({ length: connections }, () => open(target))));
}
process.send('open');
process.on('disconnect', () => process.exit());
process.on('message', async ({ target, ms }) => {
  const started = performance.now();
  const until = started + ms;
  // Never asleep while it loads: see http-load.mjs.
  let spinning = true;
  const spin = () => spinning && setImmediate(spin);
  spin();
  const runs = clients.get(target).flatMap((call) => Array.from({ length: calls }, () => repeat(call, until)));
  const latencies = (await Promise.all(runs)).flat();
  spinning = false;
  process.send({ requests: latencies.length, seconds: (performance.now() - started) / 1000, latencies: sample(latencies) });
});

async function repeat(call, until) {
  const latencies = [];
  for (let now = performance.now(); now < until; ) {
    await call();
    const answered = performance.now();
    latencies.push(Math.round((answered - now) * 1000));
    now = answered;
  }
  return latencies;
}

/** A connection's call: resolves when the answer has come whole, rejects a refusal. */
async function open({ port, tls, headers, message }) {
  const address = { port, host: '127.0.0.1', noDelay: true };
  const socket = tls ? connectTls({ ...address, rejectUnauthorized: false, ALPNProtocols: ['h2'] }) : connect(address);
  await once(socket, tls ? 'secureConnect' : 'connect');
  socket.on('close', () => {
    throw new Error(`port ${port} closed a connection`);
  });
  const body = Buffer.from(message, 'base64');
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  return repeatedPost(socket, {
    scheme: tls ? 'https' : 'http',
    path: '/svc.v1.Gateway/Request',
    headers: { ...headers, 'content-type': 'application/grpc+proto', te: 'trailers' },
    body: Buffer.concat([prefix, body]),
  });
}

/** Enough for percentiles, and not too much for a message between processes. */
function sample(latencies) {
  const step = Math.ceil(latencies.length / 5000);
  return latencies.filter((_, index) => index % step === 0);
}
