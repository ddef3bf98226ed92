import type { Message } from '@bufbuild/protobuf';
import type { Access, GateDenial, KeyRecord, OrderFacts } from '../access/index.js';
import { ModifyOrderOp, type Order } from '../contract/generated/Trd_Common_pb.js';
import type { C2S as ModifyC2S } from '../contract/generated/Trd_ModifyOrder_pb.js';
import type { C2S as PlaceC2S } from '../contract/generated/Trd_PlaceOrder_pb.js';
import type { Operation } from '../contract/operation.js';
import { trade } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import type { Backend, CallContext, ResponseMessage } from './backend.js';
import { lackedByModify } from './modify-needs.js';
import { type Valued, valueModify, valuePlace } from './order-facts.js';
import { orderNamed } from './order-lookup.js';
import { failure } from './responses.js';

/** A place or a modify with its value. */
export interface ValuedOrder {
  readonly valued: Valued;
  /** What a modify changes, as it stands. */
  readonly order?: Order;
}

/**
 * Values an `order` operation: what is sent and what is only looked at are valued here alike. `no risk` where a modify
 * takes risk away; a failure where there is no such order.
 */
export async function valueOrder(
  backend: Backend,
  operation: Operation,
  request: Message,
  context: CallContext,
): Promise<ValuedOrder | 'no risk' | Rejection | ResponseMessage> {
  if (operation === trade.placeOrder) {
    const valued = await valuePlace(backend, request as PlaceC2S, context);
    return valued instanceof Rejection ? valued : { valued };
  }
  const modify = request as ModifyC2S;
  if (!addsRisk(modify)) return 'no risk';
  const order = await orderNamed(backend, modify, context);
  if (order === undefined) return noSuchOrder(operation, modify);
  const lacked = lackedByModify(modify, order);
  if (lacked !== undefined) return lacked;
  const valued = await valueModify(backend, modify, order, context);
  return valued instanceof Rejection ? valued : { valued, order };
}

export function isValued(outcome: ValuedOrder | Rejection | ResponseMessage): outcome is ValuedOrder {
  return !(outcome instanceof Rejection) && 'valued' in outcome;
}

/** A new quantity or price, or a disabled order that comes back. */
export function addsRisk({ modifyOrderOp }: Pick<ModifyC2S, 'modifyOrderOp'>): boolean {
  return modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Normal || modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Enable;
}

/** The answer to a modify or cancel of an order that there is not. */
export function noSuchOrder(operation: Operation, { orderID, orderIDEx, header }: ModifyC2S): ResponseMessage {
  return failure(operation, `no order ${orderIDEx || orderID} in account ${header?.accID}`);
}

/** The facts that the gates look at. An order without a known value meets them with none, unless a cap would need it. */
export function factsOf({ facts, value, increase }: Valued): OrderFacts {
  return { ...facts, value: value ?? 0n, increase: increase ?? 0n };
}

/** An order without a known value, for a caller whose value is capped. */
export function refuseUnpriced(access: Access, key: KeyRecord | undefined, { facts, value }: Valued): Rejection | undefined {
  if (value !== undefined) return undefined;
  const capped = [key?.limits, access.flagLimits].some(
    (limits) => limits !== undefined && (limits.maxOrderValue !== null || limits.maxDailyValue !== null),
  );
  if (!capped) return undefined;
  const message = `order value unknown: ${facts.symbol} has no price on the side of the book that this order would take`;
  return new Rejection('limit.price_unknown', message);
}

export function rejectDenial({ code, reason, retryAfterSeconds }: GateDenial): Rejection {
  return new Rejection(code, reason, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}
