import { businessDaysOf } from './business-days.js';
import type { CalendarName } from './calendar.js';
import type { Future } from './instrument.js';

/** How an expired contract is settled. */
export interface FinalSettlement {
  /** Trading day, "2026-11-27", on which it is: the last one, or the one after it. */
  readonly day: string;
  /** Epoch ms, rising: the price is the mean of the underlying's at these moments. None: it is the contract's own last price. */
  readonly moments: readonly number[];
}

const FIVE_MINUTES = 300_000;
const CACHED_MAX = 20_000;

/** Hours of the index that futures of a calendar are settled by. They are the exchange's own also where markets are open around the clock. */
const indexCalendars: Partial<Record<CalendarName, CalendarName>> = {
  HK_FUTURE: 'HK',
  US_FUTURE: 'US',
  SG_FUTURE: 'SG',
  JP_FUTURE: 'JP',
};

const caches = new Map<string, FinalSettlement>();

/** Final settlement of a dated contract; throws for a continuous one, which never expires. */
export function finalSettlement({ symbol, lastTradingDay, future: { product } }: Future): FinalSettlement {
  if (lastTradingDay === undefined) throw new Error(`${symbol} does not expire`);
  const key = `${symbol} ${lastTradingDay}`;
  let settlement = caches.get(key);
  if (settlement === undefined) {
    settlement = settlementOn(lastTradingDay, product.settlement, businessDaysOf(indexCalendars[product.calendar] ?? product.calendar));
    if (caches.size >= CACHED_MAX) caches.clear();
    caches.set(key, settlement);
  }
  return settlement;
}

function settlementOn(
  last: string,
  rule: Future['future']['product']['settlement'],
  calendar: ReturnType<typeof businessDaysOf>,
): FinalSettlement {
  const regular = (day: string) => calendar.sessions(day).filter(({ kind }) => kind === 'regular');
  switch (rule) {
    case 'close':
      return { day: last, moments: [] };
    case 'opening':
    case 'next-opening': {
      const day = rule === 'opening' ? last : calendar.nextTradingDay(last);
      return {
        day,
        moments: regular(day)
          .slice(0, 1)
          .map(({ start }) => start),
      };
    }
    case 'average': {
      const sessions = regular(last);
      const moments = sessions.flatMap(({ start, end }) =>
        Array.from({ length: Math.ceil((end - start) / FIVE_MINUTES) - 1 }, (_, i) => start + (i + 1) * FIVE_MINUTES),
      );
      return { day: last, moments: [...moments, ...sessions.slice(-1).map(({ end }) => end)] };
    }
  }
}
