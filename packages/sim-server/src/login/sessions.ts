import type { Clock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Random } from '../deps.js';

/** Prefix of the key in `InitConnect.clientID`. */
const PREFIX = 'svc:';
const KEY_BYTES = 32;
const SESSION_MS = 24 * 3_600_000;
/** The oldest end before there are more. */
const SESSIONS_MAX = 1_000;

/** The session keys of logins: each opens connections to every point until it expires. They are gone after a restart. */
export class Sessions {
  /** Until when (monotonic ms), by key; the oldest first. */
  readonly #keys = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** A new key. */
  open(): string {
    const key = this.random(KEY_BYTES).toString('base64url');
    this.#keys.set(key, this.clock.monotonic() + SESSION_MS);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= SESSIONS_MAX) break;
      this.#keys.delete(oldest);
    }
    return key;
  }

  /** Whether a `clientID` carries a key that opens connections; otherwise why not. */
  judge(clientId: string): Rejection | undefined {
    if (!clientId.startsWith(PREFIX)) {
      return new Rejection('auth.missing', `clientID must be "${PREFIX}" and the session_key of a login`, { field: 'clientID' });
    }
    const until = this.#keys.get(clientId.slice(PREFIX.length));
    if (until === undefined) return new Rejection('auth.invalid', 'session_key is unknown: log in again', { field: 'clientID' });
    if (until > this.clock.monotonic()) return undefined;
    return new Rejection('auth.expired', 'session_key has expired: log in again', { field: 'clientID' });
  }

  /** Ends every session; connections that are open go on. */
  expireAll(): void {
    for (const key of this.#keys.keys()) this.#keys.set(key, Number.NEGATIVE_INFINITY);
  }

  /** As after a restart. */
  forget(): void {
    this.#keys.clear();
  }
}
