import { create } from '@bufbuild/protobuf';
import { ResearchRatingDimensionType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  AnalystInfoSchema,
  AnalystRatingDetailSchema,
  AnalystRatingSummaryItemSchema,
  type C2S,
  C2SSchema,
  InstInfoSchema,
  InstRatingDetailSchema,
  InstRatingSummaryItemSchema,
  RatingItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetResearchRatingSummary_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { dayOfNumber } from '@svc-gateway/contract/time';
import type { RatingChange } from '../../companies/opinions.js';
import { Refusal } from '../../refusal.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { analystUid, brokerUid, RECORD_DAYS, ratingNumber, targetPrice, threeGrades, trackRecord } from './opinions.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

const NUM = { fallback: 10, max: 20 };
/** A broker that has said nothing for longer covers the company no more. */
const COVERS_DAYS = 366;
const STARS = 5;

/** A broker with its analyst and what it said of the company, newest first. */
interface Author {
  readonly newest: RatingChange;
  readonly opinions: readonly RatingChange[];
}

/** Qot_GetResearchRatingSummary: brokers, or their analysts, with what they said of a company in three years; or one of them. */
export const getResearchRatingSummary: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, request) => {
  const subject = subjectOf(facts, request.security);
  if (subject instanceof Refusal) return subject;
  const byAnalyst = request.ratingDimensionType === ResearchRatingDimensionType.ResearchRatingDimensionType_Analyst;
  const authors = authorsOf(subject);
  const uidOf = ({ newest }: Author) => (byAnalyst ? analystUid(subject, newest) : brokerUid(newest));
  if (request.uid !== '') {
    const author = authors.find((one) => uidOf(one) === request.uid);
    if (author !== undefined) return detail(facts, subject, authors, author, byAnalyst);
    const what = byAnalyst ? 'analyst_uid' : 'institution_uid';
    return new Refusal(`uid: nobody with ${quoted(request.uid)} rates ${subject.listing.instrument.symbol}; take an ${what} of the list`);
  }
  const page = pageAfter(
    authors,
    uidOf,
    { field: 'next_key', value: request.nextKey, end: '-1' },
    { field: 'num', value: given(C2SSchema, request, 'num') ?? NUM.fallback, max: NUM.max },
  );
  if (page instanceof Refusal) return page;
  const { items, next: nextKey } = page;
  const ratings = (author: Author) => author.opinions.map((one) => ratingItem(facts, subject, one));
  if (byAnalyst) {
    const analystRatingSummaryList = items.map((author) =>
      create(AnalystRatingSummaryItemSchema, { analystInfo: analystInfo(subject, authors, author), ratingItemList: ratings(author) }),
    );
    return create(S2CSchema, { analystRatingSummaryList, nextKey });
  }
  const instRatingSummaryList = items.map((author) =>
    create(InstRatingSummaryItemSchema, { institutionInfo: institutionInfo(subject, author), ratingItemList: ratings(author) }),
  );
  return create(S2CSchema, { instRatingSummaryList, nextKey });
};

function detail(facts: Facts<'companies'>, subject: Subject, authors: readonly Author[], author: Author, byAnalyst: boolean): S2C {
  const ratingItemList = author.opinions.map((one) => ratingItem(facts, subject, one));
  const analyst = analystInfo(subject, authors, author);
  if (byAnalyst)
    return create(S2CSchema, {
      analystRatingDetail: create(AnalystRatingDetailSchema, { analystInfo: analyst, ratingItemList }),
      nextKey: '-1',
    });
  const { stockSuccessRate: _rate, stockAvgReturn: _return, institutionInfo: _institution, $typeName: _type, ...short } = analyst;
  const institution = institutionInfo(subject, author);
  return create(S2CSchema, {
    instRatingDetail: create(InstRatingDetailSchema, {
      institutionInfo: institution,
      analystInfoList: [create(AnalystInfoSchema, short)],
      ratingItemList,
    }),
    nextKey: '-1',
  });
}

/** Brokers that cover the company, newest opinion first. */
function authorsOf({ company, day, rated }: Subject): readonly Author[] {
  const byBroker = new Map<string, RatingChange[]>();
  for (const change of company.ratings(day - RECORD_DAYS, rated))
    byBroker.set(change.broker, [change, ...(byBroker.get(change.broker) ?? [])]);
  return [...byBroker.values()]
    .flatMap((opinions) => {
      const [newest] = opinions;
      return newest === undefined || newest.day < day - COVERS_DAYS ? [] : [{ newest, opinions }];
    })
    .sort((a, b) => b.newest.day - a.newest.day || (a.newest.broker < b.newest.broker ? -1 : 1));
}

function ratingItem(facts: Facts<'companies'>, subject: Subject, change: RatingChange) {
  const day = dayOfNumber(change.day);
  const seconds = BigInt(secondsOf(subject.listing, day));
  return create(RatingItemSchema, {
    analystUid: analystUid(subject, change),
    institutionUid: brokerUid(change),
    rating: threeGrades(ratingNumber(change.rating)),
    targetPrice: targetPrice(facts, subject, change.target, change.day),
    recommendationDate: seconds,
    recommendationDateStr: day,
    updateTime: seconds,
    updateTimeStr: day,
  });
}

function institutionInfo({ listing }: Subject, { newest }: Author) {
  const day = dayOfNumber(newest.day);
  return create(InstInfoSchema, {
    institutionUid: brokerUid(newest),
    institutionName: newest.broker,
    institutionEnName: newest.broker,
    institutionSourceName: newest.broker,
    updateTime: BigInt(secondsOf(listing, day)),
    updateTimeStr: day,
  });
}

/** An analyst writes about one company, so that the record on the stock is the whole one. What is in excess is so over all who cover it. */
function analystInfo(subject: Subject, authors: readonly Author[], author: Author) {
  const { successRate, meanReturn } = trackRecord(subject, author.opinions);
  const all = trackRecord(
    subject,
    authors.flatMap(({ opinions }) => opinions),
  );
  const day = dayOfNumber(author.newest.day);
  return create(AnalystInfoSchema, {
    analystUid: analystUid(subject, author.newest),
    analystName: author.newest.analyst,
    ...known({
      numOfStars: successRate === undefined ? undefined : Math.round((successRate / 100) * STARS * 2) / 2,
      successRate,
      excessReturn:
        meanReturn === undefined || all.meanReturn === undefined ? undefined : Math.round((meanReturn - all.meanReturn) * 1000) / 1000,
      stockSuccessRate: successRate,
      stockAvgReturn: meanReturn,
    }),
    institutionInfo: institutionInfo(subject, author),
    updateTime: BigInt(secondsOf(subject.listing, day)),
    updateTimeStr: day,
  });
}
