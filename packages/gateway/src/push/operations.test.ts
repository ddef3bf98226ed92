import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as PushSubscriberInfo from '@svc-gateway/contract/generated/svc/push_subscriber_info_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { describe, expect, it } from 'vitest';
import { answer, FakeBackend, FakeSink, lineFormat } from '../../../../test/support/push-fakes.js';
import { PushHub } from './hub.js';
import {
  answerRegisterPush,
  answerReplaceAccounts,
  answerSubInfo,
  answerSubscribe,
  answerSubscribeAccounts,
  answerSubscriberInfo,
  answerUnsubscribeAccounts,
  usedSubscriptionQuota,
} from './operations.js';
import { streamKey } from './streams.js';

const rethrow = (error: unknown) => {
  throw error;
};

const tencent = { market: 1, code: '00700' };
const apple = { market: 11, code: 'AAPL' };

function setUp(subscriptionQuota = 1000) {
  const backend = new FakeBackend();
  const hub = new PushHub({ backend, onDefect: rethrow, clock: new ManualClock(0), subscriptionQuota });
  const sub = (request: MessageInitShape<typeof QotSub.C2SSchema>, owner = 'key:a') =>
    answerSubscribe(hub, owner, create(QotSub.C2SSchema, { isSubOrUnSub: true, isRegOrUnRegPush: true, ...request }));
  const keys = (owner = 'key:a') => hub.subscriptions.list(owner).map(({ stream }) => streamKey(stream));
  const info = (isReqAllConn: boolean, owner = 'key:a') =>
    JSON.parse(
      messageWriter(QotGetSubInfo.ResponseSchema, 'rest')(answerSubInfo(hub, owner, create(QotGetSubInfo.C2SSchema, { isReqAllConn }))),
    );
  return { backend, hub, sub, keys, info };
}

describe('subscribe', () => {
  it('expands symbols, types and, for K-lines, adjustments: forward when none is named', async () => {
    const { sub, keys } = setUp();
    expect(await sub({ securityList: [tencent, apple], subTypeList: [1, 6] })).toMatchObject({ retType: 0, s2c: {} });
    expect(keys()).toEqual(['HK.00700 1 0', 'HK.00700 6 1', 'US.AAPL 1 0', 'US.AAPL 6 1']);
    await sub({ securityList: [tencent], subTypeList: [6, 2], regPushRehabTypeList: [0, 2] });
    expect(keys().filter((key) => key.startsWith('HK.00700'))).toEqual([
      'HK.00700 1 0',
      'HK.00700 6 1',
      'HK.00700 6 0',
      'HK.00700 6 2',
      'HK.00700 2 0',
    ]);
  });

  it('knows extended hours where they exist, and changes them by subscribing again', async () => {
    const { sub, keys } = setUp();
    await sub({ securityList: [tencent, apple], subTypeList: [1, 4], extendedTime: true });
    expect(keys()).toEqual(['HK.00700 1 0', 'HK.00700 4 0', 'US.AAPL 1 0', 'US.AAPL 4 0 x']);
    await sub({ securityList: [apple], subTypeList: [4] });
    expect(keys().filter((key) => key.startsWith('US.AAPL 4'))).toEqual(['US.AAPL 4 0']);
  });

  it('knows the orders of Hong Kong books, keeps them over a registration for pushes, and ends them by subscribing again', async () => {
    const { hub, sub, keys } = setUp();
    await sub({ securityList: [tencent, apple], subTypeList: [1, 2], isSubOrderBookDetail: true });
    expect(keys()).toEqual(['HK.00700 1 0', 'HK.00700 2 0 d', 'US.AAPL 1 0', 'US.AAPL 2 0']);
    const registration = { securityList: [tencent], subTypeList: [2], isRegOrUnReg: true };
    await answerRegisterPush(hub, 'key:a', create(QotRegQotPush.C2SSchema, registration));
    expect(keys().filter((key) => key.startsWith('HK.00700 2'))).toEqual(['HK.00700 2 0 d']);
    expect(usedSubscriptionQuota(hub)).toBe(4);
    await sub({ securityList: [tencent], subTypeList: [2] });
    expect(keys().filter((key) => key.startsWith('HK.00700 2'))).toEqual(['HK.00700 2 0']);
    await sub({ securityList: [tencent], subTypeList: [2], isSubOrderBookDetail: true });
    await sub({ securityList: [tencent], subTypeList: [2], isSubOrUnSub: false });
    expect(keys().filter((key) => key.startsWith('HK.00700 2'))).toEqual([]);
  });

  it('refuses requests without a subject or with an unknown one, in words', async () => {
    const { sub, keys, backend } = setUp();
    expect(await sub({ subTypeList: [1] })).toMatchObject({ retType: -1, retMsg: 'no symbol given: name at least one in "symbols"' });
    expect(await sub({ securityList: [tencent] })).toMatchObject({
      retType: -1,
      retMsg: 'no type given: name at least one in "sub_types"',
    });
    const reserved = await sub({ securityList: [tencent], subTypeList: [3] });
    expect(reserved).toMatchObject({
      retType: -1,
      retMsg: expect.stringMatching(/^sub_types: unknown subscription type 3, accepted: 1 \(Basic\), /),
    });
    expect(await sub({ securityList: [{ market: 77, code: 'X' }], subTypeList: [1] })).toMatchObject({ retType: -1 });
    expect(await sub({ securityList: [tencent], subTypeList: [6], regPushRehabTypeList: [9] })).toMatchObject({ retType: -1 });
    expect(await sub({ isSubOrUnSub: false })).toMatchObject({ retType: -1 });
    expect(keys()).toEqual([]);
    expect(backend.calls).toEqual([]);
  });

  it('forwards the backend’s refusals and the quota', async () => {
    const { sub, backend, hub } = setUp(1);
    backend.refuse = () => answer(-1, 'no quote right for US');
    expect(await sub({ securityList: [apple], subTypeList: [1] })).toMatchObject({ retType: -1, retMsg: 'no quote right for US' });
    expect(await sub({ securityList: [apple], subTypeList: [1, 2] })).toMatchObject({
      code: 'limit.subscriptions',
      message: expect.stringContaining('subscription quota exceeded'),
    });
    expect(usedSubscriptionQuota(hub)).toBe(0);
  });

  it('unsubscribes symbols and types whatever their adjustment, and everything with isUnsubAll', async () => {
    const { sub, keys } = setUp();
    await sub({ securityList: [tencent], subTypeList: [1, 6], regPushRehabTypeList: [0, 1] });
    await sub({ securityList: [apple], subTypeList: [1, 4], extendedTime: true });
    await sub({ securityList: [tencent], subTypeList: [6, 2], isSubOrUnSub: false });
    expect(keys()).toEqual(['HK.00700 1 0', 'US.AAPL 1 0', 'US.AAPL 4 0 x']);
    expect(await sub({ isSubOrUnSub: false, isUnsubAll: true })).toMatchObject({ retType: 0 });
    expect(keys()).toEqual([]);
  });

  it('leaves the registration for pushes as it is where a request does not speak of it', async () => {
    const { hub } = setUp();
    const ask = (fields: MessageInitShape<typeof QotSub.C2SSchema>) =>
      answerSubscribe(hub, 'key:a', create(QotSub.C2SSchema, { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, ...fields }));
    const registered = () => hub.subscriptions.list('key:a').map(({ push, first }) => [push, first]);
    await ask({});
    expect(registered()).toEqual([[false, true]]);
    await ask({ isRegOrUnRegPush: true });
    await ask({});
    expect(registered()).toEqual([[true, true]]);
    await ask({ isRegOrUnRegPush: false });
    expect(registered()).toEqual([[false, true]]);
  });
});

