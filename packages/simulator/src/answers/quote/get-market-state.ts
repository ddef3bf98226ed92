import { create } from '@bufbuild/protobuf';
import { type C2S, MarketInfoSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetMarketState_pb';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateAll } from '../../view/locate.js';
import { shownState } from '../../world/index.js';

/** Qot_GetMarketState: the state, now, of the sessions that each symbol trades by. */
export const getMarketState: Answer<'clock' | 'world' | 'listings', C2S, S2C> = (facts, request) => {
  const listings = locateAll(facts, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const now = facts.clock.now();
  const marketInfoList = listings.map(({ security, instrument }) =>
    create(MarketInfoSchema, {
      security,
      name: instrument.name,
      marketState: shownState(facts.world.calendar(instrument), now, instrument),
    }),
  );
  return create(S2CSchema, { marketInfoList });
};
