export { earningsExpectedMove } from './earnings-expected-move.js';
export { forexConstituents } from './forex-constituents.js';
export { forexRates } from './forex-rates.js';
export { newsTranslation } from './news-translation.js';
export { relatedStocks } from './related-stocks.js';
