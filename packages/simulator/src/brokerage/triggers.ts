import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Tick } from '../market/market.js';
import { mainLeg, type OrderRecord, type Trigger } from './order.js';

/** The orders that wait for a price, by symbol. */
export class Triggers {
  readonly #bySymbol = new Map<string, Set<bigint>>();

  add(order: OrderRecord): void {
    const waiting = this.#bySymbol.get(mainLeg(order).symbol);
    if (waiting === undefined) this.#bySymbol.set(mainLeg(order).symbol, new Set([order.id]));
    else waiting.add(order.id);
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

/** A trigger after ticks: reached, or moved along by a better price, or as it was. */
export function afterTicks(trigger: Trigger, ticks: readonly Tick[], trailFrom: (extreme: Decimal) => Decimal): Trigger {
  let { price } = trigger;
  for (const tick of ticks) {
    if (trigger.when === 'rises_to' ? tick.price >= price : tick.price <= price) return { ...trigger, price, reached: true };
    if (trigger.trail === undefined) continue;
    const followed = trailFrom(tick.price);
    if (trigger.when === 'rises_to' ? followed < price : followed > price) price = followed;
  }
  return price === trigger.price ? trigger : { ...trigger, price };
}
