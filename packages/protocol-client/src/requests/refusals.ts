import { numberOfBrokerCode } from '@svc-gateway/contract/broker-codes';
import { shown } from '@svc-gateway/contract/shown';
import { tradeResultCodes } from '@svc-gateway/contract/trade-result-codes';
import {
  type BackendFailure,
  BackendLost,
  type BackendRefusalCode,
  BackendRefused,
  BackendTimeout,
  type ResponseMessage,
} from '@svc-gateway/gateway';

interface Meaning {
  /** Chinese and English texts, as clients and users have reported them. */
  readonly pattern: RegExp;
  readonly code: BackendRefusalCode;
  /** Explanation for the caller, before the server's own words. */
  readonly says: string;
  /** Seconds after which another try is worth it; undefined where waiting changes nothing. */
  readonly retryAfterSeconds?: number;
  /** The outcome of a write is unknown. */
  readonly open?: true;
}

/** Quotas of subscriptions are given back by the minute at the earliest, those of history after days. */
const SUBSCRIPTION_SECONDS = 60;
const HISTORY_SECONDS = 3_600;
const AGAIN_SECONDS = 5;

/**
 * Refusals that are told by their text, in the order in which the patterns are tried. A server has little else: nearly all refusals have
 * one `retType`, and its error codes are "for logs" but for a few.
 */
const meanings = {
  too_young: {
    pattern: /订阅时间过短|至少需要订阅\s*1\s*分钟|subscri.*at least (?:1|one|60) (?:minute|second)/is,
    code: 'backend.rate',
    says: 'a subscription lasts a minute at least',
    retryAfterSeconds: SUBSCRIPTION_SECONDS,
  },
  subscription_quota: {
    pattern:
      /订阅额度不足|subscri\w* quota\b.*(?:insufficient|exceed|exhaust|not enough|used up)|(?:insufficient|exceed\w*|not enough|no more) .*subscri\w* quota/is,
    code: 'backend.quota',
    says: 'the server’s subscription quota is used up',
    retryAfterSeconds: SUBSCRIPTION_SECONDS,
  },
  history_quota: {
    pattern:
      /历史K线额度不足|histor.*quota.*(?:insufficient|exceed|exhaust|not enough|used up)|(?:insufficient|exceed\w*|not enough|no more) .*histor.*quota/is,
    code: 'backend.quota',
    says: 'the server’s history K-line quota is used up',
    retryAfterSeconds: HISTORY_SECONDS,
  },
  not_subscribed: {
    pattern: /请先订阅|please subscribe|subscribe .*first|not (?:been )?subscribed/is,
    code: 'backend.invalid',
    says: 'the server wants a subscription first',
  },
  trade_locked: {
    pattern: /没有解锁交易|请先解锁|unlock.*first|not unlocked|trad\w* is locked/is,
    code: 'backend.forbidden',
    says: 'trading is locked at the server: unlock it first',
  },
  no_right: {
    pattern: /no right to|no (?:quote |market )?(?:permission|authority)|无权限|没有权限|没有.{0,12}行情权限/is,
    code: 'backend.forbidden',
    says: 'the login at the server has no right to this',
  },
  disclaimer: {
    pattern: /尚未同意.*协议|disclaimer/is,
    code: 'backend.forbidden',
    says: 'the login at the server has terms to agree to first',
  },
  timeout: { pattern: /NN_ProtoRet_TimeOut/i, code: 'backend.unavailable', says: 'the server did not get an answer in time' },
  disconnected: {
    pattern: /NN_ProtoRet_ByDisConn\w*|网络中断|network (?:is )?(?:interrupted|disconnected)/i,
    code: 'backend.unavailable',
    says: 'the server has lost its connection',
    retryAfterSeconds: AGAIN_SECONDS,
    open: true,
  },
  // Also said of bad arguments, and by a version that is too old.
  server_failed: { pattern: /NN_ProtoRet_SvrFailed/i, code: 'backend.failed', says: 'the server failed', open: true },
  unknown_protocol: {
    pattern: /未知的协议\s*ID|unknown proto\w* id/i,
    code: 'backend.unsupported',
    says: 'the server does not know this operation',
  },
  no_simulated_fills: {
    pattern: /模拟交易不支持成交数据|simulated trad\w* does not support deal/i,
    code: 'backend.invalid',
    says: 'the server has no fills of simulated accounts',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/** Refusals with a known meaning, but for those of frequency, which take another turn. */
export type RefusalKind = keyof typeof meanings;

export interface Refusal {
  readonly kind: RefusalKind | 'frequency';
  /** Calls in a window that a refusal of frequency names. */
  readonly calls?: number;
}

const FREQUENCY = /频率太高(?:.*最多\s*(\d+)\s*次)?|too frequent(?:.*no more than (\d+) times)?/is;
/** No server has ever named a limit that is higher. */
const CALLS_MAX = 1_000;

/** Meaning of a refusal by its text; undefined where the text is unknown, or callers read its code. */
export function readRefusal({ retMsg: text, errCode = 0 }: { readonly retMsg: string; readonly errCode?: number }): Refusal | undefined {
  if (tradeResultCodes.has(errCode)) return undefined;
  const match = FREQUENCY.exec(text);
  if (match !== null) {
    const calls = Number(match[1] ?? match[2]);
    return calls >= 1 && calls <= CALLS_MAX ? { kind: 'frequency', calls } : { kind: 'frequency' };
  }
  for (const [kind, { pattern }] of Object.entries(meanings)) if (pattern.test(text)) return { kind: kind as RefusalKind };
  return undefined;
}

/** Failure of the port for a refusal of frequency; the gateway's own log says when there is a turn again. */
export function tooOften(name: string, retryAfterSeconds: number, text: string): BackendRefused {
  const message = `${name}: too many requests at the server, of which others may have made some; try again in ${retryAfterSeconds} s${quoted(text)}`;
  return new BackendRefused('backend.rate', message, retryAfterSeconds);
}

/** Failure of the port for a refusal with a known meaning; its text is quoted. */
export function translate(kind: RefusalKind, text: string, isWrite: boolean): BackendFailure {
  const { code, says, retryAfterSeconds, open }: Meaning = meanings[kind];
  const message = `${says}${quoted(text)}`;
  if (kind === 'timeout') return new BackendTimeout(message);
  return open && isWrite ? new BackendLost(message) : new BackendRefused(code, message, retryAfterSeconds);
}

/** Outcome of a request: an answer, which may be a refusal in unknown words, or a refusal with a known meaning. */
export interface Outcome {
  readonly response: ResponseMessage;
  readonly refused?: RefusalKind;
}

/** The answer to the caller; a refusal with a known meaning is thrown. */
export function settle({ response, refused }: Outcome, isWrite = false): ResponseMessage {
  if (refused === undefined) return response;
  throw translate(refused, response.retMsg, isWrite);
}

function quoted(text: string): string {
  return ` (the server: "${shown(text)}")`;
}

const UNKNOWN_SECURITY = /^\s*(?:未知股票|unknown (?:stock|security|symbol)\b)/i;

/** A refusal with the number of its reason, where the upstream gives none and its text tells that it knows no such security. */
export function withReason(response: ResponseMessage): ResponseMessage {
  if (tradeResultCodes.has(response.errCode) || !UNKNOWN_SECURITY.test(response.retMsg)) return response;
  return Object.assign(response, { errCode: numberOfBrokerCode('broker.unknown_code') });
}
