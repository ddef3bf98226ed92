import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { opendBackend } from '@svc-gateway/backends/opend';
import { AuthService, CredentialsFile, Login, RemoteBackend } from '@svc-gateway/backends/remote';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { trade } from '@svc-gateway/contract/operations';
import type { Backend, QuoteStream, StreamScope } from '@svc-gateway/gateway';
import type { Frame } from '@svc-gateway/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryInUse } from '../fuzz/memory.js';
import { CountingClock } from '../support/counting-clock.js';
import { grantOf, ScriptedAuthority } from '../support/scripted-authority.js';
import { decodeC2S, type Peer, ScriptedServer } from '../support/scripted-server.js';
import { answersUsually } from '../support/usual-answers.js';
import { seededRandom } from './random.js';

/** Minutes' worth of reconnects, on a clock that is moved by hand: `SVC_RECONNECT_MINUTES=30` is the long run. */
const minutes = Number(process.env.SVC_RECONNECT_MINUTES ?? 2);
const START = Date.UTC(2026, 10, 20, 2);
const ACCOUNT = 281756478396547001n;
/** QotMarketState: closed. */
const CLOSED = 6;
const WARM_UP = 100;
const GROWTH_MAX = 1.1;
const streams: readonly QuoteStream[] = Array.from({ length: 20 }, (_, at) => ({
  symbol: `HK.${String(700 + at).padStart(5, '0')}`,
  subType: 1,
  rehabType: 0,
  extendedTime: false,
}));
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };

let manual: ManualClock;
let clock: CountingClock;
let server: ScriptedServer;
const cleanups: (() => Promise<void> | void)[] = [];
beforeEach(async () => {
  manual = new ManualClock(START);
  clock = new CountingClock(manual);
  server = await ScriptedServer.listen();
  server.remembers = false;
  server.onRequest = answersUsually({ accIds: [ACCOUNT], marketState: CLOSED }, { 2202: acceptOrder, 3001: pushQuotes });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await server.close();
});

let orders = 0;
function acceptOrder(frame: Frame, peer: Peer): void {
  const header = { trdEnv: 0, accID: ACCOUNT, trdMarket: 1 };
  orders += 1;
  peer.answer(frame, TrdPlaceOrder, { retType: 0, s2c: { header, orderID: BigInt(orders), orderIDEx: `order-${orders}` } });
}

/** Subscribes, and pushes a quote of each security. */
function pushQuotes(frame: Frame, peer: Peer): void {
  peer.answer(frame, QotSub, { retType: 0, s2c: {} });
  const { securityList, isSubOrUnSub } = decodeC2S(QotSub, frame) as QotSub.C2S;
  const prices = { priceSpread: 0.1, highPrice: 1, openPrice: 1, lowPrice: 1, curPrice: 1, lastClosePrice: 1 };
  const rest = { isSuspended: false, listTime: '', updateTime: '', volume: 1n, turnover: 1, turnoverRate: 1, amplitude: 1 };
  for (const security of isSubOrUnSub ? securityList : [])
    peer.push(3005, QotUpdateBasicQot, { retType: 0, s2c: { basicQotList: [{ security, ...prices, ...rest }] } });
}

const backends: Readonly<Record<string, (random: () => number) => Promise<{ backend: Backend; connections: number }>>> = {
  async opend(random) {
    const backend = opendBackend({ endpoint: server.endpoint, clock, logger: silent, clientId: 'test', random });
    return { backend, connections: 1 };
  },
  async remote(random) {
    const brokers = [{ broker_id: 1001, name: 'HK', ...server.endpoint }];
    const authority = await ScriptedAuthority.start(grantOf({ platform: server.endpoint, brokers }));
    const folder = mkdtempSync(join(tmpdir(), 'svc-reconnects-'));
    cleanups.push(
      () => rmSync(folder, { recursive: true, force: true }),
      () => authority.stop(),
    );
    const file = CredentialsFile.open(join(folder, 'credentials.json'), { account: '1', authUrl: authority.url }, false, () => 'device');
    if (typeof file === 'string') throw new Error(file);
    const identity = { account: '1', accountKind: 'id', passwordDigest: '00', platform: 'svc', deviceName: 'test' } as const;
    const service = new AuthService(authority.url, clock);
    const login = new Login({ service, file, identity, clock, logger: silent, newNonce: () => '0'.repeat(32), verifyCode: '' });
    return { backend: new RemoteBackend({ login, clock, logger: silent, random }), connections: 2 };
  },
};

