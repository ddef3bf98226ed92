import type { Instrument } from '../world/instrument.js';
import { adjustedPrice } from './adjustment.js';
import { widened } from './aggregate.js';
import type { PriceBounds } from './market.js';
import type { Tape } from './tape.js';

const DAY_MS = 86_400_000;

/**
 * The highest and the lowest price of the day bars that start in [from, to) as of `now`, epoch ms; undefined where there is none.
 *
 * @param factors what prices of a day (counted from 1970-01-01) are multiplied by; it changes on ex-days only.
 */
export function rangeOf(
  tape: Tape,
  instrument: Instrument,
  { from, to }: { readonly from: number; readonly to: number },
  now: number,
  factors: (day: number) => bigint,
): PriceBounds | undefined {
  const days = tape.days(instrument);
  const firstDay = tape.firstDay(instrument);
  let range: PriceBounds | undefined;
  // Of the days since an ex-day, whose factor is the same: only the extremes need to be adjusted.
  let since: PriceBounds | undefined;
  let factor: bigint | undefined;
  const finish = () => {
    if (since === undefined || factor === undefined) return;
    const adjusted = { high: adjustedPrice(since.high, factor), low: adjustedPrice(since.low, factor) };
    range = range === undefined ? adjusted : widened(range, adjusted);
    since = undefined;
  };
  let day = days.at(Math.max(Math.min(from, now), (firstDay - 1) * DAY_MS));
  while (day.start < from || day.number < firstDay) day = days.next(day);
  for (; day.start < to; day = days.next(day)) {
    const of = factors(day.number);
    if (of !== factor) finish();
    factor = of;
    const extremes = tape.extremes(instrument, day, now);
    if (extremes !== undefined) since = since === undefined ? extremes : widened(since, extremes);
  }
  finish();
  return range;
}
