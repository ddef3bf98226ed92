import { Companies } from './companies.js';

export { Companies, type LoadedPrices } from './companies.js';
export type { Company } from './company.js';
export type { CashDividend, CorporateAction, CorporateActions, RightsIssue, ShareSplit } from './corporate-actions.js';
export type { ShareFigures } from './figures.js';
export { wordedChinese } from './headlines-chinese.js';
export type { DayMove, MarketPrices } from './market-prices.js';
export { endOfNews, type NewsItem, newsId, timeOfNews } from './news.js';
export type { NewsFact } from './news-facts.js';
export { type Offering, type OfferingEvent, offeringOf } from './offering.js';
export { type RatingChange, ratings } from './opinions.js';
export type { PlateComposition, Weighted } from './plate-composition.js';
export { lastDayOver, lastPublicDay, publicationTime } from './publication.js';
export type { Statements } from './statements.js';

/** The companies of a world. */
export function companiesOf(...options: ConstructorParameters<typeof Companies>): Companies {
  return new Companies(...options);
}
