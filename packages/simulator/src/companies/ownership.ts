import { requireDay } from '@svc-gateway/contract/time';
import { keyOf, mix, normal, uniform } from '../rng/random.js';
import { FiscalCalendar } from './fiscal.js';
import type { IssuerTimeline } from './issuer-timeline.js';
import { aspect, type CompanyProfile } from './profile.js';

/** Holding of an issuer's shares at the end of a calendar quarter, in ordinary shares of that day. */
export interface Holding {
  readonly holder: string;
  readonly shares: bigint;
  /** A quarter before, counted in shares of today: splits in between are no change. */
  readonly previous: bigint;
  /** shares - previous: 0 shares with a negative change is a holding that was sold. */
  readonly change: bigint;
}

/** Holders of an issuer as of a calendar quarter. The three parts of the distribution add up to all issued shares. */
export interface Holders {
  /** Its last day, and the day on which it is known, counted from 1970-01-01. */
  readonly asOf: number;
  readonly known: number;
  readonly issued: bigint;
  /** Largest first. */
  readonly institutions: readonly Holding[];
  readonly insiders: readonly Holding[];
  readonly distribution: { readonly institutions: bigint; readonly insiders: bigint; readonly others: bigint };
}

/** Reporting deadline of institutions after a quarter, in days. */
const REPORTING_DAYS = 45;
/** The part of the free float that all institutions hold together: around this, moving by this much. */
const INSTITUTIONAL = { least: 0.25, more: 0.5, drift: 0.03 };
const HOLDS_CHANCE = 0.6;
/** Part of an institution's possible holdings that is sold out at any time. */
const ABSENT_CHANCE = 0.08;
/** The most that an executive holds of all that insiders do. */
const EXECUTIVE_SHARE_MAX = 0.02;

/** Made-up institutions, with how large each is. */
const institutions: readonly (readonly [name: string, size: number])[] = [
  ['Northgate Index Trust', 9],
  ['Meridian Passive Funds', 8],
  ['Harbour Street Advisors', 6],
  ['Continental Pension Board', 5],
  ['Fjord Sovereign Fund', 5],
  ['Aldwych Asset Management', 4],
  ['Pacific Rim Investors', 4],
  ['Lion City Investment Corporation', 4],
  ['Golden Bridge Capital', 3],
  ['Sakura Trust & Banking', 3],
  ['Rhine Mutual Life', 3],
  ['Prairie Teachers Retirement', 3],
  ['Great Wall Fund Management', 3],
  ['Summit Growth Partners', 2.5],
  ['Old Mill Value Fund', 2],
  ['Blue Heron Capital', 2],
  ['Victoria Peak Partners', 2],
  ['Kestrel Global Equity', 2],
  ['Maple Endowment', 1.5],
  ['Delta Quant Research', 1.5],
  ['Orchard Road Advisers', 1.5],
  ['Silverline Hedge Fund', 1],
  ['Ridgeway Small Companies', 1],
  ['Tidewater Event Fund', 1],
];

const quarters = new FiscalCalendar(12);

/** Every institution that may hold an issuer, in a stable order: new ones come last. */
export const institutionNames: readonly string[] = institutions.map(([name]) => name);

/** Shares that are not held by insiders: whole shares of `shares`. */
export function freeFloat(profile: CompanyProfile, shares: bigint): bigint {
  return (shares * BigInt(Math.round(profile.freeFloat * 1000))) / 1000n;
}

/** Holders of an issuer quarter by quarter, each worked out for itself. */
export class Ownership {
  readonly #key: number;

  constructor(private readonly company: IssuerTimeline) {
    this.#key = aspect(company.profile, 'ownership');
  }

  /** Holders as of the last calendar quarter that institutions have reported by `day`. */
  on(day: number): Holders {
    const quarter = quarters.lastEnded(day - REPORTING_DAYS + 1);
    const { home } = this.company.issuer;
    const [before, asOf] = [quarters.endOf(quarter - 1), quarters.endOf(quarter)];
    const issued = this.company.ordinaryShares(asOf);
    const changes = (now: ReadonlyMap<string, bigint>, then: ReadonlyMap<string, bigint>) =>
      [...new Set([...now.keys(), ...then.keys()])]
        .map((holder) => {
          const shares = now.get(holder) ?? 0n;
          const previous = this.company.inSharesOf(then.get(holder) ?? 0n, asOf, before);
          return { holder, shares, previous, change: shares - previous };
        })
        .filter(({ shares, previous }) => shares > 0n || previous > 0n)
        .sort((a, b) => (a.shares === b.shares ? (a.holder < b.holder ? -1 : 1) : a.shares < b.shares ? 1 : -1));
    const [ofInstitutions, ofInsiders] = [this.#institutions(quarter), this.#insiders(quarter)];
    const [byInstitutions, byInsiders] = [sum(ofInstitutions), sum(ofInsiders)];
    return {
      asOf,
      known: asOf + REPORTING_DAYS,
      issued,
      institutions: changes(ofInstitutions, before < requireDay(home.listDate) ? new Map() : this.#institutions(quarter - 1)),
      insiders: changes(ofInsiders, this.#insiders(quarter - 1)),
      distribution: { institutions: byInstitutions, insiders: byInsiders, others: issued - byInstitutions - byInsiders },
    };
  }

  #institutions(quarter: number): ReadonlyMap<string, bigint> {
    const { least, more, drift } = INSTITUTIONAL;
    const part = least + more * uniform(this.#key, 0) + drift * normal(mix(this.#key, 1), quarter);
    const float = freeFloat(this.company.profile, this.company.ordinaryShares(quarters.endOf(quarter)));
    const held = (float * BigInt(Math.round(part * 1e6))) / 1_000_000n;
    const weights = institutions.map(([holder, size]) => {
      const stream = mix(this.#key, keyOf(holder));
      if (uniform(stream, 0) >= HOLDS_CHANCE || uniform(mix(stream, 1), quarter >> 2) < ABSENT_CHANCE) return [holder, 0n] as const;
      const weight = size * (0.3 + uniform(stream, 1)) * (1 + 0.08 * normal(mix(stream, 2), quarter));
      return [holder, BigInt(Math.round(weight * 1e6))] as const;
    });
    const whole = weights.reduce((total, [, weight]) => total + weight, 0n);
    return new Map(weights.filter(([, weight]) => weight > 0n).map(([holder, weight]) => [holder, (held * weight) / whole]));
  }

  /** Holdings of insiders: executives in office hold a little, the owners behind the company the rest. */
  #insiders(quarter: number): ReadonlyMap<string, bigint> {
    const end = quarters.endOf(quarter);
    const issued = this.company.ordinaryShares(end);
    let left = issued - freeFloat(this.company.profile, issued);
    const pool = left;
    const holdings = new Map<string, bigint>();
    const { careers, place } = this.company.surroundings.seat();
    for (const { person } of careers.at(place, end, end)) {
      const { name, id } = person;
      const part = EXECUTIVE_SHARE_MAX * uniform(mix(this.#key, Number(id & 0xffff_ffffn)), 0);
      const shares = (pool * BigInt(Math.round(part * 1e6))) / 1_000_000n;
      left -= shares;
      holdings.set(name, (holdings.get(name) ?? 0n) + shares);
    }
    holdings.set(`${this.company.issuer.home.name} Founders' Holding`, left);
    return holdings;
  }
}

function sum(holdings: ReadonlyMap<string, bigint>): bigint {
  return [...holdings.values()].reduce((total, shares) => total + shares, 0n);
}
