import type { Message } from '@bufbuild/protobuf';
import type { Order } from '../../contract/generated/Trd_Common_pb.js';

/**
 * A mark in the remark of an order whose caller gave none: by it an order is found whose answer was lost. Callers do not see it;
 * in the brokerage's own programs it stands in the remark.
 */
const PREFIX = 'svc~';
const MARK = /^svc~[0-9A-Za-z_-]{16}$/;

/** A mark that no other order has: `random` gives so many random bytes. */
export function newMark(random: (bytes: number) => Buffer): string {
  return PREFIX + random(12).toString('base64url');
}

/** Takes the marks out of the orders of an answer or push, which nobody else has seen yet. */
export function hideMarks<M extends Message>(response: M): M {
  const { s2c } = response as M & { s2c?: { orderList?: Order[]; order?: Order } };
  if (s2c?.order !== undefined) hide(s2c.order);
  if (s2c?.orderList !== undefined) for (const order of s2c.orderList) hide(order);
  return response;
}

function hide(order: Order): void {
  if (MARK.test(order.remark)) order.remark = '';
}
