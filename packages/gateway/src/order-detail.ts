import type { C2S } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { quote } from '@svc-gateway/contract/operations';
import type { CallContext, ResponseMessage } from './backend.js';
import type { Caller, Identity } from './identity.js';
import { orderDetailKey, type Subscriptions, withoutOrders } from './push/index.js';

/** Decides whether a caller sees the orders behind each level of a book: only while subscribed to them, as with pushes. */
export class OrderDetail {
  constructor(private readonly subscriptions: Pick<Subscriptions, 'get'>) {}

  /** Whether the answer to a request is to show them. */
  isShown(operation: Operation, caller: Caller, identity: Identity, request: object): boolean {
    if (operation !== quote.getOrderBook) return false;
    const owner = caller.connectionOwner ?? identity.owner;
    return this.subscriptions.get(owner, orderDetailKey((request as C2S).security)) !== undefined;
  }
}

/** An answer with the orders or without them, as its call wants it. A backend may give it out again: it is never written to. */
export function asWanted(
  operation: Operation,
  { orderDetail }: Pick<CallContext, 'orderDetail'>,
  response: ResponseMessage,
): ResponseMessage {
  return operation !== quote.getOrderBook || orderDetail ? response : withoutOrders(response);
}
