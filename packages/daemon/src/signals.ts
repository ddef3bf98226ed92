import { constants } from 'node:os';
import type { Clock } from '@svc-gateway/contract/clock';

type StopSignal = 'SIGINT' | 'SIGTERM';

/** As much of the process as signals need. */
export interface SignalProcess {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(status: number): void;
}

export interface SignalActions {
  /** Ends the daemon in good order. Called once. */
  shutdown(reason: string): Promise<void>;
  /** Re-reads the keys file and reopens the audit log. Called once the daemon is {@link Signals.ready}. */
  reload(): void;
  /** Told that the shutdown failed or took too long. */
  onFailure(message: string, error?: unknown): void;
}

export interface Signals {
  /** The daemon has started. A reload that was asked for in the meantime runs now: what it is about may have been read before. */
  ready(): void;
  /** The daemon's own way to what SIGTERM does; `/api/admin/shutdown` ends here. Further calls change nothing. */
  requestShutdown(reason: string): void;
  /** Gives the signals back to their default. */
  remove(): void;
}

const SHUTDOWN_MS_MAX = 10_000;
/** Shells report death by signal n as 128 + n. */
const SIGNAL_STATUS_BASE = 128;
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

/**
 * SIGINT and SIGTERM end the daemon in good order with status 0; a second one ends it at once, and so does a shutdown
 * that fails or takes longer than ten seconds (status 1). SIGHUP reloads, or has the daemon reload as soon as it has
 * started; once it stops, a SIGHUP does nothing, so that many of them cannot hold the shutdown up.
 */
export function handleSignals(process: SignalProcess, clock: Clock, actions: SignalActions): Signals {
  let stopping = false;
  let isReady = false;
  let reloadAsked = false;

  const requestShutdown = (reason: string) => {
    if (stopping) return;
    stopping = true;
    const cancelDeadline = clock.after(SHUTDOWN_MS_MAX, () => {
      actions.onFailure(`shutdown took longer than ${SHUTDOWN_MS_MAX / 1000} s`);
      process.exit(1);
    });
    actions.shutdown(reason).then(
      () => {
        cancelDeadline();
        process.exit(0);
      },
      (error: unknown) => {
        cancelDeadline();
        actions.onFailure('shutdown failed', error);
        process.exit(1);
      },
    );
  };

  const reload = () => {
    if (!stopping) actions.reload();
  };

  const listeners: [NodeJS.Signals, () => void][] = STOP_SIGNALS.map((signal) => [
    signal,
    () => {
      if (stopping) process.exit(SIGNAL_STATUS_BASE + constants.signals[signal]);
      else requestShutdown(signal);
    },
  ]);
  listeners.push([
    'SIGHUP',
    () => {
      if (isReady) reload();
      else reloadAsked = true;
    },
  ]);
  for (const [signal, listener] of listeners) process.on(signal, listener);

  return {
    ready() {
      isReady = true;
      if (reloadAsked) reload();
    },
    requestShutdown,
    remove() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}
