import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetCapitalDistribution_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateTraded } from '../../view/locate.js';

/** Qot_GetCapitalDistribution: the trading day's money by order size, buyers as aggressors flowing in; undirected (auction) trades do not count. */
export const getCapitalDistribution: Answer<'market' | 'listings' | 'capitalFlows', C2S, S2C> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  return answer(facts, listing);
};

function answer({ market, capitalFlows }: Facts<'market' | 'capitalFlows'>, listing: Listing): S2C {
  const flow = capitalFlows.of(listing.instrument);
  const quote = market.quote(listing.instrument);
  return create(S2CSchema, {
    capitalInSuper: decimalToNumber(flow.in.super),
    capitalInBig: decimalToNumber(flow.in.big),
    capitalInMid: decimalToNumber(flow.in.mid),
    capitalInSmall: decimalToNumber(flow.in.small),
    capitalOutSuper: decimalToNumber(flow.out.super),
    capitalOutBig: decimalToNumber(flow.out.big),
    capitalOutMid: decimalToNumber(flow.out.mid),
    capitalOutSmall: decimalToNumber(flow.out.small),
    updateTime: localDateTime(quote.time, listing.market.timeZone),
    updateTimestamp: quote.time / 1000,
  });
}
