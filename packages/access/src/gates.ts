import type { Decimal } from '@svc-gateway/contract/decimal';
import { moneyText } from '@svc-gateway/contract/money';
import { listed } from '@svc-gateway/contract/shown';
import type { Limits, TradeSide } from './limits.js';
import type { OrderPlace } from './open-orders.js';
import type { TradingHalt } from './trading-halts.js';
import { type DayProfit, type ExchangeRates, isUnknown, lossesOf, type Unknown, type Worth } from './worth.js';

/** Facts of an order that the gates judge: a new order, or the state that a modify asks for. */
export interface OrderFacts {
  /** The account it is for. No gate looks at it: accounts are checked with the scope (`allowsAccount`). */
  readonly accId: bigint;
  /** At least one; each must pass the gates, and their values are summed by currency. */
  readonly legs: readonly OrderLeg[];
  /** Exchange rates for limits in a currency of their own. */
  readonly rates: ExchangeRates;
  /** Orders that it opens: a new one, a re-enabled one, several at once. Left out where it opens none. */
  readonly opens?: OpenedOrders;
  /** Sides of orders that may follow it and open a position; left out where none do. */
  readonly laterSides?: readonly TradeSide[];
  /** The order in the market that it changes; left out where it changes none. */
  readonly changes?: ChangedOrder;
  /** The open orders have been compared with the backend's list. */
  readonly opensCompared?: true;
  /** Whether all it does is to take away from a position: a caller can always get out. Left out where nobody has looked. */
  readonly reduces?: boolean;
  /** Today's profit of the account. Absent if not looked up. */
  readonly dayProfit?: DayProfit;
  /** Id of the write, under which it is sent again after an interruption; left out where nothing is to be reserved. */
  readonly write?: string;
  /** Milliseconds since the same write was sent first, where nobody knows of what became of it: it counts again where that does not count any more. */
  readonly firstSentMs?: number;
  /** Its value is in the day's total already. */
  readonly isCountedToday?: boolean;
}

/** An order that is changed. */
export interface ChangedOrder extends OrderPlace {
  /** Its text and its number. */
  readonly names: readonly string[];
  /** Whether the change makes it larger or brings it closer to the market: then it counts as a new order for whom it has not counted yet. */
  readonly grows: boolean;
}

/** Orders that a request opens. */
export interface OpenedOrders extends OrderPlace {
  readonly count: number;
  /** Name of a re-enabled order. */
  readonly orderId?: string;
}

/** One security of an order. */
export interface OrderLeg {
  /** The trading market and, for stocks, the quote market. It passes when any of them is allowed. */
  readonly markets: readonly string[];
  /** Canonical, "HK.00700". */
  readonly symbol: string;
  readonly side: TradeSide;
  /** Quantity × price × multiplier, in the order's own currency. */
  readonly worth: Worth | Unknown;
}

export type GateName =
  | 'halt'
  | 'market'
  | 'symbol'
  | 'side'
  | 'hours'
  | 'order_value'
  | 'rate'
  | 'daily_value'
  | 'open_orders'
  | 'daily_loss';

/** A gate that tripped: HTTP 429, for a halt 403. */
export interface GateDenial {
  readonly gate: GateName;
  /** The gate's own, or why a value gate cannot tell. */
  readonly code: `limit.${Exclude<GateName, 'halt'>}` | 'trading.halted' | Unknown['code'];
  /** Text with the value that came and the values that are allowed. */
  readonly reason: string;
  /** Present where waiting helps; at least 1. */
  readonly retryAfterSeconds?: number;
  /** Set for limits of the start-up flags, whose totals cover all keys. */
  readonly holder?: 'flags';
  /** Present where the gate refuses orders that may follow this one, and not this one itself. */
  readonly ofLater?: true;
}

/** Time in which the rate gate counts orders. */
export const RATE_WINDOW_MS = 60_000;

/** The orders of the last 60 seconds, as the rate gate sees them. Asking changes nothing. */
export interface RecentOrders {
  /** Orders in the 60 seconds up to now. */
  count(now: number): number;
  /** Milliseconds until fewer than `max` remain; `max` is at least 1 and not above the count. */
  millisecondsUntilBelow(max: number, now: number): number;
}

/** How many orders a request sends: two where a group of them is one operation. A change is one; one whose first sending is in the window, none. */
export function ordersSent({ opens, firstSentMs }: Pick<OrderFacts, 'opens' | 'firstSentMs'>): number {
  return firstSentMs !== undefined && firstSentMs < RATE_WINDOW_MS ? 0 : (opens?.count ?? 1);
}

/** A day's sum in a currency, so far. */
export type DayTotal = (currency: string) => Decimal | Unknown;

/** A halt passes what takes away from a position alone. */
export function haltGate(halt: TradingHalt | undefined, { reduces = false }: Pick<OrderFacts, 'reduces'>): GateDenial | undefined {
  if (halt === undefined || reduces) return undefined;
  return { gate: 'halt', code: 'trading.halted', reason: haltReason(halt) };
}

/** The whole sentence that tells a caller of a halt, without its full stop. */
export function haltReason({ keyId, since, by, reason }: TradingHalt): string {
  const whose = keyId === null ? 'trading is halted' : `trading is halted for key "${keyId}"`;
  const why = reason === '' ? '' : `: ${reason}`;
  return `${whose} since ${new Date(since).toISOString()} by ${by}${why}; cancels and orders that reduce a position pass, until svcctl resume`;
}

/** `open`: how many are. An order that takes away from a position passes however many there are. */
export function openOrdersGate(limits: Limits, open: number, { opens, reduces = false }: OrderFacts): GateDenial | undefined {
  const max = limits.maxOpenOrders;
  if (max === null || opens === undefined || reduces || open + opens.count <= max) return undefined;
  return denial('open_orders', `too many open orders: ${open} are open, ${opens.count} more, at most ${max}`);
}

/** A loss that has reached the cap stops everything but what takes away from a position. */
export function dailyLossGate(limits: Limits, { dayProfit = unlooked, reduces = false, rates }: OrderFacts): GateDenial | undefined {
  const max = limits.maxDailyLoss;
  if (max === null || reduces) return undefined;
  const losses = lossesOf(dayProfit, limits, rates);
  if (isUnknown(losses)) return { gate: 'daily_loss', ...losses };
  const over = losses.find(({ loss }) => loss > 0n && loss >= max);
  if (over === undefined) return undefined;
  const { loss, currency } = over;
  const lost = `the account has lost ${moneyText(loss, currency, 'up')} ${currency} today`;
  return denial(
    'daily_loss',
    `daily loss reached: ${lost}, at most ${moneyText(max, currency, 'down')}; orders that reduce a position pass`,
  );
}

const unlooked: Unknown = { code: 'limit.loss_unknown', reason: 'what the account has lost today is not known' };

export function denial(gate: Exclude<GateName, 'halt'>, reason: string, retryAfterSeconds?: number): GateDenial {
  const base = { gate, code: `limit.${gate}` as const, reason };
  return retryAfterSeconds === undefined ? base : { ...base, retryAfterSeconds };
}

/** Names as the texts of the gates list them; the first twenty of a long list. */
export function list(names: ReadonlySet<string> | null): string {
  return listed(names ?? []) || 'none';
}
