import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import type { QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../connection/upstream.js';
import { limitedClient, unknownRules } from './live-reader.js';
import type { SubscriptionReconciler } from './reconciler.js';

const BASIC = 1;
const BOOK = 2;
const HK = 1;
const SUB_INFO = 3003;
const streamOf = (code: string): QuoteStream => ({ symbol: `HK.${code}`, subType: BASIC, rehabType: 0, extendedTime: false });
const tencent = streamOf('00700');
const hsbc = streamOf('00005');

let asked: QotSub.C2S[];
/** Codes that the server says it delivers. */
let delivered: string[];
/** Code whose subscription the server does not end. */
let refused: string;
let subscriptions: SubscriptionReconciler;
const soon = () => ({ deadline: 10_000, signal: new AbortController().signal });

beforeEach(() => {
  asked = [];
  delivered = [];
  refused = '';
  const upstream: Upstream = {
    async request({ protoId }, c2s) {
      if (protoId !== SUB_INFO) {
        const { isSubOrUnSub, securityList } = c2s as QotSub.C2S;
        asked.push(c2s as QotSub.C2S);
        if (!isSubOrUnSub && securityList.some(({ code }) => code === refused))
          return create(QotSub.ResponseSchema, { retType: -1, retMsg: 'too young' }) as ResponseMessage;
        return create(QotSub.ResponseSchema, { retType: 0 }) as ResponseMessage;
      }
      const securityList = delivered.map((code) => ({ market: HK, code }));
      const connSubInfoList = [{ subInfoList: [{ subType: BASIC, securityList }], usedQuota: 0, isOwnConnData: true }];
      const s2c = { connSubInfoList, totalUsedQuota: 0, remainQuota: 0 };
      return create(QotGetSubInfo.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
    },
    requestBytes: () => Promise.reject(new Error('nothing is asked in bytes')),
  };
  subscriptions = limitedClient(upstream, new ManualClock(0), unknownRules).subscriptions;
});

describe('subscriptions at a server', () => {
  it('are asked for a hundred symbols at a time', async () => {
    await subscriptions.subscribe(Array.from({ length: 250 }, (_, at) => streamOf(String(at).padStart(5, '0'))));
    expect(asked.map(({ securityList }) => securityList.length)).toEqual([100, 100, 50]);
  });

  it('are renewed if missing from its own list', async () => {
    await subscriptions.subscribe([tencent, hsbc]);
    delivered = ['00005'];
    expect(await subscriptions.verify(soon())).toEqual([tencent]);
    expect(asked.map(({ securityList }) => securityList.map(({ code }) => code))).toEqual([['00700', '00005'], ['00700']]);
  });

  it('to a book include its orders while any caller wants them', async () => {
    const book: QuoteStream = { ...tencent, subType: BOOK };
    const detailed: QuoteStream = { ...book, orderDetail: true };
    await subscriptions.subscribe([book]);
    await subscriptions.subscribe([detailed]);
    await subscriptions.unsubscribe([book]);
    await subscriptions.subscribe([book, hsbc]);
    await subscriptions.unsubscribe([detailed]);
    await subscriptions.unsubscribe([book]);
    const said = asked.map(({ isSubOrUnSub, isSubOrderBookDetail, subTypeList }) => [subTypeList[0], isSubOrUnSub, isSubOrderBookDetail]);
    expect(said.filter(([type]) => type === BOOK)).toEqual([
      [BOOK, true, false],
      [BOOK, true, true],
      [BOOK, true, false],
      [BOOK, false, false],
    ]);
  });

  it('end at once, and one that the server does not release is named with the time to retry', async () => {
    await subscriptions.subscribe([tencent, hsbc]);
    refused = '00700';
    expect(await subscriptions.unsubscribe([tencent, hsbc])).toEqual({ streams: [tencent], message: 'too young', retryAfterMs: 60_000 });
    const ended = asked.filter(({ isSubOrUnSub }) => !isSubOrUnSub).map(({ securityList }) => securityList.map(({ code }) => code));
    expect(ended).toEqual([['00700', '00005'], ['00700'], ['00005']]);
  });

  it('made during its listing do not count as forgotten', async () => {
    await subscriptions.subscribe([hsbc]);
    delivered = ['00005'];
    const [forgotten] = await Promise.all([subscriptions.verify(soon()), subscriptions.subscribe([tencent])]);
    expect(forgotten).toEqual([]);
    expect([tencent, hsbc].flatMap((stream) => subscriptions.streams.all.filter((one) => one.symbol === stream.symbol))).toEqual([
      tencent,
      hsbc,
    ]);
  });
});
