import { requireDay } from '@svc-gateway/contract/time';
import { type Company, lastDayOver, lastPublicDay } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { type Listing, secondsOf } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
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
