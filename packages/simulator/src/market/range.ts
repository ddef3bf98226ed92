import { DAY_MS } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import { adjustedPrice, FACTOR_ONE } from './adjustment.js';
import { joined } from './aggregate.js';
import type { DayPrices, PastDays, PriceBounds } from './market.js';
import type { Tape } from './tape.js';
import type { TradingDay } from './trading-days.js';

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

/** The newest `max` days of an instrument up to one ("2026-11-20"); `factors` as of {@link rangeOf}. */
export function pastDaysOf(tape: Tape, instrument: Instrument, newest: string, max: number, factors: (day: number) => bigint): PastDays {
  const calendar = tape.days(instrument);
  const firstDay = tape.firstDay(instrument);
  const days: TradingDay[] = [];
  for (let day = calendar.on(newest); days.length < max && day.number >= firstDay; day = calendar.previous(day)) days.push(day);
  const dayAt = (back: number) => {
    const day = days[back];
    if (day === undefined) throw new RangeError(`no day ${back} of ${days.length}`);
    return day;
  };
  return {
    count: days.length,
    day: (back) => dayAt(back).day,
    prices(back) {
      const day = dayAt(back);
      const prices = tape.outlined(instrument, day);
      return prices && adjusted(prices, factors(day.number));
    },
  };
}

function adjusted(prices: DayPrices, factor: bigint): DayPrices {
  if (factor === FACTOR_ONE) return prices;
  const at = (price: number) => Number(adjustedPrice(BigInt(price), factor));
  return { open: at(prices.open), high: at(prices.high), low: at(prices.low), close: at(prices.close) };
}
