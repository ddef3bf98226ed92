import { replayClock } from '@svc-gateway/contract/clock';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as TrdGetOrderFillList from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import * as TrdGetOrderList from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { Frame } from '@svc-gateway/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import type { PushFrame } from '../../support/push-client.js';
import { decodeC2S, type Peer, ScriptedServer } from '../../support/scripted-server.js';
import { until } from '../../support/until.js';
import { answersUsually } from '../../support/usual-answers.js';

const ACCOUNTS = 2001;
const ACCOUNT_PUSHES = 2008;
const ORDERS = 2201;
const FILLS = 2211;
/** QotMarketState: the morning session. */
const OPEN = 3;
/** Patience and pauses are short. */
const SPEED = 10;
const clock = replayClock(Date.now(), SPEED);
const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };

let upstream: ScriptedServer;
let daemon: TestDaemon<'desk'>;
/** Orders of the account. */
let orderList: readonly ReturnType<typeof orderOf>[];
/** Called on a request for account pushes. */
let onAccountPushes: (frame: Frame, peer: Peer) => void;
/** Answer to a request for the accounts, in place of the scripted one. */
let listAccounts: typeof onAccountPushes | undefined;
/** Requests of these kinds that the upstream, which has lost its own server, refuses. */
let refused: number[];

beforeEach(async () => {
  orderList = [];
  refused = [];
  listAccounts = undefined;
  onAccountPushes = (frame, peer) => peer.answer(frame, TrdSubAccPush, { retType: 0, s2c: {} });
  upstream = await ScriptedServer.listen();
  const usual = answersUsually(
    { accIds: [header.accID], marketState: OPEN },
    {
      [ACCOUNT_PUSHES]: (frame, peer) => onAccountPushes(frame, peer),
      [ORDERS]: (frame, peer) => peer.answer(frame, TrdGetOrderList, { retType: 0, s2c: { header, orderList } }),
      [FILLS]: (frame, peer) => peer.answer(frame, TrdGetOrderFillList, { retType: -1, retMsg: '模拟交易不支持成交数据' }),
    },
  );
  upstream.onRequest = (frame, peer) => {
    if (refused.includes(frame.protoId)) {
      refused.splice(refused.indexOf(frame.protoId), 1);
      peer.answer(frame, KeepAlive, { retType: -1, retMsg: '网络中断' });
    } else if (frame.protoId === ACCOUNTS && listAccounts !== undefined) listAccounts(frame, peer);
    else usual(frame, peer);
  };
  daemon = await TestDaemon.start({
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } },
    flags: ['--backend', `opend://127.0.0.1:${upstream.port}`, '--enable-trading'],
    clock,
  });
  await untilConnected(daemon.daemon);
});
afterEach(async () => {
  await daemon.stop();
  await upstream.close();
});

/** An order that changed so many seconds ago, and is named by them. */
function orderOf(seconds: number) {
  const updateTimestamp = clock.now() / 1000 - seconds;
  const times = { createTime: '', updateTime: '', createTimestamp: updateTimestamp, updateTimestamp };
  const terms = { trdSide: 1, orderType: 1, orderStatus: 15, code: '00700', name: '', qty: 100, price: 1 };
  return { ...terms, ...times, orderID: BigInt(seconds + 1), orderIDEx: `${seconds} s ago` };
}

async function subscribed() {
  const push = await daemon.push('desk');
  await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
  return push;
}

function tradingState() {
  return daemon.daemon.backend.status().brokers[0]?.lifecycleState;
}

