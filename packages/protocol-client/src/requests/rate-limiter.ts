import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused } from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS, type FrequencyLimit, frequencyBudget, frequencyLimitOf, frequencyLimits } from '@svc-gateway/wire';
import type { Priority, RequestOptions } from '../connection/upstream.js';
import { RateBudget, type Turn } from './rate-budget.js';
import type { Request } from './request.js';

/** One for each id and account that was asked about within a window; those of others are forgotten beyond this many. */
const BUDGETS_MAX = 1_000;
/** Reads under way: enough to keep a server busy over any distance, and few enough that orders pass them soon. */
const READS_UNDER_WAY_MAX = 64;
/** Requests that wait for their turn at a time: those of their deadline are long refused before so many come together. */
const WAITING_MAX = 4_000;

/** Calls in a window where nothing is known: nearly every published limit allows as many. */
const CALLS_UNKNOWN = 10;
/** With less of its budget left than this share, an operation is asked at its average pace. */
const HURRY_SHARE = 0.5;

/** Share of an account's fresh lists, and of its changes and cancels, that callers may take together, and one of them. The rest is the daemon's own: halts, sweeps, exits of brackets. */
const CALLERS_SHARE = 0.7;
const CALLER_SHARE = 0.5;

const ranks: Readonly<Record<Priority, number>> = { cancel: 0, order: 1, read: 2 };
/** Ranks by which requests of the daemon itself go ahead of callers'. */
const FIRST = 3;

/**
 * When the published limits begin to be kept: `at once`, of a server that is known to have them, or `when refused`, each of them
 * once the server has said that something was asked too often.
 */
export type RateLimitStart = 'at once' | 'when refused';

/** Keeps the server's frequency limits: every request takes a turn first. */
export class RateLimiter {
  readonly #clock: Clock;
  /** Limits in force, by protocol id. */
  readonly #limits = new Map<number, FrequencyLimit>();
  readonly #budgets = new Map<string, RateBudget>();
  /** Reads beyond its calls wait here rather than in the server's socket, where an order could not go ahead of them. */
  readonly #reads: RateBudget;

