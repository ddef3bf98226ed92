import type { Clock } from '../../contract/clock.js';
import { BackendFailure, type LifecycleState, type StreamScope, type StreamsLost } from '../../gateway/backend.js';
import { type Role, RoleStates, roles } from './roles.js';

export interface RoleKeeperOptions {
  readonly clock: Clock;
  /** Told at once of what is not sure to come through any more. */
  readonly onLost: (role: Role, lost: StreamsLost) => void;
  /**
   * Brings back what a role had: rejected, it is tried again. `since` (epoch ms) is when it was lost, where it was; `isCurrent`
   * says whether it is still wanted.
   */
  readonly restore: (role: Role, since: number | undefined, isCurrent: () => boolean) => Promise<void>;
  /** Something was thrown that should not have been. */
  readonly onDefect: (error: unknown) => void;
}

/** Pushes that belong to a role. */
export const scopes: Readonly<Record<Role, StreamScope>> = {
  quotes: { streams: 'all', accIds: [] },
  trading: { streams: [], accIds: 'all' },
};

/** Between two tries to restore what an upstream that is there refuses. */
const RETRY_MS = 5_000;

/**
 * Brings quotes and trading where the connection and the upstream's logins allow: tells at once what is lost, restores it when it is
 * to be had again, and makes a role ready only then. What is lost again meanwhile begins anew.
 */
export class RoleKeeper {
  readonly roleStates: RoleStates;
  readonly #options: RoleKeeperOptions;
  /** Since when a role's pushes are missing (epoch ms): the first loss that it has not come back from. */
  readonly #lostSince: Record<Role, number | undefined> = { quotes: undefined, trading: undefined };
  /** When a role was last known to be there, epoch ms. */
  readonly #goodAt: Record<Role, number> = { quotes: 0, trading: 0 };
  /** Counts the losses of a role: a restoration that is older than the last one is void. */
  readonly #epochs: Record<Role, number> = { quotes: 0, trading: 0 };
  readonly #restoring = new Set<Role>();
  readonly #retries = new Map<Role, () => void>();

  constructor(options: RoleKeeperOptions) {
    this.#options = options;
    this.roleStates = new RoleStates(options.clock);
  }

  /** The connection has become this. */
  follow(state: Exclude<LifecycleState, 'ready'>, event: string): void {
    this.roleStates.follow(state, event);
  }

  /** The connection that there was is lost: it was last heard then (epoch ms). */
  disconnected(reason: string, heardAt: number): void {
    for (const role of roles) this.#lose(role, heardAt, reason);
  }

  /** The upstream, which is connected, has said why a role is not to be had, or that it is. */
  judge(missing: Readonly<Record<Role, string | undefined>>): void {
    for (const role of roles) {
      const why = missing[role];
      if (why === undefined) this.#found(role);
      else this.#missed(role, why);
    }
  }

  /** Nothing is tried any more. */
  stop(): void {
    for (const cancel of this.#retries.values()) cancel();
    this.#retries.clear();
  }

  #found(role: Role): void {
    this.#goodAt[role] = this.#options.clock.now();
    this.roleStates.resume(role, 'the upstream is logged in');
    if (this.roleStates.state(role) === 'authenticating') void this.#restore(role);
  }

  #missed(role: Role, why: string): void {
    const state = this.roleStates.state(role);
    if (state === 'ready' || (state === 'authenticating' && this.#restoring.has(role))) {
      this.#lose(role, this.#goodAt[role], why);
      this.roleStates.enter(role, 'reconnecting', why);
    } else {
      this.roleStates.note(role, why);
    }
  }

  #lose(role: Role, from: number, reason: string): void {
    this.#epochs[role] += 1;
    this.#lostSince[role] ??= from;
    this.#options.onLost(role, { ...scopes[role], from, reason });
  }

  async #restore(role: Role): Promise<void> {
    if (this.#restoring.has(role)) return;
    this.#restoring.add(role);
    this.#retries.get(role)?.();
    const epoch = this.#epochs[role];
    const isCurrent = () => this.#epochs[role] === epoch && this.roleStates.state(role) === 'authenticating';
    try {
      await this.#options.restore(role, this.#lostSince[role], isCurrent);
      if (!isCurrent()) return;
      this.#lostSince[role] = undefined;
      this.roleStates.enter(role, 'ready', 'connected, and everything is restored');
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.#options.onDefect(thrown);
      if (isCurrent()) this.#retry(role, isCurrent, thrown);
    } finally {
      this.#restoring.delete(role);
      // It was lost and is back while this was under way.
      if (this.#epochs[role] !== epoch && this.roleStates.state(role) === 'authenticating') void this.#restore(role);
    }
  }

  #retry(role: Role, isCurrent: () => boolean, thrown: unknown): void {
    this.roleStates.note(role, `what was lost could not be restored: ${thrown instanceof Error ? thrown.message : thrown}`);
    const cancel = this.#options.clock.after(RETRY_MS, () => {
      this.#retries.delete(role);
      if (isCurrent()) void this.#restore(role);
    });
    this.#retries.set(role, cancel);
  }
}
