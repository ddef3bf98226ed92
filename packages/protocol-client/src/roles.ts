import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { LifecycleSnapshot, LifecycleState } from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import { Lifecycle } from './connection/lifecycle.js';
import { withDeadline } from './requests/deadline.js';
import type { Role } from './server-state.js';

export interface RoleKeeperOptions {
  readonly clock: Clock;
  /** Purposes of the connection. */
  readonly roles: readonly Role[];
  /** Called at once when pushes of a role may be missing since `from` (epoch ms). */
  readonly onLost: (role: Role, from: number, reason: string) => void;
  /**
   * Restores the pushes of a role; what happened since `since` (epoch ms) was missed. Where it rejects, it is tried again. It stops
   * once `isCurrent` is false.
   */
  readonly restore: (role: Role, since: number | undefined, isCurrent: () => boolean) => Promise<void>;
  /** Makes the connection anew where a role's login or restoration fails; without it the same connection is waited for. */
  readonly renew?: ((reason: string) => void) | undefined;
  readonly onChange: () => void;
  /** Called with errors that are defects. */
  readonly onDefect: (error: unknown) => void;
}

/** Pause between two tries to restore a role on the same connection. */
const RETRY_MS = 5_000;

interface RoleState {
  readonly lifecycle: Lifecycle;
  /** Start of the gap, epoch ms: the first loss since the role was ready. */
  lostSince: number | undefined;
  /** Epoch ms at which the server last said that it is logged in to the role. */
  goodAt: number;
  /** Number of losses: a restoration that began before the last one is void. */
  losses: number;
  restoring: boolean;
  cancelRetry: () => void;
}

/**
 * States of the roles of one connection. A role follows the connection, is ready only while the server is logged in to it, and only
 * once everything that was lost has been restored: this is where subscriptions come back after an outage.
 */
export class RoleKeeper {
  readonly #options: RoleKeeperOptions;
  readonly #states: ReadonlyMap<Role, RoleState>;
  readonly #changes = new Emitter();
  #held = false;

  constructor(options: RoleKeeperOptions) {
    this.#options = options;
    const begun = { lostSince: undefined, goodAt: 0, losses: 0, restoring: false, cancelRetry: () => undefined };
    this.#states = new Map(
      options.roles.map((role) => [role, { ...begun, lifecycle: new Lifecycle(options.clock, () => this.#changed()) }]),
    );
  }

  state(role: Role): LifecycleState {
    return this.#of(role).lifecycle.state;
  }

  snapshot(role: Role): LifecycleSnapshot {
    return this.#of(role).lifecycle.snapshot;
  }

  /** Resolves to true once the role is ready, to false at `deadline` (of `Clock.monotonic`), or where it will never be ready. */
  async whenReady(role: Role, deadline: number): Promise<boolean> {
    for (;;) {
      const state = this.state(role);
      if (state === 'ready') return true;
      if (state === 'failed' || state === 'stopped') return false;
      let forget: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        forget = this.#changes.on(resolve);
      });
      const inTime = await withDeadline(this.#options.clock, changed, { deadline }).then(
        () => true,
        () => false,
      );
      forget();
      if (!inTime) return false;
    }
  }

  /** The connection has entered this state: all roles do, each by the steps that are open to it. */
  follow(state: Exclude<LifecycleState, 'ready'>, event: string): void {
    this.#held = true;
    for (const { lifecycle } of this.#states.values()) {
      if (lifecycle.state === state) lifecycle.note(event);
      else lifecycle.enter(state, event);
    }
    this.#held = false;
    this.#changed();
  }

  /** The connection was lost; it was last heard at `heardAt` (epoch ms). */
  disconnected(reason: string, heardAt: number): void {
    for (const role of this.#states.keys()) this.#lose(role, heardAt, reason);
  }

  /** The server, which is connected, has said why it cannot serve a role, or that it can. */
  judge(missing: Readonly<Partial<Record<Role, string | undefined>>>): void {
    for (const role of this.#states.keys()) {
      const why = missing[role];
      if (why === undefined) this.#found(role);
      else this.#missed(role, why);
    }
  }

  stop(): void {
    for (const { cancelRetry } of this.#states.values()) cancelRetry();
  }

  #of(role: Role): RoleState {
    const state = this.#states.get(role);
    if (state === undefined) throw new Error(`the connection is not used for ${role}`);
    return state;
  }

  #found(role: Role): void {
    const state = this.#of(role);
    const { lifecycle } = state;
    state.goodAt = this.#options.clock.now();
    if (lifecycle.state === 'reconnecting') {
      lifecycle.enter('connecting', 'the upstream is logged in');
      lifecycle.enter('authenticating', 'the upstream is logged in');
    }
    if (lifecycle.state === 'authenticating') void this.#restore(role);
  }

  #missed(role: Role, why: string): void {
    const { lifecycle, restoring, goodAt } = this.#of(role);
    const wasServed = lifecycle.state === 'ready' || (lifecycle.state === 'authenticating' && restoring);
    if (wasServed && this.#options.renew !== undefined) this.#options.renew(why);
    else if (wasServed) {
      this.#lose(role, goodAt, why);
      lifecycle.enter('reconnecting', why);
    } else lifecycle.note(why);
  }

  #lose(role: Role, from: number, reason: string): void {
    const state = this.#of(role);
    state.losses += 1;
    state.lostSince ??= from;
    this.#options.onLost(role, state.lostSince, reason);
  }

  async #restore(role: Role): Promise<void> {
    const state = this.#of(role);
    if (state.restoring) return;
    state.restoring = true;
    state.cancelRetry();
    const { losses, lifecycle } = state;
    const isCurrent = () => state.losses === losses && lifecycle.state === 'authenticating';
    try {
      await this.#options.restore(role, state.lostSince, isCurrent);
      if (!isCurrent()) return;
      state.lostSince = undefined;
      lifecycle.enter('ready', 'connected, and everything is restored');
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.#options.onDefect(thrown);
      if (isCurrent()) this.#retry(role, isCurrent, thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      state.restoring = false;
      // A loss and a recovery in the meantime need another restoration.
      if (state.losses !== losses && lifecycle.state === 'authenticating') void this.#restore(role);
    }
  }

  #retry(role: Role, isCurrent: () => boolean, reason: string): void {
    const state = this.#of(role);
    if (this.#options.renew !== undefined) {
      this.#options.renew(reason);
      return;
    }
    state.lifecycle.note(`what was lost could not be restored: ${reason}`);
    state.cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      if (isCurrent()) void this.#restore(role);
    });
  }

  #changed(): void {
    if (this.#held) return;
    this.#changes.emit();
    this.#options.onChange();
  }
}
