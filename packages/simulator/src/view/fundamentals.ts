import { dayNumber, dayOfNumber } from '@svc-gateway/contract/time';
import { keyOf, uniform } from '../rng/random.js';
import { tradedOn, typicalVolume } from '../world/futures.js';
import type { Instrument } from '../world/instrument.js';

/**
 * Made-up but steady facts about an instrument: they follow from its symbol alone, so that every view and every run
 * shows the same ones. None of them is the real company's.
 */

/** A trait of an instrument, uniform in [0, 1). */
export function trait(instrument: Instrument, name: string): number {
  return uniform(keyOf(`${instrument.symbol} ${name}`), 0);
}

interface OpenInterest {
  readonly contracts: number;
  /** Change against the previous trading day. */
  readonly change: number;
  /** Calendar days from the trading day to the last trade date; undefined for the continuous contract. */
  readonly daysToExpiry: number | undefined;
}

/** Open contracts of a future on a trading day: around three days' volume, moving a few percent from day to day. */
export function openInterest(instrument: Instrument, tradingDay: string): OpenInterest {
  const day = dayNumber(tradingDay) ?? 0;
  const traded = tradedOn(instrument, tradingDay);
  const contracts = contractsOn(traded, day);
  const expiry = dayNumber(instrument.lastTradingDay ?? '');
  return {
    contracts,
    change: contracts - contractsOn(traded, day - 1),
    daysToExpiry: expiry === undefined ? undefined : expiry - day,
  };
}

function contractsOn(instrument: Instrument, day: number): number {
  return Math.round(typicalVolume(instrument, dayOfNumber(day)) * (2.9 + 0.2 * uniform(keyOf(`${instrument.symbol} open interest`), day)));
}
