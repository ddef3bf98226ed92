import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import type { DayMove } from './market-prices.js';
import type { NewsFact } from './news-facts.js';
import { type RatingChange, ratings } from './opinions.js';

/** A fact in one language: the title in one line, and the item in full. */
export interface Wording {
  readonly title: string;
  readonly text: string;
}

/** How a language words each kind of fact. */
export type Wordings = {
  readonly [K in NewsFact['kind']]: (
    fact: Extract<NewsFact, { kind: K }>,
    about: Pick<Instrument, 'name' | 'symbol' | 'currency'>,
  ) => readonly [title: string, more: string];
};

/** Words of an amount: its units with the sizes from which each is used, largest first. */
export type Scales = readonly (readonly [size: bigint, word: string])[];

/** An amount cut to two places of its scale; below the smallest scale in full. */
export function scaled(units: bigint, scales: Scales): string {
  const scale = scales.find(([size]) => units >= size);
  return scale === undefined ? String(units) : `${cents((units * 1_000_000_000n) / scale[0])}${scale[1]}`;
}

/** To two places, cut; to five, below ten cents. */
export function cents(value: Decimal): string {
  const step = value < 100_000_000n && value > -100_000_000n ? 10_000n : 10_000_000n;
  return formatDecimal((value / step) * step);
}

/** "7.4%": the size of a move, cut to one place. */
export function percent({ reference, close }: DayMove): string {
  const change = close > reference ? close - reference : reference - close;
  const tenths = (change * 1000n) / reference;
  return `${tenths / 10n}.${tenths % 10n}%`;
}

/** Whether a rating is better than the one before. */
export function isUpgrade({ rating, previous }: RatingChange): boolean {
  return previous !== undefined && ratings.indexOf(rating) < ratings.indexOf(previous.rating);
}
