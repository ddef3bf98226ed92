import { create } from '@bufbuild/protobuf';
import { type C2S, MarketInfoSchema, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetMarketState_pb.js';
import { Refusal } from '../../handler.js';
import { locateAll } from '../../view/locate.js';
import type { QuoteHandler } from '../../view/quote-simulation.js';

const SYMBOLS_MAX = 400;

/** Qot_GetMarketState: the state, now, of the sessions that each symbol trades by. */
export const getMarketState: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const listings = locateAll(simulation, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const now = simulation.clock.now();
  const marketInfoList = listings.map(({ security, instrument }) =>
    create(MarketInfoSchema, { security, name: instrument.name, marketState: simulation.world.calendar(instrument).state(now) }),
  );
  return create(S2CSchema, { marketInfoList });
};
