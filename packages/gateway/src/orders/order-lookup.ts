import { create } from '@bufbuild/protobuf';
import { type Order, OrderStatus, TrdFilterConditionsSchema, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { account } from '@svc-gateway/contract/operations';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';

/** How long an order is looked for whose answer was lost. */
export const LOST_MS = 60_000;

/** The statuses of an order that a cancel can still reach. */
const working: readonly number[] = [
  OrderStatus.OrderStatus_Unsubmitted,
  OrderStatus.OrderStatus_WaitingSubmit,
  OrderStatus.OrderStatus_Submitting,
  OrderStatus.OrderStatus_Submitted,
  OrderStatus.OrderStatus_Filled_Part,
];

export function isWorking({ orderStatus }: Order): boolean {
  return working.includes(orderStatus);
}

/** Display name of an order: its text, or its number where it has none. */
export function nameOfOrder({ orderID, orderIDEx }: Pick<Order, 'orderID' | 'orderIDEx'>): string {
  return orderIDEx || String(orderID);
}

/** Names of an order: its text where it has one, then its number. */
export function namesOf({ orderID, orderIDEx }: Pick<Order, 'orderID' | 'orderIDEx'>): string[] {
  return [orderIDEx, String(orderID)].filter((name) => name !== '' && name !== '0');
}

/** The order that a modify or a cancel names, by its text where that is given; undefined where number and text name two. */
export async function orderNamed(
  backend: Backend,
  request: ModifyC2S,
  context: CallContext,
  refreshCache = false,
): Promise<Order | undefined> {
  const filterConditions = create(
    TrdFilterConditionsSchema,
    request.orderIDEx === '' ? { idList: [request.orderID] } : { orderIDExList: [request.orderIDEx] },
  );
  const query = create(OrderListC2S, {
    ...(request.header === undefined ? {} : { header: request.header }),
    filterConditions,
    refreshCache,
  });
  const response = await backend.call(account.getOrders, query, context);
  // Asked again of what was found: a backend may list more, and what is valued must be what is changed.
  return payloadOf(account.getOrders, response)?.orderList.find(
    (order) =>
      (request.orderIDEx === '' || order.orderIDEx === request.orderIDEx) && (request.orderID === 0n || order.orderID === request.orderID),
  );
}

/** The statuses of an order that may still trade: those that work, and those whose end is not sure yet. */
export const openStatuses: readonly number[] = [
  ...working,
  OrderStatus.OrderStatus_TimeOut,
  OrderStatus.OrderStatus_Unknown,
  OrderStatus.OrderStatus_Cancelling_Part,
  OrderStatus.OrderStatus_Cancelling_All,
];

export function mayTrade({ orderStatus }: Pick<Order, 'orderStatus'>): boolean {
  return openStatuses.includes(orderStatus);
}

/** Whether an order is on its way out already. */
export function isCancelling({ orderStatus }: Pick<Order, 'orderStatus'>): boolean {
  return orderStatus === OrderStatus.OrderStatus_Cancelling_Part || orderStatus === OrderStatus.OrderStatus_Cancelling_All;
}

/** Every working order of an account, of one trading market or (0) of all; the backend's refusal when it has no such account. */
export async function workingOrders(
  backend: Backend,
  header: TrdHeader,
  market: number,
  context: CallContext,
): Promise<readonly Order[] | ResponseMessage> {
  const filterConditions = create(TrdFilterConditionsSchema, market === 0 ? {} : { filterMarket: market });
  const query = create(OrderListC2S, { header, filterConditions, filterStatusList: [...working] });
  const response = await backend.call(account.getOrders, query, context);
  if (response.retType !== RET_SUCCEED) return response;
  return payloadOf(account.getOrders, response)?.orderList ?? [];
}
