import { requireDay } from '@svc-gateway/contract/time';
import { keyOf, mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { type Concept, concepts, type Industry, industries, industryPlate, namedPlate, type Plate, regions } from '../world/plates.js';
import type { Issuer } from './issuers.js';
import { aspect, type CompanyProfile } from './profile.js';

/** Days [from, until), counted from 1970-01-01. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Chance that a company of a concept's industries joins the concept. */
const JOIN_CHANCE = 0.45;
/** Members join over so many days from the concept's first, and one in so many leaves again after some years. */
const JOIN_DAYS = 4 * 365;
const LEAVE_CHANCE = 0.25;
const STAY_DAYS = { least: 2 * 365, more: 8 * 365 };

/** Industry of an issuer: known for real ones, drawn for invented ones. */
export function industryOf({ classes }: Issuer, profile: Pick<CompanyProfile, 'key'>): Industry {
  const known = classes.find(({ instrument }) => instrument.industry !== undefined)?.instrument.industry;
  return known ?? industries[Math.floor(uniform(aspect(profile, 'industry'), 0) * industries.length)] ?? 'conglomerates';
}

/** Plate membership of an issuer, day by day, in every market where it is listed. */
export class PlateMembership {
  readonly #listings: readonly (Span & { readonly instrument: Instrument })[];
  readonly #seat: string | undefined;
  /** Days of the concepts that it ever belongs to. */
  readonly #concepts: readonly (Span & { readonly name: string })[];

  constructor(
    issuer: Issuer,
    profile: Pick<CompanyProfile, 'key'>,
    private readonly industry: Industry,
  ) {
    this.#listings = issuer.classes.map(({ instrument }) => ({ instrument, ...listingSpan(instrument) }));
    const key = aspect(profile, 'plates');
    const seats = regions[issuer.home.market];
    this.#seat = seats[Math.floor(uniform(key, 0) * seats.length)];
    const symbols = issuer.classes.map(({ instrument }) => instrument.symbol);
    const isReal = issuer.classes.some(({ instrument }) => instrument.industry !== undefined);
    const named = ({ listings }: Concept) => listings !== undefined && isReal;
    const joins = ({ industries: about, homes, name }: Concept) =>
      about.includes(industry) && homes?.includes(issuer.home.market) !== false && uniform(mix(key, keyOf(name)), 0) < JOIN_CHANCE;
    this.#concepts = concepts
      .filter((concept) => (named(concept) ? symbols.some((symbol) => concept.listings?.includes(symbol)) : joins(concept)))
      .map((concept) => {
        const { name, since } = concept;
        if (named(concept)) return { name, from: requireDay(since), until: Infinity };
        const stream = mix(key, keyOf(name));
        const from = requireDay(since) + Math.floor(JOIN_DAYS * uniform(stream, 1));
        const leaves = uniform(stream, 2) < LEAVE_CHANCE;
        return { name, from, until: leaves ? from + STAY_DAYS.least + Math.floor(STAY_DAYS.more * uniform(stream, 3)) : Infinity };
      });
  }

  /** By market, each plate once: industry, region, concepts. Only of markets where one of its listings trades on that day. */
  on(day: number): readonly Plate[] {
    const current = this.all().filter(({ from, until }) => day >= from && day < until);
    return [...new Set(current.map(({ plate }) => plate))];
  }

  /** Each of its listings with each plate that it is ever in, and the days; none where they are none. */
  all(): readonly (Span & { readonly plate: Plate; readonly instrument: Instrument })[] {
    return this.#listings.flatMap(({ instrument, ...listed }) => {
      const { market } = instrument;
      const always = [
        industryPlate(market, this.industry),
        this.#seat === undefined ? undefined : namedPlate(market, 'region', this.#seat),
      ];
      return [
        ...always.map((plate) => ({ plate, ...listed })),
        ...this.#concepts.map(({ name, ...span }) => ({
          plate: namedPlate(market, 'concept', name),
          from: Math.max(span.from, listed.from),
          until: Math.min(span.until, listed.until),
        })),
      ].flatMap(({ plate, from, until }) => (plate === undefined || from >= until ? [] : [{ plate, instrument, from, until }]));
    });
  }
}

/** When a listing trades. */
function listingSpan({ listDate, lastTradingDay }: Instrument): Span {
  return { from: requireDay(listDate), until: lastTradingDay === undefined ? Infinity : requireDay(lastTradingDay) + 1 };
}
