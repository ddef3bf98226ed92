import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../contract/decimal.js';
import { type C2S, type S2C, S2CSchema } from '../../contract/generated/Qot_GetCapitalDistribution_pb.js';
import { localDateTime } from '../../contract/time.js';
import { type Handler, Refusal } from '../handler.js';
import { capitalFlow } from './capital.js';
import { locate } from './locate.js';

/** Qot_GetCapitalDistribution: the trading day's money by order size; all eight figures sum to the turnover. */
export const getCapitalDistribution: Handler<C2S, S2C> = (simulation, request) => {
  const listing = locate(simulation, request.security);
  if (listing instanceof Refusal) return listing;
  const quote = simulation.market.quote(listing.instrument);
  const flow = capitalFlow(listing.instrument, { ...quote, close: quote.last });
  return create(S2CSchema, {
    capitalInSuper: decimalToNumber(flow.super.in),
    capitalInBig: decimalToNumber(flow.big.in),
    capitalInMid: decimalToNumber(flow.mid.in),
    capitalInSmall: decimalToNumber(flow.small.in),
    capitalOutSuper: decimalToNumber(flow.super.out),
    capitalOutBig: decimalToNumber(flow.big.out),
    capitalOutMid: decimalToNumber(flow.mid.out),
    capitalOutSmall: decimalToNumber(flow.small.out),
    updateTime: localDateTime(quote.time, listing.market.timeZone),
    updateTimestamp: quote.time / 1000,
  });
};
