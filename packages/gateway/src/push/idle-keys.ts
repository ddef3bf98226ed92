import type { Clock } from '@svc-gateway/contract/clock';
import type { Subscriptions } from './subscriptions.js';

/** How long a key's own subscriptions outlast its last use. */
const IDLE_MS_MAX = 60 * 60_000;
const KEY_PREFIX = 'key:';

/**
 * Ends the subscriptions that belong to a key and to none of its connections (those made over REST) an hour after the key was
 * last used. A request is a use, and so is a connection that receives what the key subscribed to.
 */
export class IdleKeys {
  /** Keys with such subscriptions, by id, each with the moment of its last use; {@link Clock.monotonic}. */
  readonly #lastUses = new Map<string, number>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly subscriptions: Subscriptions,
    /** Whether a connection receives what this owner subscribes to. */
    private readonly isHeard: (owner: string) => boolean,
  ) {}

  /** Notes a request of a key. Called for each request there is. */
  used(keyId: string): void {
    if (this.#lastUses.size > 0 && this.#lastUses.has(keyId)) this.#lastUses.set(keyId, this.clock.monotonic());
  }

  /** Ends what has been idle too long; called every few seconds. Returns the ids of the keys that it belonged to. */
  review(): readonly string[] {
    const now = this.clock.monotonic();
    const ids = this.subscriptions.owners().flatMap((owner) => (owner.startsWith(KEY_PREFIX) ? [owner.slice(KEY_PREFIX.length)] : []));
    const subscribed = new Set(ids);
    for (const id of this.#lastUses.keys()) if (!subscribed.has(id)) this.#lastUses.delete(id);
    const idle: string[] = [];
    for (const id of subscribed) {
      const owner = `${KEY_PREFIX}${id}`;
      const lastUse = this.#lastUses.get(id);
      if (lastUse === undefined || this.isHeard(owner)) this.#lastUses.set(id, now);
      else if (now - lastUse >= IDLE_MS_MAX) {
        this.#lastUses.delete(id);
        void this.subscriptions.unsubscribeAll(owner);
        idle.push(id);
      }
    }
    return idle;
  }
}
