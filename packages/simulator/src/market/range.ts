import { DAY_MS } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import { adjustedPrice } from './adjustment.js';
import { joined } from './aggregate.js';
import type { PriceBounds } from './market.js';
import type { Tape } from './tape.js';

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
  // Days since an ex-date share one factor, so only their extremes are adjusted. Days known without a tape are plain numbers.
  let since: PriceBounds | undefined;
  let [highest, lowest] = [-Infinity, Infinity];
  let factor: bigint | undefined;
  const finish = () => {
    if (highest >= lowest) since = joined(since, { high: BigInt(highest), low: BigInt(lowest) });
    if (since === undefined || factor === undefined) return;
    range = joined(range, { high: adjustedPrice(since.high, factor), low: adjustedPrice(since.low, factor) });
    since = undefined;
    [highest, lowest] = [-Infinity, Infinity];
  };
  let day = days.at(Math.max(Math.min(from, now), (firstDay - 1) * DAY_MS));
  while (day.start < from || day.number < firstDay) day = days.next(day);
  for (; day.start < to; day = days.next(day)) {
    const of = factors(day.number);
    if (of !== factor) finish();
    factor = of;
    const outlined = day.regular.end <= now ? tape.outlined(instrument, day) : undefined;
    if (outlined !== undefined) {
      highest = Math.max(highest, outlined.high);
      lowest = Math.min(lowest, outlined.low);
      continue;
    }
    const extremes = tape.extremes(instrument, day, now);
    if (extremes !== undefined) since = joined(since, extremes);
  }
  finish();
  return range;
}
