import { CompanyProfileFieldType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { CompanyLabItem } from '@svc-gateway/contract/generated/Qot_GetCompanyProfile_pb';
import type { research as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { dayOfNumber } from '@svc-gateway/contract/time';
import type { CareerStep, Executive } from '../../companies/company.js';
import type { Person } from '../../companies/people.js';
import { education } from '../../companies/workforce.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { secondsOf } from '../../view/listings.js';
import type { Fields } from '../../view/messages.js';
import { industryPlate } from '../../world/plates.js';
import type { AnswerTo } from '../table.js';
import { isoCode } from './money.js';
import { dated, ofCompany, type Subject, subjectOf } from './subject.js';

const months = 'January February March April May June July August September October November December'.split(' ');

/** Qot_GetCompanyProfile: what is known of a company today, as names and values to show. */
export const getCompanyProfile: AnswerTo<typeof declared.getCompanyProfile> = (facts, { security }) => {
  const subject = subjectOf(facts, security);
  return subject instanceof Refusal ? subject : { itemList: [...itemsOf(facts, subject)] };
};

function* itemsOf(facts: Facts<'companies'>, subject: Subject): Generator<Fields<CompanyLabItem>> {
  const { listing, company, today, day, reported, appointed } = subject;
  const { issuer, profile, industry } = company;
  const { home, classes } = issuer;
  const { instrument } = listing;
  yield text('Company name', home.name);
  yield text('Symbol', instrument.symbol);
  yield text('Listing date', instrument.listDate);
  const others = classes.filter((one) => one.instrument !== instrument);
  if (others.length > 0) yield text('Also listed as', others.map((one) => one.instrument.symbol).join(', '));
  if (subject.ordinary > 1n) yield text('Ordinary shares per share', String(subject.ordinary));
  yield text('Industry', industryPlate(home.market, industry)?.name ?? '');
  const seat = company.plates(day).find(({ kind }) => kind === 'region')?.name ?? '';
  if (seat !== '') yield text('Registered office', seat);
  for (const { post, person } of company.executives(appointed)) yield text(post, person.name);
  yield text('Employees', String(company.employees(company.lastPublished(reported))));
  yield text('Issued shares', String(facts.companies.figures(instrument, today).issuedShares));
  yield text('Fiscal year ends in', months[profile.fiscal.yearEndMonth - 1] ?? '');
  yield text('Reports a year', String(profile.reporting.reports));
  yield text('Currency of accounts', isoCode(home.currency));
  yield {
    name: 'Business',
    value: business(subject, seat),
    fieldType: CompanyProfileFieldType.CompanyProfileFieldType_IndependentTitle,
  };
}

function text(name: string, value: string) {
  return { name, value, fieldType: CompanyProfileFieldType.CompanyProfileFieldType_SourceText };
}

function business({ company, reported }: Subject, seat: string): string {
  const { home } = company.issuer;
  const { business: segments } = company.segments(company.lastPublished(reported));
  const bySize = [...segments].sort((a, b) => (a.revenue < b.revenue ? 1 : -1)).map(({ name }) => name);
  const where = seat === '' ? '' : ` from ${seat}`;
  return `${home.name} works${where} in ${bySize.length} business${bySize.length === 1 ? '' : 'es'}, by revenue: ${bySize.join(', ')}.`;
}

/** Qot_GetCompanyExecutives: who is in office today. Pay is a year's, in the currency of the accounts, as the last annual report tells it. */
export const getCompanyExecutives: AnswerTo<typeof declared.getCompanyExecutives> = ofCompany((_, subject) => {
  return {
    directorList: subject.company.executives(subject.appointed).map((executive) => directorOf(subject, executive)),
  };
});

function directorOf({ listing, company, today, reported }: Subject, executive: Executive) {
  const { person, post, since } = executive;
  const year = company.lastPublishedYear(reported);
  const [beginDay, issueDay] = [dayOfNumber(since), dayOfNumber(company.published(year))];
  return {
    displayLeaderName: person.name,
    leaderName: person.name,
    positionName: post,
    beginDate: BigInt(Math.max(0, secondsOf(listing, beginDay))),
    beginDateStr: beginDay,
    leaderAge: String(Number(today.slice(0, 4)) - person.birthYear),
    highestEducation: education(person),
    annualSalary: company.yearlyPay(executive, company.published(year)),
    ...dated(listing, 'issueDate', issueDay),
  };
}

const degreeOf = { Bachelor: 'a bachelor’s degree', Master: 'a master’s degree', Doctorate: 'a doctorate' } as const;

/** Qot_GetCompanyExecutiveBackground: the career of somebody in office. Where two of one name are, both are told of. */
export const getCompanyExecutiveBackground: AnswerTo<typeof declared.getCompanyExecutiveBackground> = ofCompany(
  (_, subject, { leaderName }) => {
    const people = subject.company.executives(subject.appointed).map(({ person }) => person);
    const named = people.filter(({ name }) => name === leaderName.trim());
    if (named.length > 0) return { briefBackground: named.map((person) => storyOf(subject, person)).join(' ') };
    const names = people.map(({ name }) => name).join(', ');
    const found = leaderName === '' ? 'nothing' : quoted(leaderName);
    return new Refusal(
      `leader_name: expected somebody in office at ${subject.listing.instrument.symbol}, found ${found}; in office: ${names}`,
      'broker.value',
    );
  },
);

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
