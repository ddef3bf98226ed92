import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetCompanyExecutiveBackground_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { dayOfNumber } from '@svc-gateway/contract/time';
import type { CareerStep } from '../../companies/company.js';
import type { Person } from '../../companies/people.js';
import { education } from '../../companies/workforce.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { type Subject, subjectOf } from './subject.js';

const degreeOf = { Bachelor: 'a bachelor’s degree', Master: 'a master’s degree', Doctorate: 'a doctorate' } as const;

/** Qot_GetCompanyExecutiveBackground: the career of somebody in office. Where two of one name are, both are told of. */
export const getCompanyExecutiveBackground: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (
  facts,
  { security, leaderName },
) => {
  const subject = subjectOf(facts, security);
  if (subject instanceof Refusal) return subject;
  const people = subject.company.executives(subject.appointed).map(({ person }) => person);
  const named = people.filter(({ name }) => name === leaderName.trim());
  if (named.length > 0) return create(S2CSchema, { briefBackground: named.map((person) => storyOf(subject, person)).join(' ') });
  const names = people.map(({ name }) => name).join(', ');
  const found = leaderName === '' ? 'nothing' : quoted(leaderName);
  return new Refusal(
    `leader_name: expected somebody in office at ${subject.listing.instrument.symbol}, found ${found}; in office: ${names}`,
    'broker.value',
  );
};

function storyOf({ company, appointed }: Subject, person: Person): string {
  const steps = company.career(person, appointed).map((step) => stepText(step, company.issuer.home.symbol));
  return `${person.name}, born in ${person.birthYear}, holds ${degreeOf[education(person)]}. ${steps.join(' ')}`;
}

function stepText({ company, post, from, until }: CareerStep, here: string): string {
  const where =
    company === undefined ? 'a company that is not listed' : company.symbol === here ? company.name : `${company.name} (${company.symbol})`;
  const since = dayOfNumber(from).slice(0, 7);
  return until === undefined
    ? `Since ${since} ${post} of ${where}.`
    : `${post} of ${where} from ${since} to ${dayOfNumber(until).slice(0, 7)}.`;
}
