import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type PriceLevel,
  PriceLevelSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/ticker_statistic_detail_pb';
import type { PriceStatistics } from '../../market/index.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { known } from '../../view/optional-fields.js';

/** The trades of a symbol's current day in regular hours, price by price. */
export const getTickerStatisticDetail: Answer<'market' | 'listings' | 'tradeStatistics', C2S, S2C> = (facts, request) => {
  const listing = locate(facts, request.security);
  return listing instanceof Refusal ? listing : payload(facts, listing);
};

function payload({ market, tradeStatistics }: Facts<'market' | 'tradeStatistics'>, listing: Listing): S2C {
  const { instrument } = listing;
  const levels = tradeStatistics.byPrice(instrument);
  const { tradingDay, previousClose } = market.quote(instrument);
  const volume = levels.reduce((sum, level) => sum + volumeOf(level), 0n);
  const most = levels.reduce<PriceStatistics | undefined>(
    (best, level) => (best === undefined || volumeOf(level) >= volumeOf(best) ? level : best),
    undefined,
  );
  return create(
    S2CSchema,
    known({
      security: listing.security,
      name: instrument.name,
      tradingDay,
      lastClosePrice: decimalToNumber(previousClose),
      tradeCount: BigInt(levels.reduce((sum, level) => sum + countOf(level), 0)),
      volume,
      turnover: decimalToNumber(levels.reduce((sum, level) => sum + turnoverOf(level), 0n)),
      mostTradedPrice: most === undefined ? undefined : decimalToNumber(most.price),
      levelList: levels.map((level) => levelMessage(level, volume)),
    }),
  );
}

function levelMessage(level: PriceStatistics, dayVolume: bigint): PriceLevel {
  return create(PriceLevelSchema, {
    price: decimalToNumber(level.price),
    tradeCount: BigInt(countOf(level)),
    volume: volumeOf(level),
    turnover: decimalToNumber(turnoverOf(level)),
    buyVolume: level.buy.volume,
    sellVolume: level.sell.volume,
    neutralVolume: level.neutral.volume,
    volumeRatio: percent(volumeOf(level), dayVolume),
  });
}

function countOf({ buy, sell, neutral }: PriceStatistics): number {
  return buy.count + sell.count + neutral.count;
}

function volumeOf({ buy, sell, neutral }: PriceStatistics): bigint {
  return buy.volume + sell.volume + neutral.volume;
}

function turnoverOf({ buy, sell, neutral }: PriceStatistics): bigint {
  return buy.turnover + sell.turnover + neutral.turnover;
}