  constructor(clock: Clock, start: RateLimitStart) {
    this.#clock = clock;
    this.#reads = new RateBudget({
      clock,
      calls: READS_UNDER_WAY_MAX,
      describe: (calls) => `the server has not answered ${calls} reads yet`,
      heldMs: 0,
    });
    this.begin(start);
  }

  /** Starts anew for another server. */
  begin(start: RateLimitStart): void {
    this.#limits.clear();
    if (start === 'at once') for (const limit of frequencyLimits) this.#keep(limit);
  }

  /** A turn for this request in every budget that counts it. Rejects with `BackendRefused` where there is none in time. */
  async take(request: Request, options: RequestOptions): Promise<Turn> {
    const { priority = 'read', owner } = options;
    // Orders always wait in line: only reads could be too many.
    if (priority === 'read' && this.#waiting() >= WAITING_MAX) throw full(`${WAITING_MAX} requests wait for their turn`);
    const own = owner === undefined && this.#limitOf(request)?.reserved === true;
    const rank = own ? Math.min(ranks[priority], ranks.order) - FIRST : ranks[priority];
    const turns: Turn[] = [];
    const end = (how: keyof Turn) => {
      for (const turn of turns) turn[how]();
    };
    try {
      for (const budget of this.#budgetsOf(request, options)) turns.push(await budget.take(rank, options));
    } catch (thrown) {
      end('unused');
      throw thrown;
    }
    return { done: () => end('done'), unused: () => end('unused') };
  }

  /** How long requests like this one may gather, ms: its average pace when its budget is nearly used up. */
  gatherMs(request: Request): number {
    const budget = this.#budgetOf(request);
    return budget === undefined || budget.free >= HURRY_SHARE * budget.calls ? 0 : Math.ceil(FREQUENCY_WINDOW_MS / budget.calls);
  }

  /**
   * The upstream said that this was asked too often, and how often it may be, where it did. What has no limit yet gets the published
   * one, or one by that. `tries`: how often this request was refused so. Returns whole seconds until there is a turn again.
   */
  overrun(request: Request, calls: number | undefined, tries: number): number {
    const { protoId } = request.asked;
    const isNew = protoId !== null && !this.#limits.has(protoId);
    if (isNew) this.#keep(frequencyLimitOf(protoId) ?? { protoIds: [protoId], calls: calls ?? CALLS_UNKNOWN });
    return this.#budgetOf(request, isNew)?.overrun(calls, tries) ?? FREQUENCY_WINDOW_MS / 1000;
  }

  /** Refuses all waiting requests. */
  stop(reason: Error): void {
    for (const budget of [this.#reads, ...this.#budgets.values()]) budget.stop(reason);
  }

  /** Budgets in which a request takes a turn, one after another: the shares of its caller and of all callers come first. */
  #budgetsOf(request: Request, { priority = 'read', owner }: RequestOptions): readonly RateBudget[] {
    const budget = this.#budgetOf(request);
    const limit = this.#limitOf(request);
    const shares: RateBudget[] = [];
    if (limit?.reserved === true && owner !== undefined) {
      const key = this.#keyOf(limit, request);
      const about = priority === 'read' ? `${request.asked.name} asked afresh` : request.asked.name;
      const share = (name: string, part: number, whose: string) =>
        this.#budgetNamed(`${key} of ${name}`, { calls: Math.ceil(limit.calls * part) }, `${about} by ${whose}: the gateway`);
      shares.push(share(owner, CALLER_SHARE, 'one caller'), share('', CALLERS_SHARE, 'all callers'));
    }
    return [...shares, ...(budget === undefined ? [] : [budget]), ...(priority === 'read' ? [this.#reads] : [])];
  }

  /** Limit that counts a request; undefined for a request that does not count. */
  #limitOf({ asked: { protoId }, c2s }: Request): FrequencyLimit | undefined {
    const limit = protoId === null ? undefined : this.#limits.get(protoId);
    return limit !== undefined && c2s !== undefined && limit.counts?.(c2s) === false ? undefined : limit;
  }

  #keyOf(limit: FrequencyLimit, { asked, c2s }: Request): string {
    return frequencyBudget(limit, asked.protoId ?? 0, c2s);
  }

  #budgetOf(request: Request, isSpent = false): RateBudget | undefined {
    const limit = this.#limitOf(request);
    if (limit === undefined) return undefined;
    const { name } = request.asked;
    const key = this.#keyOf(limit, request);
    const isNew = !this.#budgets.has(key);
    const about = limit.perAccount === true ? `${name} of account${key.slice(key.indexOf(' '))}` : name;
    const budget = this.#budgetNamed(key, limit, `${about}: the server`);
    if (isNew && isSpent) budget.spend();
    return budget;
  }

  #budgetNamed(key: string, limit: Pick<FrequencyLimit, 'calls' | 'spacingMs'>, about: string): RateBudget {
    const known = this.#budgets.get(key);
    if (known !== undefined) return known;
    if (this.#budgets.size >= BUDGETS_MAX) for (const [name, { idle }] of this.#budgets) if (idle) this.#budgets.delete(name);
    if (this.#budgets.size >= BUDGETS_MAX) throw full(`requests of ${BUDGETS_MAX} callers and accounts were made within 30 seconds`);
    const describe = (calls: number) => `${about} takes ${calls} requests in 30 seconds`;
    const budget = new RateBudget({ clock: this.#clock, ...limit, describe });
    this.#budgets.set(key, budget);
    return budget;
  }

  #keep(limit: FrequencyLimit): void {
    for (const protoId of limit.protoIds) this.#limits.set(protoId, limit);
  }

  #waiting(): number {
    let { waiting } = this.#reads;
    for (const budget of this.#budgets.values()) waiting += budget.waiting;
    return waiting;
  }
}

function full(why: string): BackendRefused {
  return new BackendRefused('backend.rate', `${why}; nothing was sent`, 1);
}
