import type { Decimal } from '@svc-gateway/contract/decimal';
import type { DayTotal, RecentOrders } from './gates.js';
import { isWithin, type LocalTime } from './hours-window.js';
import type { Limits } from './limits.js';
import { secondsUntilNextUtcDay } from './timestamp.js';
import { isUnknown } from './worth.js';

/** A limit that is set, and what is used of it. */
export type LimitUse =
  | {
      readonly kind: 'list';
      readonly name: 'allowed_markets' | 'allowed_symbols' | 'allowed_trd_sides' | 'allowed_acc_ids';
      readonly allowed: readonly string[];
    }
  | { readonly kind: 'text'; readonly name: 'limits_currency'; readonly limit: string }
  | { readonly kind: 'hours'; readonly name: 'hours_window'; readonly limit: string; readonly open: boolean; readonly opensInMs?: number }
  | { readonly kind: 'cap'; readonly name: 'max_order_value' | 'max_daily_loss'; readonly limit: Decimal }
  | { readonly kind: 'open'; readonly name: 'max_open_orders'; readonly limit: number; readonly used: number }
  | {
      readonly kind: 'rate';
      readonly name: 'max_orders_per_minute';
      readonly limit: number;
      readonly used: number;
      readonly freesInMs?: number;
    }
  | {
      readonly kind: 'day';
      readonly name: 'max_daily_value';
      readonly limit: Decimal;
      /** Absent where nothing has been used in any currency. */
      readonly currency?: string;
      /** A text: why it cannot be told. */
      readonly used: Decimal | string;
      readonly freesInMs?: number;
    };

/** Counters of a holder of limits. */
export interface Used {
  readonly recent: RecentOrders;
  /** Open orders. */
  readonly open: number;
  readonly total: DayTotal;
  /** Currencies with a total above 0 today, or the one that the limits are in. */
  readonly currencies: readonly string[];
  readonly localTime: LocalTime;
  /** Epoch ms, by the machine's clock. */
  readonly now: number;
  /** Epoch ms of the steady clock. */
  readonly steadyNow: number;
}

/** Every limit that is set, in the order of the gates. Asking changes nothing. */
export function limitUses(limits: Limits, used: Used): readonly LimitUse[] {
  return [
    ...lists(limits),
    ...hours(limits, used),
    ...values(limits),
    ...rate(limits, used),
    ...day(limits, used),
    ...openOrders(limits, used),
    ...loss(limits),
  ];
}

function* lists({ allowedMarkets, allowedSymbols, allowedTrdSides, allowedAccIds }: Limits): Iterable<LimitUse> {
  if (allowedMarkets !== null) yield { kind: 'list', name: 'allowed_markets', allowed: [...allowedMarkets] };
  if (allowedSymbols !== null) yield { kind: 'list', name: 'allowed_symbols', allowed: [...allowedSymbols] };
  if (allowedTrdSides !== null) yield { kind: 'list', name: 'allowed_trd_sides', allowed: [...allowedTrdSides] };
  if (allowedAccIds !== null) yield { kind: 'list', name: 'allowed_acc_ids', allowed: Array.from(allowedAccIds, String) };
}

function* hours({ hoursWindow }: Limits, { localTime, now }: Used): Iterable<LimitUse> {
  if (hoursWindow === null) return;
  const limit = localTime.windowText(hoursWindow);
  if (isWithin(hoursWindow, localTime.minuteOfDay(now))) yield { kind: 'hours', name: 'hours_window', limit, open: true };
  else {
    const opensInMs = localTime.secondsUntilOpen(hoursWindow, now) * 1000;
    yield { kind: 'hours', name: 'hours_window', limit, open: false, opensInMs };
  }
}

function* values({ maxOrderValue, limitsCurrency }: Limits): Iterable<LimitUse> {
  if (limitsCurrency !== null) yield { kind: 'text', name: 'limits_currency', limit: limitsCurrency };
  if (maxOrderValue !== null) yield { kind: 'cap', name: 'max_order_value', limit: maxOrderValue };
}

function* rate({ maxOrdersPerMinute: limit }: Limits, { recent, steadyNow }: Used): Iterable<LimitUse> {
  if (limit === null) return;
  const used = recent.count(steadyNow);
  // The oldest order is the first to leave the window.
  const frees = used === 0 ? {} : { freesInMs: recent.millisecondsUntilBelow(used, steadyNow) };
  yield { kind: 'rate', name: 'max_orders_per_minute', limit, used, ...frees };
}

function* day({ maxDailyValue: limit }: Limits, { total, currencies, steadyNow }: Used): Iterable<LimitUse> {
  if (limit === null) return;
  if (currencies.length === 0) yield { kind: 'day', name: 'max_daily_value', limit, used: 0n };
  const freesInMs = secondsUntilNextUtcDay(steadyNow) * 1000;
  for (const currency of currencies) {
    const used = total(currency);
    if (isUnknown(used)) yield { kind: 'day', name: 'max_daily_value', limit, currency, used: used.reason, freesInMs };
    else yield { kind: 'day', name: 'max_daily_value', limit, currency, used, ...(used === 0n ? {} : { freesInMs }) };
  }
}

function* openOrders({ maxOpenOrders: limit }: Limits, { open: used }: Used): Iterable<LimitUse> {
  if (limit !== null) yield { kind: 'open', name: 'max_open_orders', limit, used };
}

/** The loss itself is the account's: the operation that shows it asks the backend. */
function* loss({ maxDailyLoss: limit }: Limits): Iterable<LimitUse> {
  if (limit !== null) yield { kind: 'cap', name: 'max_daily_loss', limit };
}
