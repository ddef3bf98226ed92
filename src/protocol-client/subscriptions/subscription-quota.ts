import { isFieldSet, type MessageShape } from '@bufbuild/protobuf';
import { S2CSchema } from '../../contract/generated/Qot_GetSubInfo_pb.js';
import type { QuotaFigures } from '../../gateway/index.js';
import { optionSeries, type QuotaUnit } from './quota-unit.js';

/** What the upstream said of one quota, and what of it was not ours. */
interface Learned {
  readonly limit: number;
  readonly others: number;
}

export const pools = ['securities', 'options'] as const;
export type Pool = (typeof pools)[number];

/**
 * The upstream's subscription quotas: how many units there are, and how many are taken by others of its connections. Newer
 * upstreams count options apart, and then by underlying and expiry rather than by contract.
 */
export class SubscriptionQuota {
  #securities: Learned | undefined;
  #options: Learned | undefined;

  /** The upstream has said how much there is. */
  get known(): boolean {
    return this.#securities !== undefined;
  }

  /** Takes up what the upstream says (Qot_GetSubInfo), while these units are ours. */
  learn(s2c: MessageShape<typeof S2CSchema>, ours: Iterable<QuotaUnit>): void {
    const { totalUsedQuota, remainQuota, optionUsedQuota, optionRemainQuota } = s2c;
    if (Math.min(totalUsedQuota, remainQuota, optionUsedQuota, optionRemainQuota) < 0) {
      // Nobody has less than nothing.
      this.forget();
      return;
    }
    const apart = isFieldSet(s2c, S2CSchema.field.optionRemainQuota);
    const units = [...ours];
    this.#options = apart ? { limit: optionUsedQuota + optionRemainQuota, others: 0 } : undefined;
    this.#securities = { limit: totalUsedQuota + remainQuota, others: 0 };
    const others = (used: number, pool: Pool) => Math.max(0, used - this.costs(units, pool).size);
    if (this.#options !== undefined) this.#options = { ...this.#options, others: others(optionUsedQuota, 'options') };
    this.#securities = { ...this.#securities, others: others(totalUsedQuota, 'securities') };
  }

  forget(): void {
    this.#securities = undefined;
    this.#options = undefined;
  }

  /** Units of a quota of which nothing is known are unlimited, until the upstream refuses. */
  limit(pool: Pool): number {
    return this.#learned(pool)?.limit ?? Number.POSITIVE_INFINITY;
  }

  others(pool: Pool): number {
    return this.#learned(pool)?.others ?? 0;
  }

  /** What can still be taken while these units are ours. */
  free(ours: Iterable<QuotaUnit>, pool: Pool): number {
    return this.limit(pool) - this.others(pool) - this.costs(ours, pool).size;
  }

  /** What counts a unit, and as what: units of one cost count once. */
  costOf(unit: QuotaUnit): { readonly pool: Pool; readonly cost: string } {
    const series = this.#options === undefined ? undefined : optionSeries(unit);
    return series === undefined ? { pool: 'securities', cost: unit.key } : { pool: 'options', cost: series };
  }

  /** What is shown of it; undefined while the upstream has not said. */
  figures(ours: Iterable<QuotaUnit>, pool: Pool): QuotaFigures | undefined {
    const learned = this.#learned(pool);
    if (learned === undefined) return undefined;
    return { used: learned.others + this.costs(ours, pool).size, limit: learned.limit };
  }

  #learned(pool: Pool): Learned | undefined {
    return pool === 'options' ? this.#options : this.#securities;
  }

  /** What these units cost of a quota. */
  costs(units: Iterable<QuotaUnit>, pool: Pool): ReadonlySet<string> {
    const costs = new Set<string>();
    for (const unit of units) {
      const counted = this.costOf(unit);
      if (counted.pool === pool) costs.add(counted.cost);
    }
    return costs;
  }
}
