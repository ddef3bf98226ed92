import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { mix, normal } from '../rng/random.js';
import { type Outline, outline } from './amounts.js';
import type { Coverage } from './brokers.js';
import { compound, yearsTo } from './growth.js';
import type { IssuerTimeline } from './issuer-timeline.js';
import { aspect } from './profile.js';

/** Consensus for one fiscal quarter. Amounts in the currency of the accounts. */
export interface Consensus {
  readonly quarter: number;
  /** How many analysts. */
  readonly analysts: number;
  /** Whole units. */
  readonly revenue: Outline;
  readonly netIncome: Outline;
  /** For one ordinary share of the day. */
  readonly earningsPerShare: Outline<Decimal>;
}

interface Results {
  readonly revenue: bigint;
  readonly netIncome: bigint;
  readonly earningsPerShare: Decimal;
}

/** Results against what was expected of them on the day before. */
export interface Surprise {
  readonly quarter: number;
  readonly actual: Results;
  readonly expected: Results;
  /** actual - expected. */
  readonly difference: Results;
}

/** Quarters ahead of the last results that analysts look. */
const HORIZON = 8;
/** Analysts' errors, common and individual, as parts of the deviation of a quarter's earnings. */
const COMMON_ERROR = 0.5;
const OWN_ERROR = 0.35;
/** More for each quarter further away. */
const ERROR_PER_QUARTER = 0.25;
/** Error of revenue estimates against that of earnings. */
const REVENUE_ERROR = 0.3;

/** Analysts' estimates of a company's quarters, until each is published. */
export class Estimates {
  readonly #key: number;

  constructor(
    private readonly company: IssuerTimeline,
    private readonly coverage: readonly Coverage[],
  ) {
    this.#key = aspect(company.profile, 'estimates');
  }

  /** By how much a quarter is better than everybody thought, in deviations: within ±3.5, mostly within ±1. */
  beat(quarter: number): number {
    return normal(this.#key, quarter);
  }

  /**
   * As it stands on `day`; of a quarter that is published, as it stood on the day before that. Undefined further ahead than analysts look
   * (two years), and where none has begun to write.
   */
  consensus(quarter: number, day: number): Consensus | undefined {
    const asOf = Math.min(day, this.company.published(quarter) - 1);
    const ahead = quarter - this.company.lastPublished(asOf);
    const analysts = this.coverage.filter(({ from }) => from <= asOf);
    if (ahead > HORIZON || analysts.length === 0) return undefined;
    const { revenue, netIncome } = this.company.accounts.income(quarter);
    const { profile } = this.company;
    const unit = profile.surprise * compound(profile.growth, yearsTo(profile.fiscal.endOf(quarter))) * 0.25;
    const [earningsUnit, revenueUnit] = [Math.abs(profile.earnings) * unit, profile.revenue * unit * REVENUE_ERROR];
    const errors = analysts.map(({ key }) => this.#error(key, quarter, ahead));
    const incomes = outline(errors.map((error) => netIncome + BigInt(Math.round(error * earningsUnit))));
    const shares = this.company.ordinaryShares(asOf);
    const perShare = (amount: bigint) => (amount * DECIMAL_ONE) / shares;
    return {
      quarter,
      analysts: analysts.length,
      revenue: outline(errors.map((error) => revenue + BigInt(Math.round(error * revenueUnit)))),
      netIncome: incomes,
      earningsPerShare: { mean: perShare(incomes.mean), low: perShare(incomes.low), high: perShare(incomes.high) },
    };
  }

  /** Undefined before the quarter's publication, and where nobody expected anything. */
  surprise(quarter: number, day: number): Surprise | undefined {
    const published = this.company.published(quarter);
    const consensus = day < published ? undefined : this.consensus(quarter, published - 1);
    if (consensus === undefined) return undefined;
    const { revenue, netIncome } = this.company.accounts.income(quarter);
    const earningsPerShare = (netIncome * DECIMAL_ONE) / this.company.ordinaryShares(published - 1);
    const { revenue: sales, netIncome: income, earningsPerShare: perShare } = consensus;
    return {
      quarter,
      actual: { revenue, netIncome, earningsPerShare },
      expected: { revenue: sales.mean, netIncome: income.mean, earningsPerShare: perShare.mean },
      difference: {
        revenue: revenue - sales.mean,
        netIncome: netIncome - income.mean,
        earningsPerShare: earningsPerShare - perShare.mean,
      },
    };
  }

  /** In deviations: what all miss, and what one does, which changes with each report. */
  #error(analyst: number, quarter: number, ahead: number): number {
    const distance = 1 + ERROR_PER_QUARTER * (Math.max(ahead, 1) - 1);
    const own = OWN_ERROR * normal(mix(mix(analyst, 3), quarter), ahead);
    return distance * (own - COMMON_ERROR * this.beat(quarter));
  }
}
