import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetCapitalDistribution_pb.js';
import { localDateTime } from '../../../contract/time.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateTraded } from '../../view/locate.js';

/** Qot_GetCapitalDistribution: the trading day's money by order size, buyers as aggressors flowing in; undirected (auction) trades do not count. */
export const getCapitalDistribution: Answer<'market' | 'listings' | 'capitalFlows', C2S, S2C> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const quote = facts.market.quote(listing.instrument);
  const flow = facts.capitalFlows.of(listing.instrument);
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
};
