import { LruCache } from '../rng/lru-cache.js';
import { businessDaysOf } from './business-days.js';
import type { Calendar, CalendarName } from './calendar.js';
import type { SettlementRule } from './data/futures.js';
import type { Future } from './instrument.js';

/** How an expired contract is settled. */
export interface FinalSettlement {
  /** Trading day, "2026-11-27", on which it is: the last one, or the one after it. */
  readonly day: string;
  /** Epoch ms, rising: the price is the mean of the underlying's at these moments. None: it is the contract's own last price. */
  readonly moments: readonly number[];
}

const FIVE_MINUTES = 300_000;
const CACHED = 10_000;

/** Hours of the index that futures of a calendar are settled by. They are the exchange's own also where markets are open around the clock. */
const indexCalendars: Partial<Record<CalendarName, CalendarName>> = {
  HK_FUTURE: 'HK',
  US_FUTURE: 'US',
  SG_FUTURE: 'SG',
  JP_FUTURE: 'JP',
};

const settlements = new LruCache<string, FinalSettlement>(CACHED);

/** Final settlement of a dated contract; throws for a continuous one, which never expires. */
export function finalSettlement({ symbol, lastTradingDay, future: { product } }: Future): FinalSettlement {
  if (lastTradingDay === undefined) throw new Error(`${symbol} does not expire`);
  const days = businessDaysOf(indexCalendars[product.calendar] ?? product.calendar);
  return settlements.get(`${symbol} ${lastTradingDay}`, () => settlementOn(lastTradingDay, product.settlement, days));
}

function settlementOn(last: string, rule: SettlementRule, calendar: Calendar): FinalSettlement {
  const regular = (day: string) => calendar.sessions(day).filter(({ kind }) => kind === 'regular');
  switch (rule) {
    case 'close':
      return { day: last, moments: [] };
    case 'opening':
    case 'next-opening': {
      const day = rule === 'opening' ? last : calendar.nextTradingDay(last);
      const [first] = regular(day);
      return { day, moments: first === undefined ? [] : [first.start] };
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