/** Subscribes as the gateway does: once, and again whatever was lost. */
function follow(backend: Backend): void {
  const within = (wanted: StreamScope['streams']) => (wanted === 'all' ? streams : wanted);
  backend.onStreams({
    lost: () => undefined,
    async restore(scope) {
      if (scope.streams === 'all' || scope.streams.length > 0) await backend.subscribe(within(scope.streams));
      if (scope.accIds === 'all' || scope.accIds.length > 0) await backend.subscribeAccounts([ACCOUNT]);
    },
  });
}

function isReady(backend: Backend): boolean {
  const { platform, brokers } = backend.status();
  return brokers.length > 0 && [platform, ...brokers].every(({ lifecycleState }) => lifecycleState === 'ready');
}

/** How time passes while something is waited for: the network has its turn in between. */
const STEP_MS = 500;
const NETWORK_MS = 4;
/** Simulated time; nothing that is waited for takes nearly as long. */
const WAIT_MS_MAX = 3_600_000;

/** The network has a turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass until it is so; what never comes to be so is told with what there is. */
async function passUntil(isSo: () => boolean, what: string, backend: Backend): Promise<void> {
  const end = manual.monotonic() + WAIT_MS_MAX;
  let stepped = performance.now();
  while (!isSo()) {
    await turn();
    if (performance.now() - stepped < NETWORK_MS) continue;
    stepped = performance.now();
    manual.advance(STEP_MS);
    if (manual.monotonic() < end) continue;
    const armed = clock.armed.map((stack) => stack.split('\n').slice(3, 5).join(''));
    throw new Error(`in vain: ${what}; ${JSON.stringify(backend.status())}; ${server.open} connections; timers: ${armed.join('; ')}`);
  }
}

/** The network's turns in which a connection that was cut is noticed. */
const NOTICE_TURNS_MAX = 1_000_000;

describe.each(Object.keys(backends))('%s', (name) => {
  it(`holds no more after ${minutes} minutes of reconnects than before`, { timeout: 900_000 }, async () => {
    const random = seededRandom(1);
    // A server that is lost again and again is left alone for half a minute: here for half a second.
    const { backend, connections } = await (backends[name] as (typeof backends)[string])(() => random() / 60);
    follow(backend);
    await backend.start();
    await passUntil(() => isReady(backend), 'readiness', backend);
    await backend.subscribe(streams);
    await backend.subscribeAccounts([ACCOUNT]);
    const order = create(TrdPlaceOrder.C2SSchema, {
      header: { trdEnv: 0, accID: ACCOUNT, trdMarket: 1 },
      packetID: { connID: 0n, serialNo: 0 },
      ...{ trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 1, secMarket: 1, remark: '' },
    });
    const once = async () => {
      const context = { requestId: 'test', deadline: clock.monotonic() + 30_000, signal: new AbortController().signal };
      let isOver = false;
      // It may find no turn, or be lost: what became of it is not what is looked at here.
      const placed = Promise.resolve(backend.call(trade.placeOrder, order, context)).catch(() => undefined);
      void placed.finally(() => {
        isOver = true;
      });
      await passUntil(() => isOver, 'the end of an order', backend);
      // Some tries come to nothing first.
      server.down = random() < 0.1;
      server.cut();
      for (let turns = 0; isReady(backend); turns++) {
        expect(turns, 'turns in which nobody notices that the connection was cut').toBeLessThan(NOTICE_TURNS_MAX);
        await turn();
      }
      manual.advance(random() * 2_000);
      server.down = false;
      await passUntil(() => isReady(backend), 'readiness again', backend);
    };
    for (let at = 0; at < WARM_UP; at++) await once();
    const before = { bytes: memoryInUse(), armed: clock.armed.length };
    const end = clock.monotonic() + minutes * 60_000;
    let reconnects = 0;
    for (; clock.monotonic() < end; reconnects++) await once();
    const after = { bytes: memoryInUse(), armed: clock.armed.length };
    expect(reconnects).toBeGreaterThan(minutes * 5);
    expect(server.open).toBe(connections);
    expect(after.armed).toBeLessThanOrEqual(before.armed + 2);
    expect(after.bytes / before.bytes, `${reconnects} reconnects, ${before.bytes} bytes before, ${after.bytes} after`).toBeLessThan(
      GROWTH_MAX,
    );
    await backend.stop();
  });
});
