import type { Clock } from '@svc-gateway/contract/clock';
import type { LifecycleSnapshot, LifecycleState } from '@svc-gateway/gateway';

/** The part of a logger that states are written to. */
interface StateLogger {
  info(details: object, message: string): void;
}

/** A connection that comes and goes is written about once a minute. */
const AGAIN_MS = 60_000;

/**
 * Logs the states of a connection: each once when it is entered, and what it comes to again and again at most once a minute, with
 * the number of changes that were left out. The state that lasts is always the last one in the log.
 */
export class StateLog {
  /** When each state was logged, of the monotonic clock. */
  readonly #loggedAt = new Map<LifecycleState, number>();
  #state: LifecycleState | undefined;
  #logged: LifecycleState | undefined;
  #event = '';
  #omitted = 0;
  #cancel: (() => void) | undefined;

  /** @param details of every line: which connection it is. */
  constructor(
    private readonly clock: Clock,
    private readonly logger: StateLogger,
    private readonly details: object,
    private readonly message: string,
  ) {}

  /** The connection is in this state, perhaps as before. */
  note({ lifecycleState, lastLifecycleEvent = '' }: LifecycleSnapshot): void {
    this.#event = lastLifecycleEvent;
    if (lifecycleState === this.#state) return;
    this.#state = lifecycleState;
    const now = this.clock.monotonic();
    const at = this.#loggedAt.get(lifecycleState);
    if (at === undefined || now - at >= AGAIN_MS || lifecycleState === 'stopped' || lifecycleState === 'failed') {
      this.#write(lifecycleState, now);
      return;
    }
    this.#omitted += 1;
    this.#cancel ??= this.clock.after(AGAIN_MS, () => {
      this.#cancel = undefined;
      if (this.#state !== undefined && this.#state !== this.#logged) this.#write(this.#state, this.clock.monotonic());
    });
  }

  #write(state: LifecycleState, now: number): void {
    if (state === 'stopped' || state === 'failed') this.#cancel?.();
    const omitted = this.#omitted === 0 ? {} : { changes_not_logged: this.#omitted };
    this.#omitted = 0;
    this.#loggedAt.set(state, now);
    this.#logged = state;
    this.logger.info({ ...this.details, state, event: this.#event, ...omitted }, this.message);
  }
}
