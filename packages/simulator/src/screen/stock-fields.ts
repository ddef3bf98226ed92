import { StockField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import type { Figure } from './column-snapshot.js';
import * as quotes from './quote-figures.js';
import * as shares from './share-figures.js';

/** The simple properties of Qot_StockFilter that are numbers. */
export const stockFields: ReadonlyMap<number, Figure> = new Map([
  [StockField.StockField_CurPrice, quotes.price],
  [StockField.StockField_CurPriceToHighest52WeeksRatio, quotes.toYearRange('last', 'high')],
  [StockField.StockField_CurPriceToLowest52WeeksRatio, quotes.toYearRange('last', 'low')],
  [StockField.StockField_HighPriceToHighest52WeeksRatio, quotes.toYearRange('high', 'high')],
  [StockField.StockField_LowPriceToLowest52WeeksRatio, quotes.toYearRange('low', 'low')],
  [StockField.StockField_VolumeRatio, quotes.volumeRatio],
  [StockField.StockField_BidAskRatio, quotes.bidAskRatio],
  [StockField.StockField_LotPrice, quotes.lotPrice],
  [StockField.StockField_MarketVal, shares.marketValue],
  [StockField.StockField_PeAnnual, shares.peAnnual],
  [StockField.StockField_PeTTM, shares.peTtm],
  [StockField.StockField_PbRate, shares.pb],
  [StockField.StockField_ChangeRate5min, quotes.changeOverFiveMinutes],
  [StockField.StockField_ChangeRateBeginYear, quotes.changeThisYear],
  [StockField.StockField_PSTTM, shares.psTtm],
  [StockField.StockField_PCFTTM, shares.pcfTtm],
  [StockField.StockField_TotalShare, shares.issuedShares],
  [StockField.StockField_FloatShare, shares.floatShares],
  [StockField.StockField_FloatMarketVal, shares.floatValue],
]);
