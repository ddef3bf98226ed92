import { create } from '@bufbuild/protobuf';
import type { TradeSide } from '@svc-gateway/access';
import { atLeastZero, DECIMAL_ONE, type Decimal, decimalFromNumber, divide, multiplyUp } from '@svc-gateway/contract/decimal';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as OrderBookC2S } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import { C2SSchema as SnapshotC2S } from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { OrderType, TrailType } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quote } from '@svc-gateway/contract/operations';
import { outOfRangeField, Rejection } from '@svc-gateway/contract/rejection';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext } from '../backend.js';
import { payloadOf } from '../responses.js';

/** The price that an order is valued at, and where it is from. */
export interface Pricing {
  readonly basis:
    | 'limit_price'
    | 'adjusted_limit_price'
    | 'best_bid'
    | 'last_price'
    | 'book_plus_5_percent'
    | 'trigger_plus_5_percent'
    | 'net_price';
  /** Price per unit that the limits count. */
  readonly price: Decimal;
  /** A price at which the order could trade: the limit as given, the dearest level of the book, or a trigger beyond it. */
  readonly tradable: Decimal;
}

/** Whether, and by how much of its price, the backend may move an order to the next step. */
export interface Adjustment {
  readonly adjustPrice: boolean;
  readonly adjustSideAndLimit: number;
}

/** Order fields that decide its price. */
export interface PriceTerms extends TriggerTerms, Adjustment {
  /** Trd_Common.OrderType. */
  readonly orderType: number;
  /** 0 where there is none. */
  readonly price: Decimal;
}

/** Market prices of a security as one side sees them; 0 = unknown. */
export interface MarketView {
  readonly side: TradeSide;
  /** The dearest level of the side of the book that the order would take: for a sale the best bid. */
  readonly book: Decimal;
  /** Where the book is empty, for a sale: the dearest of the last price and the bid of the snapshot. */
  readonly last: Decimal;
}

/** Worked in slices over time: each takes what the market then has, so that a sale may fill above today's bid and above its limit. */
const worked = new Set<number>([
  OrderType.OrderType_TWAP_MARKET,
  OrderType.OrderType_TWAP_LIMIT,
  OrderType.OrderType_VWAP_MARKET,
  OrderType.OrderType_VWAP_LIMIT,
]);

/** Whether an order has a limit at some time: that of a trailing stop limit order is its own once it has triggered. */
export function mayHaveLimit(orderType: number): boolean {
  return hasLimit(orderType) || orderType === OrderType.OrderType_TrailingStopLimit;
}

export function isTrailing(orderType: number): boolean {
  return orderType === OrderType.OrderType_TrailingStop || orderType === OrderType.OrderType_TrailingStopLimit;
}

/** Whether a side takes from the asks. */
export function isBuy(side: TradeSide): boolean {
  return side === 'BUY' || side === 'BUY_BACK';
}

const BOOK_LEVELS = 40;

/** Asks the market what an order of this type and side needs to be valued; nothing for a purchase with a limit. */
export function viewOf(
  backend: Backend,
  security: Security,
  side: TradeSide,
  orderType: number,
  context: CallContext,
): MarketView | Promise<MarketView> {
  if (isBuy(side) && hasLimit(orderType)) return { side, book: 0n, last: 0n };
  return askMarket(backend, security, side, orderType, context);
}

async function askMarket(
  backend: Backend,
  security: Security,
  side: TradeSide,
  orderType: number,
  context: CallContext,
): Promise<MarketView> {
  const query = create(OrderBookC2S, { security, num: BOOK_LEVELS });
  const answered = payloadOf(quote.getOrderBook, await backend.call(quote.getOrderBook, query, context));
  const levels = (isBuy(side) ? answered?.orderBookAskList : answered?.orderBookBidList) ?? [];
  const book = dearest(levels.map(({ price }) => price));
  if (book > 0n || !hasLimit(orderType)) return { side, book, last: 0n };
  const snapshots = await backend.call(quote.getSnapshot, create(SnapshotC2S, { securityList: [security] }), context);
  const basic = payloadOf(quote.getSnapshot, snapshots)?.snapshotList[0]?.basic;
  return { side, book, last: basic === undefined ? 0n : dearest([basic.curPrice, basic.bidPrice]) };
}

function dearest(prices: readonly number[]): Decimal {
  let most = 0n;
  for (const price of prices.map(atLeast)) if (price > most) most = price;
  return most;
}

const UNITS_IN_ONE = Number(DECIMAL_ONE);

/** A figure of the backend's as a decimal; the next one above where it has more than nine places, 0 where it is no number. */
export function atLeast(value: number): Decimal {
  return decimalFromNumber(value) ?? (Number.isFinite(value) ? BigInt(Math.ceil(value * UNITS_IN_ONE)) : 0n);
}

/** 5 % on top of the dearest price at which it may begin to trade. */
const MARKET_ORDER_MARGIN: Decimal = (DECIMAL_ONE * 105n) / 100n;

