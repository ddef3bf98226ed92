import { create } from '@bufbuild/protobuf';
import { ResearchRatingType } from '../../../contract/generated/Qot_Common_pb.js';
import {
  type C2S,
  C2SSchema,
  RatingChangeItemSchema,
  RatingChangeType,
  RatingLevel,
  type S2C,
  S2CSchema,
} from '../../../contract/generated/Qot_GetRatingChange_pb.js';
import { ratedMarket, ratingChangeType } from '../../../contract/institution-enums.js';
import type { QuoteMarket } from '../../../contract/markets.js';
import { dayOfNumber } from '../../../contract/time.js';
import type { Companies } from '../../companies/index.js';
import type { RatingChange } from '../../companies/opinions.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { checkChoice, marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given } from '../../view/given.js';
import { Kept } from '../../view/kept.js';
import type { Listing } from '../../view/listings.js';
import { eachShareOf } from '../../view/stock-figures.js';
import { marketCalendar } from '../../world/index.js';
import { brokerUid, ratingNumber, targetPrice, threeGrades } from '../research/opinions.js';
import { subjectFor } from '../research/subject.js';

const COUNT = { fallback: 10, max: 20 };
/** What counts as a change of late. */
const RECENT_DAYS = 30;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings'>;

interface Row {
  readonly listing: Listing;
  readonly change: RatingChange;
  readonly type: RatingChangeType;
}

/** Qot_GetRatingChange: opinions of the last thirty days on a market's shares that raised or lowered a rating, in three grades, or were a broker's first; newest first. */
export const getRatingChange: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings', C2S, S2C> = async (facts, request) => {
  const market = marketOf(request.market, ratedMarket);
  if (market instanceof Refusal) return market;
  const wanted = given(C2SSchema, request, 'changeType') || RatingChangeType.RatingChangeType_Upgrade;
  const unknown = checkChoice('change_type', wanted, ratingChangeType);
  if (unknown !== undefined) return unknown;
  const rows = (await changesIn(facts, market)).filter(({ type }) => type === wanted);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(rows, keyOf, { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, { dataList: page.items.map((row) => itemOf(facts, row)), allCount: rows.length, nextPage: page.next });
};

const MARKETS = 16;
const changes = new WeakMap<Companies, Kept<readonly Row[]>>();

/** All in a market, newest first; worked out once a day. */
function changesIn(facts: Needed, market: QuoteMarket): readonly Row[] | Promise<readonly Row[]> {
  const kept = changes.get(facts.companies) ?? new Kept<readonly Row[]>(MARKETS);
  changes.set(facts.companies, kept);
  return kept.get(market, facts.world.today(marketCalendar(market)), {
    make: async () => {
      const found = (await inTurns(eachShareOf(facts, market, (listing) => changesOf(facts, listing)))).flat();
      const keys = new Map(found.map((row) => [row, keyOf(row)]));
      return found.sort((a, b) => b.change.day - a.change.day || ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1));
    },
  });
}

function keyOf({ listing, change }: Row): string {
  return `${change.day}-${listing.instrument.code}-${brokerUid(change)}`;
}

function changesOf(facts: Needed, listing: Listing): readonly Row[] {
  const { company, day } = subjectFor(facts, listing);
  return company.ratings(day - RECENT_DAYS, day).flatMap((change) => {
    const type = typeOf(change);
    return type === undefined ? [] : [{ listing, change, type }];
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
  return create(RatingChangeItemSchema, {
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
  });
}
