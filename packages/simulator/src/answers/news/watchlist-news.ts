import type { Message } from '@bufbuild/protobuf';
import { noticeType } from '@svc-gateway/contract/extension-enums';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { news as declared } from '@svc-gateway/contract/operations';
import { localDayNumber } from '@svc-gateway/contract/time';
import { type Company, newsId, publicationTime, type RatingChange, ratings } from '../../companies/index.js';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateStock } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { noticeTypes, type Story, storiesBetween, tellerOf } from '../../view/news.js';
import { BACKEND_SUCCESS, checkChoice, versioned } from '../../view/requests.js';
import type { Instrument } from '../../world/instrument.js';
import { isIssuedByCompany } from '../../world/kinds.js';
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
function watchedStocks(
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
function olderPage<T extends Told>(
  { clock }: Facts<'clock'>,
  request: Message & { readonly pageSize: number; readonly seqMark: bigint },
  tell: (from: number, to: number) => readonly T[],
  takes: (item: T) => boolean = () => true,
): Page<T> {
  const now = clock.now();
  return olderThan(tell, { mark: given(request, 'seqMark'), now, since: now - KEPT_MS }, { count: request.pageSize, takes });
}

/** An analyst's rating of one of the requested stocks. */
interface Rated extends Told {
  readonly instrument: Instrument;
  readonly company: Company;
  readonly time: number;
  readonly change: RatingChange;
}

/** svc.watchlist_rating: what analysts said of several stocks, confirmations included. */
export const watchlistRating: AnswerTo<typeof declared.watchlistRating> = versioned((facts, request) => {
  const instruments = watchedStocks(facts, request);
  if (instruments instanceof Refusal) return instruments;
  const page = olderPage(facts, request, (from, to) => ratedBetween(facts, instruments, from, to));
  return { retCode: BACKEND_SUCCESS, ratingList: page.items.map((rated) => ratingInfo(facts, rated)), seqMark: olderMark(page) };
});

function ratedBetween({ companies }: Facts<'companies'>, instruments: readonly Instrument[], from: number, to: number): readonly Rated[] {
  const found: Rated[] = [];
  for (const instrument of instruments.filter(isIssuedByCompany)) {
    const company = companies.company(instrument);
    const { home } = company.issuer;
    const zone = quoteMarket(home.market).timeZone;
    for (const change of company.ratings(localDayNumber(from, zone), localDayNumber(to, zone))) {
      const time = publicationTime({ kind: 'rating' }, home, change.day);
      if (time < from || time > to) continue;
      found.push({ instrument, company, time, change, seq: newsId(time, `${instrument.symbol}|${change.broker}`) });
    }
  }
  return found.sort((a, b) => (a.seq < b.seq ? -1 : 1));
}

function ratingInfo({ listings }: Facts<'listings'>, { instrument, company, time, change, seq }: Rated) {
  const { broker, analyst, rating, target, previous } = change;
  const stories = storiesBetween(company, time, time);
  const item = stories.find(({ fact }) => fact?.kind === 'rating' && fact.change.broker === broker);
  return {
    security: listings.of(instrument).security,
    stockId: instrument.id,
    name: instrument.name,
    seq,
    pubTime: BigInt(time / 1000),
    broker,
    analyst,
    rating: numberOf(rating),
    targetPrice: target,
    currency: company.issuer.home.currency,
    previousRating: previous === undefined ? undefined : numberOf(previous.rating),
    previousTargetPrice: previous?.target,
    newsId: item?.newsId,
  };
}

/** 1 sell to 5 strong buy. */
function numberOf(rating: RatingChange['rating']): number {
  return ratings.length - ratings.indexOf(rating);
}
