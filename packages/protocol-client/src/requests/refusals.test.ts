import { refusalCode } from '@svc-gateway/contract/broker-codes';
import type { BackendFailure, BackendRefused, ResponseMessage } from '@svc-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { readRefusal, translate, withReason } from './refusals.js';

/** Texts seen in the field, their kind, and the failure that callers of reads get: a code of `BackendRefused`, or another kind. */
const seen = [
  ['订阅额度不足，订阅失败，剩余订阅额度：0', 'subscription_quota', 'backend.quota'],
  ['Insufficient subscription quota, subscription failed', 'subscription_quota', 'backend.quota'],
  ['历史K线额度不足，请求失败', 'history_quota', 'backend.quota'],
  ['反订阅失败，订阅时间过短，至少需要订阅1分钟', 'too_young', 'backend.rate'],
  ['请求获取实时报价接口前，请先订阅Basic数据', 'not_subscribed', 'backend.invalid'],
  ['没有解锁交易，请先解锁交易', 'trade_locked', 'backend.forbidden'],
  ['Trade is locked, please unlock first', 'trade_locked', 'backend.forbidden'],
  ['No right to subscribe HK.00700', 'no_right', 'backend.forbidden'],
  ['您尚未同意免责协议', 'disclaimer', 'backend.forbidden'],
  ['NN_ProtoRet_TimeOut', 'timeout', 'timed_out'],
  ['NN_ProtoRet_ByDisConnOrCacnel', 'disconnected', 'backend.unavailable'],
  ['网络中断', 'disconnected', 'backend.unavailable'],
  ['NN_ProtoRet_SvrFailed', 'server_failed', 'backend.failed'],
  ['未知的协议ID', 'unknown_protocol', 'backend.unsupported'],
  ['模拟交易不支持成交数据', 'no_simulated_fills', 'backend.invalid'],
  ['Simulated trade does not support deal list', 'no_simulated_fills', 'backend.invalid'],
] as const;

const reasonOf = (failure: BackendFailure) => (failure.kind === 'refused' ? (failure as BackendRefused).code : failure.kind);

describe('refusals of an upstream', () => {
  it.each([
    ['未知股票 HK.00450', 0, 'broker.unknown_code'],
    ['Unknown stock. HK.00450', 0, 'broker.unknown_code'],
    ['unknown symbol HK.700; did you mean HK.00700?', 21003, 'broker.unknown_code'],
    ['Unknown stock type', 110005, 'broker.contract'],
    ['no stock is unknown to it', 0, 'backend.refused'],
  ])('%s with error code %i has the code %s', (retMsg, errCode, code) => {
    expect(refusalCode(withReason({ retType: -1, retMsg, errCode } as ResponseMessage)).code).toBe(code);
  });

  it.each(seen)('%s is %s, %s', (text, kind, reason) => {
    expect(readRefusal({ retMsg: text })).toEqual({ kind });
    const failure = translate(kind, text, false);
    expect(reasonOf(failure)).toBe(reason);
    expect(failure.message).toContain(text);
  });

  it.each([
    ['获取历史K线频率太高，请求失败，每30秒最多60次。', 60],
    ['PlaceOrder is too frequent, request failed, no more than 15 times every 30 seconds.', 15],
  ])('%s says how many are allowed', (text, calls) => {
    expect(readRefusal({ retMsg: text })).toEqual({ kind: 'frequency', calls });
  });

  it.each(['0', '1001', '999999999999', '9'.repeat(400)])('a limit of %s requests is none that was ever named', (calls) => {
    const text = `PlaceOrder is too frequent, request failed, no more than ${calls} times every 30 seconds.`;
    expect(readRefusal({ retMsg: text })).toEqual({ kind: 'frequency' });
  });

  it.each(['NN_ProtoRet_ByDisConnOrCacnel', 'NN_ProtoRet_SvrFailed'])('%s leaves open what became of an order', (text) => {
    const kind = readRefusal({ retMsg: text })?.kind;
    expect(kind === undefined || kind === 'frequency' ? undefined : translate(kind, text, true).kind).toBe('lost');
  });

  it.each([-20011, -102, 110005])('with the code %i are for the caller, in their own words', (errCode) => {
    for (const [retMsg] of seen) expect(readRefusal({ retMsg, errCode })).toBeUndefined();
  });

  it.each(['', '购买力不足', 'Insufficient buying power', 'unknown symbol HK.99999'])('%j is left as it is', (text) => {
    expect(readRefusal({ retMsg: text })).toBeUndefined();
  });
});
