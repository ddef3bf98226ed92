import { create } from '@bufbuild/protobuf';
import type { Unknown, Worth } from '@svc-gateway/access';
import {
  atLeastZero,
  DECIMAL_ONE,
  type Decimal,
  decimalFromNumber,
  divideUp,
  greater,
  multiply,
  multiplyUp,
} from '@svc-gateway/contract/decimal';
import { type ComboLeg, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { ModifyOrderOp, type Order, OrderType } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import { LEGS_MAX } from '@svc-gateway/contract/leg-values';
import { type QuoteMarketInfo, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { invalidField, outOfRangeField, Rejection } from '@svc-gateway/contract/rejection';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext, TradingTerms } from '../backend.js';
import { tradedMarketNames } from '../market-names.js';
import { nameOfOrder } from '../orders/order.js';
import { marketName, sideName } from '../trade-names.js';
import { atLeast, exactField, isBuy, type MarketView, type Pricing, pricingOf, viewOf } from './pricing.js';
import { secMarketNames, secMarketsOf, tradedCode, unknownSide } from './securities.js';
import {
  changeOf,
  isInMarket,
  listedSpelling,
  opened,
  positive,
  unmultiplied,
  unpriced,
  type Valued,
  type ValuedLeg,
} from './single-orders.js';

/** A leg as a request or an order names it. */
interface Leg extends Pick<ValuedLeg, 'markets' | 'symbol' | 'side'> {
  readonly market: QuoteMarketInfo;
  readonly code: string;
  /** Units of the leg in one unit of the order. */
  readonly ratio: Decimal;
}

/** Requested or working terms of all legs together. */
interface Terms {
  /** Units of the order. */
  readonly qty: Decimal;
  /** The most that a unit may cost, bought less sold; below zero, the least that it must bring. undefined without a limit. */
  readonly price: Decimal | undefined;
}

/** A leg with what the market says of it. */
interface SeenLeg {
  readonly leg: Leg;
  readonly trading: TradingTerms | undefined;
  readonly view: MarketView;
  /** Listed symbol that is meant where the leg's own has no terms. */
  readonly meant: string | undefined;
}

/**
 * Values a new order of several legs: each leg counts for itself, as a market order does. The price of the order binds the legs only together, so
 * that it protects none of them; where it lets them cost more than that, they count with what it lets them cost.
 */
export async function valueCombo(backend: Backend, request: ComboC2S, context: CallContext): Promise<Valued | Rejection> {
  const legs = legsOf(request.comboLegs, request.header?.trdMarket ?? 0);
  if (legs instanceof Rejection) return legs;
  const qty = positive(request.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  if (hasLimit(request.orderType) && !Object.hasOwn(request, 'price')) {
    const message = 'missing field "price": what a unit of the order may cost, bought less sold; below zero, what it must bring';
    return new Rejection('request.missing_field', message, { field: 'price' });
  }
  const price = Object.hasOwn(request, 'price') ? exactField(request.price, 'price') : undefined;
  if (price instanceof Rejection) return price;
  const worth = await valued(backend, request.header?.accID ?? 0n, legs, { qty, price }, undefined, context);
  return { ...worth, opens: opened(request, 1) };
}

/** As {@link valueCombo}, of an order as it would stand after a change. What the request leaves out stays, and is written into it. */
export async function valueComboModify(
  backend: Backend,
  request: ModifyC2S,
  order: Order,
  context: CallContext,
): Promise<Valued | Rejection> {
  const legs = legsOf(order.comboLegs, order.trdMarket || (request.header?.trdMarket ?? 0));
  if (legs instanceof Rejection) return legs;
  const accId = request.header?.accID ?? 0n;
  const standing = { qty: atLeast(order.qty), price: decimalFromNumber(order.price) };
  const opens = opened(request, 1, nameOfOrder(order));
  if (request.modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Enable) {
    return { ...(await valued(backend, accId, legs, standing, undefined, context)), opens };
  }
  if (!Object.hasOwn(request, 'qty')) request.qty = order.qty;
  const qty = positive(request.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  if (!Object.hasOwn(request, 'price')) request.price = order.price;
  const price = exactField(request.price, 'price');
  if (price instanceof Rejection) return price;
  if (isInMarket(order)) {
    const grows = qty > standing.qty || standing.price === undefined || price > standing.price;
    const left = atLeastZero(qty - atLeast(order.fillQty));
    return { ...(await valued(backend, accId, legs, { qty, price }, standing, context)), changes: changeOf(request, order, left, grows) };
  }
  return { ...(await valued(backend, accId, legs, { qty, price }, undefined, context)), opens };
}

function legsOf(comboLegs: readonly ComboLeg[], trading: number): readonly Leg[] | Rejection {
  const accepted = secMarketsOf(trading);
  if (accepted === undefined) return invalidField('market', `orders cannot be placed in market ${marketName(trading)}`);
  if (comboLegs.length < 1 || comboLegs.length > LEGS_MAX) {
    const why = `${comboLegs.length} legs are given, from 1 to ${LEGS_MAX} are accepted`;
    return outOfRangeField('combo_legs', why);
  }
  const legs: Leg[] = [];
  for (const [i, { security, side: sideNumber, qtyRatio }] of comboLegs.entries()) {
    const at = `combo_legs[${i}]`;
    const market = quoteMarketNumbered(security?.market ?? 0);
    if (security === undefined || market === undefined || !accepted.includes(market.secMarket)) {
      const field = `${at}.security.market`;
      const named = market?.name ?? `${security?.market ?? 0}`;
      return invalidField(
        field,
        `${named} is not traded in market ${marketName(trading)}; accepted: securities of ${secMarketNames(accepted)}`,
      );
    }
    if (security.code === '')
      return new Rejection('request.missing_field', `missing field "${at}.security.code"`, { field: `${at}.security.code` });
    security.code = tradedCode(security.code, trading);
    const side = sideName(sideNumber);
    if (side === undefined) return unknownSide(`${at}.side`, sideNumber);
    const ratio = positive(qtyRatio, `${at}.qty_ratio`);
    if (ratio instanceof Rejection) return ratio;
    const markets = tradedMarketNames(trading, market);
    legs.push({ market, code: security.code, markets, symbol: `${market.name}.${security.code}`, side, ratio });
  }
  return legs;
}

async function valued(
  backend: Backend,
  accId: bigint,
  legs: readonly Leg[],
  after: Terms,
  before: Terms | undefined,
  context: CallContext,
): Promise<Valued> {
  const seen = await Promise.all(
    legs.map(async (leg): Promise<SeenLeg> => {
      const security = create(SecuritySchema, { market: leg.market.number, code: leg.code });
      const [trading, view] = await Promise.all([
        backend.tradingTerms(security, context),
        viewOf(backend, security, leg.side, OrderType.OrderType_Market, context),
      ]);
      const meant = trading === undefined ? await listedSpelling(backend, leg.symbol, context) : undefined;
      return { leg, trading, view, meant };
    }),
  );
  const pricings = pricesOf(seen, after.price);
  const standing = before === undefined ? undefined : { qty: before.qty, pricings: pricesOf(seen, before.price) };
  const [first, ...rest] = seen.map(({ leg, trading, meant }, i): ValuedLeg => {
    const { markets, symbol, side, ratio, market } = leg;
    const pricing = pricings[i];
    const multiplier = trading?.multiplier;
    const currency = trading?.currency ?? market.currency;
    const qty = multiply(after.qty, ratio);
    const counted = standing === undefined ? undefined : { qty: multiply(standing.qty, ratio), pricing: standing.pricings[i] };
    const worth = worthOf(symbol, qty, pricing, counted, multiplier, currency, meant);
    return { markets, symbol, side, qty, pricing, multiplier, currency, worth };
  });
  if (first === undefined) throw new Error('an order has legs');
  return { accId, legs: [first, ...rest] };
}

function worthOf(
  symbol: string,
  qty: Decimal,
  pricing: Pricing | undefined,
  counted: { readonly qty: Decimal; readonly pricing: Pricing | undefined } | undefined,
  multiplier: Decimal | undefined,
  currency: string,
  meant: string | undefined,
): Worth | Unknown {
  if (pricing === undefined) return unpriced(symbol);
  if (multiplier === undefined || multiplier <= 0n) return unmultiplied(symbol, meant);
  const value = multiplyUp(multiplyUp(qty, pricing.price), multiplier);
  const before = counted?.pricing === undefined ? 0n : multiplyUp(multiplyUp(counted.qty, counted.pricing.price), multiplier);
  return { currency, value, increase: atLeastZero(value - before) };
}

const atMarket = { orderType: OrderType.OrderType_Market, price: 0n, auxPrice: 0, trailType: 0, trailValue: 0, trailSpread: 0 };

/** Each leg at the market, and with what the price of the order allows beyond that. undefined where a leg has no price. */
function pricesOf(seen: readonly SeenLeg[], price: Decimal | undefined): readonly (Pricing | undefined)[] {
  const prices = seen.map(({ view }) => {
    const pricing = pricingOf({ ...atMarket, adjustPrice: false, adjustSideAndLimit: 0 }, view);
    return pricing instanceof Rejection ? undefined : pricing;
  });
  if (price === undefined || prices.some((pricing) => pricing === undefined)) return prices;
  // Bought legs may cost up to the order's price plus all that the sold legs bring; sold legs bring at least the amount that a negative
  // price asks for. Amounts are money: for a contract with its shares, the price of a unit is per share.
  const moneyOf = ({ leg: { ratio }, trading }: SeenLeg) => multiply(ratio, trading?.multiplier ?? DECIMAL_ONE);
  const size = seen.reduce((most, { trading }) => greater(most, trading?.multiplier ?? DECIMAL_ONE), 0n);
  const sumOf = (buying: boolean) =>
    seen.reduce((sum, one, i) => (isBuy(one.leg.side) === buying ? sum + multiply(moneyOf(one), prices[i]?.price ?? 0n) : sum), 0n);
  const buys = seen.some(({ leg }) => isBuy(leg.side));
  const limit = multiply(price, size);
  const beyond = buys ? limit + sumOf(false) - sumOf(true) : -limit - sumOf(false);
  const dearest = seen.findIndex(({ leg }) => isBuy(leg.side) === buys);
  const [leg, pricing] = [seen[dearest], prices[dearest]];
  if (leg === undefined || pricing === undefined || beyond <= 0n) return prices;
  return prices.with(dearest, { ...pricing, basis: 'net_price', price: pricing.price + divideUp(beyond, moneyOf(leg)) });
}
