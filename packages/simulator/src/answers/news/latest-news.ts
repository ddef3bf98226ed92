import { newsMarket, newsTopic, pageFlip } from '@svc-gateway/contract/extension-enums';
import type { C2S, FilterInfo } from '@svc-gateway/contract/generated/svc/latest_news_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { news as declared } from '@svc-gateway/contract/operations';
import { endOfNews } from '../../companies/index.js';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { type Fields, given } from '../../view/messages.js';
import { type NewsTopic, newsTopics, type Story, wire } from '../../view/news.js';
import { BACKEND_SUCCESS, checkChoice, versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { checkPageSize, newerThan, olderMark, olderThan } from './pages.js';
import { flashTopics, newsInfo } from './stock-news.js';

type Used = 'clock' | 'world' | 'companies' | 'macro' | 'caches' | 'listings';

const NEWER = 1;
/** How far back the wire goes. */
const KEPT_MS = 92 * 86_400_000;

/** svc.latest_news: a page of the wire. */
export const latestNews: AnswerTo<typeof declared.latestNews> = versioned((facts, request) => {
  const refused = checkPageSize(request) ?? checkFilters(request);
  if (refused !== undefined) return refused;
  const [older, newer] = [given(request, 'seqMark'), given(request, 'latestSeqMark')];
  if (request.pageFlip !== NEWER) return olderPage(facts, request, older ?? newer);
  const mark = newer ?? older;
  return mark === undefined
    ? missing(['latest_seq_mark'], 'required when page_flip is 1 (newer): that of the page before')
    : newerPage(facts, request, mark);
});

function olderPage(facts: Facts<Used>, request: C2S, mark: bigint | undefined) {
  const now = facts.clock.now();
  const page = olderThan(wire(facts), { mark, now, since: now - KEPT_MS }, wantedBy(request));
  return answer(facts, request, page.items, {
    seqMark: olderMark(page),
    latestSeqMark: mark === undefined ? endOfNews(now) : undefined,
  });
}

function newerPage(facts: Facts<Used>, request: C2S, mark: bigint) {
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
) {
  return {
    retCode: BACKEND_SUCCESS,
    newsList: items.map((story) => newsInfo(facts, story)),
    ...marks,
    filterInfo: filterInfo(request),
  };
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
  if ((includeFlashFilter || includeMarketFilter) && given(request, 'filterVersion') === undefined)
    return missing(['filter_version'], 'required with include_flash_filter and include_market_filter; 0 where the caller has none');
  const unknown = [
    checkChoice('page_flip', request.pageFlip, pageFlip),
    ...flashFilterList.map((one) => checkChoice('flash_filter_list', one, newsTopic)),
    ...marketFilterList.map((one) => checkChoice('market_filter_list', one, newsMarket)),
  ];
  return unknown.find((one) => one !== undefined);
}

/** Rises when an option changes. */
const FILTER_VERSION = 1;

/** English and Chinese, as clients number and tag them. */
const languages = [
  { languageTag: 'en', languageId: 2 },
  { languageTag: 'zh-CN', languageId: 0 },
] as const;

const topicNames: Readonly<Record<NewsTopic, readonly [string, string]>> = {
  results: ['Results', '业绩'],
  dividends: ['Dividends', '股息'],
  shares: ['Share events', '股本变动'],
  people: ['People', '人事'],
  ratings: ['Ratings', '评级'],
  moves: ['Large moves', '异动'],
  halts: ['Suspensions', '停复牌'],
  listings: ['Listings', '上市退市'],
  economy: ['Economy', '宏观'],
  letters: ['Letters to the editors', '读者来信'],
};

/** By quote market. */
const marketNames: readonly (readonly [number, string, string])[] = [
  [1, 'Hong Kong', '香港'],
  [11, 'United States', '美国'],
  [21, 'Shanghai', '上海'],
  [22, 'Shenzhen', '深圳'],
  [31, 'Singapore', '新加坡'],
  [41, 'Japan', '日本'],
  [61, 'Malaysia', '马来西亚'],
];

/** Requested filter options; undefined where none were requested. Clients with the current version get none. */
function filterInfo({ includeFlashFilter, includeMarketFilter, filterVersion, firstVisit }: C2S): Fields<FilterInfo> | undefined {
  if (!includeFlashFilter && !includeMarketFilter) return undefined;
  const isCurrent = filterVersion === FILTER_VERSION;
  return {
    filterVersion: FILTER_VERSION,
    flashFilter: includeFlashFilter ? { optionList: isCurrent && !firstVisit ? [] : flashOptions(firstVisit) } : undefined,
    marketFilter: includeMarketFilter ? { optionList: isCurrent ? [] : marketOptions() } : undefined,
  };
}

function flashOptions(firstVisit: boolean) {
  return (Object.keys(newsTopics) as NewsTopic[]).map((topic) => ({
    ...optionOf(newsTopics[topic], `news.topic.${topic}`, topicNames[topic]),
    isDefault: firstVisit ? flashTopics.has(topic) : undefined,
  }));
}

function marketOptions() {
  return marketNames.map(([number, ...names]) => optionOf(number, `news.market.${number}`, names));
}

function optionOf(optionId: number, stringId: string, names: readonly [string, string]) {
  const [name] = names;
  const stringInfo = {
    stringId,
    templateData: name,
    langSpecTempData: languages.map((language, index) => ({ ...language, templateData: names[index] ?? name })),
    templateMap: [{ key: 'option_id', value: String(optionId) }],
  };
  return { optionId, name, stringInfo };
}
