import { requireDay } from '@svc-gateway/contract/time';
import { keyOf, normal, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { trait } from './fundamentals.js';

/** The part of a share's volume that is usually sold short: this, and up to so much more by the share. */
const USUAL = { least: 0.04, more: 0.2 };
/** Deviation from day to day, and how much a fall draws: a day of -5 % has half as much again. */
const DAILY_NOISE = 0.18;
const DRAWN_BY_FALL = 10;
const PART_MAX = 0.6;

/** Positions against the free float: from this up to so much more, mostly low. */
const POSITIONS = { least: 0.001, more: 0.07 };
/** A position is built and given up over weeks. */
const POSITION_DAYS = 14;
const POSITION_NOISE = 0.12;

/**
 * Short volume within a day's volume: made up, deterministic for a share and a day. The listing's own fraction, higher on days on
 * which the price fell, never above {@link PART_MAX}.
 *
 * @param change of the day's price, as a fraction.
 */
export function shortVolume(instrument: Instrument, day: string, volume: bigint, change: number): bigint {
  const usual = USUAL.least + USUAL.more * trait(instrument, 'short volume');
  const noise = 1 + DAILY_NOISE * normal(keyOf(`${instrument.symbol} short volume`), requireDay(day));
  const part = Math.min(PART_MAX, usual * noise * (1 + DRAWN_BY_FALL * Math.max(-0.05, Math.min(0.05, -change))));
  return (volume * BigInt(Math.round(Math.max(0, part) * 1e6))) / 1_000_000n;
}

/** Shares sold short and not bought back by the end of a day, of `float` shares: made up, moving over weeks. */
export function shortPosition(instrument: Instrument, day: string, float: bigint): bigint {
  const key = keyOf(`${instrument.symbol} short position`);
  const usual = POSITIONS.least + POSITIONS.more * uniform(key, 0) ** 3;
  const number = requireDay(day);
  const span = Math.floor(number / POSITION_DAYS);
  const passed = (number - span * POSITION_DAYS) / POSITION_DAYS;
  const noise = normal(key, span) * (1 - passed) + normal(key, span + 1) * passed;
  return (float * BigInt(Math.round(usual * (1 + POSITION_NOISE * noise) * 1e9))) / 1_000_000_000n;
}
