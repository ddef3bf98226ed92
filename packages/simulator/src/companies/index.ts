import { tradingDaysOf } from '../world/business-days.js';
import type { World } from '../world/index.js';
import { isIssuedByCompany } from '../world/kinds.js';
import { Companies, type LoadedPrices } from './companies.js';
import type { MarketPrices } from './market-prices.js';

export { Companies, type CompaniesOptions, type LoadedPrices } from './companies.js';
export type { Company } from './company.js';
export type { CashDividend, CorporateAction, CorporateActions, RightsIssue, ShareSplit } from './corporate-actions.js';
export type { ShareFigures } from './figures.js';
export { chineseHeadline, chineseText } from './headlines-chinese.js';
export type { DayMove, MarketPrices } from './market-prices.js';
export { endOfNews, type NewsItem, newsId, timeOfNews } from './news.js';
export type { NewsFact } from './news-facts.js';
export { type Offering, type OfferingEvent, offeringOf } from './offering.js';
export { type RatingChange, ratings } from './opinions.js';
export type { PlateComposition, Weighted } from './plate-composition.js';
export { lastDayOver, lastPublicDay, publicationTime } from './publication.js';
export type { Statements } from './statements.js';

/** The companies of a world. They keep the exchanges' own calendars, also where its markets are open around the clock. */
export function companiesOf(
  world: World,
  seed: string | number,
  loaded?: (symbol: string) => LoadedPrices | undefined,
  prices?: MarketPrices,
): Companies {
  return new Companies({
    seed,
    find: (symbol) => world.instrument(symbol),
    equities: (market) => [...world.instruments({ market }).filter(isIssuedByCompany), ...world.debuts(market)],
    calendarOf: ({ calendar }) => tradingDaysOf(calendar),
    ...(loaded === undefined ? {} : { loaded }),
    ...(prices === undefined ? {} : { prices }),
  });
}
