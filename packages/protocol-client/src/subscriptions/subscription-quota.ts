import { isFieldSet } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { S2CSchema } from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import type { QuotaFigures, SubscriptionQuotas } from '@svc-gateway/gateway';
import { optionSeries, type QuotaUnit } from './quota-unit.js';
import type { SubscriptionRequests } from './subscription-requests.js';

/** How long the server's account of its quotas is taken for new. */
const FRESH_MS = 1_000;
/** How long a server that refused for its quota is taken for full, whatever it said of it before. */
const FULL_MS = 5_000;
/** Share of a quota that is left to data without a substitute. */
const KEPT_SHARE = 0.25;

const pools = ['securities', 'options'] as const;
type Pool = (typeof pools)[number];

/** Size of one quota, and what other connections use of it. */
interface PoolSize {
  readonly limit: number;
  readonly others: number;
}

const unlimited: PoolSize = { limit: Number.POSITIVE_INFINITY, others: 0 };

/**
 * Subscription quotas of a server. A unit counts once, for all connections together; newer servers count options apart, by
 * underlying and expiry. A server that has not told its quota, or has none, is unlimited until it refuses.
 */
export class SubscriptionQuota {
  #pools: Partial<Record<Pool, PoolSize>> = {};
  #learnedAt = Number.NEGATIVE_INFINITY;
  #learning: Promise<void> | undefined;
  #fullUntil = Number.NEGATIVE_INFINITY;
  /** Units given back since the server said that it was full, less those taken again. */
  #vacated = 0;

  constructor(
    private readonly requests: SubscriptionRequests,
    private readonly clock: Clock,
    private readonly hasQuota: boolean,
    /** Units that this connection is, or may be, subscribed to. */
    private readonly ours: () => readonly QuotaUnit[],
  ) {}

  /** Whether there is nothing to learn before the first subscription. */
  get known(): boolean {
    return !this.hasQuota || this.#pools.securities !== undefined;
  }

