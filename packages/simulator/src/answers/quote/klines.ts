import type { C2S } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { DAY_MS, localDateTime, parseLocal } from '@svc-gateway/contract/time';
import type { BarPeriod, PriceAdjustment } from '../../market/market.js';
import { eachInTurns, inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { adjustmentOf, hoursOf, klineMessage, MESSAGES_A_TURN, periodOf } from '../../view/bars.js';
import type { Facts } from '../../view/facts.js';
import { type HistoryRange, historyPage, keptBars } from '../../view/history-bars.js';
import type { QuotaUse } from '../../view/history-quota.js';
import type { Listing } from '../../view/listings.js';
import { ofSecurity } from '../../view/locate.js';
import type { AnswerTo } from '../table.js';

const BARS_MAX = 1000;

/**
 * Qot_GetKL: the newest bars, oldest first, the running one last. Minutes of extended hours are included; bars of days and longer
 * are of regular trading, as the quote is.
 */
export const getKline: AnswerTo<typeof declared.getKline> = ofSecurity((facts, listing, request) => {
  const period = periodOf(request.klType);
  if (period instanceof Refusal) return period;
  const adjustment = adjustmentOf(request.rehabType);
  if (adjustment instanceof Refusal) return adjustment;
  const { reqNum } = request;
  if (!(reqNum >= 1 && reqNum <= BARS_MAX)) return new Refusal(`req_num ${reqNum}: expected 1 to ${BARS_MAX}`, 'broker.value');

  return inTurns(newest(facts, listing, period, adjustment, reqNum));
});

function* newest(
  facts: Facts<'world' | 'companies' | 'market' | 'caches'>,
  listing: Listing,
  period: BarPeriod,
  adjustment: PriceAdjustment,
  count: number,
): Generator<void, object> {
  const bars = yield* keptBars(facts, listing, period, adjustment, count);
  const klList = yield* eachInTurns(bars, MESSAGES_A_TURN, (bar) => klineMessage(facts, listing, period, bar, adjustment));
  return { security: listing.security, name: listing.instrument.name, klList };
}

/** Most bars of one page, also of a request without a limit: one answer must not hold the daemon up. The rest is on the next page. */
const HISTORY_PAGE_BARS_MAX = 20_000;

/**
 * Qot_RequestHistoryKL: bars whose time text lies between two times of the market's zone, both inclusive, in pages.
 * A symbol counts towards the quota when it is first asked for; the answer waits until that is on disk. A page is made for as
 * long as somebody waits for it.
 */
export const getHistoryKline: AnswerTo<typeof declared.getHistoryKline> = ofSecurity((facts, listing, request, asker) => {
  const range = rangeOf(listing, request);
  if (range instanceof Refusal) return range;
  const resume = readResumeKey(request.nextReqKey);
  if (resume instanceof Refusal) return resume;
  const { maxAckKLNum } = request;
  if (!(maxAckKLNum >= 0)) return new Refusal(`max_ack_kl_num ${maxAckKLNum}: expected 0 (no limit) or more`, 'broker.value');

  const { symbol } = listing.instrument;
  const { max } = facts.historyQuota;
  const counted = facts.historyQuota.use(symbol);
  if (counted === 'exceeded')
    return new Refusal(`history K-line quota exceeded: ${max} symbols within 30 days; ${symbol} is not one of them`);
  const answer = () => inTurns(page(facts, listing, range, request, resume), { signal: asker?.signal });
  return counted === undefined ? answer() : counted.then(answer);
});

function rangeOf(listing: Listing, request: C2S): HistoryRange | Refusal {
  const period = periodOf(request.klType);
  if (period instanceof Refusal) return period;
  const adjustment = adjustmentOf(request.rehabType);
  if (adjustment instanceof Refusal) return adjustment;
  const { timeZone } = listing.market;
  const first = parseLocal(request.beginTime, timeZone);
  const end = parseLocal(request.endTime, timeZone);
  if (first === undefined) return badTime('begin_time');
  if (end === undefined) return badTime('end_time');
  // A date without a time of day means the whole day.
  const last = request.endTime.includes(' ') ? end : end + DAY_MS - 1;
  if (first > last) return new Refusal('begin_time is after end_time');
  return { period, adjustment, first, last, hours: hoursOf(request.extendedTime, request.session) };
}

function badTime(field: string): Refusal {
  return new Refusal(`${field}: expected yyyy-MM-dd HH:mm:ss or yyyy-MM-dd`, 'broker.value');
}

function* page(
  facts: Facts<'clock' | 'world' | 'companies' | 'market'>,
  listing: Listing,
  range: HistoryRange,
  request: C2S,
  resume: number | undefined,
): Generator<void, object> {
  const count = request.maxAckKLNum === 0 ? HISTORY_PAGE_BARS_MAX : Math.min(request.maxAckKLNum, HISTORY_PAGE_BARS_MAX);
  const { bars, next } = yield* historyPage(facts, listing, range, count, resume);
  // 0 would name no field; callers send it to leave the choice open.
  const fields = request.needKLFieldsFlag === 0n ? undefined : Number(BigInt.asUintN(32, request.needKLFieldsFlag));
  const klList = yield* eachInTurns(bars, MESSAGES_A_TURN, (bar) =>
    klineMessage(facts, listing, range.period, bar, range.adjustment, fields),
  );
  const nextReqKey = next === undefined ? undefined : writeResumeKey(next);
  return { security: listing.security, name: listing.instrument.name, klList, nextReqKey };
}

const RESUME_KEY = /^from:(\d{1,15})$/;

/** The key of the next page: the start of its first bar. Callers are not to read it. */
function writeResumeKey(start: number): Uint8Array {
  return new TextEncoder().encode(`from:${start}`);
}

function readResumeKey(key: Uint8Array): number | undefined | Refusal {
  if (key.length === 0) return undefined;
  const start = RESUME_KEY.exec(Buffer.from(key).toString('latin1'))?.[1];
  return start === undefined ? new Refusal('next_req_key: does not come from an earlier page') : Number(start);
}

/** Qot_RequestHistoryKLQuota: symbols counted within 30 days. Each time text is of its symbol's market. */
export const getHistoryKlQuota: AnswerTo<typeof declared.getHistoryKlQuota> = (facts, request) => {
  const uses = facts.historyQuota.uses();
  return {
    usedQuota: uses.length,
    remainQuota: Math.max(0, facts.historyQuota.max - uses.length),
    detailList: request.bGetDetail ? uses.flatMap((use) => detail(facts, use)) : [],
  };
};

// A symbol of an earlier run may be gone (fewer generated instruments): it still counts but has nothing to show.
function detail(facts: Facts<'listings'>, { symbol, time }: QuotaUse) {
  const listing = facts.listings.named(symbol);
  if (listing === undefined) return [];
  const { security, instrument, market } = listing;
  return {
    security,
    name: instrument.name,
    requestTime: localDateTime(time, market.timeZone),
    requestTimeStamp: BigInt(Math.floor(time / 1000)),
  };
}