describe('registering pushes', () => {
  function setUpPushes() {
    const { hub, sub, backend } = setUp();
    const register = (request: MessageInitShape<typeof QotRegQotPush.C2SSchema>) =>
      answerRegisterPush(hub, 'key:a', create(QotRegQotPush.C2SSchema, { isRegOrUnReg: true, ...request }));
    const pushed = () => hub.subscriptions.list('key:a').flatMap(({ key, push }) => (push ? [key] : []));
    return { hub, sub, backend, register, pushed };
  }

  it('turns them on and off for what is subscribed to, and leaves the subscription', async () => {
    const { hub, sub, backend, register, pushed } = setUpPushes();
    await sub({ securityList: [tencent, apple], subTypeList: [1, 4], isRegOrUnRegPush: false, extendedTime: true });
    expect(pushed()).toEqual([]);
    expect(await register({ securityList: [apple], subTypeList: [1, 4] })).toMatchObject({ retType: 0, s2c: {} });
    expect(pushed()).toEqual(['US.AAPL 1 0', 'US.AAPL 4 0 x']);
    expect(await register({ securityList: [apple], subTypeList: [4], isRegOrUnReg: false })).toMatchObject({ retType: 0 });
    expect(pushed()).toEqual(['US.AAPL 1 0']);
    expect(hub.subscriptions.list('key:a')).toHaveLength(4);
    expect(backend.running.size).toBe(4);
  });

  it('knows the adjustments of K-lines: forward when none is named, all of them when pushes end', async () => {
    const { sub, register, pushed } = setUpPushes();
    await sub({ securityList: [tencent], subTypeList: [6], regPushRehabTypeList: [0, 2] });
    await register({ securityList: [tencent], subTypeList: [6] });
    expect(pushed()).toEqual(['HK.00700 6 0', 'HK.00700 6 2', 'HK.00700 6 1']);
    await register({ securityList: [tencent], subTypeList: [6], rehabTypeList: [2], isRegOrUnReg: false });
    expect(pushed()).toEqual(['HK.00700 6 0', 'HK.00700 6 1']);
    await register({ securityList: [tencent], subTypeList: [6], isRegOrUnReg: false });
    expect(pushed()).toEqual([]);
  });

  it('refuses the whole request if a stream is not subscribed to', async () => {
    const { sub, register, pushed } = setUpPushes();
    await sub({ securityList: [tencent], subTypeList: [1], isRegOrUnRegPush: false });
    expect(await register({ securityList: [tencent, apple], subTypeList: [1] })).toMatchObject({
      retType: -1,
      retMsg: 'US.AAPL is not subscribed to with type 1: subscribe first',
    });
    expect(await register({ securityList: [tencent], subTypeList: [3] })).toMatchObject({ retType: -1 });
    expect(pushed()).toEqual([]);
  });
});

