import { type Decimal, divide } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import type { FeeItem } from './fees.js';
import { isOpen } from './order-status.js';
import type { OrderHours, OrderStatus, OrderType, TimeInForce, TradeMarket, TradeSide, TrailType } from './terms.js';

/** What an order waits for before it goes to the exchange. */
export interface Trigger {
  /** The price at which it goes: fixed for stop and touched orders, following the market for trailing ones. */
  readonly price: Decimal;
  /** Which move of the last price reaches it. */
  readonly when: 'rises_to' | 'falls_to';
  /** The order has gone. */
  readonly reached: boolean;
  readonly trail?: { readonly type: TrailType; readonly value: Decimal };
  /** Distance of the limit from the trigger price of a trailing stop limit order. */
  readonly spread?: Decimal;
}

/** An order as it is kept. Never changed in place: a change makes a new record. */
export interface OrderRecord {
  readonly id: bigint;
  readonly idEx: string;
  readonly accId: bigint;
  /** "HK.00700". */
  readonly symbol: string;
  readonly tradeMarket: TradeMarket;
  readonly currency: Currency;
  readonly side: TradeSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** US extended sessions too. */
  readonly extendedHours: boolean;
  /** The session that the caller named, if any. */
  readonly hours?: OrderHours;
  readonly remark: string;
  readonly quantity: bigint;
  /** The limit; 0 for orders without one. */
  readonly price: Decimal;
  /** The worst price it may trade at: the limit, or the protection of an order without one. */
  readonly worstPrice: Decimal;
  readonly trigger?: Trigger;
  readonly status: OrderStatus;
  readonly filledQuantity: bigint;
  /** Sum of price × quantity of its fills. */
  readonly filledValue: Decimal;
  /** Fees charged so far. */
  readonly fees: readonly FeeItem[];
  /** Cash frozen, and margin taken, for each unit still to be filled; in the order's currency. */
  readonly cashPerUnit: Decimal;
  readonly marginPerUnit: Decimal;
  /** Fees set aside for what is still to be filled; 0 for orders that freeze no cash. */
  readonly feeReserve: Decimal;
  /** Place in the queue at one price: lower first. */
  readonly priority: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  readonly lastError: string;
}

/** One trade of an order. */
export interface FillRecord {
  readonly id: bigint;
  readonly idEx: string;
  readonly orderId: bigint;
  readonly orderIdEx: string;
  readonly accId: bigint;
  readonly symbol: string;
  readonly tradeMarket: TradeMarket;
  readonly side: TradeSide;
  readonly quantity: bigint;
  readonly price: Decimal;
  /** Epoch ms. */
  readonly time: number;
}

/** Whole units as a decimal. */
export function units(quantity: bigint): Decimal {
  return quantity * 1_000_000_000n;
}

export function isBuying(side: TradeSide): boolean {
  return side === 'buy' || side === 'buy_back';
}

export function remainingOf(order: OrderRecord): bigint {
  return order.quantity - order.filledQuantity;
}

/** Cash that the order holds, in its currency. */
export function frozenCash(order: OrderRecord): Decimal {
  return isOpen(order.status) ? order.cashPerUnit * remainingOf(order) + order.feeReserve : 0n;
}

/** Margin that the order takes of the account's, in its currency. */
export function reservedMargin(order: OrderRecord): Decimal {
  return isOpen(order.status) ? order.marginPerUnit * remainingOf(order) + order.feeReserve : 0n;
}

/** Average price of the fills; 0 without any. Exact wherever nine places are. */
export function averagePrice(order: OrderRecord): Decimal {
  return order.filledQuantity === 0n ? 0n : divide(order.filledValue, units(order.filledQuantity));
}
