import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused } from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS, type FrequencyLimit, frequencyBudget, frequencyLimitOf, frequencyLimits } from '@svc-gateway/wire';
import type { Deadline } from './deadline.js';
import { RateBudget, type Turn } from './rate-budget.js';
import type { Priority, Request } from './request.js';

/** One for each id and account that was asked about within a window; those of others are forgotten beyond this many. */
const BUDGETS_MAX = 1_000;
/** Requests that wait for their turn at a time: those of their deadline are long refused before so many come together. */
const WAITING_MAX = 4_000;

/** Calls in a window where nothing is known: nearly every published limit allows as many. */
const CALLS_UNKNOWN = 10;

/** Share of an account's fresh lists, and of its changes and cancels, that callers may take together, and one of them. The rest is the daemon's own: halts, sweeps, exits of brackets. */
const CALLERS_SHARE = 0.7;
const CALLER_SHARE = 0.5;

const unlimited: Turn = { done: () => undefined, unused: () => undefined };

/**
 * When the published limits begin to be kept: `at once`, of a server that is known to have them, or `when refused`, each of them
 * once the server has said that something was asked too often.
 */
export type RateLimitStart = 'at once' | 'when refused';

/** Keeps the server's frequency limits: every request takes a turn first. */
export class RateLimiter {
  /** Limits in force, by protocol id. */
  readonly #limits = new Map<number, FrequencyLimit>();
  readonly #budgets = new Map<string, RateBudget>();

  constructor(
    private readonly clock: Clock,
    start: RateLimitStart,
  ) {
    this.begin(start);
  }

  /** Starts anew for another server. */
  begin(start: RateLimitStart): void {
    this.#limits.clear();
    if (start === 'at once') for (const limit of frequencyLimits) this.#keep(limit);
  }

  /** A turn for this request. Rejected with `BackendRefused` where there is none before the caller's deadline. */
  take(request: Request, priority: Priority, deadline: Deadline): Promise<Turn> {
    const budget = this.budgetOf(request);
    if (budget === undefined) return Promise.resolve(unlimited);
    if (budget === 'too many') return Promise.reject(full(`requests of ${BUDGETS_MAX} accounts were made within 30 seconds`));
    // Orders always wait in line: only reads could be too many.
    if (priority === 'read' && this.#waiting() >= WAITING_MAX) return Promise.reject(full(`${WAITING_MAX} requests wait for their turn`));
    const limit = this.#limits.get(request.asked.protoId ?? 0);
    if (limit?.reserved !== true) return budget.take(priority, deadline);
    // Ahead of whatever callers ask for.
    if (deadline.owner === undefined) return budget.take(priority === 'read' ? 'order' : priority, deadline, true);
    return this.#takeShare(request, limit, { ...deadline, owner: deadline.owner }, priority, budget);
  }

  /** A turn in the caller's share, in that of all callers, and in the budget itself. */
  async #takeShare(
    request: Request,
    limit: FrequencyLimit,
    deadline: Deadline & { readonly owner: string },
    priority: Priority,
    budget: RateBudget,
  ): Promise<Turn> {
    const key = frequencyBudget(limit, request.asked.protoId ?? 0, request.c2s);
    const { name: operation } = request.asked;
    const about = priority === 'read' ? `${operation} asked afresh` : operation;
    const share = (name: string, part: number, whose: string) =>
      this.#budgetNamed(
        `${key} of ${name}`,
        { protoIds: limit.protoIds, calls: Math.ceil(limit.calls * part) },
        `${about} by ${whose}`,
        'the gateway',
      );
    const turns: Turn[] = [];
    try {
      for (const each of [share(deadline.owner, CALLER_SHARE, 'one caller'), share('', CALLERS_SHARE, 'all callers'), budget]) {
        if (each === 'too many') throw full(`requests of ${BUDGETS_MAX} callers and accounts were made within 30 seconds`);
        turns.push(await each.take(priority, deadline));
      }
    } catch (thrown) {
      for (const turn of turns) turn.unused();
      throw thrown;
    }
    return {
      done: () => {
        for (const turn of turns) turn.done();
      },
      unused: () => {
        for (const turn of turns) turn.unused();
      },
    };
  }

  /** Budget that counts this request; undefined for a request that does not count. */
  budgetOf(request: Request): RateBudget | 'too many' | undefined {
    return this.#budgetOf(request, false);
  }

  #budgetOf({ asked: { protoId, name }, c2s }: Request, isSpent: boolean): RateBudget | 'too many' | undefined {
    if (protoId === null) return undefined;
    const limit = this.#limits.get(protoId);
    if (limit === undefined || (c2s !== undefined && limit.counts?.(c2s) === false)) return undefined;
    const key = frequencyBudget(limit, protoId, c2s);
    const isNew = !this.#budgets.has(key);
    const about = limit.perAccount === true ? `${name} of account${key.slice(key.indexOf(' '))}` : name;
    const budget = this.#budgetNamed(key, limit, about, 'the server');
    if (isNew && isSpent && budget !== 'too many') budget.spend();
    return budget;
  }

  #budgetNamed(key: string, limit: FrequencyLimit, about: string, taker: string): RateBudget | 'too many' {
    const known = this.#budgets.get(key);
    if (known !== undefined) return known;
    if (this.#budgets.size >= BUDGETS_MAX) this.#forgetIdle();
    if (this.#budgets.size >= BUDGETS_MAX) return 'too many';
    const budget = new RateBudget(this.clock, limit, about, taker);
    this.#budgets.set(key, budget);
    return budget;
  }

  /**
   * The upstream said that this was asked too often, and how often it may be, where it did. What has no limit yet gets the published
   * one, or one by that. `tries`: how often this request was refused so. Returns whole seconds until there is a turn again.
   */
  overrun(request: Request, calls: number | undefined, tries: number): number {
    const { protoId } = request.asked;
    const isNew = protoId !== null && !this.#limits.has(protoId);
    if (isNew) {
      this.#keep(frequencyLimitOf(protoId) ?? { protoIds: [protoId], calls: calls ?? CALLS_UNKNOWN });
    }
    const budget = this.#budgetOf(request, isNew);
    return budget === undefined || budget === 'too many' ? FREQUENCY_WINDOW_MS / 1000 : budget.overrun(calls, tries);
  }

  /** Refuses all waiting requests. */
  stop(reason: Error): void {
    for (const budget of this.#budgets.values()) budget.stop(reason);
  }

  #keep(limit: FrequencyLimit): void {
    for (const protoId of limit.protoIds) this.#limits.set(protoId, limit);
  }

  #waiting(): number {
    let waiting = 0;
    for (const budget of this.#budgets.values()) waiting += budget.waiting;
    return waiting;
  }

  #forgetIdle(): void {
    for (const [key, budget] of this.#budgets) if (budget.idle) this.#budgets.delete(key);
  }
}

function full(why: string): BackendRefused {
  return new BackendRefused('backend.rate', `${why}; nothing was sent`, 1);
}
