import { create } from '@bufbuild/protobuf';
import type { TradeSide } from '@svc-gateway/access';
import { type Decimal, decimalFromNumber, formatDecimal } from '@svc-gateway/contract/decimal';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { C2SSchema as SnapshotC2S } from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { OrderType, PositionSide, type TrdHeader, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceC2SSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { futuresMarkets, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { quote } from '@svc-gateway/contract/operations';
import { invalidField, Rejection } from '@svc-gateway/contract/rejection';
import { shareNames } from '@svc-gateway/contract/written-names';
import type { Backend, CallContext } from '../backend.js';
import { magnitude } from '../orders/order.js';
import { readPositions } from '../orders/reads.js';
import { payloadOf } from '../responses.js';
import { sideName } from '../trade-names.js';

const REMARK = 'svc-bracket ';

/** The remark of an order of a bracket: 0 its entry, where the caller gives none, and its exits from 1 on. */
export function remarkOf(bracketId: string, number: number): string {
  return `${REMARK}${bracketId}/${number}`;
}

/** The id of the bracket that an order with this remark would be of. */
export function bracketOfRemark(remark: string): string | undefined {
  return remark.startsWith(REMARK) ? remark.slice(REMARK.length, remark.lastIndexOf('/')) : undefined;
}

/** The number of the exit of a bracket that an order with this remark would be; 0 where it would be none. */
export function exitNumberOf(bracketId: string, remark: string): number {
  const start = remarkOf(bracketId, 0).slice(0, -1);
  const number = remark.startsWith(start) ? Number(remark.slice(start.length)) : 0;
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}

/** The exits of a bracket, and what they close. */
export interface BracketTerms {
  readonly header: TrdHeader;
  /** Trd_Common numbers. */
  readonly secMarket: number;
  readonly exitSide: number;
  readonly code: string;
  /** 0 without one. */
  readonly takeProfit: Decimal;
  readonly stopLoss: Decimal;
}

/** Whether exits on this side close a long position. */
function closesLong(exitSide: number): boolean {
  return exitSide === TrdSide.TrdSide_Sell;
}

/** Reason why an entry may not trade at a new price, where its exits would be on the wrong side of that; undefined where it may. */
export function refuseEntryPrice({ exitSide, takeProfit, stopLoss }: BracketTerms, price: Decimal): Rejection | undefined {
  const long = closesLong(exitSide);
  const wrong = (name: string, exit: Decimal, side: string) => {
    const why = `${formatDecimal(price)} is not ${side} the ${name} ${formatDecimal(exit)} of its bracket: cancel the bracket first`;
    return invalidField('price', why);
  };
  const [below, above] = long ? ['below', 'above'] : ['above', 'below'];
  if (takeProfit > 0n && (long ? price >= takeProfit : price <= takeProfit)) return wrong('take_profit_price', takeProfit, below);
  if (stopLoss > 0n && (long ? price <= stopLoss : price >= stopLoss)) return wrong('stop_loss_price', stopLoss, above);
  return undefined;
}

/** The order that a request's entry is. */
export function entryOf(request: BracketC2S): PlaceC2S {
  const { header, packetID, trdSide, orderType, code, qty, remark } = request;
  const entry = create(PlaceC2SSchema, {
    header,
    packetID,
    trdSide,
    orderType,
    code,
    qty,
    remark,
    ...(Object.hasOwn(request, 'price') ? { price: request.price } : {}),
    ...(Object.hasOwn(request, 'secMarket') ? { secMarket: request.secMarket } : {}),
    ...(Object.hasOwn(request, 'timeInForce') ? { timeInForce: request.timeInForce } : {}),
  });
  shareNames(request, entry);
  return entry;
}

/** Reason why exits do not fit their entry; undefined where they do. */
export function refuseBracket(request: BracketC2S): Rejection | undefined {
  const wrong = (field: string, why: string) => invalidField(field, `${why}`);
  if (request.orderType !== OrderType.OrderType_Normal && request.orderType !== OrderType.OrderType_Market)
    return wrong('order_type', `the entry of a bracket is 1 (limit) or 2 (market); found ${request.orderType}`);
  if (exitSideOf(request) === undefined)
    return wrong(
      'side',
      `a bracket is for an order that opens a position: BUY or SELL_SHORT, for futures BUY or SELL; found ${sideName(request.trdSide) ?? request.trdSide}`,
    );
  const target = exitPrice(request, 'takeProfitPrice', 'take_profit_price');
  if (target instanceof Rejection) return target;
  const stop = exitPrice(request, 'stopLossPrice', 'stop_loss_price');
  if (stop instanceof Rejection) return stop;
  const limit = exitPrice(request, 'stopLossLimitPrice', 'stop_loss_limit_price');
  if (limit instanceof Rejection) return limit;
  if (target === 0n && stop === 0n) {
    const message = 'missing field "take_profit_price" or "stop_loss_price": a bracket has at least one exit';
    return new Rejection('request.missing_field', message, { field: 'take_profit_price' });
  }
  const long = isLong(request);
  const beyond = (a: Decimal, b: Decimal) => (long ? a <= b : a >= b);
  const [above, below] = long ? ['above', 'below'] : ['below', 'above'];
  if (target > 0n && stop > 0n && beyond(target, stop))
    return wrong('take_profit_price', `${request.takeProfitPrice} is not ${above} the stop_loss_price ${request.stopLossPrice}`);
  const price = request.orderType === OrderType.OrderType_Normal ? decimalFromNumber(request.price) : 0n;
  if (price === undefined) return wrong('price', 'prices have at most nine decimal places');
  if (price > 0n && target > 0n && beyond(target, price))
    return wrong('take_profit_price', `${request.takeProfitPrice} is not ${above} the price ${request.price}`);
  if (price > 0n && stop > 0n && beyond(price, stop))
    return wrong('stop_loss_price', `${request.stopLossPrice} is not ${below} the price ${request.price}`);
  if (limit > 0n && stop === 0n) return wrong('stop_loss_limit_price', 'it goes with a stop_loss_price');
  if (limit > 0n && !(long ? limit <= stop : limit >= stop))
    return wrong('stop_loss_limit_price', `${request.stopLossLimitPrice} is ${above} the stop_loss_price ${request.stopLossPrice}`);
  return undefined;
}

/** Above any price of any market: what is no price is refused with the entry, not once its exit is to be placed. */
const EXIT_PRICE_MAX = 10_000_000;

/** The price of an exit; 0 where it is not given. */
function exitPrice(
  request: BracketC2S,
  name: 'takeProfitPrice' | 'stopLossPrice' | 'stopLossLimitPrice',
  field: string,
): Decimal | Rejection {
  if (!Object.hasOwn(request, name)) return 0n;
  const value = request[name];
  const price = decimalFromNumber(value);
  if (price !== undefined && value > 0 && value <= EXIT_PRICE_MAX) return price;
  const message = `${field}: ${value} is out of range, accepted: above 0, at most ${EXIT_PRICE_MAX}, with at most nine decimal places`;
  return new Rejection('request.out_of_range', message, { field });
}

function isLong({ trdSide }: Pick<BracketC2S, 'trdSide'>): boolean {
  return trdSide === TrdSide.TrdSide_Buy;
}

/** The side that closes what an entry opens; undefined where it opens nothing. */
export function exitSideOf({ trdSide, header }: Pick<BracketC2S, 'trdSide' | 'header'>): number | undefined {
  if (trdSide === TrdSide.TrdSide_Buy) return TrdSide.TrdSide_Sell;
  if (futuresMarkets.has(header?.trdMarket ?? 0)) return trdSide === TrdSide.TrdSide_Sell ? TrdSide.TrdSide_Buy : undefined;
  return trdSide === TrdSide.TrdSide_SellShort ? TrdSide.TrdSide_BuyBack : undefined;
}

/**
 * Reason why an exit is on the wrong side of the last price, where it would go to the market at once; undefined where none is, or no price is known. A
 * take-profit is held against it where the entry trades at the market: of one with a limit, that has to be better than the take-profit.
 */
export async function refuseExits(backend: Backend, bracket: BracketC2S, context: CallContext): Promise<Rejection | undefined> {
  const stop = priceOf(bracket, 'stopLossPrice');
  const target = bracket.orderType === OrderType.OrderType_Market ? priceOf(bracket, 'takeProfitPrice') : 0n;
  const market = quoteMarketOfSecMarket(bracket.secMarket);
  if ((stop === 0n && target === 0n) || market === undefined) return undefined;
  const query = create(SnapshotC2S, { securityList: [create(SecuritySchema, { market: market.number, code: bracket.code })] });
  const snapshot = payloadOf(quote.getSnapshot, await backend.call(quote.getSnapshot, query, context))?.snapshotList[0];
  const last = decimalFromNumber(snapshot?.basic?.curPrice ?? 0) ?? 0n;
  if (last <= 0n) return undefined;
  const isLong = bracket.trdSide === TrdSide.TrdSide_Buy;
  const wrong = (field: string, exit: Decimal, side: string) => {
    const message = `${field}: ${formatDecimal(exit)} is not ${side} the last price ${formatDecimal(last)}: it would close the position at once`;
    return new Rejection('request.invalid', message, { field });
  };
  const [below, above] = isLong ? ['below', 'above'] : ['above', 'below'];
  if (stop > 0n && (isLong ? stop >= last : stop <= last)) return wrong('stop_loss_price', stop, below);
  if (target > 0n && (isLong ? target <= last : target >= last)) return wrong('take_profit_price', target, above);
  return undefined;
}

/** The price of an exit; 0 where it is not given. */
function priceOf(bracket: BracketC2S, name: 'stopLossPrice' | 'takeProfitPrice'): Decimal {
  return Object.hasOwn(bracket, name) ? (decimalFromNumber(bracket[name]) ?? 0n) : 0n;
}

/** Position that a bracket's exits could open if they closed all that its entry trades. */
export interface Opposite {
  /** How much of the opposite position the account holds, which the entry closes first. */
  readonly closes: Decimal;
  /** The side of the exits, where they could open a position: there is an opposite one, or the account does not say. */
  readonly laterSides: readonly TradeSide[];
}

/** The opposite position to that which a bracket's entry opens. */
export async function oppositeOf(
  backend: Backend,
  { header, exitSide, code, secMarket }: Pick<BracketTerms, 'header' | 'exitSide' | 'code' | 'secMarket'>,
  context: CallContext,
): Promise<Opposite> {
  const side = sideName(exitSide);
  if (side === undefined) return { closes: 0n, laterSides: [] };
  const listed = await readPositions(backend, header, context);
  if (typeof listed === 'string') return { closes: 0n, laterSides: [side] };
  const closed = closesLong(exitSide) ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
  let closes = 0n;
  for (const position of listed.positions) {
    if (position.code !== code || position.secMarket !== secMarket || position.positionSide !== closed) continue;
    closes += magnitude(position.qty);
  }
  return { closes, laterSides: closes > 0n ? [side] : [] };
}
