import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused } from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS, type FrequencyLimit } from '@svc-gateway/wire';
import { ANSWER_MS_MIN, type Deadline, failureOf, secondsUntil, withDeadline } from './deadline.js';

/** Two clocks may differ, and both sides may round. */
const WINDOW_MARGIN_MS = 50;
/** Two requests may come closer to each other on their way. */
const SPACING_MARGIN_MS = 5;
/** Spacings to wait after calls that arrived too close: the delay on their way is likely to go on. */
const CROWDED_SPACINGS = 3;

/** A turn that was taken. Exactly one of these ends it. */
export interface Turn {
  /** The answer is there, or will not come: the request has reached the upstream by now if it ever does. */
  done(): void;
  /** Returns the turn of a request that was never sent. */
  unused(): void;
}

export interface RateBudgetOptions extends Pick<FrequencyLimit, 'calls' | 'spacingMs'> {
  readonly clock: Clock;
  /** For people: "place_order of this account: the server takes 15 requests in 30 seconds". */
  readonly describe: (calls: number) => string;
  /** How long a call counts after its answer, ms. Default: the window of the published limits. */
  readonly heldMs?: number;
}

interface Waiter {
  readonly rank: number;
  readonly go: (turn: Turn) => void;
  readonly refuse: (reason: Error) => void;
}

/**
 * One budget of one limit: a sliding log of the calls that count. A call counts until 30 seconds after its answer, since it
 * reached the upstream at some moment before that; so the upstream never sees more than the limit in any window, however long
 * each request was under way. Whoever cannot have a turn at once waits for it, lower ranks first; who could
 * not have it before the caller's deadline is refused at once.
 */
export class RateBudget {
  /** Times of `Clock.monotonic` at which calls were answered, oldest first; only those that still count. */
  readonly #answered: number[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #heldMs: number;
  #calls: number;
  #underWay = 0;
  #lastLeft = Number.NEGATIVE_INFINITY;
  /** Time before which no request is sent. */
  #closedUntil = Number.NEGATIVE_INFINITY;
  #cancelTimer: () => void = () => undefined;

  constructor(private readonly options: RateBudgetOptions) {
    this.#heldMs = options.heldMs ?? FREQUENCY_WINDOW_MS + WINDOW_MARGIN_MS;
    this.#calls = options.calls;
  }

  /** Calls in any 30 seconds, as far as is known. */
  get calls(): number {
    return this.#calls;
  }

