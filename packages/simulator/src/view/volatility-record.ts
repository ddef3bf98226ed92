import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { daysBefore } from './past-closes.js';

/** Implied volatility of a share's options, and its place within the last year. All in percent. */
export interface VolatilityRecord {
  /** At the money, thirty days ahead: what the VIX of an index is about. */
  readonly implied: number;
  /** (today − least) ÷ (most − least) of the year; 0 where it never moved. */
  readonly rank: number;
  /** Part of the year's trading days on which it was lower. */
  readonly percentile: number;
}

const YEARS = 30 / 365;
const YEAR_DAYS = 365;

const records: CacheKind<VolatilityRecord> = { max: 2_000 };

/** The record of a share on a trading day ("2026-11-20"), worked out once; undefined for one that has no options. */
export function volatilityRecord(
  facts: Facts<'world' | 'market' | 'caches'>,
  { instrument }: Listing,
  day: string,
): VolatilityRecord | undefined {
  if (facts.world.optionSeries(instrument).length === 0) return undefined;
  return facts.caches.get(records, `${instrument.symbol} ${day}`, '', () => workRecord(facts, instrument, day));
}

function workRecord({ market, world }: Facts<'world' | 'market'>, instrument: Instrument, day: string): VolatilityRecord {
  const of = (date: string) => market.volatilityAtTheMoney(instrument, date, YEARS);
  const since = dayOfNumber(requireDay(day) - YEAR_DAYS);
  const dates = daysBefore(world.calendar(instrument), day).filter((date) => date >= since);
  const year = dates.map(of);
  const today = of(day);
  const [least, most] = [Math.min(today, ...year), Math.max(today, ...year)];
  return {
    implied: percentOf(today),
    rank: most === least ? 0 : percentOf((today - least) / (most - least)),
    percentile: year.length === 0 ? 0 : percentOf(year.filter((one) => one < today).length / year.length),
  };
}

function percentOf(fraction: number): number {
  return Math.round(fraction * 100_000) / 1000;
}
