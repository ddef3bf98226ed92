import type { Clock } from '@svc-gateway/contract/clock';
import { BackendFailure } from '@svc-gateway/gateway';
import type { RequestOptions } from '../connection/upstream.js';
import { ANSWER_MS_MIN, type Deadline, failureOf, withDeadline } from './deadline.js';

/** Work that several callers wait for. A caller that goes away leaves it to the others; when all have gone it is abandoned. */
export class SharedWork<T> {
  readonly #answer: Promise<T>;
  readonly #controller = new AbortController();
  #waiting = 0;
  /** Beginning of the work, of `Clock.monotonic`. */
  readonly startedAt: number;

  /**
   * @param deadline of the caller that begins it; others may have more time, see {@link joinWork}.
   * @param close is called once nobody may join any more.
   */
  constructor(
    private readonly clock: Clock,
    readonly deadline: number,
    start: (deadline: Deadline) => Promise<T>,
    private readonly close: () => void,
  ) {
    this.startedAt = clock.monotonic();
    this.#answer = start({ deadline, signal: this.#controller.signal }).finally(close);
  }

  wait(deadline: Deadline): Promise<T> {
    this.#waiting += 1;
    return withDeadline(this.clock, this.#answer, deadline, (departure) => {
      this.#waiting -= 1;
      if (this.#waiting === 0) {
        this.close();
        this.#controller.abort();
      }
      return failureOf(departure);
    });
  }
}

/** Waits for shared work. Work that was given up at the deadline of the caller that began it is found or begun once more. */
export async function joinWork<T>(
  clock: Clock,
  options: RequestOptions,
  find: () => { readonly work: SharedWork<T>; readonly isNew: boolean },
): Promise<T> {
  for (;;) {
    const { work, isNew } = find();
    try {
      const answer = await work.wait(options);
      options.onAsked?.(work.startedAt);
      return answer;
    } catch (thrown) {
      const hasTime = options.deadline - clock.monotonic() > ANSWER_MS_MIN && options.signal?.aborted !== true;
      if (isNew || !hasTime || options.deadline <= work.deadline || !(thrown instanceof BackendFailure)) throw thrown;
    }
  }
}

/** Identical reads that are under way at the same time are one. */
export class SharedReads<T> {
  readonly #underWay = new Map<string, SharedWork<T>>();

  constructor(private readonly clock: Clock) {}

  /** Joins the read of this key that is under way, or starts one with the deadline of its caller. */
  join(key: string, options: RequestOptions, start: (deadline: Deadline) => Promise<T>): Promise<T> {
    return joinWork(this.clock, options, () => {
      const known = this.#underWay.get(key);
      if (known !== undefined) return { work: known, isNew: false };
      const work: SharedWork<T> = new SharedWork(this.clock, options.deadline, start, () => {
        if (this.#underWay.get(key) === work) this.#underWay.delete(key);
      });
      this.#underWay.set(key, work);
      return { work, isNew: true };
    });
  }
}
