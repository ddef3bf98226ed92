import { create } from '@bufbuild/protobuf';
import { PreMarketRankItemSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetUSPreMarketRank_pb';
import { extendedRank, type SessionOf } from './extended-hours.js';
import { inHours } from './held-open-hours.js';

const session: SessionOf = (_, { quote }) => quote.preMarket && { ...quote.preMarket, close: quote.previousClose };

/** Qot_GetUSPreMarketRank: shares by their last price before the opening, against the previous close. */
export const getUsPreMarketRank = extendedRank(inHours('pre-market', session), ({ rows, allCount }): S2C => {
  const dataList = rows.map((row) =>
    create(PreMarketRankItemSchema, {
      security: row.security,
      name: row.name,
      preMarketPrice: row.price,
      preMarketChangeRatio: row.changeRatio,
      preMarketChangeAmount: row.changeAmount,
      preMarketTurnover: row.turnover,
      preMarketVolume: row.volume,
      closePrice: row.closePrice,
      changeRatio: row.regularChangeRatio,
      changeAmount: row.regularChangeAmount,
    }),
  );
  return create(S2CSchema, { dataList, allCount });
});
