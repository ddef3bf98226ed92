import { create } from '@bufbuild/protobuf';
import { QotMarketState } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { OvernightRankItemSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetUSOvernightRank_pb';
import { extendedRank, type SessionOf } from './extended-hours.js';
import { inHours } from './held-open-hours.js';

/** The overnight session, with its trades so far. */
const session: SessionOf = ({ clock, world, market }, { listing: { instrument }, quote }) => {
  const nights = world
    .calendar(instrument)
    .sessions(quote.tradingDay)
    .filter(({ state }) => state === QotMarketState.QotMarketState_OVERNIGHT);
  const bars = nights.flatMap(({ start, end }) =>
    market.bars(instrument, { unit: 'minute', count: 60 }, { from: start, to: Math.min(end, clock.now() + 1) }),
  );
  const last = bars.at(-1);
  if (last === undefined) return undefined;
  return {
    last: last.close,
    close: quote.previousClose,
    volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
    turnover: bars.reduce((sum, { turnover }) => sum + turnover, 0n),
  };
};

/** Qot_GetUSOvernightRank: shares by their last price of the night, against the close before it. None where the calendar has no overnight session. */
export const getUsOvernightRank = extendedRank(inHours('overnight', session), ({ rows, allCount }): S2C => {
  const dataList = rows.map((row) =>
    create(OvernightRankItemSchema, {
      security: row.security,
      name: row.name,
      overnightPrice: row.price,
      overnightChangeRatio: row.changeRatio,
      overnightChangeAmount: row.changeAmount,
      overnightTurnover: row.turnover,
      overnightVolume: row.volume,
      closePrice: row.closePrice,
      changeRatio: row.regularChangeRatio,
      changeAmount: row.regularChangeAmount,
    }),
  );
  return create(S2CSchema, { dataList, allCount });
});
