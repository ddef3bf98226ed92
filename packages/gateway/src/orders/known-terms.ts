import type { AuditTrade } from '@svc-gateway/access';
import { orderKey } from './order.js';

/** Orders whose terms are remembered, of all accounts; the oldest are forgotten first. */
const ORDERS_MAX = 10_000;

type Terms = Pick<AuditTrade, 'symbol' | 'side' | 'qty' | 'price'>;

/** Terms of the orders that this daemon has placed or changed, as the trail last had them: a cancel names its order alone. */
export class KnownTerms {
  /** By account and name of the order. */
  readonly #terms = new Map<string, Terms>();

  /** Terms of the order that a line of the trail is of; undefined where it is none of those. */
  of({ accId, orderId }: AuditTrade): Terms | undefined {
    return orderId === undefined ? undefined : this.#terms.get(orderKey(accId, orderId));
  }

  /** Remembers an order under its names. */
  note({ accId, symbol, side, qty, price }: AuditTrade, names: readonly string[]): void {
    if (symbol === undefined) return;
    for (const name of names) {
      const key = orderKey(accId, name);
      this.#terms.delete(key);
      this.#terms.set(key, { symbol, side, qty, price });
      const [oldest] = this.#terms.size > ORDERS_MAX ? this.#terms.keys() : [];
      if (oldest !== undefined) this.#terms.delete(oldest);
    }
  }
}
