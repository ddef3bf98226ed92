import { clearField, create } from '@bufbuild/protobuf';
import { isUnknown, type OpenedOrders, type OrderLeg, type Unknown, type Worth } from '@svc-gateway/access';
import { atLeastZero, type Decimal, greater, multiplyUp } from '@svc-gateway/contract/decimal';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { ModifyOrderOp, type Order, OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { type QuoteMarketInfo, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { missingField, outOfRangeField, Rejection } from '@svc-gateway/contract/rejection';
import { securityOf } from '@svc-gateway/contract/security';
import { shown } from '@svc-gateway/contract/shown';
import { symbolsMeant, unknownSymbol } from '@svc-gateway/contract/symbol-spellings';
import { hasLimit, isUnpriced } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext, TradingTerms } from '../backend.js';
import { tradedMarketNames } from '../market-names.js';
import { nameOfOrder } from '../orders/order.js';
import { following } from '../responses.js';
import { sideName } from '../trade-names.js';
import {
  type Adjustment,
  atLeast,
  exactField,
  isBuy,
  isTrailing,
  type MarketView,
  mayHaveLimit,
  type PriceTerms,
  type Pricing,
  pricingOf,
  type TriggerTerms,
  trailsAlike,
  viewOf,
} from './pricing.js';
import { resolveSecurity, unknownSide } from './securities.js';

/** An order that may add risk, as it will stand. */
export interface Valued {
  readonly accId: bigint;
  /** At least one. */
  readonly legs: readonly [ValuedLeg, ...ValuedLeg[]];
  /** The orders that it opens; left out where it opens none. */
  readonly opens?: Omit<OpenedOrders, 'accId'>;
  /** Whether it leaves less risk than there was, or as much; left out where that is up to the position of the account. */
  readonly reduces?: boolean;
  /** Sides of orders that may follow it and open a position; left out where none do. */
  readonly laterSides?: readonly OrderLeg['side'][];
  /** Quantity of an opposite position that a bracket's entry closes. */
  readonly closes?: Decimal;
  /** The order that it changes; left out where it changes none. */
  readonly changes?: Change;
}

/** A change of a working order. */
export interface Change extends Pick<OpenedOrders, 'env' | 'market'> {
  /** As it stands. */
  readonly order: Order;
  /** How much of it is then still to trade. */
  readonly left: Decimal;
  /** Whether it is made larger or brought closer to the market. */
  readonly grows: boolean;
}

/** One security of an order, with how it is valued. */
export interface ValuedLeg extends OrderLeg {
  readonly qty: Decimal;
  /** undefined where no price is known. */
  readonly pricing: Pricing | undefined;
  /** Money per point of the price; undefined where it is not known. */
  readonly multiplier: Decimal | undefined;
  /** Trading currency, "HKD"; the market's where the backend does not say. */
  readonly currency: string;
}

/** Values a new order: quantity × price × multiplier. */
export function valuePlace(backend: Backend, request: PlaceC2S, context: CallContext): Valued | Rejection | Promise<Valued | Rejection> {
  const security = resolveSecurity(request);
  if (security instanceof Rejection) return security;
  const side = sideName(request.trdSide);
  if (side === undefined) return unknownSide('side', request.trdSide);
  const qty = positive(request.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  const price = Object.hasOwn(request, 'price') ? exactField(request.price, 'price') : 0n;
  if (price instanceof Rejection) return price;
  if (hasLimit(request.orderType) && price <= 0n) {
    if (!Object.hasOwn(request, 'price')) return missingField('price', 'a limit order needs a price above 0');
    return outOfRange('price', request.price);
  }
  const amount = exactField(request.amount, 'amount');
  if (amount instanceof Rejection) return amount;
  const { market, symbol } = security;
  const { code } = request;
  const markets = tradedMarketNames(request.header?.trdMarket ?? 0, market);
  const order: Stand = { market, code, markets, symbol, side, qty, filled: nothing, terms: termsOf(request, price, request) };
  return following(valueLeg(backend, order, undefined, context), (valued) =>
    oneLegged(request, atLeastWorth(valued, amount), { opens: opened(request, 1) }),
  );
}

/** An order for an amount of money, which those of event contracts are, is worth that, whatever its quantity and price say. */
function atLeastWorth(leg: ValuedLeg | Rejection, amount: Decimal): ValuedLeg | Rejection {
  if (leg instanceof Rejection || isUnknown(leg.worth) || leg.worth.value >= amount) return leg;
  return { ...leg, worth: { ...leg.worth, value: amount, increase: amount } };
}

/** Number of orders that a request opens. `orderId`: an order that is reopened. */
export function opened({ header }: Pick<PlaceC2S, 'header'>, count: number, orderId?: string): Omit<OpenedOrders, 'accId'> {
  const place = { env: header?.trdEnv ?? 0, market: header?.trdMarket ?? 0, count };
  return orderId === undefined ? place : { ...place, orderId };
}

/**
 * Values a change by the order as it will stand; what that adds counts towards the day of whom the order has counted for, and all of it for others.
 * An order that is enabled comes back as it was, whatever the request says of quantity and price, and counts whole. So does one that a change brings
 * to the market.
 */
export function valueModify(
  backend: Backend,
  request: ModifyC2S,
  order: Order,
  context: CallContext,
): Valued | Rejection | Promise<Valued | Rejection> {
  const market = quoteMarketOfSecMarket(order.secMarket);
  const side = sideName(order.trdSide);
  if (market === undefined || side === undefined) {
    return new Rejection('request.invalid', `order ${order.orderIDEx} is in a market or on a side that this gateway does not trade`);
  }
  const standing: Stand = {
    market,
    code: order.code,
    markets: tradedMarketNames(order.trdMarket || (request.header?.trdMarket ?? 0), market),
    symbol: `${market.name}.${order.code}`,
    side,
    qty: atLeast(order.qty),
    filled: { qty: atLeast(order.fillQty), price: atLeast(order.fillAvgPrice) },
    terms: termsOf(order, atLeast(order.price)),
  };
  const enables = request.modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Enable;
  const changed = enables ? standing : changedBy(request, order, standing);
  if (changed instanceof Rejection) return changed;
  const arrives = enables || !isInMarket(order);
  return following(valueLeg(backend, changed, arrives ? undefined : standing, context), (valued) => {
    if (valued instanceof Rejection) return valued;
    const opens = arrives ? { opens: opened(request, 1, nameOfOrder(order)) } : {};
    if (enables) return oneLegged(request, valued, opens);
    const reduces = !arrives && isNoMore(valued, standing) && !isCloser(changed, standing);
    const left = atLeastZero(changed.qty - standing.filled.qty);
    return oneLegged(request, valued, { ...opens, changes: changeOf(request, order, left, !reduces), ...(reduces ? { reduces } : {}) });
  });
}

/** The more careful of two values of one change, whose order may have the terms of either. */
export function worseOf(one: Valued, other: Valued): Valued {
  const base = one.reduces === true ? other : one;
  const [first, ...rest] = one.legs;
  const worse = (leg: ValuedLeg, index: number): ValuedLeg => worseLeg(leg, other.legs[index] ?? leg);
  const legs: Valued['legs'] = [worse(first, 0), ...rest.map((leg, index) => worse(leg, index + 1))];
  if (one.changes === undefined || other.changes === undefined) return { ...base, legs };
  const grows = one.changes.grows || other.changes.grows;
  return { ...base, legs, changes: { ...one.changes, grows, left: greater(one.changes.left, other.changes.left) } };
}

function worseLeg(one: ValuedLeg, other: ValuedLeg): ValuedLeg {
  const qty = greater(one.qty, other.qty);
  if (isUnknown(one.worth) || isUnknown(other.worth)) return { ...one, qty, worth: isUnknown(one.worth) ? one.worth : other.worth };
  const { currency, value, increase } = one.worth;
  return { ...one, qty, worth: { currency, value: greater(value, other.worth.value), increase: greater(increase, other.worth.increase) } };
}

export function changeOf({ header }: Pick<PlaceC2S, 'header'>, order: Order, left: Decimal, grows: boolean): Change {
  return { env: header?.trdEnv ?? 0, market: order.trdMarket || (header?.trdMarket ?? 0), order, left, grows };
}

/** Whether an order trades, or is on its way to. One that was kept back, or taken back, would first go there by a change. */
export function isInMarket({ orderStatus }: Order): boolean {
  return orderStatus !== OrderStatus.OrderStatus_Unsubmitted && orderStatus !== OrderStatus.OrderStatus_Disabled;
}

/** Whether a changed order is for no more units and no more money than it was. */
function isNoMore({ qty, worth }: ValuedLeg, standing: Stand): boolean {
  return qty <= standing.qty && !isUnknown(worth) && worth.increase === 0n;
}

/** Whether a changed order may trade where it would not have before: at a worse limit, or by another trigger. */
function isCloser({ terms }: Stand, standing: Stand): boolean {
  const { price, auxPrice } = standing.terms;
  const waitsAlike = terms.auxPrice === auxPrice && trailsAlike(terms, standing.terms);
  return !waitsAlike || (isBuy(standing.side) ? terms.price > price : terms.price < price);
}

function oneLegged(
  { header }: Pick<PlaceC2S, 'header'>,
  leg: ValuedLeg | Rejection,
  change: Pick<Valued, 'opens' | 'reduces' | 'changes'>,
): Valued | Rejection {
  return leg instanceof Rejection ? leg : { accId: header?.accID ?? 0n, legs: [leg], ...change };
}

/** An order, or one leg of it, as it stands or is to stand. */
interface Stand extends Pick<OrderLeg, 'markets' | 'symbol' | 'side'> {
  readonly market: QuoteMarketInfo;
  readonly code: string;
  readonly qty: Decimal;
  /** Quantity filled so far, and its average price. */
  readonly filled: { readonly qty: Decimal; readonly price: Decimal };
  readonly terms: PriceTerms;
}

const nothing = { qty: 0n, price: 0n };

/** Named one by one: in a message of the protocol, what was not given is no property of its own. */
function termsOf(
  { orderType, auxPrice, trailType, trailValue, trailSpread }: TriggerTerms & { readonly orderType: number },
  price: Decimal,
  { adjustPrice, adjustSideAndLimit }: Adjustment = { adjustPrice: false, adjustSideAndLimit: 0 },
): PriceTerms {
  return { orderType, price, auxPrice, trailType, trailValue, trailSpread, adjustPrice, adjustSideAndLimit };
}

/**
 * Fills omitted or zero fields with the order's own values, in the request itself: a backend that applies it after another
 * change, or reads it differently, would otherwise make an order that was never valued.
 */
function changedBy(request: ModifyC2S, order: Order, standing: Stand): Stand | Rejection {
  if (!Object.hasOwn(request, 'qty')) request.qty = order.qty;
  const qty = positive(request.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  if (isUnpriced(order.orderType)) clearField(request, ModifyC2SSchema.field.price);
  else if (mayHaveLimit(order.orderType) && request.price === 0 && order.price !== 0) request.price = order.price;
  const price = Object.hasOwn(request, 'price') ? exactField(request.price, 'price') : 0n;
  if (price instanceof Rejection) return price;
  if (price < 0n) return outOfRangeField('price', `${request.price} is out of range, accepted: at least 0`);
  const triggers = isTrailing(order.orderType) ? trailingAs(request, order) : waitingAs(request, order);
  return triggers instanceof Rejection ? triggers : { ...standing, qty, terms: termsOf(triggers, price, request) };
}

type Triggers = Parameters<typeof termsOf>[0];

/** An order that waits for a price, or for nothing. */
function waitingAs(request: ModifyC2S, order: Order): Triggers {
  if (request.auxPrice === 0 && order.auxPrice !== 0) request.auxPrice = order.auxPrice;
  const { auxPrice, trailType, trailValue, trailSpread } = request;
  return { orderType: order.orderType, auxPrice, trailType, trailValue, trailSpread };
}

/** An order whose price follows the market: the price it waits for now, which the backend moves, is not the caller's to say. */
function trailingAs(request: ModifyC2S, order: Order): Triggers | Rejection {
  if (request.trailType !== 0 && request.trailType !== order.trailType && request.trailValue === 0) {
    const message = 'missing field "trail_value": a new trail type needs a new value';
    return new Rejection('request.missing_field', message, { field: 'trail_value' });
  }
  if (request.trailType === 0) request.trailType = order.trailType;
  if (request.trailValue === 0) request.trailValue = order.trailValue;
  if (!Object.hasOwn(request, 'trailSpread') && order.trailSpread !== 0) request.trailSpread = order.trailSpread;
  const { trailType, trailValue, trailSpread } = request;
  const auxPrice = Math.max(order.auxPrice, request.auxPrice);
  return { orderType: order.orderType, auxPrice, trailType, trailValue, trailSpread: trailSpread || order.trailSpread };
}

/** Values one leg as it is to stand. `before`: as it stands, when it is changed; what that was worth does not count again. */
function valueLeg(
  backend: Backend,
  order: Stand,
  before: Stand | undefined,
  context: CallContext,
): ValuedLeg | Rejection | Promise<ValuedLeg | Rejection> {
  const security = create(SecuritySchema);
  security.market = order.market.number;
  security.code = order.code;
  const trading = backend.tradingTerms(security, context);
  const view = viewOf(backend, security, order.side, order.terms.orderType, context);
  if (!(trading === undefined || trading instanceof Promise || view instanceof Promise)) return valuedLeg(order, before, trading, view);
  return Promise.all([trading, view]).then(async ([terms, seen]) => {
    const meant = terms === undefined ? await listedSpelling(backend, order.symbol, context) : undefined;
    return valuedLeg(order, before, terms, seen, meant);
  });
}

/** The first symbol with terms at the backend that a spelling of another program means. */
export async function listedSpelling(backend: Backend, symbol: string, context: CallContext): Promise<string | undefined> {
  for (const meant of symbolsMeant(symbol)) {
    const security = securityOf(meant);
    if (security !== undefined && (await backend.tradingTerms(security, context)) !== undefined) return meant;
  }
  return undefined;
}

function valuedLeg(
  order: Stand,
  before: Stand | undefined,
  trading: TradingTerms | undefined,
  view: MarketView,
  meant?: string,
): ValuedLeg | Rejection {
  const { market, markets, symbol, side, qty } = order;
  const pricing = pricingOf(order.terms, view);
  if (pricing instanceof Rejection) return pricing;
  const multiplier = trading?.multiplier;
  const currency = trading?.currency ?? market.currency;
  const worth =
    pricing === undefined
      ? unpriced(symbol)
      : multiplier === undefined || multiplier <= 0n
        ? unmultiplied(symbol, meant)
        : worthOf(order, before, pricing, view, multiplier, currency);
  return { markets, symbol, side, qty, pricing, multiplier, currency, worth };
}

function worthOf(
  order: Stand,
  before: Stand | undefined,
  pricing: Pricing,
  view: MarketView,
  multiplier: Decimal,
  currency: string,
): Worth {
  const value = multiplyUp(costOf(order, pricing.price), multiplier);
  const known = before === undefined ? undefined : pricingOf(before.terms, view);
  const counted =
    before === undefined || known === undefined || known instanceof Rejection ? 0n : multiplyUp(costOf(before, known.price), multiplier);
  return { currency, value, increase: value > counted ? value - counted : 0n };
}

/** Quantity × price; what has traded for more is not made cheaper by a new price. */
function costOf({ qty, filled }: Stand, price: Decimal): Decimal {
  if (filled === nothing) return multiplyUp(qty, price);
  const traded = filled.qty < qty ? filled.qty : qty;
  const dearer = filled.price > price ? filled.price - price : 0n;
  return multiplyUp(qty, price) + multiplyUp(traded, dearer);
}

export function unpriced(symbol: string): Unknown {
  return {
    code: 'limit.price_unknown',
    reason: `order value unknown: ${shown(symbol)} has no price on the side of the book that this order would take`,
  };
}

/** `meant`: the listed symbol that another program's spelling means; the refusal then has the words of reads. */
export function unmultiplied(symbol: string, meant: string | undefined): Unknown {
  const reason =
    meant === undefined ? `order value unknown: the contract multiplier of ${shown(symbol)} is not known` : unknownSymbol(symbol, meant);
  return { code: 'limit.multiplier_unknown', reason };
}

/** The exact decimal of a quantity. */
export function positive(value: number, field: string): Decimal | Rejection {
  const exact = exactField(value, field);
  if (exact instanceof Rejection || exact > 0n) return exact;
  return outOfRange(field, value);
}

function outOfRange(field: string, value: number): Rejection {
  return outOfRangeField(field, `${value} is out of range, accepted: above 0`);
}
