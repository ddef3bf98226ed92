import type { Estimates } from './estimates.js';
import { FIRST_YEAR, firstOf, yearOf } from './growth.js';
import type { IssuerTimeline } from './issuer-timeline.js';
import type { DatedFact } from './news-facts.js';
import type { Opinions } from './opinions.js';
import { NOTICE_DAYS } from './share-events.js';

/** The events of a company on the days [from, to] but those of its listing. Confirmed ratings are none. */
export function companyFacts(company: IssuerTimeline, estimates: Estimates, opinions: Opinions, from: number, to: number): DatedFact[] {
  const ratings = opinions.between(from, to).filter(({ rating, previous }) => rating !== previous?.rating);
  return [
    ...results(company, estimates, from, to),
    ...actions(company, from, to),
    ...ratings.map((change) => ({ day: change.day, fact: { kind: 'rating', change } as const })),
    ...appointments(company, from, to),
  ];
}

function results(company: IssuerTimeline, estimates: Estimates, from: number, to: number): DatedFact[] {
  const { accounts, quartersPerReport: quarters } = company;
  const { fiscal } = company.profile;
  const found: DatedFact[] = [];
  for (let quarter = company.lastPublished(to); company.published(quarter) >= from; quarter -= quarters) {
    const day = company.published(quarter);
    const [fiscalYear, number] = [fiscal.fiscalYearOf(quarter), fiscal.numberOf(quarter)];
    const incomes = Array.from({ length: quarters }, (_, back) => accounts.income(quarter - back));
    const revenue = incomes.reduce((sum, income) => sum + income.revenue, 0n);
    const netIncome = accounts.netIncome(quarter, quarters);
    const surprise = estimates.surprise(quarter, day);
    found.push({ day, fact: { kind: 'results', quarter, quarters, fiscalYear, number, revenue, netIncome, surprise } });
    for (let back = 0; back < quarters; back++) {
      const restated = company.restatement(quarter - back - 4);
      if (restated === undefined) continue;
      found.push({ day, fact: { ...restated, kind: 'restatement', fiscalYear: fiscalYear - 1, number: fiscal.numberOf(quarter - back) } });
    }
  }
  return found;
}

function actions(company: IssuerTimeline, from: number, to: number): DatedFact[] {
  const years = [...new Set([yearOf(from), yearOf(to), yearOf(to) + 1])];
  const dividends = years
    .flatMap((year) => company.dividendsIn(year))
    .map((declared) => ({ day: declared.announced, fact: { kind: 'dividend', declared } as const }));
  const events = company.events.map((event) => {
    const price = event.kind === 'rights' ? company.subscriptionPrice(company.issuer.home, event) : undefined;
    return { day: event.ex - NOTICE_DAYS, fact: { kind: 'shares', event, price } as const };
  });
  return [...dividends, ...events].filter(({ day }) => day >= from && day <= to);
}

function appointments({ surroundings }: IssuerTimeline, from: number, to: number): DatedFact[] {
  const { careers, place } = surroundings.seat();
  const terms = careers.at(place, from - 1, to);
  return terms
    .filter((term) => term.from >= from && term.from > firstOf(FIRST_YEAR, 1))
    .map((term) => {
      const follows = terms.find(({ post, until }) => post === term.post && until === term.from - 1);
      return { day: term.from, fact: { kind: 'executive', term, follows } as const };
    });
}
