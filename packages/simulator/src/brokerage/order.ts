import { type Decimal, divide } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import { type Account, accountById } from './account.js';
import type { FeeItem } from './fees.js';
import { isOpen, moved } from './order-status.js';
import type { OrderHours, OrderStatus, OrderType, TimeInForce, TradeMarket, TradeSide, TrailType } from './terms.js';

/** Condition that an order waits for before it goes to the exchange. */
export interface Trigger {
  /** The price at which it goes: fixed for stop and touched orders, following the market for trailing ones. */
  readonly price: Decimal;
  /** Direction of the last price that triggers it. */
  readonly when: 'rises_to' | 'falls_to';
  /** The order has gone. */
  readonly reached: boolean;
  readonly trail?: { readonly type: TrailType; readonly value: Decimal };
  /** Distance of the limit from the trigger price of a trailing stop limit order. */
  readonly spread?: Decimal;
}

/** One security that an order trades. */
export interface OrderLeg {
  /** "HK.00700". */
  readonly symbol: string;
  readonly side: TradeSide;
  /** Units of the leg in one unit of the order; 1 in an order of one leg. */
  readonly ratio: bigint;
  /** Units of the leg. */
  readonly filledQuantity: bigint;
  /** Sum of price × quantity of its fills. */
  readonly filledValue: Decimal;
  /** Cash frozen, and margin taken, for each unit of the leg still to be filled; in the order's currency. */
  readonly cashPerUnit: Decimal;
  readonly marginPerUnit: Decimal;
  /** Price of a leg's hold. The legs together keep to the order's price; each may be dearer. */
  readonly worstPrice?: Decimal;
}

/** An order as it is kept. Never changed in place: a change makes a new record. */
export interface OrderRecord {
  readonly id: bigint;
  readonly idEx: string;
  readonly accId: bigint;
  /** Securities that the order trades: one, or several at once. Never empty. */
  readonly legs: readonly [OrderLeg, ...OrderLeg[]];
  readonly tradeMarket: TradeMarket;
  readonly currency: Currency;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  /** When an order that is good till a date ends, as its caller gave it: a day or a time in the zone of its market. */
  readonly expireTime?: string | undefined;
  /** US extended sessions too. */
  readonly extendedHours: boolean;
  /** The session that the caller named, if any. */
  readonly hours?: OrderHours | undefined;
  readonly remark: string;
  readonly quantity: bigint;
  /** The limit; 0 for orders without one. Of several legs: what a unit of the order may cost, bought less sold; below zero, what it must bring. */
  readonly price: Decimal;
  /** The worst price it may trade at: the limit, or the protection of an order without one. */
  readonly worstPrice: Decimal;
  readonly trigger?: Trigger | undefined;
  readonly status: OrderStatus;
  /** Units of the order of which every leg is filled. */
  readonly filledQuantity: bigint;
  /** Sum of price × quantity of its fills; what its legs cost less what they bring, where it has several. */
  readonly filledValue: Decimal;
  /** Fees charged so far, of all legs. */
  readonly fees: readonly FeeItem[];
  /** Fees set aside for what is still to be filled; 0 for orders that freeze no cash. */
  readonly feeReserve: Decimal;
  /** Place in the queue at one price: lower first. */
  readonly priority: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  readonly lastError: string;
  /**
   * Arrival of a new order at the exchange, epoch ms. From then on the order as it was placed stands for the one at the
   * exchange, and its arrival need not be stored: see {@link arrived}. Undefined where it is not known beforehand.
   */
  readonly arrivesAt?: number | undefined;
}

/** One trade of an order. */
export interface FillRecord {
  readonly id: bigint;
  readonly idEx: string;
  readonly orderId: bigint;
  readonly orderIdEx: string;
  readonly accId: bigint;
  /** Symbol of the leg that was filled; its side alike. */
  readonly symbol: string;
  readonly tradeMarket: TradeMarket;
  readonly side: TradeSide;
  readonly quantity: bigint;
  readonly price: Decimal;
  /** Epoch ms. */
  readonly time: number;
  /** The exchange has taken it back. */
  readonly cancelled?: true;
}

