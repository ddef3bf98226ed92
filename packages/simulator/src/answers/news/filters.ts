import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type FilterInfo,
  FilterInfoSchema,
  type FilterOption,
  FilterOptionSchema,
} from '@svc-gateway/contract/generated/svc/latest_news_pb';
import { type NewsTopic, newsTopics } from '../../view/news.js';
import { flashTopics } from './news-info.js';

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
export function filterInfo({ includeFlashFilter, includeMarketFilter, filterVersion, firstVisit }: C2S): FilterInfo | undefined {
  if (!includeFlashFilter && !includeMarketFilter) return undefined;
  const isCurrent = filterVersion === FILTER_VERSION;
  const flash = isCurrent && !firstVisit ? [] : flashOptions(firstVisit);
  return create(FilterInfoSchema, {
    filterVersion: FILTER_VERSION,
    ...(includeFlashFilter ? { flashFilter: { optionList: flash } } : {}),
    ...(includeMarketFilter ? { marketFilter: { optionList: isCurrent ? [] : marketOptions() } } : {}),
  });
}

function flashOptions(firstVisit: boolean): FilterOption[] {
  return (Object.keys(newsTopics) as NewsTopic[]).map((topic) => {
    const option = optionOf(newsTopics[topic], `news.topic.${topic}`, topicNames[topic]);
    if (firstVisit) option.isDefault = flashTopics.has(topic);
    return option;
  });
}

function marketOptions(): FilterOption[] {
  return marketNames.map(([number, ...names]) => optionOf(number, `news.market.${number}`, names));
}

function optionOf(optionId: number, stringId: string, names: readonly [string, string]): FilterOption {
  const [name] = names;
  return create(FilterOptionSchema, {
    optionId,
    name,
    stringInfo: {
      stringId,
      templateData: name,
      langSpecTempData: languages.map((language, index) => ({ ...language, templateData: names[index] ?? name })),
      templateMap: [{ key: 'option_id', value: String(optionId) }],
    },
  });
}
