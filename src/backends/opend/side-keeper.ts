import type { Clock } from '../../contract/clock.js';
import { BackendFailure, type LifecycleState, type StreamScope, type StreamsLost } from '../../gateway/backend.js';
import { type SideName, Sides, sideNames } from './sides.js';

export interface SideKeeperOptions {
  readonly clock: Clock;
  /** Told at once of what is not sure to come through any more. */
  readonly onLost: (side: SideName, lost: StreamsLost) => void;
  /**
   * Brings back what a side had: rejected, it is tried again. `since` (epoch ms) is when it was lost, where it was; `isCurrent`
   * says whether it is still wanted.
   */
  readonly restore: (side: SideName, since: number | undefined, isCurrent: () => boolean) => Promise<void>;
  /** Something was thrown that should not have been. */
  readonly onDefect: (error: unknown) => void;
}

/** What of the pushes belongs to a side. */
export const scopes: Readonly<Record<SideName, StreamScope>> = {
  quotes: { streams: 'all', accIds: [] },
  trading: { streams: [], accIds: 'all' },
};

/** Between two tries to restore what an upstream that is there refuses. */
const RETRY_MS = 5_000;

/**
 * Brings quotes and trading where the connection and the upstream's logins allow: tells at once what is lost, restores it when it is
 * to be had again, and makes a side ready only then. What is lost again meanwhile begins anew.
 */
export class SideKeeper {
  readonly sides: Sides;
  readonly #options: SideKeeperOptions;
  /** Since when a side's pushes are missing (epoch ms): the first loss that it has not come back from. */
  readonly #lostSince: Record<SideName, number | undefined> = { quotes: undefined, trading: undefined };
  /** When a side was last known to be there, epoch ms. */
  readonly #goodAt: Record<SideName, number> = { quotes: 0, trading: 0 };
  /** Counts the losses of a side: a restoration that is older than the last one is void. */
  readonly #epochs: Record<SideName, number> = { quotes: 0, trading: 0 };
  readonly #restoring = new Set<SideName>();
  readonly #retries = new Map<SideName, () => void>();

  constructor(options: SideKeeperOptions) {
    this.#options = options;
    this.sides = new Sides(options.clock);
  }

  /** The connection has become this. */
  follow(state: Exclude<LifecycleState, 'ready'>, event: string): void {
    this.sides.follow(state, event);
  }

  /** The connection that there was is lost: it was last heard then (epoch ms). */
  disconnected(reason: string, heardAt: number): void {
    for (const side of sideNames) this.#lose(side, heardAt, reason);
  }

  /** The upstream, which is connected, has said why a side is not to be had, or that it is. */
  judge(missing: Readonly<Record<SideName, string | undefined>>): void {
    for (const side of sideNames) {
      const why = missing[side];
      if (why === undefined) this.#found(side);
      else this.#missed(side, why);
    }
  }

  /** Nothing is tried any more. */
  stop(): void {
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
  }

  #found(side: SideName): void {
    this.#goodAt[side] = this.#options.clock.now();
    this.sides.resume(side, 'the upstream is logged in');
    if (this.sides.state(side) === 'authenticating') void this.#restore(side);
  }

  #missed(side: SideName, why: string): void {
    const state = this.sides.state(side);
    if (state === 'ready' || (state === 'authenticating' && this.#restoring.has(side))) {
      this.#lose(side, this.#goodAt[side], why);
      this.sides.enter(side, 'reconnecting', why);
    } else {
      this.sides.note(side, why);
    }
  }

  #lose(side: SideName, from: number, reason: string): void {
    this.#epochs[side] += 1;
    this.#lostSince[side] ??= from;
    this.#options.onLost(side, { ...scopes[side], from, reason });
  }

  async #restore(side: SideName): Promise<void> {
    if (this.#restoring.has(side)) return;
    this.#restoring.add(side);
    this.#retries.get(side)?.();
    const epoch = this.#epochs[side];
    const isCurrent = () => this.#epochs[side] === epoch && this.sides.state(side) === 'authenticating';
    try {
      await this.#options.restore(side, this.#lostSince[side], isCurrent);
      if (!isCurrent()) return;
      this.#lostSince[side] = undefined;
      this.sides.enter(side, 'ready', 'connected, and everything is restored');
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.#options.onDefect(thrown);
      if (isCurrent()) this.#retry(side, isCurrent, thrown);
    } finally {
      this.#restoring.delete(side);
      // It was lost and is back while this was under way.
      if (this.#epochs[side] !== epoch && this.sides.state(side) === 'authenticating') void this.#restore(side);
    }
  }

  #retry(side: SideName, isCurrent: () => boolean, thrown: unknown): void {
    this.sides.note(side, `what was lost could not be restored: ${thrown instanceof Error ? thrown.message : thrown}`);
    const cancel = this.#options.clock.after(RETRY_MS, () => {
      this.#retries.delete(side);
      if (isCurrent()) void this.#restore(side);
    });
    this.#retries.set(side, cancel);
  }
}
