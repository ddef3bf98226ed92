import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused, BackendUnsent } from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS, type FrequencyLimit } from '@svc-gateway/wire';
import { ANSWER_MS_MIN, type Deadline, secondsUntil } from './deadline.js';
import type { Priority } from './request.js';

/** Two clocks may differ, and both sides may round. */
const WINDOW_MARGIN_MS = 50;
const HELD_MS = FREQUENCY_WINDOW_MS + WINDOW_MARGIN_MS;
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

interface Waiter extends Deadline {
  readonly rank: number;
  readonly go: (turn: Turn) => void;
  readonly refuse: (reason: Error) => void;
  /** Stops listening to its signal and its deadline. */
  readonly disarm: () => void;
}

const order: Readonly<Record<Priority, number>> = { cancel: 0, order: 1, read: 2 };
/** Ranks by which requests of the daemon itself go ahead of callers'. */
const FIRST = 3;

/**
 * One budget of one limit: a sliding log of the calls that count. A call counts until 30 seconds after its answer, since it
 * reached the upstream at some moment before that; so the upstream never sees more than the limit in any window, however long
 * each request was under way. Whoever cannot have a turn at once waits for it, cancels before orders before reads; who could
 * not have it before the caller's deadline is refused at once.
 */
export class RateBudget {
  /** Times of `Clock.monotonic` at which calls were answered, oldest first; only those that still count. */
  readonly #answered: number[] = [];
  #underWay = 0;
  #lastLeft = Number.NEGATIVE_INFINITY;
  /** Time before which no request is sent. */
  #closedUntil = Number.NEGATIVE_INFINITY;
  #calls: number;
  readonly #waiting: Waiter[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limit: FrequencyLimit,
    /** For people: "place_order of this account". */
    private readonly about: string,
    /** For people: whose limit it is. */
    private readonly taker = 'the server',
  ) {
    this.#calls = limit.calls;
  }

  /** Calls in any 30 seconds, as far as is known. */
  get calls(): number {
    return this.#calls;
  }

  /** Calls that could leave now. */
  get free(): number {
    return this.#calls - this.#counting(this.clock.monotonic());
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** True if no call counts any more and none waits. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#counting(this.clock.monotonic()) === 0 && this.#closedUntil <= this.clock.monotonic();
  }

  /** Resolves to a turn. Rejects with `BackendRefused` where there is none in time. `first`: ahead of all others. */
  take(priority: Priority, { deadline, signal }: Deadline, first = false): Promise<Turn> {
    const now = this.clock.monotonic();
    if (this.#waiting.length === 0 && this.#nextTime(now) <= now) return Promise.resolve(this.#leave(now));
    const rank = order[priority] - (first ? FIRST : 0);
    const place = this.#placeOf(rank);
    const turn = this.#turnOf(place, now);
    if (turn > deadline - ANSWER_MS_MIN) return Promise.reject(this.#refusal(turn, now));
    return new Promise((resolve, reject) => {
      const leaveQueue = (reason: Error) => {
        const index = this.#waiting.indexOf(waiter);
        if (index !== -1) this.#waiting.splice(index, 1);
        waiter.disarm();
        reject(reason);
      };
      const onAbort = () => leaveQueue(new BackendUnsent('nobody waits for it any more'));
      const cancelDeadline = this.clock.after(deadline - ANSWER_MS_MIN - now, () => {
        const later = this.clock.monotonic();
        leaveQueue(this.#refusal(this.#turnOf(this.#waiting.indexOf(waiter), later), later));
      });
      signal.addEventListener('abort', onAbort);
      const waiter: Waiter = {
        rank,
        deadline,
        signal,
        go: resolve,
        refuse: leaveQueue,
        disarm: () => {
          cancelDeadline();
          signal.removeEventListener('abort', onAbort);
        },
      };
      this.#waiting.splice(place, 0, waiter);
      if (signal.aborted) onAbort();
      else this.#look();
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
    const now = this.clock.monotonic();
    const { spacingMs } = this.limit;
    const pause = spacingMs !== undefined && tries === 1 ? CROWDED_SPACINGS * spacingMs : HELD_MS / this.#calls;
    this.#closedUntil = Math.max(this.#closedUntil, now + pause);
    this.#look();
    return secondsUntil(this.#turnOf(this.#waiting.length, now), now);
  }

  /** Marks the budget as used up by uncounted calls, as if made evenly over the last window. */
  spend(): void {
    const now = this.clock.monotonic();
    for (let call = 1; call <= this.#calls; call++) this.#answered.push(now - HELD_MS + (call * HELD_MS) / this.#calls);
  }

  /** Refuses all waiting requests. */
  stop(reason: Error): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const waiter of [...this.#waiting]) waiter.refuse(reason);
  }

  /** Grants the turns that are due, and arms a timer for the next. */
  #look(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const now = this.clock.monotonic();
    while (this.#waiting.length > 0) {
      const next = this.#nextTime(now);
      if (next > now) {
        // Where every turn is under way, an answer is what comes next, and calls this again.
        if (next < Number.POSITIVE_INFINITY) this.#cancelTimer = this.clock.after(next - now, () => this.#look());
        return;
      }
      const waiter = this.#waiting.shift();
      waiter?.disarm();
      waiter?.go(this.#leave(now));
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
      if (counts) this.#answered.push(this.clock.monotonic());
      this.#look();
    };
    return { done: () => end(true), unused: () => end(false) };
  }

  #counting(now: number): number {
    const first = this.#answered.findIndex((time) => time + HELD_MS >= now);
    this.#answered.splice(0, first === -1 ? this.#answered.length : first);
    return this.#underWay + this.#answered.length;
  }

  /** When the next call may leave; infinite while that depends on an answer. */
  #nextTime(now: number): number {
    const over = this.#counting(now) - this.#calls;
    const spacing = this.limit.spacingMs === undefined ? 0 : this.limit.spacingMs + SPACING_MARGIN_MS;
    const room = over < 0 ? now : (this.#answered[over] ?? Number.POSITIVE_INFINITY) + HELD_MS + 1;
    return Math.max(room, this.#lastLeft + spacing, this.#closedUntil);
  }

  /** The earliest time at which the waiter at this place could leave: every call under way is answered now, at best. */
  #turnOf(place: number, now: number): number {
    const over = this.#counting(now) - this.#calls + place;
    const rounds = Math.floor(over / this.#calls);
    const slot = over - rounds * this.#calls;
    const spacing = this.limit.spacingMs === undefined ? 0 : (this.limit.spacingMs + SPACING_MARGIN_MS) * (place + 1);
    const room = over < 0 ? now : (this.#answered[slot] ?? now) + HELD_MS * (rounds + 1) + 1;
    return Math.max(room, this.#lastLeft + spacing, this.#closedUntil);
  }

  #placeOf(rank: number): number {
    const later = this.#waiting.findIndex((waiter) => waiter.rank > rank);
    return later === -1 ? this.#waiting.length : later;
  }

  #refusal(turn: number, now: number): BackendRefused {
    const seconds = secondsUntil(turn, now);
    const message = `${this.about}: ${this.taker} takes ${this.#calls} requests in 30 seconds, and the next turn is in ${seconds} s, later than the caller waits; nothing was sent`;
    return new BackendRefused('backend.rate', message, seconds);
  }
}
