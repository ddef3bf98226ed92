import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { parseLocal } from '@svc-gateway/contract/time';
import type { Listing } from './listings.js';

/** The protocol's lot size: of a contract its multiplier, as a whole number. */
export function lotSize({ instrument }: Listing): number {
  return instrument.lotSize * Math.max(1, Number(instrument.multiplier / DECIMAL_ONE));
}

/** When a future stops trading; the continuous contract never does, and has an empty text and no timestamp. */
export function lastTrade({ instrument, market }: Listing): { lastTradeTime: string; lastTradeTimestamp: number | undefined } {
  const lastTradeTime = instrument.lastTradingDay ?? '';
  const midnight = parseLocal(lastTradeTime, market.timeZone);
  return { lastTradeTime, lastTradeTimestamp: midnight === undefined ? undefined : midnight / 1000 };
}
