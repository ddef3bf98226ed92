import { ResearchRatingType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { RatingChangeType, RatingLevel } from '@svc-gateway/contract/generated/Qot_GetRatingChange_pb';
import { ratedMarket, ratingChangeType } from '@svc-gateway/contract/institution-enums';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { institution as declared } from '@svc-gateway/contract/operations';
import { dayOfNumber } from '@svc-gateway/contract/time';
import type { RatingChange } from '../../companies/opinions.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { given } from '../../view/messages.js';
import { checkChoice, countedPage, marketOf } from '../../view/requests.js';
import { sharesOf } from '../../view/stock-figures.js';
import { marketCalendar } from '../../world/index.js';
import { brokerUid, ratingNumber, targetPrice, threeGrades } from '../research/ratings.js';
import { subjectFor } from '../research/subject.js';
import type { AnswerTo } from '../table.js';

const COUNT = { fallback: 10, max: 20 };
/** Age of the oldest change that counts as recent. */
const RECENT_DAYS = 30;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches'>;

interface Row {
  readonly listing: Listing;
  readonly change: RatingChange;
  readonly type: RatingChangeType;
  /** Its own within the market. */
  readonly key: string;
}

/** Newest first. */
type Changes = ReadonlyMap<RatingChangeType, readonly Row[]>;

/** Qot_GetRatingChange: opinions of the last thirty days on a market's shares that raised or lowered a rating, in three grades, or were a broker's first; newest first. */
export const getRatingChange: AnswerTo<typeof declared.getRatingChange> = (facts, request) => {
  const market = marketOf(request.market, ratedMarket);
  if (market instanceof Refusal) return market;
  const wanted = given(request, 'changeType') || RatingChangeType.RatingChangeType_Upgrade;
  const unknown = checkChoice('change_type', wanted, ratingChangeType);
  if (unknown !== undefined) return unknown;
  const rows = changesIn(facts, market).get(wanted) ?? [];
  const page = countedPage(rows, ({ key }) => key, request, COUNT);
  if (page instanceof Refusal) return page;
  return { dataList: page.items.map((row) => itemOf(facts, row)), allCount: rows.length, nextPage: page.next };
};

const changes: CacheKind<Changes> = { max: 16 };

/** All in a market; worked out once a day, of what was out when it began. */
function changesIn(facts: Needed, market: QuoteMarket): Changes {
  return facts.caches.get(changes, market, facts.world.today(marketCalendar(market)), () => makeChanges(facts, market));
}

/** There are tens of thousands in a month: they are put in order day by day. */
function makeChanges(facts: Needed, market: QuoteMarket): Changes {
  const byDay = new Map<number, Row[]>();
  const found = sharesOf(facts, market).map((listing) => changesOf(facts, listing));
  for (const rows of found) {
    for (const row of rows) {
      const ofDay = byDay.get(row.change.day);
      if (ofDay === undefined) byDay.set(row.change.day, [row]);
      else ofDay.push(row);
    }
  }
  const byType = new Map<RatingChangeType, Row[]>();
  for (const day of [...byDay.keys()].sort((a, b) => b - a)) {
    for (const row of (byDay.get(day) ?? []).sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const ofType = byType.get(row.type);
      if (ofType === undefined) byType.set(row.type, [row]);
      else ofType.push(row);
    }
  }
  return byType;
}

function keyOf({ instrument }: Listing, change: RatingChange): string {
  return `${change.day}-${instrument.code}-${brokerUid(change)}`;
}

function changesOf(facts: Needed, listing: Listing): readonly Row[] {
  const { company, day } = subjectFor(facts, listing);
  return company.ratings(day - RECENT_DAYS, day - 1).flatMap((change) => {
    const type = typeOf(change);
    return type === undefined ? [] : [{ listing, change, type, key: keyOf(listing, change) }];
  });
}

/** Undefined for a confirmation. */
function typeOf({ rating, previous }: RatingChange): RatingChangeType | undefined {
  if (previous === undefined) return RatingChangeType.RatingChangeType_NewRating;
  const [now, before] = [levelOf(rating), levelOf(previous.rating)];
  if (now === before) return undefined;
  return now > before ? RatingChangeType.RatingChangeType_Upgrade : RatingChangeType.RatingChangeType_Downgrade;
}

function levelOf(rating: RatingChange['rating']): RatingLevel {
  const grade = threeGrades(ratingNumber(rating));
  if (grade === ResearchRatingType.ResearchRatingType_Buy) return RatingLevel.RatingLevel_Buy;
  return grade === ResearchRatingType.ResearchRatingType_Sell ? RatingLevel.RatingLevel_Sell : RatingLevel.RatingLevel_Hold;
}

function itemOf(facts: Needed, { listing, change, type }: Row) {
  const subject = subjectFor(facts, listing);
  const { previous } = change;
  return {
    security: listing.security,
    name: listing.instrument.name,
    rating: levelOf(change.rating),
    targetPrice: targetPrice(facts, subject, change.target, change.day),
    changeType: type,
    institutionName: change.broker,
    recommendationDate: dayOfNumber(change.day),
    ...(previous === undefined
      ? {}
      : {
          lastRating: levelOf(previous.rating),
          // It is in shares of the newer opinion's day already.
          lastTargetPrice: targetPrice(facts, subject, previous.target, change.day),
          lastRecommendationDate: dayOfNumber(previous.day),
        }),
  };
}
