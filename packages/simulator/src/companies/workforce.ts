import type { Currency } from '@svc-gateway/contract/markets';
import { mix, normal, uniform } from '../rng/random.js';
import type { Post } from './careers.js';
import { compound, yearsTo } from './growth.js';
import type { Person } from './people.js';
import { aspect, type CompanyProfile } from './profile.js';

/** Units of a currency that buy about what a dollar does: for sizes of companies alone, not for money. */
const perDollar: Readonly<Record<Currency, number>> = { USD: 1, HKD: 7.8, CNH: 7.2, SGD: 1.3, JPY: 150, MYR: 4.2, AUD: 1.5, CAD: 1.4 };

/** A year's revenue for each employee of the reference day, in dollars. */
const REVENUE_PER_HEAD = { least: 120_000, more: 680_000 };
/** The part of a company's growth that comes from more people; the rest is what each brings in. */
const GROWTH_BY_PEOPLE = 0.6;

/** Employees at the end of a fiscal quarter. `currency` is the accounts' currency. */
export function employees(profile: CompanyProfile, currency: Currency, quarter: number): number {
  const key = aspect(profile, 'workforce');
  const perHead = (REVENUE_PER_HEAD.least + REVENUE_PER_HEAD.more * uniform(key, 0)) * perDollar[currency];
  const growth = compound(GROWTH_BY_PEOPLE * profile.growth, yearsTo(profile.fiscal.endOf(quarter)));
  return Math.max(1, Math.round((profile.revenue / perHead) * growth * (1 + 0.015 * normal(mix(key, 1), quarter))));
}

export const degrees = ['Bachelor', 'Master', 'Doctorate'] as const;

/** Education of a person, the same at every company. */
export function education({ id }: Person): (typeof degrees)[number] {
  const chance = uniform(mix(Number(id & 0xffff_ffffn), 11), 0);
  return degrees[chance < 0.3 ? 0 : chance < 0.8 ? 1 : 2];
}

/** Against the chief executive's. */
const payOf: Readonly<Record<Post, number>> = {
  'Chair of the Board': 0.7,
  'Chief Executive Officer': 1,
  'Chief Financial Officer': 0.55,
  'Chief Operating Officer': 0.6,
  'General Counsel': 0.4,
};
/** Yearly pay of the chief executive of a company with sales of a billion dollars. */
const PAY_AT_A_BILLION = 1_200_000;

/**
 * A year's pay in whole units of the currency of the accounts: it grows with the fourth root of sales, close to the elasticity of 0.3 that studies
 * find (Baker, Jensen and Murphy, Compensation and Incentives, Journal of Finance 43, 1988).
 */
export function yearlyPay(profile: CompanyProfile, currency: Currency, { id }: Person, post: Post, day: number): bigint {
  const sales = (profile.revenue * compound(profile.growth, yearsTo(day))) / perDollar[currency] / 1e9;
  const own = 0.8 + 0.4 * uniform(mix(profile.key, Number(id & 0xffff_ffffn)), 12);
  const dollars = PAY_AT_A_BILLION * Math.sqrt(Math.sqrt(sales)) * payOf[post] * own;
  return BigInt(Math.round((dollars * perDollar[currency]) / 1000)) * 1000n;
}
