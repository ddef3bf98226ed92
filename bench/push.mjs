/**
 * Push fan-out to many connections, against a loop of `ws.send` of a ready string in the same run.
 *
 *   node bench/push.mjs [connections]
 *
 * (a) CPU per delivered message, single events under light load; (b) delivered messages a second at saturation, with
 * publish-to-receive latency. The readers are processes of their own: they walk the frames and read the publishing time
 * (CLOCK_MONOTONIC, the same in every process) out of one in 61. They share the cores that are not the hub's. Prints one line of JSON last.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { madeLiveData } from './lib/live-data.mjs';
import { pin } from './lib/processes.mjs';

const MARK = '"update_time":"';
const nowMicroseconds = () => Number(process.hrtime.bigint() / 1000n);

if (process.send !== undefined) await read();
else await main();

/** A reader process: opens its share of the connections and counts. */
async function read() {
  const { port, path, connections } = JSON.parse(process.argv[2]);
  let frames = 0;
  let bytes = 0;
  let latencies = [];
  let open = 0;
  for (let index = 0; index < connections; index++) {
    const socket = connect(port, '127.0.0.1');
    let rest = Buffer.alloc(0);
    let upgraded = false;
    socket.setNoDelay(true);
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    socket.on('data', (chunk) => {
      const received = nowMicroseconds();
      bytes += chunk.length;
      let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!upgraded) {
        const end = data.indexOf('\r\n\r\n');
        if (end < 0) throw new Error('partial handshake');
        if (!data.toString('latin1', 0, 12).includes('101')) throw new Error(data.toString());
        upgraded = true;
        open += 1;
        if (open === connections) process.send('open');
        data = data.subarray(end + 4);
      }
      let at = 0;
      while (at + 4 <= data.length) {
        const short = data[at + 1];
        const start = short < 126 ? at + 2 : at + 4;
        const length = short < 126 ? short : (data[at + 2] << 8) | data[at + 3];
        if (start + length > data.length) break;
        if (data[at] === 0x81) {
          frames += 1;
          if (frames % 61 === 0) {
            const mark = data.indexOf(MARK, start) + MARK.length;
            latencies.push(received - Number(data.toString('latin1', mark, data.indexOf('"', mark))));
          }
        }
        at = start + length;
      }
      rest = data.subarray(at);
    });
    if (index % 50 === 49) await sleep(5);
  }
  process.on('message', () => {
    process.send({ frames, bytes, latencies, cpu: process.cpuUsage() });
    latencies = [];
  });
  process.on('disconnect', () => process.exit());
}

