import type { Decimal } from '../../contract/decimal.js';
import type { Currency, QuoteMarket } from '../../contract/markets.js';

export type SecurityKind = 'equity' | 'etf' | 'index' | 'future' | 'forex';

/** One tradable or quotable thing of the simulated world. Static: nothing here changes while the daemon runs. */
export interface Instrument {
  /** "HK.00700": canonical market and code. */
  readonly symbol: string;
  readonly market: QuoteMarket;
  readonly code: string;
  /** Stable number of the instrument, the same in every run (protocol: SecurityStaticBasic.id, stock_id). */
  readonly id: bigint;
  readonly name: string;
  readonly kind: SecurityKind;
  /** Qot_Common.ExchType. */
  readonly exchange: number;
  readonly currency: Currency;
  /** Shares a board lot; for futures the contract multiplier is `future.multiplier` and the lot is 1. */
  readonly lotSize: number;
  readonly tickTable: TickTable;
  /** "2004-06-16", in the market's zone. */
  readonly listDate: string;
  /** A realistic price around which the generator starts. A multiple of its tick. */
  readonly referencePrice: Decimal;
  /** Issued shares; 0 for indices, futures and forex. */
  readonly sharesIssued: bigint;
  /** Typical shares (contracts) traded a day: scales the generated volume. */
  readonly dailyVolume: number;
  /** Annualised volatility as a fraction, e.g. 0.28. */
  readonly volatility: number;
  /** Sessions and holidays that it trades by. */
  readonly calendar: CalendarName;
  readonly future?: FutureTerms;
}

export interface FutureTerms {
  /** Money per point per contract. */
  readonly multiplier: Decimal;
  /** True for the continuous contract ("HSImain"). */
  readonly isMain: boolean;
  /** "2026-12-30"; empty for the continuous contract. */
  readonly lastTradeDate: string;
  /** Symbol of the underlying, when the world has it. */
  readonly underlying?: string;
}

/** Price steps: `tick` holds for prices from the previous `below` up to, not including, this `below`; the last has none. */
export interface TickTable {
  /** "HK-equity": also the spread code that protocol answers name. */
  readonly name: string;
  readonly steps: readonly { readonly below?: Decimal; readonly tick: Decimal }[];
}

export type CalendarName = 'HK' | 'US' | 'CN' | 'SG' | 'JP' | 'MY' | 'HK_FUTURE' | 'US_FUTURE' | 'SG_FUTURE' | 'JP_FUTURE' | 'FX';
