import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { ResearchRatingDimensionType, ResearchRatingType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { research as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { dayOfNumber } from '@svc-gateway/contract/time';
import { inSharesOf } from '../../companies/declared.js';
import type { Rating, RatingChange } from '../../companies/opinions.js';
import { Refusal } from '../../refusal.js';
import { keyOf } from '../../rng/random.js';
import type { Facts } from '../../view/facts.js';
import { threePlaces } from '../../view/figures.js';
import { numberedPage } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { percentOf } from './money.js';
import { dated, ofCompany, type Subject } from './subject.js';

const { ResearchRatingType_Sell: SELL, ResearchRatingType_Underperform: UNDERPERFORM } = ResearchRatingType;
const { ResearchRatingType_Hold: HOLD, ResearchRatingType_Buy: BUY, ResearchRatingType_StrongBuy: STRONG_BUY } = ResearchRatingType;

/** Qot_GetResearchAnalystConsensus: the last opinion of each broker in three months; in the United States in three grades. Nothing but a count of 0 where none has spoken. */
export const getResearchAnalystConsensus: AnswerTo<typeof declared.getResearchAnalystConsensus> = ofCompany((facts, subject) => {
  const { listing } = subject;
  const opinions = latestOpinions(subject, RECENT_DAYS);
  const [newest] = opinions;
  if (newest === undefined) return { total: 0 };
  const targets = opinions.map(({ target, day }) => targetPrice(facts, subject, target, day));
  const isUs = listing.instrument.market === 'US';
  const grades = opinions.map(({ rating }) => (isUs ? threeGrades(ratingNumber(rating)) : ratingNumber(rating)));
  const part = (grade: ResearchRatingType) => percentOf(grades.filter((one) => one === grade).length, grades.length) ?? 0;
  // Three grades are a scale without gaps: a sale is as far from a hold as a purchase is.
  const steps = isUs ? grades.map((grade) => Math.max(grade, UNDERPERFORM)) : grades;
  const mean = Math.round(steps.reduce((sum, grade) => sum + grade, 0) / steps.length) as ResearchRatingType;
  const updated = dayOfNumber(newest.day);
  return {
    highest: Math.max(...targets),
    average: Math.round((targets.reduce((sum, target) => sum + target, 0) / targets.length) * 1e6) / 1e6,
    lowest: Math.min(...targets),
    rating: isUs ? threeGrades(mean) : mean,
    total: opinions.length,
    ...dated(listing, 'updateTime', updated),
    buy: part(BUY),
    hold: part(HOLD),
    sell: part(SELL),
    ...(isUs ? {} : { strongBuy: part(STRONG_BUY), underperform: part(UNDERPERFORM) }),
  };
});

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
export const getResearchRatingSummary: AnswerTo<typeof declared.getResearchRatingSummary> = ofCompany((facts, subject, request) => {
  const byAnalyst = request.ratingDimensionType === ResearchRatingDimensionType.ResearchRatingDimensionType_Analyst;
  const authors = authorsOf(subject);
  const uidOf = ({ newest }: Author) => (byAnalyst ? analystUid(subject, newest) : brokerUid(newest));
  if (request.uid !== '') {
    const author = authors.find((one) => uidOf(one) === request.uid);
    if (author !== undefined) return detail(facts, subject, authors, author, byAnalyst);
    const what = byAnalyst ? 'analyst_uid' : 'institution_uid';
    return new Refusal(`uid: nobody with ${quoted(request.uid)} rates ${subject.listing.instrument.symbol}; take an ${what} of the list`);
  }
  const page = numberedPage(authors, uidOf, request, NUM);
  if (page instanceof Refusal) return page;
  const { items, next: nextKey } = page;
  const rows = items.map((author) => ({ author, ratingItemList: author.opinions.map((one) => ratingItem(facts, subject, one)) }));
  if (byAnalyst) {
    const analystRatingSummaryList = rows.map(({ author, ...row }) => ({ analystInfo: analystInfo(subject, authors, author), ...row }));
    return { analystRatingSummaryList, nextKey };
  }
  const instRatingSummaryList = rows.map(({ author, ...row }) => ({ institutionInfo: institutionInfo(subject, author), ...row }));
  return { instRatingSummaryList, nextKey };
});

function detail(facts: Facts<'companies'>, subject: Subject, authors: readonly Author[], author: Author, byAnalyst: boolean) {
  const ratingItemList = author.opinions.map((one) => ratingItem(facts, subject, one));
  const analyst = analystInfo(subject, authors, author);
  if (byAnalyst) return { analystRatingDetail: { analystInfo: analyst, ratingItemList }, nextKey: '-1' };
  const { stockSuccessRate: _rate, stockAvgReturn: _return, institutionInfo: _institution, ...short } = analyst;
  const instRatingDetail = { institutionInfo: institutionInfo(subject, author), analystInfoList: [short], ratingItemList };
  return { instRatingDetail, nextKey: '-1' };
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
  return {
    analystUid: analystUid(subject, change),
    institutionUid: brokerUid(change),
    rating: threeGrades(ratingNumber(change.rating)),
    targetPrice: targetPrice(facts, subject, change.target, change.day),
    ...dated(subject.listing, 'recommendationDate', day),
    ...dated(subject.listing, 'updateTime', day),
  };
}

function institutionInfo({ listing }: Subject, { newest }: Author) {
  return {
    institutionUid: brokerUid(newest),
    institutionName: newest.broker,
    institutionEnName: newest.broker,
    institutionSourceName: newest.broker,
    ...dated(listing, 'updateTime', dayOfNumber(newest.day)),
  };
}

/** An analyst writes about one company, so that the record on the stock is the whole one. What is in excess is so over all who cover it. */
function analystInfo(subject: Subject, authors: readonly Author[], author: Author) {
  const { successRate, meanReturn } = trackRecord(subject, author.opinions);
  const all = trackRecord(
    subject,
    authors.flatMap(({ opinions }) => opinions),
  );
  const day = dayOfNumber(author.newest.day);
  return {
    analystUid: analystUid(subject, author.newest),
    analystName: author.newest.analyst,
    numOfStars: successRate === undefined ? undefined : Math.round((successRate / 100) * STARS * 2) / 2,
    successRate,
    excessReturn: meanReturn === undefined || all.meanReturn === undefined ? undefined : threePlaces(meanReturn - all.meanReturn),
    stockSuccessRate: successRate,
    stockAvgReturn: meanReturn,
    institutionInfo: institutionInfo(subject, author),
    ...dated(subject.listing, 'updateTime', day),
  };
}

/** Three months, which count as recent. */
const RECENT_DAYS = 91;

const numbers: Readonly<Record<Rating, ResearchRatingType>> = {
  'strong buy': ResearchRatingType.ResearchRatingType_StrongBuy,
  buy: ResearchRatingType.ResearchRatingType_Buy,
  hold: ResearchRatingType.ResearchRatingType_Hold,
  underperform: ResearchRatingType.ResearchRatingType_Underperform,
  sell: ResearchRatingType.ResearchRatingType_Sell,
};

export function ratingNumber(rating: Rating): ResearchRatingType {
  return numbers[rating];
}

/** The same where there are three grades: a strong buy is a buy, and who expects less than the market sells. */
export function threeGrades(rating: ResearchRatingType): ResearchRatingType {
  if (rating >= ResearchRatingType.ResearchRatingType_Buy) return ResearchRatingType.ResearchRatingType_Buy;
  return rating <= ResearchRatingType.ResearchRatingType_Underperform ? ResearchRatingType.ResearchRatingType_Sell : rating;
}

/** A target price of a day as it is for one share of the listing today, in its currency at today's rate. */
export function targetPrice(
  { companies }: Facts<'companies'>,
  { listing, company, ordinary, day, today }: Subject,
  target: Decimal,
  then: number,
): number {
  const shares = inSharesOf(target, company.shareFactor(then), company.shareFactor(day));
  return decimalToNumber(companies.inCurrency(shares * ordinary, company.issuer.home.currency, listing.instrument.currency, today));
}

/** Each broker's last opinion within so many days, newest first. */
export function latestOpinions({ company, day, rated }: Subject, days: number): readonly RatingChange[] {
  const latest = new Map<string, RatingChange>();
  for (const change of company.ratings(day - days, rated)) latest.set(change.broker, change);
  return [...latest.values()].sort((a, b) => b.day - a.day || (a.broker < b.broker ? -1 : 1));
}

/** Stable numbers as text: of a broker the same for every company. */
export function brokerUid({ broker }: Pick<RatingChange, 'broker'>): string {
  return String(keyOf(`broker|${broker}`) >>> 0);
}

function analystUid({ company }: Subject, { broker, analyst }: Pick<RatingChange, 'broker' | 'analyst'>): string {
  return String(keyOf(`analyst|${company.issuer.home.symbol}|${broker}|${analyst}`) >>> 0);
}

/** How well opinions did: percent, to three places; undefined where none has had its time. */
interface TrackRecord {
  /** Share of opinions other than hold that the price proved right. */
  readonly successRate: number | undefined;
  /** Mean gain of following them. */
  readonly meanReturn: number | undefined;
}

/** Days after which an opinion is judged. */
const HORIZON_DAYS = 90;
/** Age limit of opinions that count, in days. */
const RECORD_DAYS = 3 * 365;

/**
 * Record of opinions on one company: a buy is right when the price has risen after ninety days, a sell when it has fallen; splits
 * are no moves.
 */
function trackRecord({ company, over }: Subject, opinions: readonly RatingChange[]): TrackRecord {
  const { home } = company.issuer;
  const level = (on: number) => company.prices.at(home, on) / company.prices.eventLevel(on);
  const gains = opinions
    .filter((one) => one.day + HORIZON_DAYS <= over && one.rating !== 'hold')
    .map((one) => {
      const gain = level(one.day + HORIZON_DAYS) / level(one.day) - 1;
      return one.rating === 'buy' || one.rating === 'strong buy' ? gain : -gain;
    });
  if (gains.length === 0) return { successRate: undefined, meanReturn: undefined };
  const places = (value: number) => Math.round(value * 100_000) / 1000;
  return {
    successRate: places(gains.filter((gain) => gain > 0).length / gains.length),
    meanReturn: places(gains.reduce((sum, gain) => sum + gain, 0) / gains.length),
  };
}
