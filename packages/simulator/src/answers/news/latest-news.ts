import { create } from '@bufbuild/protobuf';
import { newsMarket, newsTopic, pageFlip } from '@svc-gateway/contract/extension-enums';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/latest_news_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { endOfNews } from '../../companies/index.js';
import { missing, Refusal } from '../../refusal.js';
import { checkChoice } from '../../view/choices.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { newsTopics, type Story } from '../../view/news.js';
import { wire } from '../../view/news-wire.js';
import { given, known } from '../../view/optional-fields.js';
import { filterInfo } from './filters.js';
import { newsInfo } from './news-info.js';
import { checkPageSize, newerThan, olderMark, olderThan } from './pages.js';

type Used = 'clock' | 'world' | 'companies' | 'macro' | 'caches' | 'listings';

const NEWER = 1;
/** How far back the wire goes. */
const KEPT_MS = 92 * 86_400_000;

/** svc.latest_news: a page of the wire. */
export const latestNews: Answer<Used, C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request) ?? checkPageSize(request) ?? checkFilters(request);
  if (refused !== undefined) return refused;
  const [older, newer] = [given(C2SSchema, request, 'seqMark'), given(C2SSchema, request, 'latestSeqMark')];
  if (request.pageFlip !== NEWER) return olderPage(facts, request, older ?? newer);
  const mark = newer ?? older;
  return mark === undefined
    ? missing(['latest_seq_mark'], 'required when page_flip is 1 (newer): that of the page before')
    : newerPage(facts, request, mark);
};

function olderPage(facts: Facts<Used>, request: C2S, mark: bigint | undefined): S2C {
  const now = facts.clock.now();
  const page = olderThan(wire(facts), { mark, now, since: now - KEPT_MS }, wantedBy(request));
  return answer(facts, request, page.items, {
    seqMark: olderMark(page),
    latestSeqMark: mark === undefined ? endOfNews(now) : undefined,
  });
}

function newerPage(facts: Facts<Used>, request: C2S, mark: bigint): S2C {
  const now = facts.clock.now();
  const { items, more } = newerThan(wire(facts), { mark, now, since: now - KEPT_MS }, wantedBy(request));
  const end = endOfNews(now);
  // A mark from the future stays where it is.
  return answer(facts, request, items, { seqMark: undefined, latestSeqMark: more ? items[0]?.seq : mark > end ? mark : end });
}

function answer(
  facts: Facts<Used>,
  request: C2S,
  items: readonly Story[],
  marks: { readonly seqMark: bigint | undefined; readonly latestSeqMark: bigint | undefined },
): S2C {
  return create(S2CSchema, {
    retCode: BACKEND_SUCCESS,
    newsList: items.map((story) => newsInfo(facts, story)),
    ...known({ ...marks, filterInfo: filterInfo(request) }),
  });
}

function wantedBy({ pageSize, flashFilterList, marketFilterList }: C2S) {
  const [topics, markets] = [new Set(flashFilterList), new Set(marketFilterList)];
  const takes = ({ topic, market, about }: Story) =>
    (topics.size === 0 || topics.has(newsTopics[topic])) &&
    (markets.size === 0 || markets.has(quoteMarket(market).number) || about.some((one) => markets.has(quoteMarket(one.market).number)));
  return { count: pageSize, takes };
}

function checkFilters(request: C2S): Refusal | undefined {
  const { includeFlashFilter, includeMarketFilter, firstVisit, flashFilterList, marketFilterList } = request;
  if (firstVisit && !includeFlashFilter)
    return new Refusal('first_visit: applies to the flash filter alone; expected include_flash_filter with it');
  if ((includeFlashFilter || includeMarketFilter) && given(C2SSchema, request, 'filterVersion') === undefined)
    return missing(['filter_version'], 'required with include_flash_filter and include_market_filter; 0 where the caller has none');
  const unknown = [
    checkChoice('page_flip', request.pageFlip, pageFlip),
    ...flashFilterList.map((one) => checkChoice('flash_filter_list', one, newsTopic)),
    ...marketFilterList.map((one) => checkChoice('market_filter_list', one, newsMarket)),
  ];
  return unknown.find((one) => one !== undefined);
}
