import type { TickTable } from '../world/instrument.js';

/**
 * A tick table in numbers, for the generator: prices are whole billionths, as in Decimal, held as `number`
 * (exact: prices up to 9 million stay below 2^53).
 */
export interface TickLadder {
  /** Smallest step of the table. */
  readonly finest: number;
  /** The next valid price above a valid price. */
  up(price: number): number;
  /** The next valid price below a valid price; 0 or less when there is none. */
  down(price: number): number;
  /** The finest tick that is valid everywhere in [low, high]. */
  commonTick(low: number, high: number): number;
}

const ladders = new WeakMap<TickTable, TickLadder>();

/** The ladder of a table; made once for each. */
export function tickLadder(table: TickTable): TickLadder {
  const known = ladders.get(table);
  if (known !== undefined) return known;
  const ladder = makeLadder(
    table.steps.map((step) => ({ below: step.below === undefined ? Infinity : Number(step.below), tick: Number(step.tick) })),
  );
  ladders.set(table, ladder);
  return ladder;
}

function makeLadder(bands: readonly { readonly below: number; readonly tick: number }[]): TickLadder {
  if (bands.length === 0) throw new Error('a tick table has at least one step');
  const tickAt = (price: number): number => {
    for (const band of bands) if (price < band.below) return band.tick;
    throw new Error('the last step of a tick table has no upper bound');
  };
  return {
    finest: Math.min(...bands.map((band) => band.tick)),
    up: (price) => price + tickAt(price),
    down: (price) => price - tickAt(price - 1),
    commonTick(low, high) {
      let common = tickAt(low);
      let from = 0;
      for (const band of bands) {
        if (band.below > low && from <= high) common = leastCommonMultiple(common, band.tick);
        from = band.below;
      }
      return common;
    },
  };
}

function leastCommonMultiple(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
