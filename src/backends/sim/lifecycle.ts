import type { Clock } from '../../contract/clock.js';
import type { BackendStatus, LifecycleState } from '../../gateway/backend.js';
import { Lifecycle as ConnectionLifecycle } from '../../protocol-client/connection/lifecycle.js';

const BROKER = { brokerId: 1001, name: 'Simulated Securities' };

/** The states of a connection that is never lost: the simulation runs inside this process, as platform and as broker. */
export class Lifecycle {
  readonly #connection: ConnectionLifecycle;
  readonly #listeners = new Set<(status: BackendStatus) => void>();

  constructor(clock: Clock) {
    this.#connection = new ConnectionLifecycle(clock, () => {
      const status = this.status();
      for (const listener of this.#listeners) listener(status);
    });
  }

  get state(): LifecycleState {
    return this.#connection.state;
  }

  enter(state: LifecycleState, event: string): void {
    this.#connection.enter(state, event);
  }

  status(): BackendStatus {
    const { snapshot } = this.#connection;
    return { platform: snapshot, brokers: [{ ...snapshot, ...BROKER }] };
  }

  onChange(listener: (status: BackendStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