async function main() {
  pin(process.pid, 'server');
  const connections = Number(process.argv[2] ?? 1000);
  const [{ PushHub }, { WsEndpoint }, { systemClock }, { create }, QotUpdateBasicQot, { WebSocketServer }] = await Promise.all([
    import('@svc-gateway/gateway/push'),
    import('../packages/interfaces/dist/ws/endpoint.js'),
    import('@svc-gateway/contract/clock'),
    import('@bufbuild/protobuf'),
    import('@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb'),
    import('ws'),
  ]);

  // Measured: the hub behind /ws, on a backend that only publishes.
  const { publish, liveData } = madeLiveData();
  const hub = new PushHub({ backend: liveData, onDefect: console.error, clock: systemClock });
  const endpoint = new WsEndpoint({
    hub,
    clock: systemClock,
    authenticate: () => ({ ok: true, owner: 'anonymous', permits: () => true }),
    command: () => {
      throw new Error('no commands here');
    },
    onDefect: (error) => {
      throw error;
    },
  });
  const stream = { symbol: 'HK.00700', subType: 1, rehabType: 0, extendedTime: false };
  const other = { ...stream, symbol: 'HK.00005' };
  await hub.subscribe('anonymous', [stream], { push: true, first: false });

  const quote = (symbolStream, updateTime) => {
    const basicQot = {
      security: { market: 1, code: '00700' },
      updateTime,
      curPrice: 512.5,
      lowPrice: 508,
      volume: 18234500n,
      turnover: 9321345000.5,
    };
    const message = create(QotUpdateBasicQot.ResponseSchema, { retType: 0, s2c: { basicQotList: [basicQot] } });
    return { type: 'quote', protoId: 3005, stream: symbolStream, secKey: '1_00700', message };
  };
  const publishQuote = () => publish(quote(stream, String(nowMicroseconds())));

  // Baseline: a string made once per event and given to ws.send for each connection.
  const naive = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  let sequence = 0;
  const sendNaive = () => {
    sequence += 1;
    const text = `{"type":"quote","seq":${sequence},"proto_id":3005,"sec_key":"1_00700","symbol":"HK.00700","sub_type":1,"body":{"basic_qot_list":[{"security":{"market":1,"code":"00700"},${MARK}${nowMicroseconds()}","low_price":508,"cur_price":512.5,"volume":18234500,"turnover":9321345000.5}]}}`;
    for (const webSocket of naive.clients) webSocket.send(text);
  };

  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    if (request.url === '/naive') naive.handleUpgrade(request, socket, head, () => undefined);
    else void endpoint.handleUpgrade(request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const readers = async (path) => {
    const processes = [0, 1].map(() =>
      fork(fileURLToPath(import.meta.url), [JSON.stringify({ port: server.address().port, path, connections: connections / 2 })]),
    );
    for (const { pid } of processes) pin(pid, 'load');
    await Promise.all(processes.map((child) => once(child, 'message')));
    return {
      /** Frames received so far, and the latencies since the last call, in ms. */
      async report() {
        const reports = await Promise.all(
          processes.map(async (child) => {
            child.send('report');
            const [report] = await once(child, 'message');
            return report;
          }),
        );
        const latencies = reports.flatMap((report) => report.latencies).sort((a, b) => a - b);
        const percentile = (share) => (latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0) / 1000;
        return { frames: reports.reduce((sum, report) => sum + report.frames, 0), p50: percentile(0.5), p99: percentile(0.99) };
      },
      stop: () => processes.map((child) => child.disconnect()),
    };
  };

  const gateway = await readers('/ws');
  const plain = await readers('/naive');

  /**
   * Publishes single events, in turn to the gateway's readers and to the plain ones, so that what else the machine does
   * falls on both alike. CPU microseconds of this process per delivered message, medians.
   */
  const light = async (events) => {
    await Promise.all([gateway.report(), plain.report()]);
    const spent = { gateway: [], plain: [] };
    for (let event = 0; event < events; event++) {
      for (const [side, send] of Object.entries({ gateway: publishQuote, plain: sendNaive })) {
        const before = process.cpuUsage();
        send();
        await sleep(20);
        const { user, system } = process.cpuUsage(before);
        spent[side].push((user + system) / connections);
      }
    }
    return {
      cpu: { gateway: median(spent.gateway), plain: median(spent.plain) },
      gateway: await gateway.report(),
      plain: await plain.report(),
    };
  };

  /** Offers so many events a second, as evenly as the event loop allows; delivered messages a second. */
  const saturate = async (send, target, rate, seconds) => {
    await sleep(300);
    const before = await target.report();
    const cpu = process.cpuUsage();
    const start = performance.now();
    let sent = 0;
    await new Promise((resolve) => {
      const turn = () => {
        const elapsed = (performance.now() - start) / 1000;
        if (elapsed >= seconds) return resolve();
        for (const due = Math.min(elapsed * rate, sent + 100); sent < due; sent++) send();
        setImmediate(turn);
      };
      turn();
    });
    const { user, system } = process.cpuUsage(cpu);
    // Until the readers have everything that was sent.
    let after = await target.report();
    let { p50, p99 } = after;
    for (let last = -1; last !== after.frames; ) {
      last = after.frames;
      await sleep(50);
      after = await target.report();
      p50 = Math.max(p50, after.p50);
      p99 = Math.max(p99, after.p99);
    }
    const elapsed = (performance.now() - start) / 1000 - 0.05;
    const frames = after.frames - before.frames;
    return { rate: Math.round(frames / elapsed), lost: sent * connections - frames, cpu: (user + system) / frames, p50, p99 };
  };
  const naiveFlatOut = async (seconds) => {
    await sleep(300);
    const before = await plain.report();
    const start = performance.now();
    while (performance.now() - start < seconds * 1000) {
      sendNaive();
      await new Promise(setImmediate);
    }
    const after = await plain.report();
    return { rate: Math.round((after.frames - before.frames) / ((performance.now() - start) / 1000)), p50: after.p50, p99: after.p99 };
  };
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

  await light(20);
  const single = await light(300);
  const { cpu } = single;
  console.log(
    `(a) light load, ${connections} connections: ${cpu.gateway.toFixed(2)} µs/message, ws.send ${cpu.plain.toFixed(2)} µs: ${(cpu.plain / cpu.gateway).toFixed(2)} times cheaper (floor 1.15)`,
  );
  console.log(
    `    p50 ${single.gateway.p50} ms, p99 ${single.gateway.p99} ms; ws.send p50 ${single.plain.p50} ms, p99 ${single.plain.p99} ms`,
  );

  const flat = await naiveFlatOut(3);
  console.log(`(b) ws.send flat out: ${flat.rate} messages/s, p50 ${flat.p50} ms, p99 ${flat.p99} ms`);
  const sweep = async (label) => {
    let best;
    for (const rate of [400, 600, 800, 1000, 1400, 1800, 2400]) {
      const result = await saturate(publishQuote, gateway, rate, 2);
      console.log(
        `    ${label}: offered ${(rate * connections).toLocaleString('en')}/s: delivered ${result.rate.toLocaleString('en')}/s, not delivered ${result.lost}, ${result.cpu.toFixed(2)} µs CPU/message, p50 ${result.p50} ms, p99 ${result.p99} ms`,
      );
      if (result.lost === 0 && result.p99 < 40 && (best === undefined || result.rate > best.rate)) best = result;
    }
    return best;
  };
  const same = await sweep('equal numbers');
  // Every connection at another sequence number, as in life: nothing can be written twice as it is.
  const ids = hub.connections().map((connection) => connection.id);
  await hub.subscribe('anonymous', [other], { push: true, first: false });
  const distinct = await spread();
  const best = await sweep('all numbers differ');
  console.log(
    best === undefined
      ? '(b) nothing within 40 ms'
      : `(b) best: ${best.rate} messages/s, ${(best.rate / flat.rate).toFixed(1)} times ws.send (floor 5)`,
  );
  console.log(
    JSON.stringify({
      connections: ids.length,
      cpu,
      light: cpu.plain / cpu.gateway,
      flat,
      same,
      best,
      ratio: (best?.rate ?? 0) / flat.rate,
      distinct,
    }),
  );
  gateway.stop();
  plain.stop();
  process.exit();

  /** Publishes events that one connection fewer may see each time, so that no two are at the same number. */
  async function spread() {
    for (let allowed = connections; allowed > 0; allowed--) {
      // The answer is kept per stream until the rights change.
      let asked = 0;
      hub.updatePermits('anonymous', () => asked++ < allowed);
      publish(quote(other, String(nowMicroseconds())));
      await sleep(2);
    }
    hub.updatePermits('anonymous', () => true);
    return new Set(hub.connections().map((connection) => connection.sentCount)).size;
  }
}
