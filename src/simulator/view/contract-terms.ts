import { DECIMAL_ONE } from '../../contract/decimal.js';
import { parseLocal } from '../../contract/time.js';
import type { FutureTerms } from '../world/index.js';
import type { Listing } from './listings.js';

/** The protocol's lot size: of a future its contract multiplier, as a whole number. */
export function lotSize({ instrument }: Listing): number {
  if (instrument.future === undefined) return instrument.lotSize;
  const whole = Number(instrument.future.multiplier / DECIMAL_ONE);
  return Math.max(1, whole);
}

/** When a future stops trading; the continuous contract never does, and has an empty text and no timestamp. */
export function lastTrade(terms: FutureTerms, timeZone: string): { lastTradeTime: string; lastTradeTimestamp: number | undefined } {
  const midnight = terms.lastTradeDate === '' ? undefined : parseLocal(terms.lastTradeDate, timeZone);
  return { lastTradeTime: terms.lastTradeDate, lastTradeTimestamp: midnight === undefined ? undefined : midnight / 1000 };
}
