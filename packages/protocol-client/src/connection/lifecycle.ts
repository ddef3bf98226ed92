import type { Clock } from '@svc-gateway/contract/clock';
import type { LifecycleSnapshot, LifecycleState } from '@svc-gateway/gateway/backend';

/**
 * Steps between the states; any other is a defect. A connection that is given up goes from any state to `failed`, one that is
 * ended to `stopped`; a failed one starts again only when an operator has put right what was wrong.
 */
export const transitions: Readonly<Record<LifecycleState, readonly LifecycleState[]>> = {
  idle: ['connecting', 'failed', 'stopped'],
  connecting: ['authenticating', 'reconnecting', 'failed', 'stopped'],
  authenticating: ['ready', 'reconnecting', 'failed', 'stopped'],
  ready: ['reconnecting', 'failed', 'stopped'],
  reconnecting: ['connecting', 'failed', 'stopped'],
  failed: ['connecting', 'stopped'],
  stopped: [],
};

/** The states of one connection as an operator sees them, with their counters and times. */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** The try that is under way follows another: it counts as a reconnection. */
  #again = false;
  #snapshot: LifecycleSnapshot = {
    lifecycleState: 'idle',
    lifecycleGeneration: 0,
    reconnectAttempts: 0,
    reconnectSuccesses: 0,
    reconnectFailures: 0,
  };

  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get state(): LifecycleState {
    return this.#snapshot.lifecycleState;
  }

  /** Immutable. */
  get snapshot(): LifecycleSnapshot {
    return this.#snapshot;
  }

  /** Moves on; `event` says why, to people. Throws where {@link transitions} has no such step. */
  enter(state: LifecycleState, event: string): void {
    const from = this.state;
    if (!transitions[from].includes(state)) throw new Error(`a connection that is ${from} cannot become ${state} (${event})`);
    const at = new Date(this.#clock.now()).toISOString();
    const before = this.#snapshot;
    const tried = from === 'connecting' || from === 'authenticating';
    const missed = tried && (state === 'reconnecting' || state === 'failed');
    if (state === 'connecting') this.#again = from !== 'idle';
    this.#snapshot = {
      ...before,
      lifecycleState: state,
      lastLifecycleEvent: event,
      ...(state === 'connecting'
        ? {
            lifecycleGeneration: before.lifecycleGeneration + 1,
            reconnectAttempts: before.reconnectAttempts + (this.#again ? 1 : 0),
            lastAttemptAt: at,
          }
        : {}),
      ...(state === 'ready' ? { reconnectSuccesses: before.reconnectSuccesses + (this.#again ? 1 : 0), lastSuccessAt: at } : {}),
      ...(missed ? { reconnectFailures: before.reconnectFailures + (this.#again ? 1 : 0), lastFailureAt: at } : {}),
    };
    this.#onChange();
  }

  /** Says anew what the present state waits for. */
  note(event: string): void {
    if (this.#snapshot.lastLifecycleEvent === event) return;
    this.#snapshot = { ...this.#snapshot, lastLifecycleEvent: event };
    this.#onChange();
  }
}
