import { requireDay } from '@svc-gateway/contract/time';
import { mix, normal, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import type { Industry } from '../world/plates.js';
import type { Company } from './company.js';
import { aspect } from './profile.js';

/** Industries of the ARK funds, and the companies of each that they may hold. */
const industries: ReadonlySet<Industry> = new Set<Industry>([
  ...(['software', 'semiconductors', 'internet', 'electronics', 'automobiles'] as const),
  ...(['aerospace', 'pharma', 'health', 'media'] as const),
]);
const HOLDS_CHANCE = 0.6;
export const COMPANIES_MAX = 40;

/** Part of the family's money that is in its largest fund. */
const LARGEST_FUND = 0.5;
/** A target stands for a week, and is reached on some of its days. */
const WEEK_DAYS = 7;
const TRADING_WEEKDAYS = 5;
/** 5 January 1970 was a Monday. */
const FIRST_MONDAY = 4;
/** How far targets move around the usual holding, and the part of weeks that bring no new one. */
const TARGET_DEVIATION = 0.06;
const TARGET_LEAST = 0.2;
const QUIET_CHANCE = 0.35;
/** A company is in the book for whole stretches of weeks, and out of it in some of them. */
const STRETCH_WEEKS = 13;
const ABSENT_CHANCE = 0.12;
/** Newcomers are bought this long after their first day. */
const LISTED_DAYS = 30;

/** Whether a company is one that the funds look for. */
export function mayHold(company: Company): boolean {
  return industries.has(company.industry) && uniform(keyOfArk(company), 0) < HOLDS_CHANCE;
}

interface Member {
  readonly company: Company;
  readonly key: number;
  /** Shares of the usual holding, as of the world's reference day. */
  readonly usual: bigint;
}

/**
 * Joint holdings of the ARK family of funds after each day's trading: invented, each day by itself, from the targets of
 * two weeks and how much of the way between them is done. Days are counted from 1970-01-01.
 */
export class ArkFunds {
  readonly #members: ReadonlyMap<Instrument, Member>;

  /**
   * @param chosen the first {@link COMPANIES_MAX} that they {@link mayHold}, with their home where the funds buy, in the world's order
   * @param largest what the largest fund manages on the reference day, in the currency of their listings
   */
  constructor(chosen: readonly Company[], largest: number) {
    const weights = chosen.map((company) => 0.2 + uniform(keyOfArk(company), 1) ** 2);
    const whole = weights.reduce((sum, weight) => sum + weight, 0);
    this.#members = new Map(
      chosen.map((company, index) => {
        const { home } = company.issuer;
        const money = ((largest / LARGEST_FUND) * (weights[index] ?? 0)) / whole;
        return [home, { company, key: keyOfArk(company), usual: BigInt(Math.round((money / Number(home.referencePrice)) * 1e9)) }];
      }),
    );
  }

  /** Everything that they may hold. */
  get universe(): readonly Instrument[] {
    return [...this.#members.keys()];
  }

  /** In shares of the day; 0 of what they do not hold. */
  shares(home: Instrument, day: number): bigint {
    const member = this.#members.get(home);
    if (member === undefined || day < requireDay(home.listDate) + LISTED_DAYS) return 0n;
    // Delisted holdings are sold on the last day.
    if (home.lastTradingDay !== undefined && day >= requireDay(home.lastTradingDay)) return 0n;
    const { company, key, usual } = member;
    const week = Math.floor((day - FIRST_MONDAY) / WEEK_DAYS);
    const [from, to] = [target(key, week - 1), target(key, week)];
    const level = from + (to - from) * partDone(key, week, day);
    const shares = (usual * BigInt(Math.round(level * 1e6))) / 1_000_000n;
    const { numerator, denominator } = company.shareFactor(day);
    return (shares * numerator) / denominator;
  }

  /** Shares bought (negative: sold) from one day to another, in shares of the later one: splits are no trades. */
  change(home: Instrument, from: number, to: number): bigint {
    return this.shares(home, to) - this.sharesAsOf(home, from, to);
  }

  /** The shares of a day, counted in shares of a later one. */
  sharesAsOf(home: Instrument, day: number, later: number): bigint {
    const member = this.#members.get(home);
    if (member === undefined) return 0n;
    const [then, now] = [member.company.shareFactor(day), member.company.shareFactor(later)];
    const shares = this.shares(home, day);
    return then.numerator * now.denominator === now.numerator * then.denominator
      ? shares
      : (shares * now.numerator * then.denominator) / (now.denominator * then.numerator);
  }
}

function keyOfArk({ profile }: Company): number {
  return aspect(profile, 'ark');
}

/** Share of the usual holding; 0 while the company is out of the book. A quiet week keeps the target of the one before. */
function target(key: number, week: number): number {
  const stretch = Math.floor(week / STRETCH_WEEKS);
  if (uniform(mix(key, 2), stretch) < ABSENT_CHANCE) return 0;
  let decided = week;
  while (decided > stretch * STRETCH_WEEKS && uniform(mix(key, 3), decided) < QUIET_CHANCE) decided -= 1;
  const drift = normal(mix(key, 4), decided) + 2 * normal(mix(key, 5), stretch);
  return Math.max(TARGET_LEAST, 1 + TARGET_DEVIATION * drift);
}

/** The part of a week's way that is done by the end of a day: in equal steps on one to three days in a row. */
function partDone(key: number, week: number, day: number): number {
  const steps = 1 + Math.floor(3 * uniform(mix(key, 6), week));
  const first = Math.floor((TRADING_WEEKDAYS - steps + 1) * uniform(mix(key, 7), week));
  const weekday = day - FIRST_MONDAY - week * WEEK_DAYS;
  return Math.max(0, Math.min(steps, weekday - first + 1)) / steps;
}
