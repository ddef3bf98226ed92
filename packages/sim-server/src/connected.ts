import type { PushEvent } from '@svc-gateway/gateway/backend';

/** A client that is connected to a point, as far as what serves it needs to know it. */
export interface Connected {
  /** `connID`. */
  readonly id: bigint;
  /** Its socket is closed. */
  readonly gone: boolean;
  /** Receives 1003 Notify. */
  readonly wantsNotices: boolean;
  /** Accounts with wanted order and fill pushes. */
  accounts: ReadonlySet<bigint>;
  /** Sends a push, unless a fault was ordered for it. */
  push(event: PushEvent): void;
  /** Ends the connection after what is buffered. */
  end(): void;
  /** Cuts the connection without a word. */
  cut(): void;
}
