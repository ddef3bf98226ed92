import { mix, uniform } from '../rng/random.js';
import { outline } from './amounts.js';
import { aspect, type CompanyProfile } from './profile.js';
import type { IncomeStatement } from './statements.js';

/**
 * A quarter's expenses shown under another head than at first, with the results of the same quarter a year later. A reclassification: gross
 * profit is another, and what was earned, owned and owed is not.
 */
export interface Restatement {
  readonly quarter: number;
  /** Moved from the cost of revenue to selling and administration; negative the other way round. Whole units, never 0. */
  readonly moved: bigint;
}

/** Chance that a fiscal year is restated. */
const CHANCE = 0.08;

/** How a quarter was restated, whose last figures are `income`; undefined for one that stood. Years are restated whole. */
export function restatement(profile: CompanyProfile, quarter: number, income: IncomeStatement): Restatement | undefined {
  const stream = mix(aspect(profile, 'restatements'), profile.fiscal.fiscalYearOf(quarter));
  if (uniform(stream, 0) >= CHANCE) return undefined;
  const { costOfRevenue, grossProfit, sellingAndAdministration } = income;
  const { low: least } = outline([costOfRevenue, grossProfit, sellingAndAdministration]);
  const size = BigInt(Math.round(Number(least) * (0.02 + 0.08 * uniform(stream, 1))));
  if (size <= 0n) return undefined;
  return { quarter, moved: uniform(stream, 2) < 0.5 ? size : -size };
}

/** The income statement as it was first published. */
export function firstReported(income: IncomeStatement, { moved }: Restatement): IncomeStatement {
  return {
    ...income,
    costOfRevenue: income.costOfRevenue + moved,
    grossProfit: income.grossProfit - moved,
    sellingAndAdministration: income.sellingAndAdministration - moved,
  };
}
