import { setMaxListeners } from 'node:events';
import type { Clock } from '../../contract/clock.js';
import { BackendFailure, type ResponseMessage } from '../../gateway/index.js';
import { ANSWER_MS_MIN, type Deadline, withDeadline } from './deadline.js';

interface Shared {
  readonly answer: Promise<ResponseMessage>;
  readonly deadline: number;
  waiting: number;
  readonly abandon: () => void;
}

/**
 * Identical reads that are under way at the same time are one. Whoever goes away leaves it to the others; when all have gone it
 * is given up.
 */
export class SharedReads {
  readonly #underWay = new Map<string, Shared>();

  constructor(private readonly clock: Clock) {}

  /** Joins the read of this key that is under way, or starts one with the deadline of all its callers. */
  async join(key: string, deadline: Deadline, start: (deadline: Deadline) => Promise<ResponseMessage>): Promise<ResponseMessage> {
    for (;;) {
      const known = this.#underWay.get(key);
      const shared = known ?? this.#start(key, deadline.deadline, start);
      try {
        return await this.#wait(shared, deadline);
      } catch (thrown) {
        const hasTime = deadline.deadline - this.clock.monotonic() > ANSWER_MS_MIN && !deadline.signal.aborted;
        // It was given up by the time of whoever came first, not by this one's.
        if (known === undefined || !hasTime || deadline.deadline <= shared.deadline || !(thrown instanceof BackendFailure)) throw thrown;
      }
    }
  }

  #start(key: string, deadline: number, start: (deadline: Deadline) => Promise<ResponseMessage>): Shared {
    const controller = new AbortController();
    // Each part of a long list waits by it.
    setMaxListeners(0, controller.signal);
    const answer = start({ deadline, signal: controller.signal }).finally(() => {
      if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
    });
    const shared: Shared = {
      answer,
      deadline,
      waiting: 0,
      abandon: () => {
        // Nobody may join what is being given up.
        if (this.#underWay.get(key) === shared) this.#underWay.delete(key);
        controller.abort();
      },
    };
    this.#underWay.set(key, shared);
    return shared;
  }

  #wait(shared: Shared, deadline: Deadline): Promise<ResponseMessage> {
    shared.waiting += 1;
    return withDeadline(this.clock, shared.answer, deadline, () => {
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.abandon();
    });
  }
}