describe('trading over a connection that is made anew', () => {
  it('trading returns with the orders since a minute before the loss where fills cannot be listed', async () => {
    const push = await subscribed();
    orderList = [300, 40, 0].map(orderOf);
    upstream.peer.socket.destroy();
    await until(() => upstream.connections.length > 1 && tradingState() === 'ready', 'trading');
    expect(upstream.peer.requests.some(({ protoId }) => protoId === FILLS)).toBe(true);
    const ofLast = ({ body }: PushFrame) => body?.order?.order_id_ex === '0 s ago';
    await push.frame(ofLast, 'the newest order');
    const found = push.frames.flatMap(({ body }) => (body?.order === undefined ? [] : [body.order.order_id_ex]));
    expect(found).toEqual(['40 s ago', '0 s ago']);
  });

  it('trading is not ready before the upstream has the accounts whose pushes are wanted', async () => {
    await subscribed();
    const states: unknown[] = [];
    onAccountPushes = (frame, peer) => {
      states.push(tradingState());
      // The first is never answered.
      if (states.length > 1) peer.answer(frame, TrdSubAccPush, { retType: 0, s2c: {} });
    };
    upstream.peer.socket.destroy();
    await until(() => states.length > 1 && tradingState() === 'ready', 'trading');
    expect(new Set(states)).toEqual(new Set(['authenticating']));
  });

  it.each([
    ['to push', [ACCOUNT_PUSHES, ACCOUNT_PUSHES]],
    ['to list its accounts', [ACCOUNTS]],
    ['to list orders', [ORDERS]],
  ])('trading returns where the upstream first refuses %s because it has lost its own server', async (_, kinds) => {
    const push = await subscribed();
    orderList = [orderOf(0)];
    refused = [...kinds];
    upstream.peer.socket.destroy();
    await until(() => upstream.connections.length > 1 && tradingState() === 'ready', 'trading');
    await push.frame(({ body }) => body?.order?.order_id_ex === '0 s ago', 'the order of the meantime');
    expect(refused).toEqual([]);
    expect((await daemon.as('desk').get('/api/push-subscriber-info')).text).toContain(`"acc_id_list":[${HK_MARGIN}]`);
  });
});

it.each([
  ['refused', { retType: -1, retMsg: '暂无可用账户' }, '暂无可用账户'],
  ['a success without its payload', { retType: 0 }, 'the server answered list_accounts without the payload that it answers with'],
])('a login whose account list is %s is not ready for trading, and says why', async (_what, answer, reason) => {
  listAccounts = (frame, peer) => peer.answer(frame, TrdGetAccList, answer);
  upstream.peer.socket.destroy();
  const readyz = async () => (await daemon.as().get('/readyz')).json;
  await until(async () => String((await readyz()).reason).includes(reason), 'the reason');
  expect((await daemon.as().get('/readyz')).status).toBe(503);
  const refused = await daemon.as('desk').post('/api/funds', { acc_id: HK_MARGIN, env: 1, market: 1 });
  expect(refused).toMatchObject({ status: 503, json: { code: 'backend.not_ready', error: expect.stringContaining(reason) } });
  listAccounts = undefined;
  await until(async () => (await daemon.as().get('/readyz')).status === 200, 'trading');
});

it.each([
  ['a caller is refused it', true],
  ['nobody asks for it', false],
])('a login whose account list is refused later, on the same connection, is not ready for trading: %s', async (_what, asks) => {
  const refusal = '账户权限已变更';
  const readyz = async () => await daemon.as().get('/readyz');
  expect((await readyz()).status).toBe(200);
  listAccounts = (frame, peer) => peer.answer(frame, TrdGetAccList, { retType: -1, retMsg: refusal });
  if (asks) expect((await daemon.as('desk').get('/api/list-accounts')).json).toMatchObject({ ret_type: -1, ret_msg: refusal });
  await until(async () => String((await readyz()).json.reason).includes(`the account list is refused: ${refusal}`), 'the reason');
  expect((await readyz()).status).toBe(503);
  listAccounts = undefined;
  await until(async () => (await readyz()).status === 200, 'trading');
  expect(upstream.connections).toHaveLength(1);
});

it('a list that is refused for what the caller asked takes trading from nobody', async () => {
  const oddly = '无效的用户';
  let own = 0;
  listAccounts = (frame, peer) => {
    const { userID } = decodeC2S(TrdGetAccList, frame) as TrdGetAccList.C2S;
    if (userID !== 0n) return peer.answer(frame, TrdGetAccList, { retType: -1, retMsg: oddly });
    own += 1;
    peer.answer(frame, TrdGetAccList, { retType: 0, s2c: { accList: [{ accID: header.accID, trdEnv: 0, trdMarketAuthList: [1] }] } });
  };
  const answer = await daemon.as('desk').get('/api/list-accounts?user_id=12');
  expect(answer.json).toMatchObject({ ret_type: -1, ret_msg: oddly });
  await until(() => own > 0, 'the daemon’s own read');
  expect((await daemon.as().get('/readyz')).status).toBe(200);
});
