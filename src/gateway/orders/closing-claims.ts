import type { Decimal } from '../../contract/decimal.js';

/** A part of a position that an order is about to close. */
export interface ClosingClaim {
  /** The order has been answered, or never left. */
  settle(): void;
}

interface Claim {
  readonly what: string;
  readonly qty: Decimal;
  /** The moment at which it was answered, by {@link ClosingClaims}' own count; undefined while it is under way. */
  settledAt: number | undefined;
}

/**
 * Sees to it that orders which close a position together close no more than there is of it. What the backend says of the position
 * may have been read before it knew of orders that are under way: they are taken off.
 *
 * Holds a claim for each such order that is under way, and no longer than a read lasts.
 */
export class ClosingClaims {
  readonly #claims = new Set<Claim>();
  /** When the reads under way began. */
  readonly #reads = new Set<number>();
  #moment = 0;

  /**
   * Claims `qty` of a position for an order. `read` asks the backend how much of it can be closed.
   *
   * @returns undefined where there is not so much left of it.
   */
  async claim(what: string, qty: Decimal, read: () => Promise<Decimal>): Promise<ClosingClaim | undefined> {
    const since = ++this.#moment;
    this.#reads.add(since);
    try {
      let left = await read();
      for (const { what: other, qty: taken, settledAt = since } of this.#claims) {
        if (other === what && settledAt >= since) left -= taken;
      }
      if (left < qty) return undefined;
      const claim: Claim = { what, qty, settledAt: undefined };
      this.#claims.add(claim);
      return {
        settle: () => {
          claim.settledAt = ++this.#moment;
          this.#prune();
        },
      };
    } finally {
      this.#reads.delete(since);
      this.#prune();
    }
  }

  /** Forgets what every read under way already knows of. */
  #prune(): void {
    const oldest = Math.min(...this.#reads, this.#moment + 1);
    for (const claim of this.#claims) if (claim.settledAt !== undefined && claim.settledAt < oldest) this.#claims.delete(claim);
  }
}
