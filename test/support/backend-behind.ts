import type { Daemon } from '../../src/entry/daemon.js';
import type { TestDaemonOptions } from './daemon.js';
import { ServedBrokerage } from './served-brokerage.js';
import { UpstreamDaemon } from './upstream-daemon.js';

/** What stands behind a daemon under test, outside of it. */
export interface BackendBehind {
  /** Runs with what is its part of these options; the flags of the daemon in front of it. */
  boot(options: Omit<TestDaemonOptions<never>, 'keys'>): Promise<readonly string[]>;
  /** Lets the daemon in, once it runs. */
  admit?(daemon: Daemon): void;
  stop(): Promise<void>;
}

/**
 * The same tests run over several backends: with `SVC_TEST_BACKEND=opend` each daemon under test has another behind it, with
 * `SVC_TEST_BACKEND=remote` a brokerage that it logs in to. undefined where daemons have their simulation within.
 */
export async function createBackendBehind(flags: readonly string[]): Promise<BackendBehind | undefined> {
  if (flags.includes('--backend')) return undefined;
  switch (process.env.SVC_TEST_BACKEND) {
    case 'opend':
      return UpstreamDaemon.create();
    case 'remote':
      return new ServedBrokerage();
    default:
      return undefined;
  }
}
