import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetRT_pb';
import { timeShare } from '../../market/index.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { timeShareMessage } from '../../view/time-shares.js';

/** Qot_GetRT: the trading day's regular hours minute by minute. Volumes and turnovers sum to the quote's. */
export const getRt: Answer<'clock' | 'world' | 'market' | 'listings', C2S, S2C> = (facts, request) => {
  const listing = locate(facts, request.security);
  if (listing instanceof Refusal) return listing;
  return inTurns(answer(facts, listing));
};

function* answer({ clock, world, market }: Facts<'clock' | 'world' | 'market'>, listing: Listing): Generator<void, S2C> {
  const { instrument } = listing;
  const [first] = world
    .calendar(instrument)
    .sessions(market.quote(instrument).tradingDay)
    .filter(({ kind }) => kind === 'regular');
  if (first !== undefined) yield* market.prepareBars(instrument, { unit: 'minute', count: 1 }, { from: first.start });
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = instrument.name;
  payload.rtList = timeShare(market, world.calendar(instrument), instrument, clock.now()).map((point) => timeShareMessage(listing, point));
  return payload;
}
