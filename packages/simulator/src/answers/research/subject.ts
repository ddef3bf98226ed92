import { F10Type } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { requireDay } from '@svc-gateway/contract/time';
import { type Company, lastDayOver, lastPublicDay } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import { about, type Facts } from '../../view/facts.js';
import { type Listing, secondsOf } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { numberedPage, type Page } from '../../view/requests.js';
import { isIssuedByCompany, kinds } from '../../world/kinds.js';

/** The company that a request names by one of its listings, on the listing's day. */
export interface Subject {
  readonly listing: Listing;
  readonly company: Company;
  /** "2026-11-20", and counted from 1970-01-01. */
  readonly today: string;
  readonly day: number;
  /** Days of the home market: the last ones whose results, ratings and appointments are out, and the last one that is over. */
  readonly reported: number;
  readonly rated: number;
  readonly appointed: number;
  readonly over: number;
  /** Ordinary shares that a share of the listing stands for. */
  readonly ordinary: bigint;
}

/** Finds the subject, or says why there is none: not known, not listed yet, or nothing that a company issued. */
export function subjectOf(
  facts: Facts<'clock' | 'world' | 'companies' | 'listings'>,
  security: { readonly market: number; readonly code: string } | undefined,
): Subject | Refusal {
  const listing = locate(facts, security);
  if (listing instanceof Refusal) return listing;
  const { symbol, kind } = listing.instrument;
  if (!isIssuedByCompany(listing.instrument))
    return new Refusal(`${symbol} is ${kinds[kind].noun}: only shares of companies have these figures`);
  return subjectFor(facts, listing);
}

/** Answers about the company that a request names. */
export const ofCompany = about(
  (
    facts: Facts<'clock' | 'world' | 'companies' | 'listings'>,
    { security }: { readonly security?: { readonly market: number; readonly code: string } | undefined },
  ) => subjectOf(facts, security),
);

/** The same of a listing that a company has issued. */
export function subjectFor({ clock, world, companies }: Facts<'clock' | 'world' | 'companies'>, listing: Listing): Subject {
  const { instrument } = listing;
  const company = companies.company(instrument);
  const today = world.today(instrument);
  const ordinary = BigInt(company.issuer.classes.find((one) => one.instrument === instrument)?.ordinary ?? 1);
  const [now, { home }] = [clock.now(), company.issuer];
  return {
    listing,
    company,
    today,
    day: requireDay(today),
    reported: lastPublicDay('results', home, now),
    rated: lastPublicDay('rating', home, now),
    appointed: lastPublicDay('executive', home, now),
    over: lastDayOver(home, now),
    ordinary,
  };
}

/** A day in the two fields that messages have for it: `endDate`, in seconds, and `endDateStr`. */
export function dated(listing: Listing, name: string, day: string): Readonly<Record<string, bigint | string>> {
  return { [name]: BigInt(secondsOf(listing, day)), [`${name}Str`]: day };
}

/** A period that a company reports on: a quarter, what a fiscal year comes to so far, or the year. */
export interface Period {
  readonly type: F10Type;
  /** Its last quarter, as `FiscalCalendar` numbers them, and how many there are. */
  readonly last: number;
  readonly quarters: 1 | 2 | 3 | 4;
  readonly fiscalYear: number;
  /** "2026/Q3", "2026/H1", "2026/Q9", "2026/FY". */
  readonly text: string;
  /** "2026-09-30". */
  readonly endDay: string;
}

interface Kind {
  readonly type: F10Type;
  /** Place of its last quarter in the fiscal year. */
  readonly ends: number;
  readonly quarters: Period['quarters'];
  readonly text: string;
}

