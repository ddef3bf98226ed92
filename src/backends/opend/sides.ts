import type { Clock } from '../../contract/clock.js';
import type { BackendStatus, BrokerSnapshot, LifecycleSnapshot, LifecycleState } from '../../gateway/backend.js';
import { Lifecycle } from '../framed/index.js';

/** The two things that an upstream may be logged in to, each without the other. */
export type SideName = 'quotes' | 'trading';
export const sideNames: readonly SideName[] = ['quotes', 'trading'];

/** An upstream does not say which broker it is connected to. */
const BROKER = { brokerId: 0, name: 'upstream' };

/**
 * The states of quotes and of trading behind one connection. Both follow the connection; each is `ready` only while the upstream
 * is logged in to it, and goes through `reconnecting` where it loses that.
 */
export class Sides {
  readonly #lifecycles: Readonly<Record<SideName, Lifecycle>>;
  readonly #listeners = new Set<(status: BackendStatus) => void>();
  #held = false;

  constructor(clock: Clock) {
    const changed = () => this.#changed();
    this.#lifecycles = { quotes: new Lifecycle(clock, changed), trading: new Lifecycle(clock, changed) };
  }

  state(side: SideName): LifecycleState {
    return this.#lifecycles[side].state;
  }

  status(): BackendStatus {
    const { quotes, trading } = this.#lifecycles;
    return { platform: quotes.snapshot, brokers: [{ ...BROKER, ...trading.snapshot }] };
  }

  /** A side's connection, where it is not ready. */
  awaited(side: SideName): LifecycleSnapshot | BrokerSnapshot | undefined {
    if (this.state(side) === 'ready') return undefined;
    const { platform, brokers } = this.status();
    return side === 'quotes' ? platform : brokers[0];
  }

  /** Resolves to true once a side is ready, to false where it will never be, or when what it is given to `arm` is called. */
  whenReady(side: SideName, arm: (expire: () => void) => () => void): Promise<boolean> {
    const verdict = (): boolean | undefined => {
      const state = this.state(side);
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

  enter(side: SideName, state: LifecycleState, event: string): void {
    this.#lifecycles[side].enter(state, event);
  }

  /** What the connection has become, both sides become, each by the steps that are open to it. */
  follow(state: LifecycleState, event: string): void {
    this.#together(() => {
      for (const side of sideNames) {
        if (this.state(side) === state) this.#lifecycles[side].note(event);
        else this.enter(side, state, event);
      }
    });
  }

  /** Says what a side that is not ready waits for. */
  note(side: SideName, event: string): void {
    this.#lifecycles[side].note(event);
  }

  /** The upstream is logged in to it again, or for the first time: as far as `authenticating`. */
  resume(side: SideName, event: string): void {
    if (this.state(side) === 'reconnecting') {
      this.enter(side, 'connecting', event);
      this.enter(side, 'authenticating', event);
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
