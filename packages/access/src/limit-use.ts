import type { Decimal } from '@svc-gateway/contract/decimal';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { DayTotal, RecentOrders } from './gates.js';
import { isWithin, type LocalTime } from './hours-window.js';
import type { Limits } from './limits.js';
import { isUnknown } from './worth.js';

/** A limit that is set, and what is used of it. */
export interface LimitUse {
  /** As in the keys file: "max_daily_value". */
  readonly name: string;
  /** Names that a list allows. */
  readonly allowed?: readonly string[];
  readonly limit?: Decimal | number | string;
  /** A text: why it cannot be told. Absent for limits that nothing is counted for. */
  readonly used?: Decimal | number | string;
  /** Absent where nothing has been used in any currency. */
  readonly currency?: string;
  /** Whether it is open now, where it is a limit of hours. */
  readonly open?: boolean;
  /** Time until some of it is free again, or the hours open. */
  readonly freesInMs?: number;
}

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
export function* limitUses(limits: Limits, { recent, open, total, currencies, localTime, now, steadyNow }: Used): Iterable<LimitUse> {
  const { allowedMarkets, allowedSymbols, allowedTrdSides, allowedAccIds, hoursWindow, limitsCurrency } = limits;
  const { maxOrderValue, maxDailyValue, maxDailyLoss, maxOrdersPerMinute, maxOpenOrders } = limits;
  if (allowedMarkets !== null) yield { name: 'allowed_markets', allowed: [...allowedMarkets] };
  if (allowedSymbols !== null) yield { name: 'allowed_symbols', allowed: [...allowedSymbols] };
  if (allowedTrdSides !== null) yield { name: 'allowed_trd_sides', allowed: [...allowedTrdSides] };
  if (allowedAccIds !== null) yield { name: 'allowed_acc_ids', allowed: Array.from(allowedAccIds, String) };
  if (hoursWindow !== null) {
    const isOpen = isWithin(hoursWindow, localTime.minuteOfDay(now));
    const opens = isOpen ? {} : { freesInMs: localTime.millisecondsUntilOpen(hoursWindow, now) };
    yield { name: 'hours_window', limit: localTime.windowText(hoursWindow), open: isOpen, ...opens };
  }
  if (limitsCurrency !== null) yield { name: 'limits_currency', limit: limitsCurrency };
  if (maxOrderValue !== null) yield { name: 'max_order_value', limit: maxOrderValue };
  if (maxOrdersPerMinute !== null) {
    const used = recent.count(steadyNow);
    // The oldest order is the first to leave the window.
    const frees = used === 0 ? {} : { freesInMs: recent.millisecondsUntilBelow(used, steadyNow) };
    yield { name: 'max_orders_per_minute', limit: maxOrdersPerMinute, used, ...frees };
  }
  if (maxDailyValue !== null) {
    const day = { name: 'max_daily_value', limit: maxDailyValue };
    if (currencies.length === 0) yield { ...day, used: 0n };
    // The two clocks differ by fractions of a second: the day ends at a whole one.
    const dayEnd = Math.round((now + DAY_MS - (steadyNow % DAY_MS)) / 1000) * 1000;
    const freesInMs = dayEnd - now;
    for (const currency of currencies) {
      const used = total(currency);
      yield { ...day, currency, used: isUnknown(used) ? used.reason : used, ...(used === 0n ? {} : { freesInMs }) };
    }
  }
  if (maxOpenOrders !== null) yield { name: 'max_open_orders', limit: maxOpenOrders, used: open };
  // The loss itself is the account's: the operation that shows it asks the backend.
  if (maxDailyLoss !== null) yield { name: 'max_daily_loss', limit: maxDailyLoss };
}
