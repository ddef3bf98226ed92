import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Companies } from '../companies/companies.js';
import type { Instrument } from '../world/instrument.js';
import type { BackgroundDay } from './background-day.js';
import type { History } from './history.js';
import type { Profile } from './profile.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** Regular trading of a day: its first, last and mean price in billionths. */
export interface RegularDay {
  readonly open: number;
  readonly close: number;
  readonly mean: number;
}

/** The same, with what was traded. */
export interface MemberDay extends RegularDay {
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/** The background as those read it whose prices follow from others': contracts, and the indices of plates. */
export interface FollowedMarket {
  readonly companies: Companies;
  tradingDays(instrument: Instrument): TradingDays;
  profile(instrument: Instrument): Profile;
  day(instrument: Instrument, day: TradingDay): BackgroundDay;
  /** The day of an index, or of a hidden spot price where a product's underlying is not listed. */
  spotDay(spot: Instrument, day: TradingDay): BackgroundDay;
  /** Regular trading of a day that is over, or will be. */
  memberDay(instrument: Instrument, day: TradingDay): MemberDay;
  /** About the price at the end of a day (its number), in whole billionths: without making the day. */
  level(instrument: Instrument, day: number): Decimal;
  /** The loaded history that stands for a day. */
  historyOf(instrument: Instrument, day: TradingDay): History | undefined;
}