/** Kinds of periods; of two that end with the same quarter the shorter one comes first. */
const periodKinds: readonly Kind[] = [
  { type: F10Type.F10Type_Q1, ends: 1, quarters: 1, text: 'Q1' },
  { type: F10Type.F10Type_Q2, ends: 2, quarters: 1, text: 'Q2' },
  { type: F10Type.F10Type_Q3, ends: 3, quarters: 1, text: 'Q3' },
  { type: F10Type.F10Type_Q4, ends: 4, quarters: 1, text: 'Q4' },
  { type: F10Type.F10Type_Q6, ends: 2, quarters: 2, text: 'H1' },
  { type: F10Type.F10Type_Q9, ends: 3, quarters: 3, text: 'Q9' },
  { type: F10Type.F10Type_Annual, ends: 4, quarters: 4, text: 'FY' },
];

const single = [F10Type.F10Type_Q1, F10Type.F10Type_Q2, F10Type.F10Type_Q3, F10Type.F10Type_Q4];
/** Types that stand for several periodKinds; 0 is no choice. */
const several: ReadonlyMap<F10Type, readonly F10Type[]> = new Map([
  [F10Type.F10Type_Unknown, [...single, F10Type.F10Type_Annual]],
  [F10Type.F10Type_Quarterly, single],
  [F10Type.F10Type_QuarterlyAnnual, [...single, F10Type.F10Type_Annual]],
  [F10Type.F10Type_MulQuarterly, [F10Type.F10Type_Q1, F10Type.F10Type_Q6, F10Type.F10Type_Q9, F10Type.F10Type_Annual]],
]);

/** Fiscal years in a prospectus before the first listing; there are no data before 1990. */
const YEARS_BEFORE_LISTING = 3;
const FIRST_YEAR = 1990;

/** The periods of the periodKinds asked for (Qot_Common.F10Type) that are published by a day (counted from 1970-01-01), newest first. */
export function periodsOf(company: Company, day: number, asked: F10Type): readonly Period[] {
  const wanted = several.get(asked) ?? [asked];
  const { fiscal } = company.profile;
  const oldest = oldestQuarter(company);
  const found: Period[] = [];
  for (let last = company.lastPublished(day); last >= oldest; last--) {
    for (const kind of periodKinds) {
      if (kind.ends !== fiscal.numberOf(last) || last - kind.quarters + 1 < oldest || !wanted.includes(kind.type)) continue;
      found.push(periodOf(company, last, kind));
    }
  }
  return found;
}

const NUM = { fallback: 10, max: 50 };

/** A page of periods. */
export function pageOfPeriods(
  periods: readonly Period[],
  request: { readonly nextKey: string; readonly num: number },
): Page<Period> | Refusal {
  return numberedPage(periods, ({ text }) => text, request, NUM);
}

/** The period of a kind that ends with a quarter. */
export function periodEnding(company: Company, last: number, quarters: Period['quarters']): Period {
  const number = company.profile.fiscal.numberOf(last);
  const kind = periodKinds.find((one) => one.ends === number && one.quarters === quarters);
  if (kind === undefined) throw new RangeError(`no period of ${quarters} quarters ends with quarter ${number} of a year`);
  return periodOf(company, last, kind);
}

function periodOf(company: Company, last: number, { type, quarters, text }: Kind): Period {
  const { fiscal } = company.profile;
  const fiscalYear = fiscal.fiscalYearOf(last);
  return { type, last, quarters, fiscalYear, text: `${fiscalYear}/${text}`, endDay: fiscal.endDayOf(last) };
}

/** A period as rows of messages name it. */
export function periodFields({ fiscalYear, type, text }: Period) {
  return { fiscalYear, financialType: type, periodText: text };
}

function oldestQuarter(company: Company): number {
  const { fiscal } = company.profile;
  const listed = fiscal.fiscalYearOf(fiscal.lastEnded(requireDay(company.issuer.home.listDate)) + 1);
  return fiscal.lastOf(Math.max(FIRST_YEAR, listed - YEARS_BEFORE_LISTING) - 1) + 1;
}

/** Numbers of the quarters of a period, oldest first. */
export function quartersOf({ last, quarters }: Pick<Period, 'last' | 'quarters'>): readonly number[] {
  return Array.from({ length: quarters }, (_, index) => last - quarters + 1 + index);
}
