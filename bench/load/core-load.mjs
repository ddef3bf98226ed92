/**
 * A load generator: connections of core TCP, each with one order under way at a time, every one under a packet id of its own, as
 * published clients send them. Told `{ ms }`, it places for so long and answers `{ requests, seconds, latencies }`; latencies in µs.
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import * as PlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { HEADER_BYTES, openTcp, tcpFrame } from '../lib/core-client.mjs';

const { port, order, connections } = JSON.parse(process.argv[2]);
const PLACE_ORDER = 2202;
const { header, ...rest } = order;
const c2s = { ...rest, header: { ...header, accID: BigInt(header.accID) } };
let serial = 0;

const clients = await Promise.all(Array.from({ length: connections }, () => openTcp(port).then(client)));
process.send('open');
process.on('disconnect', () => process.exit());
process.on('message', async ({ ms }) => {
  const started = performance.now();
  const until = started + ms;
  // Never asleep while it loads: see http-load.mjs.
  let spinning = true;
  const spin = () => spinning && setImmediate(spin);
  spin();
  const latencies = (await Promise.all(clients.map((place) => repeat(place, until)))).flat();
  spinning = false;
  process.send({ requests: latencies.length, seconds: (performance.now() - started) / 1000, latencies: sample(latencies) });
});

async function repeat(place, until) {
  const latencies = [];
  for (let now = performance.now(); now < until; ) {
    await place();
    const answered = performance.now();
    latencies.push(Math.round((answered - now) * 1000));
    now = answered;
  }
  return latencies;
}

/** Places one order; resolves when it is accepted. */
function client(socket) {
  let received = Buffer.alloc(0);
  let answered;
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + received.readUInt32LE(12);
      if (received.length < end) return;
      if (received.readUInt32LE(2) === PLACE_ORDER) answered(fromBinary(PlaceOrder.ResponseSchema, received.subarray(HEADER_BYTES, end)));
      received = received.subarray(end);
    }
  });
  socket.on('close', () => {
    throw new Error(`port ${port} closed a connection`);
  });
  return () =>
    new Promise((resolve, reject) => {
      answered = ({ retType, retMsg }) => (retType === 0 ? resolve() : reject(new Error(`refused: ${retMsg}`)));
      serial += 1;
      const packetID = { connID: BigInt(process.pid), serialNo: serial };
      const request = create(PlaceOrder.RequestSchema, { c2s: { ...c2s, packetID } });
      socket.write(tcpFrame(PLACE_ORDER, Buffer.from(toBinary(PlaceOrder.RequestSchema, request)), serial));
    });
}

/** Enough for percentiles, and not too much for a message between processes. */
function sample(latencies) {
  const step = Math.ceil(latencies.length / 5000);
  return latencies.filter((_, index) => index % step === 0);
}
