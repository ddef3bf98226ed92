import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { BackendStatus, LifecycleState } from '@svc-gateway/gateway/backend';
import { Lifecycle as ConnectionLifecycle } from '@svc-gateway/protocol-client/connection/lifecycle';

const BROKER = { brokerId: 1001, name: 'Simulated Securities' };

/** The states of a connection that is never lost: the simulation runs inside this process, as platform and as broker. */
export class Lifecycle {
  readonly #connection: ConnectionLifecycle;
  readonly #listeners = new Emitter<BackendStatus>();

  constructor(clock: Clock) {
    this.#connection = new ConnectionLifecycle(clock, () => {
      const status = this.status();
      this.#listeners.emit(status);
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
    return this.#listeners.on(listener);
  }
}
