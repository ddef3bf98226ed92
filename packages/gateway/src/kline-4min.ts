import { clearField, clone, create, isFieldSet } from '@bufbuild/protobuf';
import { decimalFromNumber, decimalToNumber } from '@svc-gateway/contract/decimal';
import { KL_TYPE_4MIN } from '@svc-gateway/contract/enums';
import { KLFields, type KLine, KLineSchema, KLType, QotMarket, type Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetKL from '@svc-gateway/contract/generated/Qot_GetKL_pb';
import * as QotRequestHistoryKL from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { S2CSchema as CapabilityS2CSchema } from '@svc-gateway/contract/generated/svc/quote_capability_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import { quote, system } from '@svc-gateway/contract/operations';
import { PageKeys } from '@svc-gateway/contract/page-keys';
import { isTimeText } from '@svc-gateway/contract/text-formats';
import type { Backend, CallContext, ResponseMessage } from './backend.js';
import { type LocalCall, type LocalOperation, withBackend } from './local/index.js';
import { protocolInterfaces } from './orders/cancel-scope.js';
import { failure, following, RET_SUCCEED, success, successOf } from './responses.js';

const BAR_MINUTES = 4;
const BAR_MS = BAR_MINUTES * 60_000;
const MINUTE_BARS_MAX = 1000;

/**
 * The 4-minute bar of REST, which no backend knows: made from 1-minute bars, aligned to the hour. A bar is labelled
 * by its end, as minute bars are: the minutes 09:33 to 09:36 make the bar 09:36.
 */
export function klineWith4Minutes(backend: Backend): LocalOperation {
  return withBackend(({ operation, request, context }) => {
    const wanted = request as QotGetKL.C2S;
    if (wanted.klType !== KL_TYPE_4MIN) return backend.call(operation, request, context);
    const minutes = wanted.reqNum * BAR_MINUTES + BAR_MINUTES - 1;
    if (minutes > MINUTE_BARS_MAX) {
      return failure(
        quote.getKline,
        `req_num: at most ${Math.floor((MINUTE_BARS_MAX - BAR_MINUTES + 1) / BAR_MINUTES)} bars of kl_type 11 (4min), found ${wanted.reqNum}`,
      );
    }
    const minuteRequest = clone(QotGetKL.C2SSchema, wanted);
    minuteRequest.klType = KLType.KLType_1Min;
    minuteRequest.reqNum = minutes;
    return following(backend.call(quote.getKline, minuteRequest, context), (response) => {
      const s2c: QotGetKL.S2C | undefined = successOf(quote.getKline, response);
      if (s2c === undefined) return response;
      const merged = clone(QotGetKL.S2CSchema, s2c);
      merged.klList = mergeMinutes(s2c.klList, wanted.security).slice(-wanted.reqNum);
      return success(quote.getKline, merged);
    });
  });
}

/** The same for history, with pages of its own: the key of the next page is the end of the last bar of this one. */
export function historyKlineWith4Minutes(backend: Backend): LocalOperation {
  const keys = new PageKeys();
  const answer = (asked: QotRequestHistoryKL.C2S, { operation, context }: LocalCall): ResponseMessage | Promise<ResponseMessage> => {
    if (asked.klType !== KL_TYPE_4MIN) return backend.call(operation, asked, context);
    const wanted = keys.open(operation, asked);
    if (typeof wanted === 'string') return failure(quote.getHistoryKline, wanted);
    const resume = Buffer.from(wanted.nextReqKey).toString();
    if (resume !== '' && !isTimeText(resume)) return failure(quote.getHistoryKline, 'next_req_key: does not belong to this query');
    const minuteRequest = clone(QotRequestHistoryKL.C2SSchema, wanted);
    minuteRequest.klType = KLType.KLType_1Min;
    clearField(minuteRequest, QotRequestHistoryKL.C2SSchema.field.nextReqKey);
    clearField(minuteRequest, QotRequestHistoryKL.C2SSchema.field.needKLFieldsFlag);
    // Bars whose end lies in the range, and all of their minutes: those after the end of the bar before.
    const first = resume === '' ? textOf(nextBarEnd(wanted.beginTime) - BAR_MS) : resume;
    const last = textOf(lastBarEnd(wanted.endTime));
    const hasBars = first < last;
    if (hasBars) [minuteRequest.beginTime, minuteRequest.endTime] = [`${first.slice(0, 17)}01`, last];
    // One bar more than asked for, so that the last whole one is known to be whole.
    const count = wanted.maxAckKLNum === 0 ? 0 : (wanted.maxAckKLNum + 1) * BAR_MINUTES;
    return following(minutesOf(backend, minuteRequest, context, hasBars ? count : 1), (response) => {
      const s2c = successOf(quote.getHistoryKline, response);
      if (s2c === undefined) return response;
      const truncated = s2c.nextReqKey.length > 0;
      const bars = hasBars ? mergeMinutes(s2c.klList, wanted.security) : [];
      if (truncated) bars.pop();
      const klList = wanted.maxAckKLNum === 0 ? bars : bars.slice(0, wanted.maxAckKLNum);
      const page = clone(QotRequestHistoryKL.S2CSchema, s2c);
      page.klList = klList.map((bar) => only(wanted.needKLFieldsFlag, bar));
      clearField(page, QotRequestHistoryKL.S2CSchema.field.nextReqKey);
      const end = klList.at(-1);
      if (end !== undefined && (truncated || klList.length < bars.length)) page.nextReqKey = new Uint8Array(Buffer.from(end.time));
      keys.seal(operation, asked, page);
      return success(quote.getHistoryKline, page);
    });
  };
  return withBackend((call) => {
    const wanted = call.request as QotRequestHistoryKL.C2S;
    if (wanted.nextReqKey.length === 0 || !protocolInterfaces.has(call.caller.iface)) return answer(wanted, call);
    // Published clients begin with the text of an empty key, or with one that another daemon gave them: at the first page.
    return following(answer(wanted, call), (response) => {
      if (response.retType === RET_SUCCEED || !response.retMsg.startsWith('next_req_key:')) return response;
      const first = clone(QotRequestHistoryKL.C2SSchema, wanted);
      clearField(first, QotRequestHistoryKL.C2SSchema.field.nextReqKey);
      return answer(first, call);
    });
  });
}

/** So many 1-minute bars, over as many pages as a server makes of them; 0: one page, as long as it comes. */
function minutesOf(
  backend: Backend,
  request: QotRequestHistoryKL.C2S,
  context: CallContext,
  count: number,
): ResponseMessage | Promise<ResponseMessage> {
  request.maxAckKLNum = Math.min(count, MINUTE_BARS_MAX);
  return following(backend.call(quote.getHistoryKline, request, context), (response) => {
    const s2c = successOf(quote.getHistoryKline, response);
    const left = count - (s2c?.klList.length ?? 0);
    if (s2c === undefined || s2c.klList.length === 0) return response;
    if (left <= 0 || s2c.nextReqKey.length === 0) return response;
    const next = clone(QotRequestHistoryKL.C2SSchema, request);
    next.nextReqKey = s2c.nextReqKey;
    return following(minutesOf(backend, next, context, left), (later) => {
      const rest = successOf(quote.getHistoryKline, later);
      if (rest === undefined) return later;
      const whole = clone(QotRequestHistoryKL.S2CSchema, rest);
      whole.klList = [...s2c.klList, ...rest.klList];
      return success(quote.getHistoryKline, whole);
    });
  });
}

/** Says that it is served, wherever 1-minute bars are; and the subscription quota of the caller. */
export function capabilityWith4Minutes(backend: Backend, quota: (owner: string) => number): LocalOperation {
  return withBackend(({ operation, request, identity, context }) => {
    return following(backend.call(operation, request, context), (response) => {
      const s2c = successOf(system.getQuoteCapability, response);
      if (s2c === undefined) return response;
      const whole = clone(CapabilityS2CSchema, s2c);
      whole.subQuota = quota(identity.owner);
      for (const market of whole.capabilityList) if (market.klTypeList.includes(KLType.KLType_1Min)) market.klTypeList.push(KL_TYPE_4MIN);
      return success(system.getQuoteCapability, whole);
    });
  });
}

/** 1-minute bars, oldest first → bars of four minutes on the hour's grid. The newest may still be running. */
function mergeMinutes(minutes: readonly KLine[], security: Security | undefined): KLine[] {
  const groups = new Map<string, KLine[]>();
  for (const bar of minutes) {
    if (bar.isBlank) continue;
    const key = barEnd(bar.time, security);
    getOrInsert(groups, key, () => []).push(bar);
  }
  return [...groups].map(([time, bars]) => mergeBars(time, bars));
}

/** Regular trading begins in the middle of a bar of the grid alone in the United States, where it follows minutes before it. */
const US_OPEN = '09:30:00';

/** "2026-11-20 09:33:00" → the end of its bar: "2026-11-20 09:36:00". No bar holds minutes before and after the opening of regular trading. */
function barEnd(time: string, security: Security | undefined): string {
  const end = textOf(nextBarEnd(time));
  const isBeforeOpen = time.slice(11) <= US_OPEN && end.slice(11) > US_OPEN;
  return isBeforeOpen && security?.market === QotMarket.QotMarket_US_Security ? `${time.slice(0, 11)}${US_OPEN}` : end;
}

/** Text of a market's zone as a number to calculate with: UTC serves as a zone without changes. */
function localMs(time: string): number {
  return Date.parse(`${time.slice(0, 10)}T${time.slice(11) || '00:00:00'}Z`);
}

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** The first end of a bar at a time or after it. */
function nextBarEnd(time: string): number {
  return Math.ceil(localMs(time) / BAR_MS) * BAR_MS;
}

/** The last end of a bar at a time or before it; a date without a time of day is the whole day. */
function lastBarEnd(time: string): number {
  return Math.floor(localMs(time.includes(' ') ? time : `${time} 23:59:59`) / BAR_MS) * BAR_MS;
}

/** The field of each of Qot_Common.KLFields. */
const fieldNames: readonly (readonly [KLFields, keyof KLine & string])[] = [
  [KLFields.KLFields_High, 'highPrice'],
  [KLFields.KLFields_Open, 'openPrice'],
  [KLFields.KLFields_Low, 'lowPrice'],
  [KLFields.KLFields_Close, 'closePrice'],
  [KLFields.KLFields_LastClose, 'lastClosePrice'],
  [KLFields.KLFields_Volume, 'volume'],
  [KLFields.KLFields_Turnover, 'turnover'],
  [KLFields.KLFields_TurnoverRate, 'turnoverRate'],
  [KLFields.KLFields_PE, 'pe'],
  [KLFields.KLFields_ChangeRate, 'changeRate'],
];

/** A bar with the fields of a sum of KLFields alone; 0: all. */
function only(flags: bigint, bar: KLine): KLine {
  if (flags === 0n) return bar;
  for (const [flag, name] of fieldNames) {
    const field = KLineSchema.fields.find((one) => one.localName === name);
    if ((flags & BigInt(flag)) === 0n && field !== undefined) clearField(bar, field);
  }
  return bar;
}

function mergeBars(time: string, bars: readonly KLine[]): KLine {
  const [first = create(KLineSchema)] = bars;
  const last = bars.at(-1) ?? first;
  const change = first.lastClosePrice === 0 ? 0 : (last.closePrice / first.lastClosePrice - 1) * 100;
  return create(KLineSchema, {
    time,
    isBlank: false,
    openPrice: first.openPrice,
    closePrice: last.closePrice,
    lastClosePrice: first.lastClosePrice,
    highPrice: Math.max(...bars.map((bar) => bar.highPrice)),
    lowPrice: Math.min(...bars.map((bar) => bar.lowPrice)),
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0n),
    turnover: sumExactly(bars.map((bar) => bar.turnover)),
    turnoverRate: sumExactly(bars.map((bar) => bar.turnoverRate)),
    ...(isFieldSet(last, KLineSchema.field.pe) ? { pe: last.pe } : {}),
    changeRate: change,
    timestamp: last.timestamp + (localMs(time) - localMs(last.time)) / 1000,
  });
}

/** Sums as decimals: a minute's figure has few places, their double sum would grow more. */
function sumExactly(amounts: readonly number[]): number {
  return decimalToNumber(amounts.reduce((sum, amount) => sum + (decimalFromNumber(amount) ?? 0n), 0n));
}
