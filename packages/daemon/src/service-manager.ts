import { execFile } from 'node:child_process';
import type { Clock } from '@svc-gateway/contract/clock';

/** Tells the service manager by `systemd-notify`: "READY=1". Rejects where that cannot be run or fails. */
export type Notify = (assignments: readonly string[]) => Promise<void>;

interface ServiceManagerOptions {
  /** `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are what systemd says by. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly clock: Clock;
  readonly notify: Notify;
  /** Told when notes begin not to get through. */
  readonly onTrouble: (error: Error) => void;
}

const NOTIFY_MS_MAX = 5_000;
/** Watchdog notes come twice in the time that systemd waits for one, but never more often than this. */
const WATCHDOG_MS_MIN = 1_000;
const USEC_PER_MS = 1_000;
/** Maximum of waiting notes while one is under way; more than a daemon's life has. */
const WAITING_MAX = 16;

/**
 * Tells systemd how the daemon fares (sd_notify): that it is ready, reloads, stops, and that its event loop turns. Without systemd, or
 * with one that is not to be reached, it does nothing. Node has no datagram sockets of that kind, so systemd's own program sends the
 * notes: one at a time, in order, and nothing ever waits for them.
 */
export class ServiceManager {
  readonly #enabled: boolean;
  readonly #waiting: (readonly string[])[] = [];
  #sending = false;
  /** The last note did not get through. */
  #inTrouble = false;
  #cancelBeat: () => void = () => undefined;

  constructor(private readonly options: ServiceManagerOptions) {
    this.#enabled = (options.variables.NOTIFY_SOCKET ?? '') !== '';
  }

  /** The listeners are open, or a reload is over. */
  ready(): void {
    this.#send(['READY=1']);
    this.#cancelBeat();
    this.#beat();
  }

  /** A reload begins; {@link ready} ends it. */
  reloading(): void {
    this.#send(['RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`]);
  }

  /** The shutdown begins. */
  stopping(): void {
    this.#cancelBeat();
    this.#send(['STOPPING=1']);
  }

  #beat(): void {
    const { variables, pid, clock } = this.options;
    const { WATCHDOG_USEC, WATCHDOG_PID } = variables;
    const limitMs = Number(WATCHDOG_USEC) / USEC_PER_MS;
    if (!this.#enabled || !(limitMs > 0) || (WATCHDOG_PID ?? String(pid)) !== String(pid)) return;
    this.#cancelBeat = clock.after(Math.max(WATCHDOG_MS_MIN, limitMs / 2), () => {
      // One that still waits says the same.
      if (this.#waiting.length === 0) this.#send(['WATCHDOG=1']);
      this.#beat();
    });
  }

  #send(assignments: readonly string[]): void {
    if (!this.#enabled || this.#waiting.length >= WAITING_MAX) return;
    this.#waiting.push(assignments);
    if (!this.#sending) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.options.notify(next);
        this.#inTrouble = false;
      } catch (thrown) {
        // The next note is tried all the same: without the watchdog's, systemd would end the daemon.
        if (!this.#inTrouble) this.options.onTrouble(thrown instanceof Error ? thrown : new Error(String(thrown)));
        this.#inTrouble = true;
      }
    }
    this.#sending = false;
  }
}

/** Runs `systemd-notify`, which every machine with systemd has. It waits until the note was taken: systemd drops those of a process that is gone. */
export const systemdNotify: Notify = (assignments) =>
  new Promise((resolve, reject) => {
    execFile('systemd-notify', [...assignments], { timeout: NOTIFY_MS_MAX }, (error) => (error === null ? resolve() : reject(error)));
  });
