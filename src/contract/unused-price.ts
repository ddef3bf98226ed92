import { clearField, type Message } from '@bufbuild/protobuf';
import { fieldValue } from './field-path.js';
import { OrderType } from './generated/Trd_Common_pb.js';
import type { Operation } from './operation.js';

const unpricedTypes: ReadonlySet<unknown> = new Set([
  OrderType.OrderType_Market,
  OrderType.OrderType_Auction,
  OrderType.OrderType_Stop,
  OrderType.OrderType_MarketifTouched,
  OrderType.OrderType_TrailingStop,
  OrderType.OrderType_TWAP_MARKET,
  OrderType.OrderType_VWAP_MARKET,
]);

/** Order types that have a limit from the beginning. */
export const limitOrderTypes: ReadonlySet<number> = new Set([
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

/** Whether orders of this type (Trd_Common.OrderType) have a limit. */
export function hasLimit(orderType: number): boolean {
  return limitOrderTypes.has(orderType);
}

/** Whether orders of this type (Trd_Common.OrderType) trade at the market, whatever price they come with. */
export function isUnpriced(orderType: number): boolean {
  return unpricedTypes.has(orderType);
}

/**
 * Whether a new order has no use for its price: published clients send any number with a market order, and OpenD looks at none of them.
 * undefined where the requests of an operation are no new orders.
 */
export function priceIsUnused({ effect, messages: { C2SSchema } }: Operation): ((c2s: Message) => boolean) | undefined {
  const has = (wanted: string) => C2SSchema.fields.some(({ name }) => name === wanted);
  if (effect !== 'order' || !has('price') || !has('orderType')) return undefined;
  const orderType = fieldValue(C2SSchema, 'orderType');
  return (c2s) => unpricedTypes.has(orderType(c2s));
}

/** Takes the price from a request that has no use for it; undefined as {@link priceIsUnused}. */
export function priceDropper(operation: Operation): ((c2s: Message) => void) | undefined {
  const isUnused = priceIsUnused(operation);
  const price = operation.messages.C2SSchema.fields.find(({ name }) => name === 'price');
  if (isUnused === undefined || price === undefined) return undefined;
  return (c2s) => {
    if (isUnused(c2s)) clearField(c2s, price);
  };
}