  /** Calls that could leave now. */
  get free(): number {
    return this.#calls - this.#counting(this.options.clock.monotonic());
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** True if no call counts any more and none waits. */
  get idle(): boolean {
    const now = this.options.clock.monotonic();
    return this.#waiting.length === 0 && this.#counting(now) === 0 && this.#closedUntil <= now;
  }

  /** Resolves to a turn. Rejects with `BackendRefused` where there is none in time. */
  take(rank: number, { deadline, signal }: Deadline): Promise<Turn> {
    const now = this.options.clock.monotonic();
    if (this.#waiting.length === 0 && this.#nextTime(now) <= now) return Promise.resolve(this.#leave(now));
    const later = this.#waiting.findIndex((waiter) => waiter.rank > rank);
    const place = later === -1 ? this.#waiting.length : later;
    const time = this.#turnOf(place, now);
    if (time > deadline - ANSWER_MS_MIN) return Promise.reject(this.#refusal(time, now));
    const turn = new Promise<Turn>((go, refuse) => this.#waiting.splice(place, 0, { rank, go, refuse }));
    const waiter = this.#waiting[place] as Waiter;
    this.#look();
    return withDeadline(this.options.clock, turn, { deadline: deadline - ANSWER_MS_MIN, signal }, (departure) => {
      const index = this.#waiting.indexOf(waiter);
      const at = this.options.clock.monotonic();
      const failure = departure === 'late' ? this.#refusal(this.#turnOf(Math.max(0, index), at), at) : failureOf(departure);
      // A turn that was granted in the very moment is given back.
      if (index === -1) turn.then(({ unused }) => unused()).catch(() => undefined);
      else this.#waiting.splice(index, 1);
      return failure;
    });
  }

  /**
   * The upstream said that it was too often, though by this log it was not: somebody else asks it too. At most `calls` in a
   * window, where it said so; and nothing for as long as the average call has. Where calls have to be apart, they may as well have
   * come closer on their way: when a request is refused for the first time, only that much is waited. Returns the seconds until the
   * next turn.
   */
  overrun(calls: number | undefined, tries: number): number {
    if (calls !== undefined && calls < this.#calls) this.#calls = calls;
    const now = this.options.clock.monotonic();
    const { spacingMs } = this.options;
    const pause = spacingMs !== undefined && tries === 1 ? CROWDED_SPACINGS * spacingMs : this.#heldMs / this.#calls;
    this.#closedUntil = Math.max(this.#closedUntil, now + pause);
    this.#look();
    return secondsUntil(this.#turnOf(this.#waiting.length, now), now);
  }

  /** Marks the budget as used up by uncounted calls, as if made evenly over the last window. */
  spend(): void {
    const now = this.options.clock.monotonic();
    for (let call = 1; call <= this.#calls; call++) this.#answered.push(now - this.#heldMs + (call * this.#heldMs) / this.#calls);
  }

  /** Refuses all waiting requests. */
  stop(reason: Error): void {
    this.#cancelTimer();
    for (const { refuse } of this.#waiting.splice(0)) refuse(reason);
  }

  /** Grants the turns that are due, and arms a timer for the next. */
  #look(): void {
    this.#cancelTimer();
    const now = this.options.clock.monotonic();
    while (this.#waiting.length > 0) {
      const next = this.#nextTime(now);
      if (next > now) {
        // Where every turn is under way, an answer is what comes next, and calls this again.
        if (next < Number.POSITIVE_INFINITY) this.#cancelTimer = this.options.clock.after(next - now, () => this.#look());
        return;
      }
      this.#waiting.shift()?.go(this.#leave(now));
    }
  }

  #leave(now: number): Turn {
    this.#underWay += 1;
    this.#lastLeft = now;
    let over = false;
    const end = (counts: boolean) => {
      if (over) return;
      over = true;
      this.#underWay -= 1;
      if (counts && this.#heldMs > 0) this.#answered.push(this.options.clock.monotonic());
      this.#look();
    };
    return { done: () => end(true), unused: () => end(false) };
  }

  #counting(now: number): number {
    const first = this.#answered.findIndex((time) => time + this.#heldMs >= now);
    this.#answered.splice(0, first === -1 ? this.#answered.length : first);
    return this.#underWay + this.#answered.length;
  }

  /** When the next call may leave; infinite while that depends on an answer. */
  #nextTime(now: number): number {
    const over = this.#counting(now) - this.#calls;
    const room = over < 0 ? now : (this.#answered[over] ?? Number.POSITIVE_INFINITY) + this.#heldMs + 1;
    return Math.max(room, this.#spacedTime(1), this.#closedUntil);
  }

  /** The earliest time at which the waiter at this place could leave: every call under way is answered now, at best. */
  #turnOf(place: number, now: number): number {
    const over = this.#counting(now) - this.#calls + place;
    const rounds = Math.floor(over / this.#calls);
    const slot = over - rounds * this.#calls;
    const room = over < 0 ? now : (this.#answered[slot] ?? now) + this.#heldMs * (rounds + 1) + 1;
    return Math.max(room, this.#spacedTime(place + 1), this.#closedUntil);
  }

  /** When that many calls more may have left, by their spacing. */
  #spacedTime(calls: number): number {
    const { spacingMs } = this.options;
    return this.#lastLeft + (spacingMs === undefined ? 0 : (spacingMs + SPACING_MARGIN_MS) * calls);
  }

  #refusal(turn: number, now: number): BackendRefused {
    const seconds = secondsUntil(turn, now);
    const message = `${this.options.describe(this.#calls)}, and the next turn is in ${seconds} s, later than the caller waits; nothing was sent`;
    return new BackendRefused('backend.rate', message, seconds);
  }
}
