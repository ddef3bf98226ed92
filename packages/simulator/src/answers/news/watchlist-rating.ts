import { quoteMarket } from '@svc-gateway/contract/markets';
import type { news as declared } from '@svc-gateway/contract/operations';
import { localDayNumber } from '@svc-gateway/contract/time';
import { type Company, newsId, publicationTime, type RatingChange, ratings } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { storiesBetween } from '../../view/news.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { Instrument } from '../../world/instrument.js';
import { isIssuedByCompany } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';
import { olderMark, type Told } from './pages.js';
import { olderPage, watchedStocks } from './watchlist-news.js';

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
