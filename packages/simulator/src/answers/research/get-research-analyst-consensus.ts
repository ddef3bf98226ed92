import { create } from '@bufbuild/protobuf';
import { ResearchRatingType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetResearchAnalystConsensus_pb';
import { dayOfNumber } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { percentOf } from './money.js';
import { latestOpinions, RECENT_DAYS, ratingNumber, targetPrice, threeGrades } from './opinions.js';
import { secondsOf, subjectOf } from './subject.js';

const { ResearchRatingType_Sell: SELL, ResearchRatingType_Underperform: UNDERPERFORM } = ResearchRatingType;
const { ResearchRatingType_Hold: HOLD, ResearchRatingType_Buy: BUY, ResearchRatingType_StrongBuy: STRONG_BUY } = ResearchRatingType;

/** Qot_GetResearchAnalystConsensus: the last opinion of each broker in three months; in the United States in three grades. Nothing but a count of 0 where none has spoken. */
export const getResearchAnalystConsensus: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, { security }) => {
  const subject = subjectOf(facts, security);
  if (subject instanceof Refusal) return subject;
  const { listing } = subject;
  const opinions = latestOpinions(subject, RECENT_DAYS);
  const [newest] = opinions;
  if (newest === undefined) return create(S2CSchema, { total: 0 });
  const targets = opinions.map(({ target, day }) => targetPrice(facts, subject, target, day));
  const isUs = listing.instrument.market === 'US';
  const grades = opinions.map(({ rating }) => (isUs ? threeGrades(ratingNumber(rating)) : ratingNumber(rating)));
  const part = (grade: ResearchRatingType) => percentOf(grades.filter((one) => one === grade).length, grades.length) ?? 0;
  // Three grades are a scale without gaps: a sale is as far from a hold as a purchase is.
  const steps = isUs ? grades.map((grade) => Math.max(grade, UNDERPERFORM)) : grades;
  const mean = Math.round(steps.reduce((sum, grade) => sum + grade, 0) / steps.length) as ResearchRatingType;
  const updated = dayOfNumber(newest.day);
  return create(S2CSchema, {
    highest: Math.max(...targets),
    average: Math.round((targets.reduce((sum, target) => sum + target, 0) / targets.length) * 1e6) / 1e6,
    lowest: Math.min(...targets),
    rating: isUs ? threeGrades(mean) : mean,
    total: opinions.length,
    updateTime: BigInt(secondsOf(listing, updated)),
    updateTimeStr: updated,
    buy: part(BUY),
    hold: part(HOLD),
    sell: part(SELL),
    ...(isUs ? {} : { strongBuy: part(STRONG_BUY), underperform: part(UNDERPERFORM) }),
  });
};
