import { connect } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { BUY, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { GrpcClient } from '../support/grpc-client.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';
import { acknowledgedId, KeepAliveLine } from './load.js';

/** The heap of a small container. */
const SMALL = [process.execPath, '--max-semi-space-size=16', '--max-old-space-size=128'] as const;
const FLAGS = ['--enable-trading', '--sim-instruments', '10000', '--sim-clock', 'open', '--api-key-id', 'bot'];

const [READERS, READS, MUTE_READERS, MUTE_READS] = [30, 4, 15, 20];
const ORDERS = 20;
const STATIC_INFO = 3202;
const SHARES = { market: 1, secType: 3 };

const daemon = new SpawnedDaemon<'bot'>(true);
const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  await daemon.stop();
});

/** Asks for long answers and reads none of them. */
function askAndIgnore(): void {
  const { hostname: host, port } = new URL(daemon.url);
  const body = '{"market":1,"sec_type":3}';
  const request = [
    'POST /api/static-info HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${daemon.keys.bot}`,
    `Content-Length: ${body.length}`,
  ];
  const socket = connect({ host, port: Number(port), ca: daemon.ca, servername: 'localhost' }, () =>
    socket.write(`${request.join('\r\n')}\r\n\r\n${body}`.repeat(MUTE_READS)),
  );
  socket.on('error', () => undefined);
  cleanUps.push(() => socket.destroy());
}

it('reads are refused before the heap is full, over every interface and whether anybody takes the answers or not; orders go on', async () => {
  await daemon.addKey('bot', { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '10000' } });
  await daemon.boot(FLAGS, SMALL);
  const { bot } = daemon.keys;
  const lines = (count: number) => Array.from({ length: count }, () => new KeepAliveLine(daemon, bot));
  const [first, ...readers] = lines(READERS + 1);
  if (first === undefined) throw new Error('no line');
  const listed = await first.post('/api/static-info', { market: 1, sec_type: 3 });
  const symbols = [...listed.text.matchAll(/"code":"(\d+)"/g)].map(([, code]) => `HK.${code}`);
  expect(symbols.length).toBeGreaterThan(2_000);
  let turn = 0;
  const some = (count: number) => {
    turn += 1;
    return Array.from({ length: count }, (_, index) => symbols[(37 * turn + index) % symbols.length] ?? '');
  };

  for (let reader = 0; reader < MUTE_READERS; reader++) askAndIgnore();
  const grpc = new GrpcClient(daemon.grpcUrl, daemon.ca);
  const core = await CoreTcpClient.open(daemon.apiAddress);
  cleanUps.push(
    () => grpc.stop(),
    () => core.close(),
  );

  const statuses = new Set<number>();
  const read = async (line: KeepAliveLine, number: number) => {
    const asked: readonly [string, object][] = [
      ['/api/static-info', { market: 1, sec_type: 3 }],
      ['/api/ticker', { symbol: some(1)[0], count: 1_000 }],
      ['/api/snapshot', { symbols: some(400) }],
      ['/api/history-kline', { symbol: some(1)[0], kl_type: 1, start: '2020-01-01', end: '2026-11-01', count: 1_000 }],
    ];
    const [path, body] = asked[number % asked.length] ?? ['', {}];
    statuses.add((await line.post(path, body)).status);
  };
  const reading = readers.map(async (line, reader) => {
    for (let number = 0; number < READS; number++) await read(line, reader + number);
  });
  const calling = Array.from({ length: READERS * READS }, () =>
    grpc.call({ key: bot, protoId: STATIC_INFO, type: 'Qot_GetStaticInfo', request: SHARES }).then(({ code }) => code),
  );
  const asking = Array.from({ length: READERS }, () => core.ask('Qot_GetStaticInfo', SHARES).then(({ retType }) => retType));
  const placed: (string | undefined)[] = [];
  for (let number = 0; number < ORDERS; number++) {
    const body = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 1, qty: 400 };
    placed.push(acknowledgedId({ answer: await first.post('/api/order', body) }));
  }
  await Promise.all(reading);
  expect(new Set([200, 503, ...statuses])).toEqual(new Set([200, 503]));
  expect(new Set(['OK', 'UNAVAILABLE', ...(await Promise.all(calling))])).toEqual(new Set(['OK', 'UNAVAILABLE']));
  expect(new Set([0, -1, ...(await Promise.all(asking))])).toEqual(new Set([0, -1]));
  expect(placed).not.toContain(undefined);
  await until(async () => (await first.post('/api/snapshot', { symbols: some(100) })).status === 200, 'reads to be answered again');
}, 240_000);
