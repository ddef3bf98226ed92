import type { Instrument } from '../world/instrument.js';
import { adjustedPrice, FACTOR_ONE } from './adjustment.js';
import type { DayPrices, PastDays } from './market.js';
import type { Tape } from './tape.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** Requested days: the newest ("2026-11-20"), and the maximum number. */
interface Wanted {
  readonly newest: string;
  readonly max: number;
}

/** Newest first. */
function daysUpTo(days: TradingDays, { newest, max }: Wanted): readonly TradingDay[] {
  const list = [days.on(newest)];
  for (let last = list[0]; last !== undefined && list.length < max; last = list.at(-1)) list.push(days.previous(last));
  return list;
}

/**
 * The days of an instrument that are over.
 *
 * @param factors what prices of a day (counted from 1970-01-01) are multiplied by.
 */
export function pastDaysOf(tape: Tape, instrument: Instrument, wanted: Wanted, factors: (day: number) => bigint): PastDays {
  const days = daysUpTo(tape.days(instrument), wanted);
  const firstDay = tape.firstDay(instrument);
  const dayAt = (back: number) => {
    const day = days[back];
    if (day === undefined) throw new RangeError(`no day ${back} of ${days.length}`);
    return day;
  };
  let count = Math.min(days.length, wanted.max);
  while (count > 0 && dayAt(count - 1).number < firstDay) count -= 1;
  return {
    count,
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
