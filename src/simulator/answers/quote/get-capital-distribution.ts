import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetCapitalDistribution_pb.js';
import { localDateTime } from '../../../contract/time.js';
import { Refusal } from '../../handler.js';
import { locate } from '../../view/locate.js';
import type { QuoteHandler } from '../../view/quote-simulation.js';

/** Qot_GetCapitalDistribution: the trading day's money by order size, buyers as aggressors flowing in; undirected (auction) trades do not count. */
export const getCapitalDistribution: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const listing = locate(simulation, request.security);
  if (listing instanceof Refusal) return listing;
  const quote = simulation.market.quote(listing.instrument);
  const flow = simulation.capitalFlows.of(listing.instrument);
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
