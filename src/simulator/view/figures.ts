import { type Decimal, divide } from '../../contract/decimal.js';
import type { Instrument } from '../world/instrument.js';

/** 100 × part ÷ whole to three places, for display; 0 where the whole is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Math.round((Number(part) / Number(whole)) * 100_000) / 1000;
}

/** The volume-weighted average price of `turnover` over `volume`, to nine places; `otherwise` where nothing was traded. */
export function averagePrice(instrument: Instrument, turnover: Decimal, volume: bigint, otherwise: Decimal): Decimal {
  if (volume === 0n) return otherwise;
  return divide(turnover, instrument.multiplier * volume);
}

/** Share of the issued shares that `volume` is, in percent; 0 for what has no shares. */
export function turnoverRate(instrument: Instrument, volume: bigint): number {
  return percent(volume, instrument.sharesIssued);
}
