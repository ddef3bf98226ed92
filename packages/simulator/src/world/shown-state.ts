import type { Calendar } from './calendar.js';
import { Exchange } from './exchange.js';
import type { Instrument } from './instrument.js';
import { MarketState } from './market-state.js';

const afterHours: ReadonlySet<number> = new Set([
  MarketState.aShareAfterHoursWait,
  MarketState.aShareAfterHours,
  MarketState.aShareAfterHoursEnd,
]);

/** From this day on all shares and ETFs of Shanghai and Shenzhen trade at the closing price from 15:05 to 15:30. */
const ALL_SHARES = '2026-07-06';

/** The first day with after-hours trading at the closing price; undefined for what has none. A market as a whole goes by its shares. */
function firstAfterHours(instrument: Instrument | undefined): string | undefined {
  if (instrument === undefined) return ALL_SHARES;
  if (instrument.exchange === Exchange.star) return '2019-07-22';
  // Shenzhen's ChiNext.
  if (instrument.kind === 'equity' && instrument.market === 'SZ' && instrument.code.startsWith('30')) return '2020-08-24';
  return instrument.kind === 'equity' || instrument.kind === 'etf' ? ALL_SHARES : undefined;
}

/** Qot_Common.QotMarketState that is shown of an instrument, or without one of its market, at `time`. */
export function shownState(calendar: Calendar, time: number, instrument?: Instrument): number {
  const state = calendar.state(time);
  if (!afterHours.has(state)) return state;
  const first = firstAfterHours(instrument);
  return first !== undefined && calendar.tradingDay(time) >= first ? state : MarketState.closed;
}
