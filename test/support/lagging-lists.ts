import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as OrdersC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import type { Backend, CallContext, ResponseMessage } from '@svc-gateway/gateway';

export interface Lag {
  /** How far lists are behind what was written. */
  ms: number;
  /** Whether lists that are asked for afresh are not. */
  readonly refreshes?: boolean;
}

/** A brokerage elsewhere, whose lists of orders and positions are as they were some milliseconds ago as far as writes go. */
export function lagging(simulated: Backend, clock: () => Clock, lag: Lag): Partial<Backend> {
  const before: { readonly at: number; readonly answers: Map<string, ResponseMessage> }[] = [];
  const accounts = new Map<string, OrdersC2S>();

  const read = (operation: Operation, request: Message, context: CallContext) => simulated.call(operation, request, context);

  async function remember(context: CallContext): Promise<void> {
    const answers = new Map<string, ResponseMessage>();
    const at = clock().now();
    for (const [id, request] of accounts) {
      for (const list of [account.getOrders, account.getPositions]) {
        answers.set(`${list.name} ${id}`, await read(list, whole(list, request), context));
      }
    }
    before.push({ at, answers });
  }

  return {
    listsCurrent: undefined as never,
    async call(operation, request, context) {
      const { header } = request as Partial<OrdersC2S>;
      const id = String(header?.accID);
      if (operation !== account.getOrders && operation !== account.getPositions) {
        if (header !== undefined && operation.effect !== 'read') {
          accounts.set(id, request as OrdersC2S);
          await remember(context);
        }
        return simulated.call(operation, request, context);
      }
      const asked = request as OrdersC2S;
      if (lag.refreshes === true && asked.refreshCache) return simulated.call(operation, request, context);
      const since = clock().now() - lag.ms;
      const stale = before
        .find(({ at, answers }) => at > since && answers.has(`${operation.name} ${id}`))
        ?.answers.get(`${operation.name} ${id}`);
      return stale === undefined ? simulated.call(operation, request, context) : filtered(stale, asked);
    },
  };
}

function whole({ messages }: Operation, { header }: OrdersC2S): Message {
  return create(messages.C2SSchema, { header } as Record<string, unknown>);
}

function filtered(answer: ResponseMessage, { filterConditions, filterStatusList = [] }: OrdersC2S): ResponseMessage {
  const { s2c } = answer as ResponseMessage & { s2c?: { orderList?: Order[] } };
  if (s2c?.orderList === undefined) return answer;
  const { idList = [], orderIDExList = [] } = filterConditions ?? {};
  const isAsked = ({ orderID, orderIDEx, orderStatus }: Order) =>
    (idList.length + orderIDExList.length === 0 || idList.includes(orderID) || orderIDExList.includes(orderIDEx)) &&
    (filterStatusList.length === 0 || filterStatusList.includes(orderStatus));
  return Object.assign(Object.create(Object.getPrototypeOf(answer)), answer, { s2c: { ...s2c, orderList: s2c.orderList.filter(isAsked) } });
}
