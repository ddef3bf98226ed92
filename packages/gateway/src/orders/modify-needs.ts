import { ModifyOrderOp, type Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import { hasLimit } from '@svc-gateway/contract/unused-price';

/** Checks the fields that a modify needs for the type of its order: one with a limit needs its price. */
export function lackedByModify(request: ModifyC2S, order: Order): Rejection | undefined {
  if (request.modifyOrderOp !== ModifyOrderOp.ModifyOrderOp_Normal) return undefined;
  if (!hasLimit(order.orderType) || Object.hasOwn(request, 'price')) return undefined;
  const message = `missing field "price": order ${shown(order.orderIDEx)} has a price, and a modify gives both the new quantity and the new price`;
  return new Rejection('request.missing_field', message, { field: 'price' });
}
