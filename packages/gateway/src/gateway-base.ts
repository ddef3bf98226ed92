import type { Access } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Store } from '@svc-gateway/storage';
import type { Backend } from './backend.js';
import type { Logger } from './logger.js';

/** Parts that nearly everything in the gateway is built on. */
export interface GatewayBase {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  /** Clock by which the backend times its calls. */
  readonly backendClock: Clock;
  readonly store: Store;
  readonly logger: Logger;
  /** Default wait of callers for an answer. */
  readonly requestTimeoutMs: number;
  /** Start-up switches that are on: "--enable-trading". */
  readonly switches: ReadonlySet<string>;
  /** Reason why trading is halted after an inconsistent restore. */
  readonly tradingHalt: string | undefined;
}
