import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { Bar } from './market.js';
import type { TradingDay } from './trading-days.js';

/** Bars in a block: those of an hour of minutes. */
export const BLOCK_BARS = 60;
/** At about 40 KB each, with what is made of their bars. */
const CACHED_BLOCKS = 256;

/** A block of bars of one day, and the callers' trades that it includes. */
export interface BlockOfDay {
  readonly day: TradingDay;
  readonly minutes: number;
  /** In the day, counted from 0. */
  readonly number: number;
  /** Factor by which prices are multiplied. */
  readonly factor: bigint;
  /** Changes with every trade that a caller makes. */
  readonly version: number;
}

/**
 * Minute bars of blocks that are over, remembered: nothing but a caller's trade changes them any more. The same bars are the same objects, so that others may
 * remember what they make of them.
 */
export class BarBlocks {
  readonly #blocks = new LruCache<string, readonly Bar[]>(CACHED_BLOCKS);

  get(instrument: Instrument, block: BlockOfDay, make: () => readonly Bar[]): readonly Bar[] {
    return this.#blocks.get(keyOf(instrument, block), make);
  }

  peek(instrument: Instrument, block: BlockOfDay): readonly Bar[] | undefined {
    return this.#blocks.peek(keyOf(instrument, block));
  }
}

function keyOf({ symbol }: Instrument, { day, minutes, number, factor, version }: BlockOfDay): string {
  return `${symbol} ${day.number} ${minutes} ${number} ${version} ${factor}`;
}
