import type { KeyRecord } from '../access/index.js';

/** The interface a request came in by, as the audit trail names it. */
export type Iface = 'rest' | 'ws' | 'mcp' | 'grpc' | 'core-ws' | 'core-tcp';

export interface Peer {
  readonly address: string;
  /** The connection came from this machine. */
  readonly loopback: boolean;
}

/** One request as its interface received it, before anybody knows who sent it. */
export interface Caller {
  readonly iface: Iface;
  /** What was asked, for the audit trail: "POST /api/quote", "subscribe". */
  readonly endpoint: string;
  readonly requestId: string;
  readonly peer: Peer;
  /** The API key's text, when the request carried one. */
  readonly keyText: string | undefined;
  /** The caller's name for this write: a repetition gets the first answer. */
  readonly idempotencyKey?: string | undefined;
  /** The connection that subscriptions made by this request belong to; without one they belong to the key. */
  readonly connectionOwner?: string;
  /** Whether nobody waits for the answer any more: what has not left the daemon then does not leave it. */
  isGone?(): boolean;
}

/** Who a request turned out to be from. */
export interface Identity {
  /** undefined: the anonymous caller of legacy mode. */
  readonly key: KeyRecord | undefined;
  /** Whose subscriptions and idempotency keys these are: `key:<id>` or `anonymous`. */
  readonly owner: string;
}

export function ownerOfKey(key: KeyRecord | undefined): string {
  return key === undefined ? 'anonymous' : `key:${key.id}`;
}
