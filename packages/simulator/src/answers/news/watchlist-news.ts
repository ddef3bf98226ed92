import type { Message } from '@bufbuild/protobuf';
import { noticeType } from '@svc-gateway/contract/extension-enums';
import type { news as declared } from '@svc-gateway/contract/operations';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateStock } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { noticeTypes, type Story, tellerOf } from '../../view/news.js';
import { BACKEND_SUCCESS, checkChoice, versioned } from '../../view/requests.js';
import type { Instrument } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';
import { checkPageSize, olderMark, olderThan, type Page, type Told } from './pages.js';
import { KEPT_MS, newsInfo } from './stock-news.js';

/** svc.watchlist_news: the news of several stocks, each item once. */
export const watchlistNews: AnswerTo<typeof declared.watchlistNews> = versioned((facts, request) => {
  const instruments = watchedStocks(facts, request);
  if (instruments instanceof Refusal) return instruments;
  const page = olderPage(facts, request, tellerOf(facts, instruments));
  return { retCode: BACKEND_SUCCESS, newsList: page.items.map((story) => newsInfo(facts, story)), seqMark: olderMark(page) };
});

const ALL = 0;

/** svc.watchlist_announcement: what companies and exchanges announced, of the types asked for. */
export const watchlistAnnouncement: AnswerTo<typeof declared.watchlistAnnouncement> = versioned((facts, request) => {
  const instruments = watchedStocks(facts, request);
  if (instruments instanceof Refusal) return instruments;
  const refused = checkTypes(request.noticeTypes);
  if (refused !== undefined) return refused;
  const wanted = new Set(request.noticeTypes);
  const isAll = wanted.size === 0 || wanted.has(ALL);
  const takes = ({ fact }: Story) => {
    const type = fact === undefined ? undefined : noticeTypes[fact.kind];
    return type !== undefined && (isAll || wanted.has(type));
  };
  const page = olderPage(facts, request, tellerOf(facts, instruments), takes);
  return {
    retCode: BACKEND_SUCCESS,
    announcementList: page.items.map((story) => newsInfo(facts, story)),
    seqMark: olderMark(page),
  };
});

function checkTypes(types: readonly number[]): Refusal | undefined {
  for (const type of types) {
    const unknown = checkChoice('notice_types', type, noticeType);
    if (unknown !== undefined) return unknown;
  }
  return types.includes(ALL) && types.length > 1 ? new Refusal('notice_types: 0 (all) stands alone; leave the others out') : undefined;
}

const STOCKS_MAX = 100;

/** The stocks that a request for a watchlist names, each once. It must name some: none is not every stock of the market. */
export function watchedStocks(
  facts: Facts<'world' | 'listings'>,
  request: { readonly stockIds: readonly bigint[]; readonly pageSize: number },
): readonly Instrument[] | Refusal {
  const refused = checkPageSize(request);
  if (refused !== undefined) return refused;
  const { stockIds } = request;
  if (stockIds.length === 0) return missing(['stock_ids'], 'at least one stock');
  if (stockIds.length > STOCKS_MAX)
    return new Refusal(`stock_ids: ${stockIds.length} given, at most ${STOCKS_MAX} are accepted`, 'broker.value');
  const found = new Set<Instrument>();
  for (const [index, stockId] of stockIds.entries()) {
    const listing = locateStock(facts, { stockId });
    if (listing instanceof Refusal) return listing.at(`stock_ids[${index}]`);
    found.add(listing.instrument);
  }
  return [...found];
}

/** The newest of what is told of some stocks, older than the mark of a request. */
export function olderPage<T extends Told>(
  { clock }: Facts<'clock'>,
  request: Message & { readonly pageSize: number; readonly seqMark: bigint },
  tell: (from: number, to: number) => readonly T[],
  takes: (item: T) => boolean = () => true,
): Page<T> {
  const now = clock.now();
  return olderThan(tell, { mark: given(request, 'seqMark'), now, since: now - KEPT_MS }, { count: request.pageSize, takes });
}
