import type { C2S } from '../contract/generated/Qot_GetOrderBook_pb.js';
import type { Operation } from '../contract/operation.js';
import { quote } from '../contract/operations/index.js';
import type { ResponseMessage } from './backend.js';
import type { Caller, Identity } from './identity.js';
import { orderDetailKey, type Subscriptions, withoutOrders } from './push/index.js';

/** Who is shown the orders behind each level of a book: who is subscribed to them, as pushes go. */
export class OrderDetail {
  constructor(private readonly subscriptions: Pick<Subscriptions, 'get'>) {}

  /** Whether the answer to a request shows them. */
  isShown(operation: Operation, caller: Caller, identity: Identity, request: object): boolean {
    if (operation !== quote.getOrderBook) return false;
    const owner = caller.connectionOwner ?? identity.owner;
    return this.subscriptions.get(owner, orderDetailKey((request as C2S).security)) !== undefined;
  }

  /** An answer as its caller may see it. A backend may give it out again: it is never written to. */
  shown(operation: Operation, caller: Caller, identity: Identity, request: object, response: ResponseMessage): ResponseMessage {
    if (operation !== quote.getOrderBook || this.isShown(operation, caller, identity, request)) return response;
    return withoutOrders(response);
  }
}
