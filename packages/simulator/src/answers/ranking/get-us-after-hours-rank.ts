import { create } from '@bufbuild/protobuf';
import { AfterHoursRankItemSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetUSAfterHoursRank_pb';
import { extendedRank, type SessionOf } from './extended-hours.js';
import { inHours } from './held-open-hours.js';

const session: SessionOf = (_, { quote }) => quote.afterMarket && { ...quote.afterMarket, close: quote.last };

/** Qot_GetUSAfterHoursRank: shares by their last price after the closing bell, against the day's close. */
export const getUsAfterHoursRank = extendedRank(inHours('after-hours', session), ({ rows, allCount }): S2C => {
  const dataList = rows.map((row) =>
    create(AfterHoursRankItemSchema, {
      security: row.security,
      name: row.name,
      afterHoursPrice: row.price,
      afterHoursChangeRatio: row.changeRatio,
      afterHoursChangeAmount: row.changeAmount,
      afterHoursTurnover: row.turnover,
      afterHoursVolume: row.volume,
      closePrice: row.closePrice,
      changeRatio: row.regularChangeRatio,
      changeAmount: row.regularChangeAmount,
    }),
  );
  return create(S2CSchema, { dataList, allCount });
});
