import { type Decimal, formatDecimal } from '../contract/decimal.js';
import { formatHoursWindow, formatMinute, isWithin, type LocalTime } from './hours-window.js';
import { allowsMarket, allowsSymbol, type Limits, type TradeSide } from './limits.js';
import { secondsUntilNextUtcDay } from './timestamp.js';

/** What the gates look at in an order: a place, or the new state that a modify asks for. */
export interface OrderFacts {
  /** The account it is for. No gate looks at it: accounts are checked with the scope (`allowsAccount`). */
  readonly accId: bigint;
  /** The order's trading market and, for stocks, its quote market. It passes when any of them is allowed. */
  readonly markets: readonly string[];
  /** Canonical, "HK.00700". */
  readonly symbol: string;
  readonly side: TradeSide;
  /** Quantity × price of the whole order as it will stand, in its own currency. */
  readonly value: Decimal;
  /** What counts towards the day: the value of a place, the rise of a modify; never negative. */
  readonly increase: Decimal;
}

export type GateName = 'market' | 'symbol' | 'side' | 'hours' | 'order_value' | 'rate' | 'daily_value';

/** A gate that tripped: HTTP 429. */
export interface GateDenial {
  readonly gate: GateName;
  readonly code: `limit.${GateName}`;
  /** What came and what is allowed. */
  readonly reason: string;
  /** Present where waiting helps; at least 1. */
  readonly retryAfterSeconds?: number;
}

export function marketGate(limits: Limits, facts: OrderFacts): GateDenial | undefined {
  if (allowsMarket(limits, facts.markets)) return undefined;
  return denial('market', `market ${facts.markets.join('/')} is not allowed; allowed: ${list(limits.allowedMarkets)}`);
}

export function symbolGate(limits: Limits, facts: OrderFacts): GateDenial | undefined {
  if (allowsSymbol(limits, facts.symbol)) return undefined;
  return denial('symbol', `symbol ${facts.symbol} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
}

export function sideGate(limits: Limits, facts: OrderFacts): GateDenial | undefined {
  if (limits.allowedTrdSides === null || limits.allowedTrdSides.has(facts.side)) return undefined;
  return denial('side', `side ${facts.side} is not allowed; allowed: ${list(limits.allowedTrdSides)}`);
}

export function hoursGate(limits: Limits, now: number, localTime: LocalTime): GateDenial | undefined {
  if (limits.hoursWindow === null) return undefined;
  const minute = localTime.minuteOfDay(now);
  if (isWithin(limits.hoursWindow, minute)) return undefined;
  const reason = `outside the hours ${formatHoursWindow(limits.hoursWindow)}: it is ${formatMinute(minute)} local time`;
  return denial('hours', reason, localTime.secondsUntilOpen(limits.hoursWindow, now));
}

export function orderValueGate(limits: Limits, facts: OrderFacts): GateDenial | undefined {
  if (limits.maxOrderValue === null || facts.value <= limits.maxOrderValue) return undefined;
  return denial(
    'order_value',
    `order value ${formatDecimal(facts.value)} exceeds the cap of ${formatDecimal(limits.maxOrderValue)} per order`,
  );
}

/** The orders of the last 60 seconds, as the rate gate sees them. Asking changes nothing. */
export interface RecentOrders {
  /** Orders in the 60 seconds up to now. */
  count(now: number): number;
  /** Milliseconds until fewer than `max` remain; `max` is at least 1 and not above the count. */
  millisecondsUntilBelow(max: number, now: number): number;
}

export function rateGate(limits: Limits, recent: RecentOrders, now: number): GateDenial | undefined {
  const max = limits.maxOrdersPerMinute;
  if (max === null) return undefined;
  const count = recent.count(now);
  if (count < max) return undefined;
  const reason = `rate limit exceeded: ${count} orders in the last 60 s, at most ${max}`;
  return denial('rate', reason, max === 0 ? undefined : Math.ceil(recent.millisecondsUntilBelow(max, now) / 1000));
}

/** `total` is the day's sum so far. An order that adds nothing passes whatever the total. */
export function dailyValueGate(limits: Limits, total: Decimal, facts: OrderFacts, now: number): GateDenial | undefined {
  const max = limits.maxDailyValue;
  if (max === null || facts.increase === 0n || total + facts.increase <= max) return undefined;
  const sum = `${formatDecimal(total)} used, ${formatDecimal(facts.increase)} more`;
  const reason = `daily value exceeded: ${sum}, at most ${formatDecimal(max)} per UTC day`;
  return denial('daily_value', reason, facts.increase > max ? undefined : secondsUntilNextUtcDay(now));
}

function denial(gate: GateName, reason: string, retryAfterSeconds?: number): GateDenial {
  const base = { gate, code: `limit.${gate}` as const, reason };
  return retryAfterSeconds === undefined ? base : { ...base, retryAfterSeconds };
}

const LISTED_MAX = 20;

/** Names as the texts of the gates list them; the first twenty of a long list. */
export function list(names: ReadonlySet<string> | null): string {
  if (names === null || names.size === 0) return 'none';
  const shown = [...names].slice(0, LISTED_MAX).join(', ');
  return names.size > LISTED_MAX ? `${shown} and ${names.size - LISTED_MAX} more` : shown;
}
