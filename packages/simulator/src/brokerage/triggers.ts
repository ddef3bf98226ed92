import type { Tick } from '../market/market.js';
import type { Instrument } from '../world/index.js';
import { isBuying, mainLeg, type OrderRecord } from './order.js';
import { trailingLimit, trailingTrigger } from './order-prices.js';
import { moved } from './order-status.js';

/** The orders that wait for a price, by symbol. */
export class Triggers {
  readonly #bySymbol = new Map<string, Set<bigint>>();

  add(order: OrderRecord): void {
    const { symbol } = mainLeg(order);
    this.#bySymbol.set(symbol, (this.#bySymbol.get(symbol) ?? new Set()).add(order.id));
  }

  /** Whether the order was waiting. */
  remove(order: OrderRecord): boolean {
    const waiting = this.#bySymbol.get(mainLeg(order).symbol);
    if (waiting === undefined || !waiting.delete(order.id)) return false;
    if (waiting.size === 0) this.#bySymbol.delete(mainLeg(order).symbol);
    return true;
  }

  waiting(symbol: string): readonly bigint[] {
    return [...(this.#bySymbol.get(symbol) ?? [])];
  }
}

/** An order that waits for a price, after ticks: on its way with the trigger reached, or with its trigger moved along, or as it was. */
export function afterTicks(instrument: Instrument, order: OrderRecord, ticks: readonly Tick[], now: number): OrderRecord {
  const { trigger } = order;
  if (trigger === undefined) throw new Error(`order ${order.id} waits for no price`);
  const { when, trail, spread } = trigger;
  const buying = isBuying(mainLeg(order).side);
  let { price } = trigger;
  for (const tick of ticks) {
    if (tick.time <= order.createdAt) continue;
    if (when === 'rises_to' ? tick.price >= price : tick.price <= price) {
      const limit = spread === undefined ? undefined : trailingLimit(instrument, buying, price, spread);
      return {
        ...order,
        trigger: { ...trigger, price, reached: true },
        ...(limit === undefined ? {} : { price: limit, worstPrice: limit }),
        status: moved(order.status, 'submitting'),
        updatedAt: now,
      };
    }
    if (trail === undefined) continue;
    const followed = trailingTrigger(instrument, buying, tick.price, trail);
    if (when === 'rises_to' ? followed < price : followed > price) price = followed;
  }
  return price === trigger.price ? order : { ...order, trigger: { ...trigger, price } };
}
