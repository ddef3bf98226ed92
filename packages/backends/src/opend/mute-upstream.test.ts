import { create, fromBinary } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import { system } from '@svc-gateway/contract/operations';
import type { StreamsLost } from '@svc-gateway/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Peer, ScriptedServer } from '../../../../test/support/scripted-server.js';
import { answersUsually } from '../../../../test/support/usual-answers.js';
import { opendBackend } from './opend-backend.js';

const START = Date.UTC(2026, 10, 20, 2);
const SUB = 3001;
const REGISTER = 3002;
const BOOK = 2;
const AFTERNOON = 5;
const security = { market: 1, code: '00700' };
const stream = { symbol: 'HK.00700', subType: 1, rehabType: 0, extendedTime: false };
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let clock: ManualClock;
let server: ScriptedServer;
let backend: ReturnType<typeof opendBackend>;
let lost: StreamsLost[];
let pushes: number;
/** Behaviour of the upstream when it is subscribed to once more. */
let onAgain: (peer: Peer) => void;
let logins: { qotLogined: boolean; trdLogined: boolean };
beforeEach(async () => {
  clock = new ManualClock(START);
  lost = [];
  pushes = 0;
  onAgain = () => undefined;
  logins = { qotLogined: true, trdLogined: true };
  server = await ScriptedServer.listen();
  const subInfoList = [1, BOOK].map((subType) => ({ subType, securityList: [security] }));
  const listed = [{ subInfoList, usedQuota: 2, isOwnConnData: true }];
  server.onRequest = answersUsually(() => ({ marketState: AFTERNOON, ...logins }), {
    3003: (frame, peer) =>
      peer.answer(frame, QotGetSubInfo, { retType: 0, s2c: { connSubInfoList: listed, totalUsedQuota: 2, remainQuota: 98 } }),
    [REGISTER]: (frame, peer) => {
      peer.answer(frame, QotRegQotPush, { retType: 0, s2c: {} });
      onAgain(peer);
    },
  });
  backend = opendBackend({ endpoint: server.endpoint, clock, logger: silent, clientId: 'test', random: () => 0 });
  backend.onPush(() => {
    pushes += 1;
  });
  backend.onStreams({
    lost: (what) => lost.push(what),
    restore: async ({ streams }) => {
      if (streams === 'all' || streams.length > 0) await backend.subscribe([stream]);
    },
  });
  await backend.start();
  await isReady();
  await backend.subscribe([stream]);
  push(server.peer);
  await comesTrue(() => pushes === 1);
});
afterEach(async () => {
  await backend.stop();
  await server.close();
});

async function comesTrue(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
}

const isReady = () => comesTrue(() => backend.readiness(system.getGlobalState) === undefined);

function push(peer: Peer): void {
  const figures = { priceSpread: 0.1, updateTime: '', highPrice: 1, openPrice: 1, lowPrice: 1, curPrice: 1, lastClosePrice: 1 };
  const more = { volume: 1n, turnover: 1, turnoverRate: 1, amplitude: 1, isSuspended: false, listTime: '' };
  peer.push(3005, QotUpdateBasicQot, { retType: 0, s2c: { basicQotList: [{ security, ...figures, ...more }] } });
}

/** Lets so many seconds pass; whatever is asked in them is answered. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    const { C2SSchema } = system.getGlobalState.messages;
    const context = { requestId: 'test', deadline: clock.monotonic() + 500, signal: new AbortController().signal };
    // Earlier requests on this connection have been answered by then.
    for (let round = 0; round < 3; round += 1) {
      await Promise.resolve(backend.call(system.getGlobalState, create(C2SSchema, { userID: 0n }), context)).catch(() => undefined);
    }
  }
}

function asked(protoId: number): number {
  return server.connections.flatMap(({ requests }) => requests).filter((frame) => frame.protoId === protoId).length;
}

it('a silent upstream that still lists its subscriptions is resubscribed after a minute, and the gap is announced once it sends again', async () => {
  onAgain = push;
  await pass(59);
  expect([asked(SUB), asked(REGISTER)]).toEqual([1, 0]);
  await pass(3);
  await comesTrue(() => pushes === 2 && lost.length === 1);
  expect([asked(SUB), asked(REGISTER)]).toEqual([2, 1]);
  expect(lost).toMatchObject([{ streams: [stream], from: START, reason: expect.stringContaining('market HK had fallen silent') }]);
  expect(server.connections).toHaveLength(1);
});

it('an upstream that stays silent is reconnected after a minute and a half, and the gap begins with the silence', async () => {
  await pass(89);
  expect(server.connections).toHaveLength(1);
  await pass(4);
  await comesTrue(() => server.connections.length === 2);
  const [loss] = lost.filter(({ streams }) => streams === 'all');
  expect(loss).toMatchObject({
    from: START,
    reason: expect.stringContaining('market HK trades, and nothing of it came since 2026-11-20T02:00'),
  });
  await isReady();
  expect(asked(SUB)).toBeGreaterThanOrEqual(3);
});

it('silent order books beside live quotes are resubscribed on the same connection', async () => {
  await backend.subscribe([{ ...stream, subType: BOOK }]);
  const registered = () =>
    server.connections.flatMap(({ requests }) =>
      requests
        .filter(({ protoId }) => protoId === REGISTER)
        .map(({ body }) => fromBinary(QotRegQotPush.RequestSchema, body).c2s?.subTypeList),
    );
  for (let second = 0; second < 150; second += 10) {
    push(server.peer);
    await pass(10);
  }
  await comesTrue(() => registered().length === 1);
  expect(registered()).toEqual([[BOOK]]);
  expect([server.connections.length, lost]).toEqual([1, []]);
});

it('an upstream whose own server dropped for a moment is resubscribed, even if it has recovered when asked', async () => {
  const s2c = { type: Notify.NotifyType.NotifyType_ConnStatus, connectStatus: { qotLogined: false, trdLogined: true } };
  server.peer.push(1003, Notify, { retType: 0, s2c });
  await comesTrue(() => lost.length === 1);
  await isReady();
  await comesTrue(() => asked(SUB) === 2);
  expect(lost).toMatchObject([{ streams: 'all', reason: 'the upstream is not logged in for quotes' }]);
  expect(server.connections).toHaveLength(1);
});
