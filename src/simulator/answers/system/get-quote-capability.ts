import { create } from '@bufbuild/protobuf';
import { type C2S, CapabilitySchema, type S2C, S2CSchema } from '../../../contract/generated/svc/quote_capability_pb.js';
import { quoteMarkets } from '../../../contract/markets.js';
import { klTypes } from '../../view/bars.js';
import type { Answer } from '../../view/facts.js';
import { BOOK_DEPTH_MAX } from '../../view/order-book.js';
import { SUBSCRIPTION_QUOTA } from '../../view/server.js';
import { subTypesOf } from '../../view/sub-types.js';

/** Per market: the subscription types that at least one of its instruments serves, as its kind and its lots say. */
export const getQuoteCapability: Answer<'world' | 'listings', C2S, S2C> = ({ world, listings }) =>
  create(S2CSchema, {
    subQuota: SUBSCRIPTION_QUOTA,
    capabilityList: quoteMarkets.map(({ name, number }) => {
      const examples = new Map(
        world.listed({ market: name }).map((instrument) => [`${instrument.kind} ${instrument.lotSize > 1}`, instrument]),
      );
      const served = new Set([...examples.values()].flatMap((instrument) => subTypesOf(listings.of(instrument))));
      return create(CapabilitySchema, {
        market: number,
        subTypeList: [...served].sort((a, b) => a - b),
        klTypeList: [...klTypes],
        orderBookDepthMax: BOOK_DEPTH_MAX,
      });
    }),
  });
