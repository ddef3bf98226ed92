import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetKL_pb';
import type { BarPeriod, PriceAdjustment } from '../../market/market.js';
import { eachInTurns, inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { adjustmentOf, klineMessage, MESSAGES_A_TURN, periodOf } from '../../view/bars.js';
import type { Answer, Facts } from '../../view/facts.js';
import { keptBars } from '../../view/kept-bars.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';

const BARS_MAX = 1000;

/**
 * Qot_GetKL: the newest bars, oldest first, the running one last. Minutes of extended hours are included; bars of days and longer
 * are of regular trading, as the quote is.
 */
export const getKline: Answer<'world' | 'companies' | 'market' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const listing = locate(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const period = periodOf(request.klType);
  if (period instanceof Refusal) return period;
  const adjustment = adjustmentOf(request.rehabType);
  if (adjustment instanceof Refusal) return adjustment;
  const { reqNum } = request;
  if (!(reqNum >= 1 && reqNum <= BARS_MAX)) return new Refusal(`req_num ${reqNum}: expected 1 to ${BARS_MAX}`, 'broker.value');

  return inTurns(answer(facts, listing, { period, adjustment, count: reqNum }));
};

interface Wanted {
  readonly period: BarPeriod;
  readonly adjustment: PriceAdjustment;
  readonly count: number;
}

function* answer(
  facts: Facts<'world' | 'companies' | 'market' | 'caches'>,
  listing: Listing,
  { period, adjustment, count }: Wanted,
): Generator<void, S2C> {
  const bars = yield* keptBars(facts, listing, period, adjustment, count);
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  payload.klList = yield* eachInTurns(bars, MESSAGES_A_TURN, (bar) => klineMessage(facts, listing, period, bar, adjustment));
  return payload;
}
