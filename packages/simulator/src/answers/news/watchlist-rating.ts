import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  type RatingInfo,
  RatingInfoSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/watchlist_rating_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { localDayNumber } from '@svc-gateway/contract/time';
import { type Company, newsId, publicationTime, type RatingChange, ratings } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { storiesBetween } from '../../view/news.js';
import { given, known } from '../../view/optional-fields.js';
import type { Instrument } from '../../world/instrument.js';
import { isIssuedByCompany } from '../../world/kinds.js';
import { olderMark, olderThan, type Told } from './pages.js';
import { KEPT_MS } from './stock-news.js';
import { watchedStocks } from './watched.js';

type Used = 'clock' | 'world' | 'companies' | 'listings';

/** An analyst's rating of one of the requested stocks. */
interface Rated extends Told {
  readonly instrument: Instrument;
  readonly company: Company;
  readonly time: number;
  readonly change: RatingChange;
}

/** svc.watchlist_rating: what analysts said of several stocks, confirmations included. */
export const watchlistRating: Answer<Used, C2S, S2C> = (facts, request) => {
  const instruments = watchedStocks(facts, request);
  return instruments instanceof Refusal ? instruments : answer(facts, request, instruments);
};

function answer(facts: Facts<Used>, request: C2S, instruments: readonly Instrument[]): S2C {
  const now = facts.clock.now();
  const page = olderThan(
    (from, to) => ratedBetween(facts, instruments, from, to),
    { mark: given(C2SSchema, request, 'seqMark'), now, since: now - KEPT_MS },
    { count: request.pageSize, takes: () => true },
  );
  const ratingList: RatingInfo[] = [];
  for (const rated of page.items) ratingList.push(ratingInfo(facts, rated));
  return create(S2CSchema, {
    retCode: BACKEND_SUCCESS,
    ratingList,
    ...known({ seqMark: olderMark(page) }),
  });
}

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

function ratingInfo({ listings }: Facts<'listings'>, { instrument, company, time, change, seq }: Rated): RatingInfo {
  const { broker, analyst, rating, target, previous } = change;
  const stories = storiesBetween(company, time, time);
  const item = stories.find(({ fact }) => fact?.kind === 'rating' && fact.change.broker === broker);
  return create(RatingInfoSchema, {
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
    ...known({
      previousRating: previous === undefined ? undefined : numberOf(previous.rating),
      previousTargetPrice: previous?.target,
      newsId: item?.newsId,
    }),
  });
}

/** 1 sell to 5 strong buy. */
function numberOf(rating: RatingChange['rating']): number {
  return ratings.length - ratings.indexOf(rating);
}
