import { create } from '@bufbuild/protobuf';
import type { OrderFacts } from '../access/index.js';
import { DECIMAL_ONE, type Decimal, decimalFromNumber, multiplyUp } from '../contract/decimal.js';
import { currency as currencies } from '../contract/enums.js';
import { SecuritySchema } from '../contract/generated/Qot_Common_pb.js';
import { C2SSchema as OrderBookC2S } from '../contract/generated/Qot_GetOrderBook_pb.js';
import { type Order, OrderType, TrdMarket } from '../contract/generated/Trd_Common_pb.js';
import type { C2S as ModifyC2S } from '../contract/generated/Trd_ModifyOrder_pb.js';
import type { C2S as PlaceC2S } from '../contract/generated/Trd_PlaceOrder_pb.js';
import { type QuoteMarketInfo, quoteMarketOfSecMarket } from '../contract/markets.js';
import { quote } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import type { Backend, CallContext } from './backend.js';
import { tradedMarketNames } from './market-names.js';
import { payloadOf } from './responses.js';
import { marketName, sideName } from './trade-names.js';
import { dearestStart, type TriggerTerms } from './trigger-pricing.js';

/** The price that an order is valued at, and where it is from. */
export interface Pricing {
  readonly basis: 'limit_price' | 'adjusted_limit_price' | 'book_plus_5_percent' | 'trigger_plus_5_percent';
  /** What one unit counts with. */
  readonly price: Decimal;
  /** A price at which the order could trade: the limit as given, the dearest level of the book, or a trigger beyond it. */
  readonly tradable: Decimal;
}

/** What the gates need to know of an order that may add risk. `value` is undefined where no price is known. */
export interface Valued {
  readonly facts: Omit<OrderFacts, 'value' | 'increase'>;
  readonly qty: Decimal;
  readonly pricing: Pricing | undefined;
  /** "HKD": the order's own, or that of its market where nobody says. */
  readonly currency: string;
  readonly value: Decimal | undefined;
  readonly increase: Decimal | undefined;
}

/** Which security markets a trading market trades; the first is meant when a request names none and there is only one. */
const securityMarkets: ReadonlyMap<number, readonly number[]> = new Map([
  [TrdMarket.TrdMarket_HK, [1]],
  [TrdMarket.TrdMarket_US, [2]],
  [TrdMarket.TrdMarket_CN, [31, 32]],
  [TrdMarket.TrdMarket_HKCC, [31, 32]],
  [TrdMarket.TrdMarket_Futures, [1, 2, 41, 51]],
  [TrdMarket.TrdMarket_SG, [41]],
  [TrdMarket.TrdMarket_AU, [61]],
  [TrdMarket.TrdMarket_JP, [51]],
  [TrdMarket.TrdMarket_MY, [71]],
  [TrdMarket.TrdMarket_CA, [81]],
  [TrdMarket.TrdMarket_Futures_Simulate_HK, [1]],
  [TrdMarket.TrdMarket_Futures_Simulate_US, [2]],
  [TrdMarket.TrdMarket_Futures_Simulate_SG, [41]],
  [TrdMarket.TrdMarket_Futures_Simulate_JP, [51]],
]);

const SHANGHAI = 31;
const SHENZHEN = 32;

/**
 * Decides which security an order means and writes its `secMarket` into the request, so that the gates and the backend
 * cannot read it differently.
 */
