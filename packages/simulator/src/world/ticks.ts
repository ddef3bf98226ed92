import type { Decimal } from '@svc-gateway/contract/decimal';
import type { TickTable } from './instrument.js';

type Step = TickTable['steps'][number];

/** The price step that holds at `price`: at the bound of two bands, the upper band's. Prices of zero and below have the first band's. */
export function tickSize(table: TickTable, price: Decimal): Decimal {
  return bandAt(table, price).step.tick;
}

/** Whether `price` is one that an order may carry: positive and a whole multiple of its tick. */
export function isOnTick(table: TickTable, price: Decimal): boolean {
  return price > 0n && price % tickSize(table, price) === 0n;
}

/**
 * The allowed price at or below (`down`), at or above (`up`) or nearest to a non-negative `price`; halfway, the upper.
 * Rounding down from below the smallest price gives 0.
 */
export function roundToTick(table: TickTable, price: Decimal, direction: 'down' | 'up' | 'nearest'): Decimal {
  const tick = tickSize(table, price);
  const excess = price % tick;
  const down = price - excess;
  const up = excess === 0n ? price : down + tick;
  if (direction === 'nearest') return price - down < up - price ? down : up;
  return direction === 'down' ? down : up;
}

/**
 * The price `steps` ticks above (negative: below) `price`, taking each band's own tick on the way. From between two
 * ticks the first step leads to the neighbour on that side. Stops at the lowest positive price.
 */
export function nextPrice(table: TickTable, price: Decimal, steps: number): Decimal {
  if (steps === 0) return price;
  return steps > 0 ? climb(table, price, BigInt(steps)) : descend(table, price, BigInt(-steps));
}

function climb(table: TickTable, from: Decimal, steps: bigint): Decimal {
  let price = from;
  for (let left = steps; ; ) {
    const { step } = bandAt(table, price);
    const base = price - (price % step.tick);
    const target = base + left * step.tick;
    if (step.below === undefined || target <= step.below) return target;
    left -= (step.below - base) / step.tick;
    price = step.below;
  }
}

function descend(table: TickTable, from: Decimal, steps: bigint): Decimal {
  let price = from;
  for (let left = steps; ; ) {
    // The band that reaches up to the price: at a bound, the lower one.
    const { step, from: bound } = bandAt(table, price - 1n);
    const base = price + ((step.tick - (price % step.tick)) % step.tick);
    const target = base - left * step.tick;
    if (target > 0n && target >= bound) return target;
    if (bound === 0n) return step.tick;
    left -= (base - bound) / step.tick;
    price = bound;
  }
}

function bandAt(table: TickTable, price: Decimal): { step: Step; from: Decimal } {
  let from = 0n;
  for (const step of table.steps) {
    if (step.below === undefined || price < step.below) return { step, from };
    from = step.below;
  }
  throw new Error(`tick table ${table.name} ends at a bound`);
}
