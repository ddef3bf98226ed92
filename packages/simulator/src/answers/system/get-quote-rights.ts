import { create } from '@bufbuild/protobuf';
import { type C2S, RightSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/quote_rights_pb';
import { quoteMarkets } from '@svc-gateway/contract/markets';
import type { Answer } from '../../view/facts.js';
import { QotRight } from '../../view/server.js';

/** The rights of the simulated user: full depth everywhere, in Hong Kong with the orders behind it. They never change, so that `refresh` finds the same. */
export const getQuoteRights: Answer<never, C2S, S2C> = () =>
  create(S2CSchema, {
    rightList: quoteMarkets.map(({ name, number }) =>
      create(RightSchema, { market: number, right: name === 'HK' ? QotRight.sf : QotRight.level2 }),
    ),
  });
