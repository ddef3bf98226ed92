import type { Message } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';

/**
 * A mark in the remark of an order whose caller gave none: by it an order is found whose answer was lost. Callers do not see it;
 * in the brokerage's own programs it stands in the remark.
 */
const PREFIX = 'svc~';
const MARK = /^svc~[0-9A-Za-z_-]{16}$/;

/** A unique mark for an order, from `random` bytes. */
export function newMark(random: (bytes: number) => Buffer): string {
  return PREFIX + random(12).toString('base64url');
}

interface Payload {
  readonly orderList?: readonly Order[];
  readonly order?: Order;
}

/** An answer or push without the marks of its orders: another message where there are any, since others may hold this one. */
export function hideMarks<M extends Message>(response: M): M {
  const { s2c } = response as M & { readonly s2c?: Message & Payload };
  if (s2c?.order !== undefined && isMarked(s2c.order))
    return withFields(response, { s2c: withFields(s2c, { order: unmarked(s2c.order) }) });
  if (s2c?.orderList?.some(isMarked)) return withFields(response, { s2c: withFields(s2c, { orderList: s2c.orderList.map(unmarked) }) });
  return response;
}

function isMarked({ remark }: Order): boolean {
  return MARK.test(remark);
}

/** An order without its mark. */
export function unmarked(order: Order): Order {
  return isMarked(order) ? withFields(order, { remark: '' }) : order;
}
