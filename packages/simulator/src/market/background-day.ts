import type { Decimal } from '@svc-gateway/contract/decimal';
import type { DayOfTrades } from './day-tape.js';
import type { TradingDay } from './trading-days.js';

/** One symbol's day of background trading. */
export interface BackgroundDay {
  readonly day: TradingDay;
  readonly tape: DayOfTrades;
  /** Billionths in one step of the tape's prices. */
  readonly grid: number;
  /** Shares in one lot of the tape. */
  readonly lotSize: number;
  /** Turnover of one lot at one step of the grid. */
  readonly amountUnit: Decimal;
}
