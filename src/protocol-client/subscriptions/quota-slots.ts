import type { Clock } from '../../contract/clock.js';
import type { SubscriptionQuotas } from '../../gateway/index.js';
import { isSpare, type QuotaUnit } from './quota-unit.js';
import { type Pool, pools, SubscriptionQuota } from './subscription-quota.js';
import type { SubscriptionRequests } from './subscription-requests.js';

/** What the upstream said of its quotas is as good as new for this long. */
const FRESH_MS = 1_000;
/** An upstream that refused for its quota is full for this long, whatever it said of it before. */
const FULL_MS = 5_000;
/** Of a quota, the share that is left to what cannot be had otherwise. */
const KEPT_SHARE = 0.25;

/** The places in the upstream's quotas: how many there are, who has them, and what fits into those that are left. */
export class QuotaSlots {
  readonly #quota = new SubscriptionQuota();
  #learnedAt = Number.NEGATIVE_INFINITY;
  #learning: Promise<void> | undefined;
  #fullUntil = Number.NEGATIVE_INFINITY;
  /** QuotaSlots that were given back since the upstream said that it was full, and not taken again. */
  #vacated = 0;
  #generation = 0;

  constructor(
    private readonly requests: SubscriptionRequests,
    private readonly clock: Clock,
    /** Whether the server has a quota; without one everything fits. */
    private readonly hasQuota: boolean,
    /** The units that this connection is, or may be, subscribed to. */
    private readonly ours: () => readonly QuotaUnit[],
  ) {}

  /** The upstream has said how much there is. */
  get known(): boolean {
    return !this.hasQuota || this.#quota.known;
  }

  /** Asks for the quotas, where they may have changed; whoever asks meanwhile waits for the same answer. */
  learn(): Promise<void> {
    if (this.#learning !== undefined) return this.#learning;
    const learning = this.#ask().finally(() => {
      if (this.#learning === learning) this.#learning = undefined;
    });
    this.#learning = learning;
    return learning;
  }

  /** Another connection: nothing is known. */
  forget(): void {
    this.#generation += 1;
    this.#quota.forget();
    this.#learnedAt = Number.NEGATIVE_INFINITY;
    this.#learning = undefined;
    this.#fullUntil = Number.NEGATIVE_INFINITY;
  }

  /** Whatever the upstream said of its quota before, it has just refused for it. */
  full(): void {
    this.#fullUntil = this.clock.monotonic() + FULL_MS;
    this.#vacated = 0;
    this.#learnedAt = Number.NEGATIVE_INFINITY;
  }

  /** A unit was subscribed to. */
  taken(): void {
    this.#vacated -= 1;
  }

  /** A unit was given back. */
  vacated(): void {
    this.#vacated += 1;
  }

  /** Units by the quota that counts them; those that can be had otherwise come last, since they leave places to the others. */
  byQuota(units: readonly QuotaUnit[]): readonly (readonly QuotaUnit[])[] {
    const groups = pools.flatMap((pool) => [false, true].map((spare) => ({ pool, spare })));
    const inGroup = groups.map(({ pool, spare }) => units.filter((unit) => this.#poolOf(unit) === pool && isSpare(unit) === spare));
    return inGroup.filter(({ length }) => length > 0);
  }

  /** Those units of one group that fit beside ours and the accepted, in their order, and how many places the others would take. */
  fit(units: readonly QuotaUnit[], accepted: readonly QuotaUnit[]): { readonly placed: readonly QuotaUnit[]; readonly lacking: number } {
    const [first] = units;
    if (first === undefined) return { placed: [], lacking: 0 };
    const pool = this.#poolOf(first);
    const ours = this.ours();
    const taken = new Set(this.#quota.costs(ours, pool));
    let left = this.#free(ours, pool) - (isSpare(first) ? this.#kept(pool) : 0);
    const takes = (unit: QuotaUnit) => {
      const { pool: counted, cost } = this.#quota.costOf(unit);
      if (counted !== pool || taken.has(cost)) return false;
      taken.add(cost);
      return true;
    };
    for (const unit of accepted) if (takes(unit)) left -= 1;
    const placed: QuotaUnit[] = [];
    let lacking = 0;
    for (const unit of units) {
      const { cost } = this.#quota.costOf(unit);
      if (taken.has(cost)) placed.push(unit);
      else if (left > 0) {
        left -= 1;
        taken.add(cost);
        placed.push(unit);
      } else lacking += 1;
    }
    return { placed, lacking };
  }

  /** The first of the candidates, so many that their end makes so many places in the quota that counts `like`. */
  toEnd(candidates: readonly QuotaUnit[], like: QuotaUnit, places: number): readonly QuotaUnit[] {
    const pool = this.#poolOf(like);
    const units = new Map<string, number>();
    for (const unit of this.ours()) {
      const { cost } = this.#quota.costOf(unit);
      units.set(cost, (units.get(cost) ?? 0) + 1);
    }
    const ending: QuotaUnit[] = [];
    let made = 0;
    for (const unit of candidates) {
      if (made >= places) break;
      if (this.#poolOf(unit) !== pool) continue;
      const { cost } = this.#quota.costOf(unit);
      const left = (units.get(cost) ?? 0) - 1;
      units.set(cost, left);
      ending.push(unit);
      if (left === 0) made += 1;
    }
    return ending;
  }

  /** Why one request alone wants more than there is, if it does. */
  tooMany(units: readonly QuotaUnit[]): string | undefined {
    for (const pool of pools) {
      const wanted = this.#quota.costs(units, pool).size;
      const limit = this.#quota.limit(pool);
      if (wanted > limit)
        return `${wanted} live symbols in one request, and the server’s subscription quota is ${limit}; snapshots need none`;
    }
    return undefined;
  }

  /** The quotas as far as they are known. */
  figures(): SubscriptionQuotas | undefined {
    const ours = this.ours();
    const securities = this.#quota.figures(ours, 'securities');
    const options = this.#quota.figures(ours, 'options');
    return securities === undefined ? undefined : { securities, ...(options === undefined ? {} : { options }) };
  }

  /** "the server’s subscription quota is used up: 300 of 300 units are taken, …". */
  describe(): string {
    const ours = this.ours();
    const held = ours.filter(({ streams }) => streams.size > 0).length;
    const { used, limit } = this.figures()?.securities ?? { used: ours.length, limit: 'an unknown number' };
    const others = this.#quota.others('securities');
    const parts = [`${held} by subscriptions`, `${ours.length - held} by recent reads`, `${others} outside this gateway`];
    return `the server’s subscription quota is used up: ${used} of ${limit} units are taken, ${parts.join(', ')}`;
  }

  #poolOf(unit: QuotaUnit): Pool {
    return this.#quota.costOf(unit).pool;
  }

  #free(ours: readonly QuotaUnit[], pool: Pool): number {
    const free = this.#quota.free(ours, pool);
    return this.clock.monotonic() < this.#fullUntil ? Math.min(free, this.#vacated) : free;
  }

  #kept(pool: Pool): number {
    const limit = this.#quota.limit(pool);
    return limit === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limit * KEPT_SHARE);
  }

  async #ask(): Promise<void> {
    if (!this.hasQuota || this.clock.monotonic() - this.#learnedAt < FRESH_MS) return;
    const generation = this.#generation;
    const info = await this.requests.info();
    if (info === undefined || generation !== this.#generation) return;
    this.#quota.learn(info.s2c, this.ours());
    this.#learnedAt = this.clock.monotonic();
  }
}
