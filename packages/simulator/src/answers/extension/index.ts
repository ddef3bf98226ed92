export { earningsExpectedMove, relatedStocks } from './companies.js';
export { forexConstituents, forexRates } from './forex.js';
export { newsTranslation } from './news-translation.js';
