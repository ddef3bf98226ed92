import { create } from '@bufbuild/protobuf';
import { AfterHoursRankItemSchema, type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetUSAfterHoursRank_pb.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { type ExtendedStandings, extendedStandings, type SessionOf } from './extended-hours.js';

const session: SessionOf = (_, { quote }) => quote.afterMarket && { ...quote.afterMarket, close: quote.last };

/** Qot_GetUSAfterHoursRank: shares by their last price after the closing bell, against the day's close. */
export const getUsAfterHoursRank: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard', C2S, S2C> = (
  facts,
  request,
) => {
  const standings = extendedStandings(facts, request, session);
  return standings instanceof Promise ? standings.then(payload) : payload(standings);
};

function payload(standings: ExtendedStandings | Refusal): S2C | Refusal {
  if (standings instanceof Refusal) return standings;
  const dataList = standings.rows.map((row) =>
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
  return create(S2CSchema, { dataList, allCount: standings.allCount });
}