describe('what an owner holds', () => {
  it('is known by symbol and type, whatever the adjustment and hours', async () => {
    const { hub, sub } = setUp();
    const holds = (symbol: string, subType: number, owner = 'key:a') => hub.subscriptions.holds(owner, symbol, subType);
    await sub({ securityList: [apple], subTypeList: [4, 6], regPushRehabTypeList: [2], extendedTime: true, isRegOrUnRegPush: false });
    expect([holds('US.AAPL', 4), holds('US.AAPL', 6), holds('US.AAPL', 1), holds('HK.00700', 4)]).toEqual([true, true, false, false]);
    expect(holds('US.AAPL', 4, 'conn:ws-1')).toBe(false);
    await sub({ securityList: [apple], subTypeList: [4], isSubOrUnSub: false });
    expect(holds('US.AAPL', 4)).toBe(false);
  });
});

describe('subscription info', () => {
  it('shows the own subscriptions, or those of every owner, and the quota', async () => {
    const { sub, info, hub } = setUp(10);
    await sub({ securityList: [tencent, apple], subTypeList: [1] });
    await sub({ securityList: [tencent], subTypeList: [1, 6] }, 'conn:ws-1');
    await sub({ securityList: [tencent], subTypeList: [1, 6] }, 'key:b');
    const own = { sub_info_list: [{ sub_type: 1, security_list: [tencent, apple] }], used_quota: 2, is_own_conn_data: true };
    expect(info(false)).toMatchObject({ ret_type: 0, s2c: { conn_sub_info_list: [own], total_used_quota: 3, remain_quota: 7 } });
    expect(info(true).s2c.conn_sub_info_list).toEqual([
      own,
      {
        sub_info_list: [
          { sub_type: 1, security_list: [tencent] },
          { sub_type: 6, security_list: [tencent] },
        ],
        used_quota: 2,
        is_own_conn_data: false,
      },
    ]);
    expect(info(false, 'key:c').s2c.conn_sub_info_list).toEqual([{ sub_info_list: [], used_quota: 0, is_own_conn_data: true }]);
    expect(usedSubscriptionQuota(hub)).toBe(3);
  });
});

describe('accounts and subscribers', () => {
  it('are registered, listed and unregistered', async () => {
    const { hub, backend } = setUp();
    const accounts = (...accIDList: bigint[]) => create(TrdSubAccPush.C2SSchema, { accIDList });
    hub.connect({ iface: 'ws', owner: 'key:a', keyId: 'a', permits: () => true, format: lineFormat(), sink: new FakeSink() });
    expect(await answerSubscribeAccounts(hub, 'key:a', accounts(281756455983234567n, 8n))).toMatchObject({ retType: 0 });
    expect(await answerUnsubscribeAccounts(hub, 'key:a', accounts(8n, 9n))).toMatchObject({ retType: 0 });
    expect(backend.accounts).toEqual([281756455983234567n]);
    expect(messageWriter(PushSubscriberInfo.ResponseSchema, 'rest')(answerSubscriberInfo(hub))).toBe(
      '{"ret_type":0,"ret_msg":"","err_code":0,"s2c":{"subscriber_list":[{"conn_id":"ws-1","iface":"ws","key_id":"a","connected_at":0,"subscription_count":0,"sent_count":0,"conflated_count":0,"backlog_bytes":0}],"acc_id_list":[281756455983234567]}}',
    );
    expect(await answerReplaceAccounts(hub, 'key:a', accounts(8n, 9n))).toMatchObject({ retType: 0 });
    expect(backend.accounts).toEqual([8n, 9n]);
    expect(await answerReplaceAccounts(hub, 'key:a', accounts(9n))).toMatchObject({ retType: 0 });
    expect(backend.accounts).toEqual([9n]);
    expect(await answerUnsubscribeAccounts(hub, 'key:a', accounts())).toMatchObject({ retType: 0 });
    expect(backend.accounts).toEqual([]);
    backend.refuseAccounts = answer(-1, 'no such account');
    expect(await answerSubscribeAccounts(hub, 'key:a', accounts(10n))).toMatchObject({ retType: -1, retMsg: 'no such account' });
  });
});
