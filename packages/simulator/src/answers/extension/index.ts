import type { extension as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { earningsExpectedMove } from './earnings-expected-move.js';
import { forexConstituents } from './forex-constituents.js';
import { forexRates } from './forex-rates.js';
import { newsTranslation } from './news-translation.js';
import { relatedStocks } from './related-stocks.js';

export const extension = {
  forexRates,
  relatedStocks,
  earningsExpectedMove,
  newsTranslation,
  forexConstituents,
} satisfies AnswersTo<typeof declared>;
