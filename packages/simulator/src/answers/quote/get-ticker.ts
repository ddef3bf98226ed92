import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetTicker_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateTraded } from '../../view/locate.js';
import { tickerMessage } from '../../view/tickers.js';

const TICKS_MAX = 1000;

/** Qot_GetTicker: the newest trades, oldest first. */
export const getTicker: Answer<'market' | 'listings', C2S, S2C> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const { maxRetNum } = request;
  if (!(maxRetNum >= 1 && maxRetNum <= TICKS_MAX))
    return new Refusal(`max_ret_num ${maxRetNum}: expected 1 to ${TICKS_MAX}`, 'broker.value');
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  payload.tickerList = facts.market.ticks(listing.instrument, maxRetNum).map((tick) => tickerMessage(listing, tick));
  return payload;
};
