import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';

/** Price move of a trading day. */
export interface DayMove {
  /** The close before, less what went off on the day. */
  readonly reference: Decimal;
  readonly close: Decimal;
  /** When the day's trading is over, epoch ms. */
  readonly end: number;
}

/** Prices that the market makes, as far as they follow from the seed: callers' trades do not count. Days are "2026-11-20". */
export interface MarketPrices {
  /** At the end of an instrument's last trading day before a day. */
  closeBefore(instrument: Instrument, day: string): Decimal;
  /** Undefined on days without trading. */
  dayMove(instrument: Instrument, day: string): DayMove | undefined;
}
