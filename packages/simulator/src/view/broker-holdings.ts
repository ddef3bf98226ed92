import { brokers } from '../market/index.js';
import { keyOf, mix, normal, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';

/** Share of the brokers that hold a share, and how unequal their holdings are: the deviation of their logarithms. */
const HOLDERS = 0.6;
const SPREAD = 1.5;
/** A holding moves over weeks to months, by at most this part of itself either way. */
const SWING = 0.3;
const PERIOD_DAYS = { least: 20, more: 160 };
/** Part of the issued shares that lies with brokers. */
const HELD = { least: 0.3, more: 0.6 };

/**
 * Part of a Hong Kong share's issued shares that each broker holds for its clients on a day (days since 1970-01-01), by the broker's number; those that
 * hold none are left out. Empty elsewhere: only Hong Kong's clearing house publishes holdings. Invented, a pure function of symbol and day.
 */
export function brokerHoldings(instrument: Instrument, day: number): ReadonlyMap<number, number> {
  const holdings = new Map<number, number>();
  if (instrument.market !== 'HK') return holdings;
  const key = keyOf(`holdings|${instrument.symbol}`);
  let typical = 0;
  for (const { id } of brokers) {
    const stream = mix(key, id);
    if (uniform(stream, 0) >= HOLDERS) continue;
    const weight = Math.exp(SPREAD * normal(stream, 1));
    const period = PERIOD_DAYS.least + PERIOD_DAYS.more * uniform(stream, 2);
    typical += weight;
    holdings.set(id, weight * (1 + SWING * Math.sin(2 * Math.PI * (day / period + uniform(stream, 3)))));
  }
  const held = HELD.least + HELD.more * uniform(key, 0);
  // At the most, all of them together swing upwards at once.
  for (const [id, weight] of holdings) holdings.set(id, (held * weight) / typical / (1 + SWING));
  return holdings;
}
