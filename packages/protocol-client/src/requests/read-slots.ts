import { BackendRefused, BackendUnsent } from '@svc-gateway/gateway';

interface Waiter {
  readonly enter: () => void;
}

/**
 * Reads that are under way at a time. What is beyond that waits here rather than in the upstream's socket, where an order could
 * not go ahead of it.
 */
export class ReadSlots {
  #underWay = 0;
  readonly #waiting = new Set<Waiter>();

  constructor(
    private readonly underWayMax: number,
    private readonly waitingMax: number,
  ) {}

  /** Returns at once where there is room; otherwise resolves when there is. Each entry is left once. */
  enter(signal: AbortSignal): undefined | Promise<void> {
    if (this.#underWay < this.underWayMax) {
      this.#underWay += 1;
      return undefined;
    }
    if (this.#waiting.size >= this.waitingMax) {
      return Promise.reject(new BackendRefused('backend.rate', `${this.waitingMax} reads wait for the server; nothing was sent`, 1));
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(new BackendUnsent('nobody waits for it any more'));
      };
      const waiter = {
        enter: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#underWay -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.enter();
  }
}
