/**
 * The core listeners in legacy mode over the simulated brokerage; its quotes are replaced by events that this process makes
 * when it is told to, each marked with its number and the time of its making (CLOCK_MONOTONIC, the same in every process).
 */
import { create } from '@bufbuild/protobuf';
import { madeLiveData, withMembers } from '../lib/live-data.mjs';

const [
  { CoreWsEndpoint, gatewayTcpService, TcpEndpoint },
  { PageOrigins },
  { ProtocolIds },
  { systemClock: clock },
  QotUpdateBasicQot,
  { composeGateway },
] = await Promise.all([
  import('@svc-gateway/interfaces/core'),
  import('@svc-gateway/interfaces/common/page-origins'),
  import('@svc-gateway/contract/protocol-ids'),
  import('@svc-gateway/contract/clock'),
  import('@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb'),
  import('../lib/gateway.mjs'),
]);

const { publish, liveData } = madeLiveData();
const adapt = (backend) => withMembers(backend, liveData);

const { folder } = JSON.parse(process.argv[2]);
const { gateway } = await composeGateway({ folder, auditFile: `${folder}/audit.jsonl`, durable: false, adapt });
let requests = 0;
const services = {
  gateway,
  clock,
  ids: new ProtocolIds(),
  nextRequestId: () => `bench-${++requests}`,
  onDefect: (error) => {
    throw error;
  },
};
const websocket = new CoreWsEndpoint({ services, origins: new PageOrigins([]) });
const api = new TcpEndpoint({ service: gatewayTcpService(services, { kind: 'text' }), ...services });
const address = { host: '127.0.0.1', port: 0 };
process.send({ websocket: await websocket.listen(address), api: await api.listen(address) });

const nowMicroseconds = () => Number(process.hrtime.bigint() / 1000n);

/** `mark:` with the event's number and its time, eight and sixteen digits. */
function event(index, symbols) {
  const code = String((index % symbols) + 1).padStart(5, '0');
  const updateTime = `mark:${String(index).padStart(8, '0')}${String(nowMicroseconds()).padStart(16, '0')}`;
  const basicQot = {
    security: { market: 1, code },
    isSuspended: false,
    listTime: '2004-06-16',
    priceSpread: 0.2,
    updateTime,
    highPrice: 515,
    openPrice: 510,
    lowPrice: 508,
    curPrice: 512.5,
    lastClosePrice: 509,
    volume: 18234500n,
    turnover: 9321345000.5,
    turnoverRate: 0.19,
    amplitude: 1.37,
  };
  const message = create(QotUpdateBasicQot.ResponseSchema, { retType: 0, s2c: { basicQotList: [basicQot] } });
  const stream = { symbol: `HK.${code}`, subType: 1, rehabType: 0, extendedTime: false };
  return { type: 'quote', protoId: 3005, stream, secKey: `1_${code}`, message };
}

/** So many events a second for so long, evenly. */
async function run({ rate, seconds, symbols }) {
  const started = performance.now();
  const cpu = process.cpuUsage();
  let sent = 0;
  while (sent < rate * seconds) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - started) / 1000) * rate));
    for (; sent < due; sent++) publish(event(sent, symbols));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { user, system } = process.cpuUsage(cpu);
  process.send({ sent, cpu: (user + system) / 1e6, elapsed: (performance.now() - started) / 1000 });
}

process.on('message', (order) => {
  if (order.run !== undefined) void run(order.run);
  else {
    for (let round = 0; round < 4; round++) globalThis.gc();
    setTimeout(() => {
      globalThis.gc();
      process.send(process.memoryUsage());
    }, 500);
  }
});
process.on('disconnect', () => process.exit());
