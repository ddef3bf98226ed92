import { type Decimal, divide } from '@svc-gateway/contract/decimal';
import type { Companies } from '../companies/index.js';
import type { Instrument } from '../world/instrument.js';

/** To three places, as figures are shown. */
export function threePlaces(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** 100 × part ÷ whole to three places, for display; 0 where the whole is 0. */
export function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Math.round((Number(part) / Number(whole)) * 100_000) / 1000;
}

/** price ÷ amount per share to three places: negative where money was lost; 0 where there is nothing to divide by. */
export function multiple(price: Decimal, perShare: Decimal): number {
  return perShare === 0n ? 0 : threePlaces(Number(price) / Number(perShare));
}

/** The volume-weighted average price of `turnover` over `volume`, to nine places; `otherwise` where nothing was traded. */
export function averagePrice(instrument: Instrument, turnover: Decimal, volume: bigint, otherwise: Decimal): Decimal {
  if (volume === 0n) return otherwise;
  return divide(turnover, instrument.multiplier * volume);
}

/** `volume` in percent of the shares outstanding on a trading day ("2026-11-20"); 0 for instruments without shares. */
export function turnoverRate(companies: Companies, instrument: Instrument, day: string, volume: bigint): number {
  return percent(volume, companies.outstandingShares(instrument, day));
}

/** The same as a fraction to nine places, as K-lines have it: 0.0061 is 0.61 %. */
export function turnover(companies: Companies, instrument: Instrument, day: string, volume: bigint): number {
  const shares = companies.outstandingShares(instrument, day);
  return shares === 0n ? 0 : Number((volume * 1_000_000_000n + shares / 2n) / shares) / 1e9;
}