/**
 * The price at which an order is held against the caps: no fill may be dearer. A purchase never passes its limit; a sale may
 * fill above its own, at the best bid or at what it waits for. undefined where no price is known.
 */
export function pricingOf(terms: PriceTerms, view: MarketView): Pricing | Rejection | undefined {
  const start = dearestStart(terms, view.book > 0n ? view.book : view.last);
  if (start instanceof Rejection) return start;
  if (!hasLimit(terms.orderType)) {
    const limit = mayHaveLimit(terms.orderType) ? terms.price : 0n;
    return start === 0n ? undefined : startPricing(limit > start ? limit : start, view);
  }
  const limit = limitPricing(terms);
  if (limit instanceof Rejection || isBuy(view.side)) return limit;
  if (worked.has(terms.orderType)) return workedSalePricing(limit, view);
  return salePricing(limit, decimalFromNumber(terms.auxPrice) ?? 0n, view);
}

/** Without a limit: the dearest level of the book, or what it waits for beyond that, plus 5 %. */
function startPricing(start: Decimal, { book }: MarketView): Pricing {
  const basis = start > book ? 'trigger_plus_5_percent' : 'book_plus_5_percent';
  return { basis, price: multiplyUp(start, MARKET_ORDER_MARGIN), tradable: start };
}

/** A sale fills at the market where that is above its limit. `trigger` is 0 where it waits for nothing. */
function salePricing(limit: Pricing, trigger: Decimal, { book, last }: MarketView): Pricing | undefined {
  const market = book > 0n ? book : last;
  if (market === 0n) return undefined;
  if (trigger > limit.price && trigger > market) {
    return { basis: 'trigger_plus_5_percent', price: multiplyUp(trigger, MARKET_ORDER_MARGIN), tradable: limit.tradable };
  }
  return market > limit.price ? { basis: book > 0n ? 'best_bid' : 'last_price', price: market, tradable: limit.tradable } : limit;
}

/** A sale in slices: 5 % on top of the market, or its limit where that is more. */
function workedSalePricing(limit: Pricing, { book, last }: MarketView): Pricing | undefined {
  const market = book > 0n ? book : last;
  if (market === 0n) return undefined;
  const price = multiplyUp(market, MARKET_ORDER_MARGIN);
  return price > limit.price ? { basis: 'book_plus_5_percent', price, tradable: limit.tradable } : limit;
}

/** A limit; where the backend may raise it to the next step, the most it may become. */
function limitPricing({ price, adjustPrice, adjustSideAndLimit }: PriceTerms): Pricing | Rejection {
  const adjustment = exactField(adjustPrice ? adjustSideAndLimit : 0, 'adjustSideAndLimit');
  if (adjustment instanceof Rejection) return adjustment;
  return adjustment > 0n
    ? { basis: 'adjusted_limit_price', price: multiplyUp(price, DECIMAL_ONE + adjustment), tradable: price }
    : { basis: 'limit_price', price, tradable: price };
}

/** The exact decimal of a caller's number. */
export function exactField(value: number, field: string): Decimal | Rejection {
  return decimalFromNumber(value) ?? outOfRangeField(field, `${value} has too many decimal places; at most nine are accepted`);
}

/** Trigger fields of an order; 0 = none. The trailing ratio is in percent. */
export interface TriggerTerms {
  readonly auxPrice: number;
  readonly trailType: number;
  readonly trailValue: number;
  readonly trailSpread: number;
}

/** Whether two orders follow the market alike. */
export function trailsAlike(a: TriggerTerms, b: TriggerTerms): boolean {
  return a.trailType === b.trailType && a.trailValue === b.trailValue && a.trailSpread === b.trailSpread;
}

const fields = ['auxPrice', 'trailValue', 'trailSpread'] as const;
const HUNDRED: Decimal = 100n * DECIMAL_ONE;

/**
 * The dearest price at which an order without a limit may begin to trade: the book's, the trigger's, or as far above the
 * book as a trailing order's trigger can lie. `dearest` is the book's, 0 where it has none; so is the answer where nothing is known.
 */
export function dearestStart(terms: TriggerTerms, dearest: Decimal): Decimal | Rejection {
  // Most orders wait for nothing, as the request says or as it does not say.
  if (terms.auxPrice === 0 && terms.trailValue === 0 && terms.trailSpread === 0) return dearest;
  const [trigger, trail, spread] = fields.map((field) => decimalFromNumber(terms[field]));
  if (trigger === undefined || trail === undefined || spread === undefined) {
    const field = fields.find((name) => decimalFromNumber(terms[name]) === undefined) ?? fields[0];
    return outOfRangeField(field, `${terms[field]} has too many decimal places; at most nine are accepted`);
  }
  const distance = terms.trailType === TrailType.TrailType_Ratio ? multiplyUp(dearest, divide(trail, HUNDRED)) : trail;
  const trailed = dearest > 0n ? dearest + atLeastZero(distance) + atLeastZero(spread) : 0n;
  return [dearest, trigger, trailed].reduce((most, price) => (price > most ? price : most));
}
