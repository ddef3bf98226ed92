import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type DirectorInfo,
  DirectorInfoSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetCompanyExecutives_pb';
import { dayOfNumber } from '@svc-gateway/contract/time';
import type { Executive } from '../../companies/company.js';
import { education } from '../../companies/workforce.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

/** Qot_GetCompanyExecutives: who is in office today. Pay is a year's, in the currency of the accounts, as the last annual report tells it. */
export const getCompanyExecutives: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, { security }) => {
  const subject = subjectOf(facts, security);
  if (subject instanceof Refusal) return subject;
  return create(S2CSchema, {
    directorList: subject.company.executives(subject.appointed).map((executive) => directorOf(subject, executive)),
  });
};

function directorOf({ listing, company, today, reported }: Subject, executive: Executive): DirectorInfo {
  const { person, post, since } = executive;
  const year = company.lastPublishedYear(reported);
  const [beginDay, issueDay] = [dayOfNumber(since), dayOfNumber(company.published(year))];
  return create(DirectorInfoSchema, {
    displayLeaderName: person.name,
    leaderName: person.name,
    positionName: post,
    beginDate: BigInt(Math.max(0, secondsOf(listing, beginDay))),
    beginDateStr: beginDay,
    leaderAge: String(Number(today.slice(0, 4)) - person.birthYear),
    highestEducation: education(person),
    annualSalary: company.yearlyPay(executive, company.published(year)),
    issueDate: BigInt(secondsOf(listing, issueDay)),
    issueDateStr: issueDay,
  });
}
