import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { CallContext, Sending } from './backend.js';
import { BackendTimeout, type LateRejection } from './backend-failures.js';
import type { Caller } from './identity.js';

const neverAborted = new AbortController().signal;

/**
 * One request on its way: how long its caller waits, and whether it does. Nothing but the object itself is made for a request
 * that is answered in its turn.
 */
export class Call implements CallContext {
  #deadline: number | undefined;
  #controller: AbortController | undefined;
  #ended = false;
  #left = false;
  #overdue = false;
  #joined = false;
  lateRejection: (() => LateRejection | undefined) | undefined;
  orderDetail = false;
  owner: string | undefined;
  closes: Decimal | undefined;
  sending: Sending | undefined;

  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  get requestId(): string {
    return this.caller.requestId;
  }

  get deadline(): number {
    this.#deadline ??= this.clock.monotonic() + Math.min(this.timeoutMs, this.caller.maxWaitMs?.() ?? this.timeoutMs);
    return this.#deadline;
  }

  get signal(): AbortSignal {
    if (this.#left) return neverAborted;
    this.#controller ??= new AbortController();
    if (this.#ended) this.#controller.abort();
    return this.#controller.signal;
  }

  /** True once no caller waits. */
  isGone(): boolean {
    return this.#ended || (this.caller.isGone?.() ?? false);
  }

  /**
   * The point of no return of a write: false when nobody waits any more, and then it must not be sent; from true on its outcome
   * counts, whoever waits.
   */
  commit(): boolean {
    if (this.isGone()) return false;
    this.#left = true;
    return true;
  }

  /** True once the write is past the point of no return. */
  get left(): boolean {
    return this.#left;
  }

  /** Joins an earlier request, which may have been sent, and waits for its outcome. */
  join(): void {
    this.#joined = true;
  }

  /** Whether its caller can be told that nothing has happened. */
  get untouched(): boolean {
    return !this.#left && !this.#joined;
  }

  /** True if its deadline passed before the answer. */
  get overdue(): boolean {
    return this.#overdue;
  }

  /**
   * The result of `work`, or a rejection once the deadline passes or the caller is gone. A write that was sent is not abandoned
   * because its caller went away. Either way `work` itself continues.
   *
   * @param failed maps a failure of `work`, or its timeout, to the caller's answer.
   */
  within<T, F>(work: Promise<T>, failed: (thrown: unknown) => F): Promise<T | F | Rejection> {
    return new Promise((resolve) => {
      const cancelTimer = this.clock.after(Math.max(0, this.deadline - this.clock.monotonic()), () => {
        disarm();
        this.#overdue = true;
        this.#end();
        resolve(failed(new BackendTimeout('the backend did not answer in time')));
      });
      const gone = () => {
        if (this.#left) return;
        disarm();
        this.#end();
        resolve(cancelled());
      };
      const stopListening = this.#left ? undefined : this.caller.onGone?.(gone);
      const disarm = () => {
        cancelTimer();
        stopListening?.();
      };
      const settle = (settled: T) => {
        disarm();
        resolve(settled);
      };
      work.then(settle, (thrown) => {
        disarm();
        if (!this.#ended) resolve(failed(thrown));
      });
    });
  }

  #end(): void {
    this.#ended = true;
    if (!this.#left) this.#controller?.abort();
  }
}

/** The refusal of what was not sent because its caller went away. */
export function cancelled(): Rejection {
  return new Rejection('request.cancelled', 'the call was cancelled or its deadline passed before anything was sent');
}
