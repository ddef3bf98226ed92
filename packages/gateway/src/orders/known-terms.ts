import type { AuditTrade } from '@svc-gateway/access';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { namesOf, orderKey, termsOfOrder } from './order.js';

/** Orders whose terms are remembered, of all accounts; the oldest are forgotten first. */
const ORDERS_MAX = 10_000;

type Terms = Pick<AuditTrade, 'symbol' | 'side' | 'qty' | 'price'>;

/** Terms of orders that this daemon has placed, changed or seen, as it last had them: a cancel names its order alone. */
export class KnownTerms {
  /** By account and name of the order. */
  readonly #terms = new Map<string, Terms>();

  /** Terms of the order that a line of the trail is of; undefined where it is none of those. */
  of({ accId, orderId }: AuditTrade): Terms | undefined {
    return orderId === undefined ? undefined : this.#terms.get(orderKey(accId, orderId));
  }

  /** Remembers an order of a list or a push in a market (Trd_Common.TrdMarket). */
  see(accId: bigint, trdMarket: number, order: Order): void {
    this.note({ accId, ...termsOfOrder(order, trdMarket) }, namesOf(order));
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
