import { create } from '@bufbuild/protobuf';
import { type C2S, CapabilitySchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/quote_capability_pb';
import { type QuoteMarket, quoteMarkets } from '@svc-gateway/contract/markets';
import { klTypes } from '../../view/bars.js';
import type { Answer, Facts } from '../../view/facts.js';
import { BOOK_DEPTH_MAX } from '../../view/order-book.js';
import { SUBSCRIPTION_QUOTA } from '../../view/server.js';
import { subTypesOf } from '../../view/sub-types.js';

/** Per market: the subscription types that at least one of its instruments serves, as its kind and its lots say. */
export const getQuoteCapability: Answer<'world' | 'listings', C2S, S2C> = (facts) => {
  const payload = create(S2CSchema, { subQuota: SUBSCRIPTION_QUOTA });
  payload.capabilityList = quoteMarkets.map(({ name, number }) =>
    create(CapabilitySchema, {
      market: number,
      subTypeList: servedIn(facts, name),
      klTypeList: [...klTypes],
      orderBookDepthMax: BOOK_DEPTH_MAX,
    }),
  );
  return payload;
};

function servedIn({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): number[] {
  const listed = world.listed({ market });
  const examples = new Map(listed.map((instrument) => [`${instrument.kind} ${instrument.lotSize > 1}`, instrument]));
  const types = new Set([...examples.values()].flatMap((instrument) => subTypesOf(listings.of(instrument))));
  return [...types].sort((a, b) => a - b);
}
