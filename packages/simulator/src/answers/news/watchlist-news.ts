import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/watchlist_news_pb';
import { Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { tellerOf } from '../../view/news-wire.js';
import { given, known } from '../../view/optional-fields.js';
import type { Instrument } from '../../world/instrument.js';
import { newsInfo } from './news-info.js';
import { olderMark, olderThan } from './pages.js';
import { KEPT_MS } from './stock-news.js';
import { watchedStocks } from './watched.js';

type Used = 'clock' | 'world' | 'companies' | 'listings';

/** svc.watchlist_news: the news of several stocks, each item once. */
export const watchlistNews: Answer<Used, C2S, S2C> = (facts, request) => {
  const instruments = watchedStocks(facts, request);
  return instruments instanceof Refusal ? instruments : answer(facts, request, instruments);
};

function answer(facts: Facts<Used>, request: C2S, instruments: readonly Instrument[]): S2C {
  const now = facts.clock.now();
  const page = olderThan(
    tellerOf(facts, instruments),
    { mark: given(C2SSchema, request, 'seqMark'), now, since: now - KEPT_MS },
    { count: request.pageSize, takes: () => true },
  );
  return create(S2CSchema, {
    retCode: BACKEND_SUCCESS,
    newsList: page.items.map((story) => newsInfo(facts, story)),
    ...known({ seqMark: olderMark(page) }),
  });
}