  /** Asks for the quotas, where they may have changed; callers at the same time share the answer. */
  learn(): Promise<void> {
    if (!this.hasQuota || this.clock.monotonic() - this.#learnedAt < FRESH_MS) return Promise.resolve();
    if (this.#learning !== undefined) return this.#learning;
    const learning: Promise<void> = this.#ask(() => this.#learning === learning).finally(() => {
      if (this.#learning === learning) this.#learning = undefined;
    });
    this.#learning = learning;
    return learning;
  }

  /** Forgets everything for a new connection. */
  forget(): void {
    this.#pools = {};
    this.#learnedAt = Number.NEGATIVE_INFINITY;
    this.#learning = undefined;
    this.#fullUntil = Number.NEGATIVE_INFINITY;
  }

  /** The server refused for its quota, whatever it said of it before. */
  full(): void {
    this.#fullUntil = this.clock.monotonic() + FULL_MS;
    this.#vacated = 0;
    this.#learnedAt = Number.NEGATIVE_INFINITY;
  }

  /** A unit was taken (-1) or given back (1). */
  vacated(units: 1 | -1): void {
    this.#vacated += units;
  }

  /**
   * Units that fit beside ours, and which of the candidates to end so that the others would fit too. Spare units come last and leave room
   * to the others.
   */
  plan(
    units: readonly QuotaUnit[],
    candidates: readonly QuotaUnit[],
  ): { readonly placed: readonly QuotaUnit[]; readonly ending: readonly QuotaUnit[] } {
    const isFull = this.clock.monotonic() < this.#fullUntil;
    const quotas = pools.map((pool) => {
      const { limit, others } = this.#pools[pool] ?? unlimited;
      const taken = this.#costs(this.ours(), pool);
      const free = limit - others - taken.size;
      const kept = limit === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limit * KEPT_SHARE);
      return { pool, taken, kept, left: isFull ? Math.min(free, this.#vacated) : free, lacking: 0 };
    });
    const placed: QuotaUnit[] = [];
    for (const unit of [...units].sort((a, b) => Number(a.isSpare) - Number(b.isSpare))) {
      const { pool, cost } = this.#costOf(unit);
      const quota = quotas.find((one) => one.pool === pool);
      if (quota === undefined) continue;
      if (quota.taken.has(cost) || quota.left - (unit.isSpare ? quota.kept : 0) > 0) {
        if (!quota.taken.has(cost)) quota.left -= 1;
        quota.taken.add(cost);
        placed.push(unit);
      } else quota.lacking += 1;
    }
    return { placed, ending: quotas.flatMap(({ pool, lacking }) => this.#toEnd(candidates, pool, lacking)) };
  }

  /** The first of the candidates whose end makes so much room in a quota. */
  #toEnd(candidates: readonly QuotaUnit[], pool: Pool, room: number): readonly QuotaUnit[] {
    const users = new Map<string, number>();
    for (const unit of this.ours()) users.set(this.#costOf(unit).cost, (users.get(this.#costOf(unit).cost) ?? 0) + 1);
    const ending: QuotaUnit[] = [];
    let made = 0;
    for (const unit of candidates) {
      const counted = this.#costOf(unit);
      if (made >= room) break;
      if (counted.pool !== pool) continue;
      const left = (users.get(counted.cost) ?? 0) - 1;
      users.set(counted.cost, left);
      ending.push(unit);
      if (left === 0) made += 1;
    }
    return ending;
  }

  /** Refusal of a request that alone wants more than there is; undefined where it does not. */
  tooMany(units: readonly QuotaUnit[]): string | undefined {
    for (const pool of pools) {
      const wanted = this.#costs(units, pool).size;
      const { limit } = this.#pools[pool] ?? unlimited;
      if (wanted > limit)
        return `${wanted} live symbols in one request, and the server’s subscription quota is ${limit}; snapshots need none`;
    }
    return undefined;
  }

  /** The quotas as far as they are known. */
  figures(): SubscriptionQuotas | undefined {
    const [securities, options] = pools.map((pool): QuotaFigures | undefined => {
      const size = this.#pools[pool];
      return size && { used: size.others + this.#costs(this.ours(), pool).size, limit: size.limit };
    });
    return securities === undefined ? undefined : { securities, ...(options === undefined ? {} : { options }) };
  }

  /** "the server’s subscription quota is used up: 300 of 300 units are taken, …". */
  describe(): string {
    const ours = this.ours();
    const held = ours.filter(({ streams }) => streams.size > 0).length;
    const { used, limit } = this.figures()?.securities ?? { used: ours.length, limit: 'an unknown number' };
    const { others } = this.#pools.securities ?? unlimited;
    const parts = [`${held} by subscriptions`, `${ours.length - held} by recent reads`, `${others} outside this gateway`];
    return `the server’s subscription quota is used up: ${used} of ${limit} units are taken, ${parts.join(', ')}`;
  }

  async #ask(isCurrent: () => boolean): Promise<void> {
    const info = await this.requests.info();
    if (info === undefined || !isCurrent()) return;
    const { totalUsedQuota, remainQuota, optionUsedQuota, optionRemainQuota } = info.s2c;
    // A negative quota is not believed.
    if (Math.min(totalUsedQuota, remainQuota, optionUsedQuota, optionRemainQuota) < 0) this.#pools = {};
    else {
      // Whether options count apart decides what a unit costs.
      const apart = isFieldSet(info.s2c, S2CSchema.field.optionRemainQuota);
      this.#pools = apart ? { options: unlimited } : {};
      const sizeOf = (pool: Pool, used: number, remaining: number): PoolSize => ({
        limit: used + remaining,
        others: Math.max(0, used - this.#costs(this.ours(), pool).size),
      });
      const options = apart ? { options: sizeOf('options', optionUsedQuota, optionRemainQuota) } : {};
      this.#pools = { ...options, securities: sizeOf('securities', totalUsedQuota, remainQuota) };
    }
    this.#learnedAt = this.clock.monotonic();
  }

  /** Quota that counts a unit, and as what: units of one cost count once. */
  #costOf(unit: QuotaUnit): { readonly pool: Pool; readonly cost: string } {
    const series = this.#pools.options === undefined ? undefined : optionSeries(unit);
    return series === undefined ? { pool: 'securities', cost: unit.key } : { pool: 'options', cost: series };
  }

  #costs(units: readonly QuotaUnit[], pool: Pool): Set<string> {
    return new Set(units.map((unit) => this.#costOf(unit)).flatMap((counted) => (counted.pool === pool ? [counted.cost] : [])));
  }
}
