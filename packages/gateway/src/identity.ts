import type { Authentication, KeyRecord } from '@svc-gateway/access';
import { isSameKey } from '@svc-gateway/access';
import type { Rejection } from '@svc-gateway/contract/rejection';

/** The interface a request came in by, as the audit trail names it. */
export type Iface = 'rest' | 'ws' | 'mcp' | 'grpc' | 'core-ws' | 'core-tcp';

export interface Peer {
  readonly address: string;
  /** The connection came from this machine. */
  readonly loopback: boolean;
  /** The last key shown on this connection and its record; programs send the same key with every request. */
  shown?: { readonly keyText: string; readonly key: KeyRecord };
}

/** One request as its interface received it, before anybody knows who sent it. */
export interface Caller {
  readonly iface: Iface;
  /** The request's target, for the audit trail: "POST /api/quote", "subscribe". */
  readonly endpoint: string;
  readonly requestId: string;
  readonly peer: Peer;
  /** The API key's text, when the request carried one. */
  readonly keyText: string | undefined;
  /** The key that the connection was opened with, in place of a text: what has become of it is looked at anew. */
  readonly key?: KeyRecord | undefined;
  /** The caller's name for this write: a repetition gets the first answer. */
  readonly idempotencyKey?: string | undefined;
  /** The connection that subscriptions made by this request belong to; without one they belong to the key. */
  readonly connectionOwner?: string;
  /** True once no caller waits for the answer: unsent requests are then not sent. */
  isGone?(): boolean;
  /** Calls `listener` when {@link isGone} becomes true; returns its removal. Asked for only when an answer takes its time. */
  onGone?(listener: () => void): () => void;
  /** Milliseconds that the caller will wait, if it says so. */
  maxWaitMs?(): number;
  /** Called before the answer of an earlier request under the same idempotency key is given. */
  onReplayed?(): void;
  /** Called before an answer is given that is this many milliseconds old, because the backend is away. */
  onHeld?(ageMs: number): void;
  /** Called when the answer is waited for by itself, for at most `ms`: `say` tells people what for, and how that stands. */
  onWaiting?(say: () => string, ms: number): void;
}

/** A way to name a key. */
export type Credential =
  /** The key's text; undefined = none was shown. */
  | { readonly kind: 'text'; readonly text: string | undefined }
  /** The MD5 in hex of the text, as the published clients show it. */
  | { readonly kind: 'sdk'; readonly md5Hex: string }
  /** The operator's default key for callers that cannot show one. */
  | { readonly kind: 'id'; readonly id: string };

/** The authenticated caller of a request. */
export interface Identity {
  /** undefined: the anonymous caller of legacy mode. */
  readonly key: KeyRecord | undefined;
  /** Owner of the subscriptions and idempotency keys: `key:<id>` or `anonymous`. */
  readonly owner: string;
}

/** Says its owner when it is asked: reads mostly do not, and a key's id is in no cache of the processor. */
class Named implements Identity {
  #owner: string | undefined;

  constructor(readonly key: KeyRecord | undefined) {}

  get owner(): string {
    this.#owner ??= ownerOfKey(this.key);
    return this.#owner;
  }
}

/** The caller's identity, or the reason why the credential is refused. */
export function identityOf(authenticated: Authentication): Identity | Rejection {
  return authenticated.ok ? new Named(authenticated.value) : authenticated.error;
}

export function ownerOfKey(key: KeyRecord | undefined): string {
  return ownerNamed(key?.id ?? null);
}

/** The owner that a key of this id is; null = a caller without one. */
export function ownerNamed(keyId: string | null): string {
  return keyId === null ? 'anonymous' : `key:${keyId}`;
}

/** Whether two callers are one whose key is as it was. */
export function isSameIdentity(one: Identity, other: Identity): boolean {
  return one.owner === other.owner && isSameKey(one.key, other.key);
}

/** Whether two texts are the same, in a time that does not tell how far they agree: a proxy may put many callers on one connection. */
export function isSameText(one: string, other: string): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}