export function resolveSecurity(
  request: Pick<PlaceC2S, 'header' | 'secMarket' | 'code'>,
): { market: QuoteMarketInfo; symbol: string } | Rejection {
  const trading = request.header?.trdMarket ?? 0;
  const accepted = securityMarkets.get(trading);
  if (accepted === undefined)
    return new Rejection('request.invalid', `market: orders cannot be placed in trading market ${trading}`, { field: 'market' });
  let number = Object.hasOwn(request, 'secMarket') ? request.secMarket : undefined;
  if (number === undefined && accepted.includes(SHANGHAI)) number = chineseExchange(request.code);
  if (number === undefined && accepted.length === 1) number = accepted[0];
  if (number === undefined) {
    return new Rejection(
      'request.missing_field',
      `missing field "sec_market": market ${marketName(trading)} leaves open which of ${accepted.join(', ')} it is`,
      {
        field: 'sec_market',
      },
    );
  }
  const market = quoteMarketOfSecMarket(number);
  if (!accepted.includes(number) || market === undefined) {
    return new Rejection(
      'request.invalid',
      `sec_market: ${number} is not traded in market ${marketName(trading)}, accepted: ${accepted.join(', ')}`,
      {
        field: 'sec_market',
      },
    );
  }
  const prefix = /^([A-Z]{2})\.(.+)$/.exec(request.code);
  if (prefix !== null && quoteMarketOfSecMarket(number)?.name === prefix[1]) {
    return new Rejection('request.invalid', `code: "${request.code}" has a market prefix; write "${prefix[2]}", or use "symbol"`, {
      field: 'code',
    });
  }
  request.secMarket = number;
  return { market, symbol: `${market.name}.${request.code}` };
}

/** Shanghai lists 5, 6 and 9, Shenzhen 0 to 3 (exchange code ranges of stocks, funds and B shares). */
function chineseExchange(code: string): number | undefined {
  if (/^[569]\d{5}$/.test(code)) return SHANGHAI;
  return /^[0123]\d{5}$/.test(code) ? SHENZHEN : undefined;
}

/** Order types whose price is a limit that the order never passes. All others are valued by the book. */
const priced = new Set<number>([
  OrderType.OrderType_Normal,
  OrderType.OrderType_AbsoluteLimit,
  OrderType.OrderType_AuctionLimit,
  OrderType.OrderType_SpecialLimit,
  OrderType.OrderType_SpecialLimit_All,
  OrderType.OrderType_StopLimit,
  OrderType.OrderType_LimitifTouched,
  OrderType.OrderType_TWAP_LIMIT,
  OrderType.OrderType_VWAP_LIMIT,
]);

