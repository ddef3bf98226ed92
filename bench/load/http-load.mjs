/**
 * A load generator: keep-alive connections to several targets, each with one request under way at a time. Written on
 * bare sockets, so that two of these processes can fill any server on one core. Told `{ target, ms }`, it loads one of
 * the targets for so long and answers `{ requests, seconds, latencies }`; latencies in µs. A target's `headers` hold for
 * all of its connections; `headersOf` has those of each one alone. With `unique`, each request has an idempotency key of its own.
 */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const { targets, connections } = JSON.parse(process.argv[2]);
const LENGTH = /content-length: (\d+)/i;
const CHUNKED = /transfer-encoding: chunked/i;
const LAST_CHUNK = '0\r\n\r\n';
const clients = new Map();
let sent = 0;

for (const target of targets) {
  const own = await Promise.all(Array.from({ length: connections }, (_, index) => open(target, target.headersOf?.[index])));
  clients.set(target.name, own);
}
process.send('open');
process.on('disconnect', () => process.exit());
process.on('message', async ({ target, ms }) => {
  const own = clients.get(target);
  const until = performance.now() + ms;
  const started = performance.now();
  // Never asleep while it loads: to wake an idle core costs the sender several µs on a virtual machine, so that a server
  // would seem the slower the more its clients have to wait for it.
  let spinning = true;
  const spin = () => spinning && setImmediate(spin);
  spin();
  const latencies = (await Promise.all(own.map((client) => client.run(until)))).flat();
  spinning = false;
  process.send({ requests: latencies.length, seconds: (performance.now() - started) / 1000, latencies: sample(latencies) });
});

/** A connection that repeats the target's request. */
function open({ port, tls, path, headers, body, unique }, ownHeaders) {
  const lines = Object.entries({ ...headers, ...ownHeaders }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}`;
  const request = Buffer.from(`${head}\r\n${body}`);
  const next = unique ? () => `${head}Idempotency-Key: bench-${process.pid}-${++sent}\r\n\r\n${body}` : () => request;
  return new Promise((resolve, reject) => {
    let state;
    let received = '';
    let missing = 0;
    const send = () => {
      state.sentAt = performance.now();
      socket.write(next());
    };
    const answered = () => {
      const now = performance.now();
      state.latencies.push(Math.round((now - state.sentAt) * 1000));
      if (now < state.until) send();
      else state.resolve(state.latencies);
    };
    const take = (chunk) => {
      if (missing > 0) missing -= chunk.length;
      else {
        received += chunk.toString('latin1');
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!received.startsWith('HTTP/1.1 200')) throw new Error(`refused: ${received.slice(0, 600)}`);
        if (CHUNKED.test(received.slice(0, end))) {
          if (!received.endsWith(LAST_CHUNK)) return;
          received = '';
          answered();
          return;
        }
        const length = Number(LENGTH.exec(received)?.[1] ?? Number.NaN);
        if (Number.isNaN(length)) throw new Error(`no content-length: ${received.slice(0, 600)}`);
        missing = end + 4 + length - received.length;
        received = '';
      }
      if (missing === 0) answered();
      else if (missing < 0) throw new Error('more came than was asked for');
    };
    const client = {
      run(until) {
        return new Promise((done) => {
          state = { until, latencies: [], sentAt: 0, resolve: done };
          send();
        });
      },
    };
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(client))
      : connect(port, '127.0.0.1', () => resolve(client));
    socket.setNoDelay(true);
    socket.on('data', take);
    socket.on('error', reject);
    socket.on('close', () => {
      throw new Error(`port ${port} closed a connection`);
    });
  });
}

/** Enough for percentiles, and not too much for a message between processes. */
function sample(latencies) {
  const step = Math.ceil(latencies.length / 5000);
  return latencies.filter((_, index) => index % step === 0);
}
