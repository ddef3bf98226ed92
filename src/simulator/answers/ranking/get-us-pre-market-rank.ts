import { create } from '@bufbuild/protobuf';
import { type C2S, PreMarketRankItemSchema, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetUSPreMarketRank_pb.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { type ExtendedStandings, extendedStandings, type SessionOf } from './extended-hours.js';

const session: SessionOf = (_, { quote }) => quote.preMarket && { ...quote.preMarket, close: quote.previousClose };

/** Qot_GetUSPreMarketRank: shares by their last price before the opening, against the previous close. */
export const getUsPreMarketRank: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard', C2S, S2C> = (
  facts,
  request,
) => {
  const standings = extendedStandings(facts, request, session);
  return standings instanceof Promise ? standings.then(payload) : payload(standings);
};

function payload(standings: ExtendedStandings | Refusal): S2C | Refusal {
  if (standings instanceof Refusal) return standings;
  const dataList = standings.rows.map((row) =>
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
  return create(S2CSchema, { dataList, allCount: standings.allCount });
}
