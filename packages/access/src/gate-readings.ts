import type { Decimal } from '@svc-gateway/contract/decimal';
import { type DayTotal, list, type OrderFacts, type OrderLeg, type RecentOrders } from './gates.js';
import type { LocalTime } from './hours-window.js';
import type { Limits } from './limits.js';
import { isUnknown, lossesOf, type Measured } from './worth.js';

/** Figure that a gate compares: names or a time of day with its zone as text, a sum of money, or a number of orders. */
export type GateFigure = string | Decimal | number;

/** A limit, and where an order would bring what it limits. */
export interface GateReading {
  /** null = not limited. */
  readonly limit: GateFigure | null;
  /** Totals with the order counted; the order's own market, symbol, side and value; the time of day with its zone. null = not counted or not known. */
  readonly after: GateFigure | null;
  /** Currency of a sum of money. */
  readonly currency?: string;
}

export function marketReading({ allowedMarkets }: Limits, { legs }: OrderFacts): GateReading {
  return { limit: allowedMarkets === null ? null : list(allowedMarkets), after: ofLegs(legs, ({ markets }) => markets.join('/')) };
}

export function symbolReading({ allowedSymbols }: Limits, { legs }: OrderFacts): GateReading {
  return { limit: allowedSymbols === null ? null : list(allowedSymbols), after: ofLegs(legs, ({ symbol }) => symbol) };
}

export function sideReading({ allowedTrdSides }: Limits, { legs }: OrderFacts): GateReading {
  return { limit: allowedTrdSides === null ? null : list(allowedTrdSides), after: ofLegs(legs, ({ side }) => side) };
}

export function hoursReading({ hoursWindow }: Limits, now: number, localTime: LocalTime): GateReading {
  return { limit: hoursWindow === null ? null : localTime.windowText(hoursWindow), after: localTime.timeText(now) };
}

/** Orders are counted only where their rate is limited. */
export function rateReading({ maxOrdersPerMinute: max }: Limits, recent: RecentOrders, orders: number, now: number): GateReading {
  return { limit: max, after: max === null ? null : recent.count(now) + orders };
}

/** One reading for each currency that the order counts in. */
export function orderValueReadings({ maxOrderValue }: Limits, measured: Measured): readonly GateReading[] {
  if (isUnknown(measured)) return [{ limit: maxOrderValue, after: null }];
  return measured.map(({ currency, value }) => ({ limit: maxOrderValue, after: value, currency }));
}

/** One reading for each currency that the order counts in. */
export function dailyValueReadings({ maxDailyValue }: Limits, total: DayTotal, measured: Measured): readonly GateReading[] {
  if (isUnknown(measured)) return [{ limit: maxDailyValue, after: null }];
  return measured.map(({ currency, increase }) => {
    const used = total(currency);
    return { limit: maxDailyValue, after: isUnknown(used) ? null : used + increase, currency };
  });
}

/** Orders are counted only where there is a limit on them. */
export function openOrdersReadings({ maxOpenOrders: max }: Limits, open: number, { opens }: OrderFacts): readonly GateReading[] {
  return max === null ? [] : [{ limit: max, after: open + (opens?.count ?? 0) }];
}

/** Losses of the account so far, one reading for each currency; none where losses are not limited. */
export function dailyLossReadings(limits: Limits, { dayProfit, rates }: OrderFacts): readonly GateReading[] {
  const { maxDailyLoss: limit } = limits;
  if (limit === null) return [];
  const losses = dayProfit === undefined ? undefined : lossesOf(dayProfit, limits, rates);
  if (losses === undefined || isUnknown(losses) || losses.length === 0) return [{ limit, after: null }];
  return losses.map(({ currency, loss }) => ({ limit, after: loss, currency }));
}

function ofLegs(legs: readonly OrderLeg[], read: (leg: OrderLeg) => string): string {
  return [...new Set(legs.map(read))].join(', ');
}
