import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { ResearchRatingType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { inSharesOf } from '../../companies/declared.js';
import type { Rating, RatingChange } from '../../companies/opinions.js';
import { keyOf } from '../../rng/random.js';
import type { Facts } from '../../view/facts.js';
import type { Subject } from './subject.js';

/** Three months, which count as recent. */
export const RECENT_DAYS = 91;

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

export function analystUid({ company }: Subject, { broker, analyst }: Pick<RatingChange, 'broker' | 'analyst'>): string {
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
export const RECORD_DAYS = 3 * 365;

/**
 * Record of opinions on one company: a buy is right when the price has risen after ninety days, a sell when it has fallen; splits
 * are no moves.
 */
export function trackRecord({ company, over }: Subject, opinions: readonly RatingChange[]): TrackRecord {
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
