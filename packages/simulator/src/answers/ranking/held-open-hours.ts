import type { Facts } from '../../view/facts.js';
import type { Calendar } from '../../world/calendar.js';
import { createCalendar } from '../../world/calendars.js';
import type { Instrument } from '../../world/instrument.js';
import { MarketState } from '../../world/market-state.js';
import { OpenCalendar } from '../../world/open-calendar.js';
import type { ExtendedSession, SessionOf } from './extended-hours.js';

/** The sessions outside regular hours that the rankings are of. */
type ExtendedHours = 'pre-market' | 'after-hours' | 'overnight';

interface Span {
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** The night before a day of trading ends where its pre-market session begins. */
const NIGHT_MS = 8 * 3_600_000;
const BAR_MINUTES = 30;

/** The hours of New York's exchanges, however the clock of the world is kept. */
const exchange: Calendar = createCalendar('US', 'calendar');

/** The newest such session of the exchange that has begun by a moment (epoch ms). */
function newestSession(hours: ExtendedHours, now: number): Span | undefined {
  let day = exchange.nextTradingDay(exchange.tradingDay(now));
  for (let back = 0; back < 4; back += 1) {
    const sessions = exchange.sessions(day);
    const of = (state: number) => sessions.find((session) => session.state === state);
    const pre = of(MarketState.preMarket);
    const night = pre && { start: pre.start - NIGHT_MS, end: pre.start };
    const found = hours === 'overnight' ? night : hours === 'pre-market' ? pre : of(MarketState.afterHours);
    if (found !== undefined && found.start <= now) return found;
    day = exchange.previousTradingDay(day);
  }
  return undefined;
}

/**
 * A share's trades in a session outside regular hours. Where the clock is held open all hours are one session: there, those of the newest such hours of
 * the exchange, from the price at their beginning.
 *
 * @param scheduled the session where the world keeps the exchange's hours
 */
export function inHours(hours: ExtendedHours, scheduled: SessionOf): SessionOf {
  return (facts, stock) => {
    const { clock, world } = facts;
    if (!(world.calendar('US') instanceof OpenCalendar)) return scheduled(facts, stock);
    const span = newestSession(hours, clock.now());
    return span && traded(facts, stock.listing.instrument, span);
  };
}

function traded({ clock, market }: Facts<'clock' | 'market'>, share: Instrument, { start, end }: Span): ExtendedSession | undefined {
  const bars = market.bars(share, { unit: 'minute', count: BAR_MINUTES }, { from: start, to: Math.min(end, clock.now() + 1) });
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return {
    last: last.close,
    close: first.previousClose,
    volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
    turnover: bars.reduce((sum, { turnover }) => sum + turnover, 0n),
  };
}
