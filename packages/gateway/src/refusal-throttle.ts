import type { Clock } from '@svc-gateway/contract/clock';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Identity } from './identity.js';

interface Bucket {
  tokens: number;
  /** On the monotonic clock. */
  filledAt: number;
  /** Requests that were turned away since the audit trail was last told of one. */
  untold: number;
  toldAt: number;
}

/** A request that is turned away unread. */
export interface TurnedAway {
  readonly rejection: Rejection;
  /** The audit trail is told once a second of one key, with how many there were. */
  readonly told: boolean;
}

/** Refusals that a key may collect at once: ten seconds of what it may have each second. */
const BURST_SECONDS = 10;
const TELL_MS = 1000;

/**
 * Holds back keys whose requests are refused again and again: reading, judging and recording each would cost the daemon more
 * than it costs them. What changes or cancels orders is counted apart from everything else, so that a program that is refused
 * for another reason can always get out of the market.
 */
export class RefusalThrottle {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
  ) {}

  /** Reason why a request of this caller is rejected unread now, if so. */
  turnAway(identity: Identity, operation: Operation): TurnedAway | undefined {
    // Fast path: most of the time no request is refused, and the name costs as much as the look-up.
    if (this.#buckets.size === 0) return undefined;
    const name = nameOf(identity.owner, operation);
    const bucket = this.#buckets.get(name);
    if (bucket === undefined) return undefined;
    const now = this.#fill(bucket);
    if (bucket.tokens >= this.#full) {
      this.#buckets.delete(name);
      return undefined;
    }
    if (bucket.tokens >= 1) return undefined;
    bucket.untold += 1;
    const told = now - bucket.toldAt >= TELL_MS;
    const message = `too many of this key's requests were refused: more than ${this.perSecond} a second (turned away: ${bucket.untold})`;
    if (told) {
      bucket.untold = 0;
      bucket.toldAt = now;
    }
    return { rejection: new Rejection('limit.refusals', message, { retryAfterSeconds: 1 }), told };
  }

  /** A request of this owner was refused. */
  refused(owner: string, operation: Operation): void {
    const name = nameOf(owner, operation);
    const bucket = getOrInsert(this.#buckets, name, () => ({
      tokens: this.#full,
      filledAt: this.clock.monotonic(),
      untold: 0,
      toldAt: Number.NEGATIVE_INFINITY,
    }));
    this.#fill(bucket);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
  }

  get #full(): number {
    return this.perSecond * BURST_SECONDS;
  }

  #fill(bucket: Bucket): number {
    const now = this.clock.monotonic();
    bucket.tokens = Math.min(this.#full, bucket.tokens + ((now - bucket.filledAt) / 1000) * this.perSecond);
    bucket.filledAt = now;
    return now;
  }
}

/** Keys have two buckets each, so that there are never more than twice as many as keys. */
function nameOf(owner: string, operation: Operation): string {
  return operation.messages === trade.modifyOrder.messages ? `orders ${owner}` : `other ${owner}`;
}