export function accountOf({ id, accId }: OrderRecord): Account {
  const account = accountById.get(accId);
  if (account === undefined) throw new Error(`order ${id} is of account ${accId}, which does not exist`);
  return account;
}

/** Whole units as a decimal. */
export function units(quantity: bigint): Decimal {
  return quantity * 1_000_000_000n;
}

export function isBuying(side: TradeSide): boolean {
  return side === 'buy' || side === 'buy_back';
}

export function remainingOf({ quantity, filledQuantity }: OrderRecord): bigint {
  // The same number where nothing is filled: there may be many resting orders.
  return filledQuantity === 0n ? quantity : quantity - filledQuantity;
}

/** The leg that an order is listed under: the only one of most orders. */
export function mainLeg(order: OrderRecord): OrderLeg {
  return order.legs[0];
}

/** Whether an order trades several securities together. */
export function isCombo({ legs }: OrderRecord): boolean {
  return legs.length > 1;
}

/** Hold of a leg on its account until it is done, in the order's currency. */
export interface Hold extends Pick<OrderLeg, 'cashPerUnit' | 'marginPerUnit' | 'worstPrice'> {
  readonly feeReserve: Decimal;
}

/** An order with what each of its legs holds now. */
export function holding(order: OrderRecord, holds: readonly Hold[]): OrderRecord {
  const held = (leg: OrderLeg, i: number): OrderLeg => {
    const { cashPerUnit, marginPerUnit, worstPrice } = holds[i] ?? leg;
    return { ...leg, cashPerUnit, marginPerUnit, ...(worstPrice === undefined ? {} : { worstPrice }) };
  };
  const [first, ...rest] = order.legs;
  const legs = [held(first, 0), ...rest.map((leg, i) => held(leg, i + 1))] as const;
  return { ...order, legs, feeReserve: holds.reduce((sum, { feeReserve }) => sum + feeReserve, 0n) };
}

/** The order once it has moved on to a status; when it arrives is not known any more. Throws where the move is not legal. */
export function movedTo(order: OrderRecord, status: OrderStatus, updatedAt: number, lastError = order.lastError): OrderRecord {
  return { ...order, status: moved(order.status, status), updatedAt, lastError, arrivesAt: undefined };
}

/** A new order once it has reached the exchange, as was known when it was placed. */
export function arrived(order: OrderRecord, arrivesAt: number): OrderRecord {
  return movedTo(order, 'submitted', arrivesAt);
}

/** An order of the disk at `now`, epoch ms, where nothing is under way any more. */
export function afterRestart(order: OrderRecord, now: number): OrderRecord {
  const { arrivesAt } = order;
  if (arrivesAt === undefined) return order;
  // A clock that was set back knows of no arrival: then it arrives anew.
  return arrivesAt <= now ? arrived(order, arrivesAt) : { ...order, arrivesAt: undefined };
}

/** Units of a leg still to be filled. */
export function legRemaining(order: OrderRecord, leg: OrderLeg): bigint {
  return order.quantity * leg.ratio - leg.filledQuantity;
}

/** Cash that the order holds, in its currency. */
export function frozenCash(order: OrderRecord): Decimal {
  return held(order, ({ cashPerUnit }) => cashPerUnit);
}

/** Margin that the order takes of the account's, in its currency. */
export function reservedMargin(order: OrderRecord): Decimal {
  return held(order, ({ marginPerUnit }) => marginPerUnit);
}

function held(order: OrderRecord, perUnit: (leg: OrderLeg) => Decimal): Decimal {
  if (!isOpen(order.status)) return 0n;
  let sum = order.feeReserve;
  for (const leg of order.legs) {
    const each = perUnit(leg);
    if (each !== 0n) sum += each * legRemaining(order, leg);
  }
  return sum;
}

/** Average price of the fills; 0 without any. Exact wherever nine places are. */
export function averagePrice(order: OrderRecord): Decimal {
  return order.filledQuantity === 0n ? 0n : divide(order.filledValue, units(order.filledQuantity));
}
