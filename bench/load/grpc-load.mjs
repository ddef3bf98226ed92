/**
 * A load generator: HTTP/2 connections to several targets, each with some unary calls under way at a time. Written on
 * node:http2, which costs a third of a gRPC client, so that two of these processes can fill any server on one core. Told
 * `{ target, ms }`, it loads one of the targets for so long and answers `{ requests, seconds, latencies }`; latencies in µs.
 */
import { connect } from 'node:http2';

const { targets, connections, calls } = JSON.parse(process.argv[2]);
const clients = new Map(targets.map((target) => [target.name, Array.from({ length: connections }, () => open(target))]));
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

/** A connection's call: resolves when the answer has come whole, throws when it is a refusal. */
function open({ port, tls, headers, message }) {
  const session = connect(`${tls ? 'https' : 'http'}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const body = Buffer.from(message, 'base64');
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(body.length, 1);
  const request = Buffer.concat([prefix, body]);
  const all = {
    ...headers,
    ':method': 'POST',
    ':path': '/svc.v1.Gateway/Request',
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  };
  return () =>
    new Promise((resolve, reject) => {
      const stream = session.request(all);
      let bytes = 0;
      stream.on('data', (chunk) => {
        bytes += chunk.length;
      });
      stream.on('trailers', (trailers) => {
        if (trailers['grpc-status'] !== '0') reject(new Error(`refused: ${trailers['grpc-status']} ${trailers['grpc-message']}`));
      });
      stream.on('end', () => (bytes > 5 ? resolve() : reject(new Error('no answer'))));
      stream.on('error', reject);
      stream.end(request);
    });
}

/** Enough for percentiles, and not too much for a message between processes. */
function sample(latencies) {
  const step = Math.ceil(latencies.length / 5000);
  return latencies.filter((_, index) => index % step === 0);
}
