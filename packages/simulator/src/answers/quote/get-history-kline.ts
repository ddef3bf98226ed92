import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import { eachInTurns, inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { adjustmentOf, hoursOf, klineMessage, MESSAGES_A_TURN, periodOf } from '../../view/bars.js';
import type { Answer, Facts } from '../../view/facts.js';
import { type HistoryRange, historyPage } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';

/** Most bars of one page, also of a request without a limit: one answer must not hold the daemon up. The rest is on the next page. */
const HISTORY_PAGE_BARS_MAX = 20_000;

const DAY_MS = 86_400_000;

/**
 * Qot_RequestHistoryKL: bars whose time text lies between two times of the market's zone, both inclusive, in pages.
 * A symbol counts towards the quota when it is first asked for; the answer waits until that is on disk. A page is made for as
 * long as somebody waits for it.
 */
export const getHistoryKline: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'historyQuota', C2S, S2C> = (
  facts,
  request,
  asker,
) => {
  const listing = locate(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const range = rangeOf(listing, request);
  if (range instanceof Refusal) return range;
  const resume = readResumeKey(request.nextReqKey);
  if (resume instanceof Refusal) return resume;
  const { maxAckKLNum } = request;
  if (!(maxAckKLNum >= 0)) return new Refusal(`max_ack_kl_num ${maxAckKLNum}: expected 0 (no limit) or more`, 'broker.value');

  const counted = facts.historyQuota.use(listing.instrument.symbol);
  if (counted === 'exceeded') {
    const { max } = facts.historyQuota;
    return new Refusal(`history K-line quota exceeded: ${max} symbols within 30 days; ${listing.instrument.symbol} is not one of them`);
  }
  const answer = () => inTurns(page(facts, listing, range, request, resume), { signal: asker?.signal });
  return counted === undefined ? answer() : counted.then(answer);
};

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
): Generator<void, S2C> {
  const count = request.maxAckKLNum === 0 ? HISTORY_PAGE_BARS_MAX : Math.min(request.maxAckKLNum, HISTORY_PAGE_BARS_MAX);
  const { bars, next } = yield* historyPage(facts, listing, range, count, resume);
  // 0 would name no field; callers send it to leave the choice open.
  const fields = request.needKLFieldsFlag === 0n ? undefined : Number(BigInt.asUintN(32, request.needKLFieldsFlag));

  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  payload.klList = yield* eachInTurns(bars, MESSAGES_A_TURN, (bar) =>
    klineMessage(facts, listing, range.period, bar, range.adjustment, fields),
  );
  if (next !== undefined) payload.nextReqKey = writeResumeKey(next);
  return payload;
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
