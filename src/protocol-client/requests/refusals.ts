import { numberOfBrokerCode } from '../../contract/broker-codes.js';
import { tradeResultCodes } from '../../contract/trade-result-codes.js';
import type { ResponseMessage } from '../../gateway/index.js';

/**
 * What an upstream means by the texts with which it refuses. It has little else: but for three of them its error codes are "for logs", and
 * nearly all refusals have one `retType`. Chinese and English texts are those that its own clients and users have reported.
 */
export type RefusalKind =
  /** Too many requests of one kind within 30 seconds. */
  | 'frequency'
  | 'subscription_quota'
  | 'history_quota'
  /** An unsubscription within the first minute of the subscription. */
  | 'too_young'
  /** Live data that was not subscribed to. */
  | 'not_subscribed'
  | 'trade_locked'
  | 'no_right'
  | 'disclaimer'
  /** Its own server did not answer it. */
  | 'timeout'
  /** It lost its own server. */
  | 'disconnected'
  /** Its server failed; also said of bad arguments, and by a version that is too old. */
  | 'server_failed'
  | 'unknown_protocol'
  | 'no_simulated_fills';

export interface Refusal {
  readonly kind: RefusalKind;
  /** Of `frequency`: how many calls the text allows in a window. */
  readonly calls?: number;
}

const texts: readonly (readonly [RefusalKind, RegExp])[] = [
  ['frequency', /频率太高(?:.*最多\s*(\d+)\s*次)?|too frequent(?:.*no more than (\d+) times)?/is],
  ['too_young', /订阅时间过短|至少需要订阅\s*1\s*分钟|subscri.*at least (?:1|one|60) (?:minute|second)/is],
  [
    'subscription_quota',
    /订阅额度不足|subscri\w* quota\b.*(?:insufficient|exceed|exhaust|not enough|used up)|(?:insufficient|exceed\w*|not enough|no more) .*subscri\w* quota/is,
  ],
  [
    'history_quota',
    /历史K线额度不足|histor.*quota.*(?:insufficient|exceed|exhaust|not enough|used up)|(?:insufficient|exceed\w*|not enough|no more) .*histor.*quota/is,
  ],
  ['not_subscribed', /请先订阅|please subscribe|subscribe .*first|not (?:been )?subscribed/is],
  ['trade_locked', /没有解锁交易|请先解锁|unlock.*first|not unlocked|trad\w* is locked/is],
  ['no_right', /no right to|no (?:quote |market )?(?:permission|authority)|无权限|没有权限|没有.{0,12}行情权限/is],
  ['disclaimer', /尚未同意.*协议|disclaimer/is],
  ['timeout', /NN_ProtoRet_TimeOut/i],
  ['disconnected', /NN_ProtoRet_ByDisConn\w*|网络中断|network (?:is )?(?:interrupted|disconnected)/i],
  ['server_failed', /NN_ProtoRet_SvrFailed/i],
  ['unknown_protocol', /未知的协议\s*ID|unknown proto\w* id/i],
  ['no_simulated_fills', /模拟交易不支持成交数据|simulated trad\w* does not support deal/i],
];

/** No server has ever named a limit that is higher. */
const CALLS_MAX = 1_000;

/** What a refusal says, by its text, where it is one that the gateway has words for; not of those that callers read by their code. */
export function readRefusal({ retMsg: text, errCode = 0 }: { readonly retMsg: string; readonly errCode?: number }): Refusal | undefined {
  if (tradeResultCodes.has(errCode)) return undefined;
  for (const [kind, pattern] of texts) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const calls = Number(match[1] ?? match[2]);
    return calls >= 1 && calls <= CALLS_MAX ? { kind, calls } : { kind };
  }
  return undefined;
}

const UNKNOWN_SECURITY = /^\s*(?:未知股票|unknown (?:stock|security|symbol)\b)/i;

/** A refusal with the number of its reason, where the upstream gives none and its text tells that it knows no such security. */
export function withReason(response: ResponseMessage): ResponseMessage {
  if (tradeResultCodes.has(response.errCode) || !UNKNOWN_SECURITY.test(response.retMsg)) return response;
  return Object.assign(response, { errCode: numberOfBrokerCode('broker.unknown_code') });
}
