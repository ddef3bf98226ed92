import { create } from '@bufbuild/protobuf';
import { CompanyProfileFieldType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  type CompanyLabItem,
  CompanyLabItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetCompanyProfile_pb';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { industryPlate } from '../../world/plates.js';
import { isoCode } from './money.js';
import { type Subject, subjectOf } from './subject.js';

const months = 'January February March April May June July August September October November December'.split(' ');

/** Qot_GetCompanyProfile: what is known of a company today, as names and values to show. */
export const getCompanyProfile: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, { security }) => {
  const subject = subjectOf(facts, security);
  return subject instanceof Refusal ? subject : create(S2CSchema, { itemList: [...itemsOf(facts, subject)] });
};

function* itemsOf(facts: Facts<'companies'>, subject: Subject): Generator<CompanyLabItem> {
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
  yield create(CompanyLabItemSchema, {
    name: 'Business',
    value: business(subject, seat),
    fieldType: CompanyProfileFieldType.CompanyProfileFieldType_IndependentTitle,
  });
}

function text(name: string, value: string): CompanyLabItem {
  return create(CompanyLabItemSchema, { name, value, fieldType: CompanyProfileFieldType.CompanyProfileFieldType_SourceText });
}

function business({ company, reported }: Subject, seat: string): string {
  const { home } = company.issuer;
  const { business: segments } = company.segments(company.lastPublished(reported));
  const bySize = [...segments].sort((a, b) => (a.revenue < b.revenue ? 1 : -1)).map(({ name }) => name);
  const where = seat === '' ? '' : ` from ${seat}`;
  return `${home.name} works${where} in ${bySize.length} business${bySize.length === 1 ? '' : 'es'}, by revenue: ${bySize.join(', ')}.`;
}
