import type { Clock } from '../../contract/clock.js';
import type { BackendStatus, BrokerSnapshot, LifecycleSnapshot, LifecycleState } from '../../gateway/backend.js';
import { Lifecycle } from '../../protocol-client/index.js';

/** The two things that an upstream may be logged in to, each without the other. */
export type Role = 'quotes' | 'trading';
export const roles: readonly Role[] = ['quotes', 'trading'];

/** An upstream does not say which broker it is connected to. */
const BROKER = { brokerId: 0, name: 'upstream' };

/**
 * The states of quotes and of trading behind one connection. Both follow the connection; each is `ready` only while the upstream
 * is logged in to it, and goes through `reconnecting` where it loses that.
 */
export class RoleStates {
  readonly #lifecycles: Readonly<Record<Role, Lifecycle>>;
  readonly #listeners = new Set<(status: BackendStatus) => void>();
  #held = false;

  constructor(clock: Clock) {
    const changed = () => this.#changed();
    this.#lifecycles = { quotes: new Lifecycle(clock, changed), trading: new Lifecycle(clock, changed) };
  }

  state(role: Role): LifecycleState {
    return this.#lifecycles[role].state;
  }

  status(): BackendStatus {
    const { quotes, trading } = this.#lifecycles;
    return { platform: quotes.snapshot, brokers: [{ ...BROKER, ...trading.snapshot }] };
  }

  /** a role's connection, where it is not ready. */
  awaited(role: Role): LifecycleSnapshot | BrokerSnapshot | undefined {
    if (this.state(role) === 'ready') return undefined;
    const { platform, brokers } = this.status();
    return role === 'quotes' ? platform : brokers[0];
  }

  /** Resolves to true once a role is ready, to false where it will never be, or when what it is given to `arm` is called. */
  whenReady(role: Role, arm: (expire: () => void) => () => void): Promise<boolean> {
    const verdict = (): boolean | undefined => {
      const state = this.state(role);
      return state === 'ready' ? true : state === 'failed' || state === 'stopped' ? false : undefined;
    };
    const known = verdict();
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const settle = (ready: boolean) => {
        stopListening();
        cancel();
        resolve(ready);
      };
      const cancel = arm(() => settle(false));
      const stopListening = this.onChange(() => {
        const now = verdict();
        if (now !== undefined) settle(now);
      });
    });
  }

  onChange(listener: (status: BackendStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  enter(role: Role, state: LifecycleState, event: string): void {
    this.#lifecycles[role].enter(state, event);
  }

  /** Both roles enter the state of the connection, each by the steps that are open to it. */
  follow(state: LifecycleState, event: string): void {
    this.#together(() => {
      for (const role of roles) {
        if (this.state(role) === state) this.#lifecycles[role].note(event);
        else this.enter(role, state, event);
      }
    });
  }

  /** Says what a role that is not ready waits for. */
  note(role: Role, event: string): void {
    this.#lifecycles[role].note(event);
  }

  /** The upstream is logged in to it again, or for the first time: as far as `authenticating`. */
  resume(role: Role, event: string): void {
    if (this.state(role) === 'reconnecting') {
      this.enter(role, 'connecting', event);
      this.enter(role, 'authenticating', event);
    }
  }

  /** Listeners are told once, when all of it is done. */
  #together(action: () => void): void {
    this.#held = true;
    try {
      action();
    } finally {
      this.#held = false;
    }
    this.#changed();
  }

  #changed(): void {
    if (this.#held) return;
    const status = this.status();
    for (const listener of this.#listeners) listener(status);
  }
}
