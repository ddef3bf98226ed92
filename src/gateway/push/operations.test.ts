import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../contract/clock.js';
import * as QotGetSubInfo from '../../contract/generated/Qot_GetSubInfo_pb.js';
import * as QotSub from '../../contract/generated/Qot_Sub_pb.js';
import * as PushSubscriberInfo from '../../contract/generated/svc/push_subscriber_info_pb.js';
import * as TrdSubAccPush from '../../contract/generated/Trd_SubAccPush_pb.js';
import { messageWriter } from '../../contract/json/message-json.js';
import { PushHub } from './hub.js';
import {
  answerSubInfo,
  answerSubscribe,
  answerSubscribeAccounts,
  answerSubscriberInfo,
  answerUnsubscribeAccounts,
  usedSubscriptionQuota,
} from './operations.js';
import { streamKey } from './streams.js';
import { answer, FakeBackend, FakeSink, lineFormat } from './test-support.js';

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

  it('refuses what names nothing or nothing known, in words', async () => {
    const { sub, keys, backend } = setUp();
    expect(await sub({ subTypeList: [1] })).toMatchObject({ retType: -1, retMsg: 'no symbol is named: give at least one in "symbols"' });
    expect(await sub({ securityList: [tencent] })).toMatchObject({
      retType: -1,
      retMsg: 'no type is named: give at least one in "sub_types"',
    });
    const reserved = await sub({ securityList: [tencent], subTypeList: [3] });
    expect(reserved).toMatchObject({
      retType: -1,
      retMsg: expect.stringMatching(/^sub_types: 3 is no subscription type, accepted: 1 \(Basic\), /),
    });
    expect(await sub({ securityList: [{ market: 77, code: 'X' }], subTypeList: [1] })).toMatchObject({ retType: -1 });
    expect(await sub({ securityList: [tencent], subTypeList: [6], regPushRehabTypeList: [9] })).toMatchObject({ retType: -1 });
    expect(await sub({ isSubOrUnSub: false })).toMatchObject({ retType: -1 });
    expect(keys()).toEqual([]);
    expect(backend.calls).toEqual([]);
  });

  it('passes on what the backend refuses, and the quota', async () => {
    const { sub, backend, hub } = setUp(1);
    backend.refuse = () => answer(-1, 'no quote right for US');
    expect(await sub({ securityList: [apple], subTypeList: [1] })).toMatchObject({ retType: -1, retMsg: 'no quote right for US' });
    expect(await sub({ securityList: [apple], subTypeList: [1, 2] })).toMatchObject({
      retType: -1,
      retMsg: expect.stringContaining('subscription quota exceeded'),
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

  it('ends a subscription that is still being made', async () => {
    const { sub, keys, backend } = setUp();
    const making = sub({ securityList: [tencent], subTypeList: [1] });
    await Promise.all([making, sub({ securityList: [tencent], subTypeList: [1], isSubOrUnSub: false })]);
    expect(keys()).toEqual([]);
    expect(backend.running.size).toBe(0);
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
    backend.refuseAccounts = answer(-1, 'no such account');
    expect(await answerSubscribeAccounts(hub, 'key:a', accounts(10n))).toMatchObject({ retType: -1, retMsg: 'no such account' });
  });
});
