import { type Decimal, multiply } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';

/** price × volume (× multiplier for futures). */
export function turnoverOf(instrument: Instrument, price: Decimal, volume: bigint): Decimal {
  return multiply(price * volume, instrument.multiplier);
}
