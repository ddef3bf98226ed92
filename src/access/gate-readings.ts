import type { Decimal } from '../contract/decimal.js';
import { list, type OrderFacts, type RecentOrders } from './gates.js';
import { formatHoursWindow, formatMinute, type LocalTime } from './hours-window.js';
import type { Limits } from './limits.js';

/** What a gate compares: names or a time of day as text, a sum of money, or a number of orders. */
export type GateFigure = string | Decimal | number;

/** A limit, and where an order would bring what it limits. */
export interface GateReading {
  /** null = not limited. */
  readonly limit: GateFigure | null;
  /** Totals with the order counted; the order's own market, symbol, side and value; the local time. null = not counted or not known. */
  readonly after: GateFigure | null;
}

export function marketReading({ allowedMarkets }: Limits, { markets }: OrderFacts): GateReading {
  return { limit: allowedMarkets === null ? null : list(allowedMarkets), after: markets.join('/') };
}

export function symbolReading({ allowedSymbols }: Limits, { symbol }: OrderFacts): GateReading {
  return { limit: allowedSymbols === null ? null : list(allowedSymbols), after: symbol };
}

export function sideReading({ allowedTrdSides }: Limits, { side }: OrderFacts): GateReading {
  return { limit: allowedTrdSides === null ? null : list(allowedTrdSides), after: side };
}

export function hoursReading({ hoursWindow }: Limits, now: number, localTime: LocalTime): GateReading {
  return { limit: hoursWindow === null ? null : formatHoursWindow(hoursWindow), after: formatMinute(localTime.minuteOfDay(now)) };
}

export function orderValueReading({ maxOrderValue }: Limits, { value }: OrderFacts): GateReading {
  return { limit: maxOrderValue, after: value };
}

/** Orders are counted only where their rate is limited. */
export function rateReading({ maxOrdersPerMinute: max }: Limits, recent: RecentOrders, now: number): GateReading {
  return { limit: max, after: max === null ? null : recent.count(now) + 1 };
}

export function dailyValueReading({ maxDailyValue }: Limits, total: Decimal, { increase }: OrderFacts): GateReading {
  return { limit: maxDailyValue, after: total + increase };
}
