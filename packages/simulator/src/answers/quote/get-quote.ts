import { create } from '@bufbuild/protobuf';
import type { BasicQot } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import { eachInTurns, inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate, locateAll } from '../../view/locate.js';

/** The first quote of a symbol costs some tenths of a millisecond. */
const QUOTES_A_TURN = 25;

// The answer about one symbol is kept with its quote, so that it too is the same object while nothing changes.
const singles = new WeakMap<BasicQot, S2C>();

/** Qot_GetBasicQot. The answer is shared between callers: nothing may write to it. */
export const getQuote: Answer<'listings' | 'quoteBoard', C2S, S2C> = (facts, request) => {
  const { securityList } = request;
  if (securityList.length !== 1) {
    const listings = locateAll(facts, securityList, SYMBOLS_MAX);
    if (listings instanceof Refusal) return listings;
    return inTurns(all(facts, listings));
  }
  const listing = locate(facts, securityList[0]);
  if (listing instanceof Refusal) return listing;
  const quote = facts.quoteBoard.read(listing);
  let payload = singles.get(quote);
  if (payload === undefined) {
    payload = answer([quote]);
    singles.set(quote, payload);
  }
  return payload;
};

function* all({ quoteBoard }: Facts<'quoteBoard'>, listings: readonly Listing[]): Generator<void, S2C> {
  return answer(yield* eachInTurns(listings, QUOTES_A_TURN, (listing) => quoteBoard.read(listing)));
}

function answer(quotes: BasicQot[]): S2C {
  const payload = create(S2CSchema);
  payload.basicQotList = quotes;
  return payload;
}
