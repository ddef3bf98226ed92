import type { Daemon } from '@svc-gateway/daemon/daemon';
import type { Backend } from '@svc-gateway/gateway';
import type { TestDaemonOptions } from './daemon.js';
import { ServedBrokerage } from './served-brokerage.js';
import { UpstreamDaemon } from './upstream-daemon.js';

/** An external backend of a daemon under test. */
export interface BackendBehind {
  /** Runs with what is its part of these options; the flags of the daemon in front of it. */
  boot(options: Omit<TestDaemonOptions<never>, 'keys'>): Promise<readonly string[]>;
  /** Lets the daemon in, once it runs. */
  admit?(daemon: Daemon): void;
  stop(): Promise<void>;
}

/** Backend of the daemons under test: a simulation within each, or a brokerage outside, as `SVC_TEST_BACKEND` says. */
export const backendName: Backend['name'] = nameOf(process.env.SVC_TEST_BACKEND);

/**
 * The same tests run over several backends: with `SVC_TEST_BACKEND=opend` each daemon under test has another behind it, with
 * `SVC_TEST_BACKEND=remote` a brokerage that it logs in to. undefined where daemons have their simulation within.
 */
export async function createBackendBehind(flags: readonly string[]): Promise<BackendBehind | undefined> {
  // A recording is played by the simulation within.
  if (flags.includes('--backend') || flags.includes('--sim-data')) return undefined;
  switch (backendName) {
    case 'opend':
      return UpstreamDaemon.create();
    case 'remote':
      return new ServedBrokerage();
    case 'sim':
      return undefined;
  }
}

function nameOf(wanted = 'sim'): Backend['name'] {
  if (wanted !== 'sim' && wanted !== 'opend' && wanted !== 'remote')
    throw new Error(`SVC_TEST_BACKEND is ${wanted}: sim, opend and remote are known`);
  return wanted;
}