/** Values a new order: quantity × limit price, or for a market order the dearest price of the book plus 5 %. */
export async function valuePlace(backend: Backend, request: PlaceC2S, context: CallContext): Promise<Valued | Rejection> {
  const security = resolveSecurity(request);
  if (security instanceof Rejection) return security;
  const side = sideName(request.trdSide);
  if (side === undefined) return new Rejection('request.invalid', `side: unknown side ${request.trdSide}`, { field: 'side' });
  const qty = exact(request.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  if (qty <= 0n)
    return new Rejection('request.out_of_range', `qty: ${request.qty} is out of range, accepted: more than 0`, { field: 'qty' });
  let pricing: Pricing | undefined;
  if (priced.has(request.orderType)) {
    const given = Object.hasOwn(request, 'price') ? exact(request.price, 'price') : undefined;
    if (given instanceof Rejection) return given;
    if (given === undefined || given <= 0n) {
      return new Rejection('request.missing_field', 'price: a limit order needs a price above 0', { field: 'price' });
    }
    pricing = limitPricing(given, request);
  } else {
    const worst = await worstPricing(backend, security.market, request.code, side, request, context);
    if (worst instanceof Rejection) return worst;
    pricing = worst;
  }
  const value = pricing === undefined ? undefined : multiplyUp(qty, pricing.price);
  const header = request.header;
  const facts = {
    accId: header?.accID ?? 0n,
    markets: tradedMarketNames(header?.trdMarket ?? 0, security.market),
    symbol: security.symbol,
    side,
  };
  return { facts, qty, pricing, currency: security.market.currency, value, increase: value };
}

/** Values a modify by its new quantity and price; only what it adds counts towards the day. */
export async function valueModify(backend: Backend, request: ModifyC2S, order: Order, context: CallContext): Promise<Valued | Rejection> {
  const market = quoteMarketOfSecMarket(order.secMarket);
  const side = sideName(order.trdSide);
  if (market === undefined || side === undefined) {
    return new Rejection('request.invalid', `order ${order.orderIDEx} is in a market or on a side that this gateway does not trade`);
  }
  const qty = Object.hasOwn(request, 'qty') ? exact(request.qty, 'qty') : exact(order.qty, 'qty');
  if (qty instanceof Rejection) return qty;
  const oldQty = decimalFromNumber(order.qty) ?? 0n;
  const oldPrice = decimalFromNumber(order.price) ?? 0n;
  let pricing: Pricing | undefined;
  if (priced.has(order.orderType)) {
    const given = Object.hasOwn(request, 'price') ? exact(request.price, 'price') : oldPrice;
    if (given instanceof Rejection) return given;
    pricing = limitPricing(given, request);
  } else {
    const terms = {
      auxPrice: request.auxPrice || order.auxPrice,
      trailType: request.trailType || order.trailType,
      trailValue: request.trailValue || order.trailValue,
      trailSpread: request.trailSpread || order.trailSpread,
    };
    const worst = await worstPricing(backend, market, order.code, side, terms, context);
    if (worst instanceof Rejection) return worst;
    pricing = worst;
  }
  const value = pricing === undefined ? undefined : multiplyUp(qty, pricing.price);
  const added = value === undefined ? undefined : value - multiplyUp(oldQty, oldPrice);
  const trading = order.trdMarket || (request.header?.trdMarket ?? 0);
  return {
    facts: {
      accId: request.header?.accID ?? 0n,
      markets: tradedMarketNames(trading, market),
      symbol: `${market.name}.${order.code}`,
      side,
    },
    qty,
    pricing,
    currency: currencies.members.find((member) => member.public === order.currency)?.name ?? market.currency,
    value,
    increase: added === undefined || added > 0n ? added : 0n,
  };
}

/** A limit; where the backend may raise it to the next step, the most it may become. */
function limitPricing(price: Decimal, adjustment: { adjustPrice: boolean; adjustSideAndLimit: number }): Pricing {
  const limit = adjustment.adjustPrice ? (decimalFromNumber(adjustment.adjustSideAndLimit) ?? 0n) : 0n;
  return limit > 0n
    ? { basis: 'adjusted_limit_price', price: multiplyUp(price, DECIMAL_ONE + limit), tradable: price }
    : { basis: 'limit_price', price, tradable: price };
}

const BOOK_LEVELS = 40;
/** 5 % on top of the dearest price at which it may begin to trade. */
const MARKET_ORDER_MARGIN: Decimal = 1_050_000_000n;

/**
 * The price at which an order without a limit is held against the caps: the dearest level of the side of the book that it
 * would take, or what it waits for beyond that, plus 5 %. For a sale that is the best bid, so that a cap is never passed by
 * a better fill.
 */
async function worstPricing(
  backend: Backend,
  market: QuoteMarketInfo,
  code: string,
  side: OrderFacts['side'],
  terms: TriggerTerms,
  context: CallContext,
): Promise<Pricing | Rejection | undefined> {
  const request = create(OrderBookC2S, { security: create(SecuritySchema, { market: market.number, code }), num: BOOK_LEVELS });
  const book = payloadOf(quote.getOrderBook, await backend.call(quote.getOrderBook, request, context));
  const buying = side === 'BUY' || side === 'BUY_BACK';
  const levels = (buying ? book?.orderBookAskList : book?.orderBookBidList) ?? [];
  let dearest = 0n;
  for (const level of levels) {
    const price = decimalFromNumber(level.price) ?? 0n;
    if (price > dearest) dearest = price;
  }
  const start = dearestStart(terms, dearest);
  if (start instanceof Rejection) return start;
  if (start === 0n) return undefined;
  const basis = start > dearest ? 'trigger_plus_5_percent' : 'book_plus_5_percent';
  return { basis, price: multiplyUp(start, MARKET_ORDER_MARGIN), tradable: start };
}

function exact(value: number, field: string): Decimal | Rejection {
  return (
    decimalFromNumber(value) ??
    new Rejection('request.out_of_range', `${field}: ${value} has more than the nine decimal places that are accepted`, { field })
  );
}
