import type { Clock } from '../../contract/clock.js';
import type { BackendStatus, LifecycleSnapshot, LifecycleState } from '../../gateway/backend.js';

const BROKER = { brokerId: 1001, name: 'Simulated Securities' };

/** The states of a connection that is never lost: the simulation runs inside this process, as platform and as broker. */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #listeners = new Set<(status: BackendStatus) => void>();
  #snapshot: LifecycleSnapshot = {
    lifecycleState: 'idle',
    lifecycleGeneration: 0,
    reconnectAttempts: 0,
    reconnectSuccesses: 0,
    reconnectFailures: 0,
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get state(): LifecycleState {
    return this.#snapshot.lifecycleState;
  }

  enter(state: LifecycleState, event: string): void {
    const at = new Date(this.#clock.now()).toISOString();
    const connecting = state === 'connecting';
    this.#snapshot = {
      ...this.#snapshot,
      lifecycleState: state,
      lifecycleGeneration: this.#snapshot.lifecycleGeneration + (connecting ? 1 : 0),
      lastLifecycleEvent: event,
      ...(connecting ? { lastAttemptAt: at } : {}),
      ...(state === 'ready' ? { lastSuccessAt: at } : {}),
    };
    const status = this.status();
    for (const listener of this.#listeners) listener(status);
  }

  status(): BackendStatus {
    return { platform: this.#snapshot, brokers: [{ ...this.#snapshot, ...BROKER }] };
  }

  onChange(listener: (status: BackendStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
