import { clearField, type Message } from '@bufbuild/protobuf';
import { fieldNamed, fieldValue } from './field-path.js';
import { ModifyOrderOp, OrderType } from './generated/Trd_Common_pb.js';
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

/** A number that some requests ignore: any value is accepted there. */
export interface UnusedNumber {
  /** Name of the field of `C2S`, as the `.proto` has it. */
  readonly field: string;
  readonly isUnused: (c2s: Message) => boolean;
}

/**
 * Published clients send any price with a market order, and a quantity of 0 with a change that is none of quantity; OpenD looks at
 * neither. undefined where the requests of an operation are neither new orders nor changes.
 */
export function unusedNumber({ effect, messages: { C2SSchema } }: Operation): UnusedNumber | undefined {
  if (effect !== 'order') return undefined;
  const has = (...names: readonly string[]) => names.every((wanted) => C2SSchema.fields.some(({ name }) => name === wanted));
  if (has('price', 'orderType')) {
    const orderType = fieldValue(C2SSchema, 'orderType');
    return { field: 'price', isUnused: (c2s) => unpricedTypes.has(orderType(c2s)) };
  }
  if (!has('qty', 'modifyOrderOp')) return undefined;
  const operation = fieldValue(C2SSchema, 'modifyOrderOp');
  return { field: 'qty', isUnused: (c2s) => Object.hasOwn(c2s, 'modifyOrderOp') && operation(c2s) !== ModifyOrderOp.ModifyOrderOp_Normal };
}

/** Takes a number that a request has no use for out of it; undefined as {@link unusedNumber}. */
export function unusedNumberDropper(operation: Operation): ((c2s: Message) => void) | undefined {
  const unused = unusedNumber(operation);
  if (unused === undefined) return undefined;
  const field = fieldNamed(operation.messages.C2SSchema, unused.field);
  return (c2s) => {
    if (unused.isUnused(c2s)) clearField(c2s, field);
  };
}
