import { create } from '@bufbuild/protobuf';
import { marketState } from '@svc-gateway/contract/enums';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as MarketStateC2S } from '@svc-gateway/contract/generated/Qot_GetMarketState_pb';
import { TrdFilterConditionsSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrdersC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext } from '../backend.js';
import { payloadOf } from '../responses.js';
import { resolveSecurity } from './order-facts.js';

/** Where a new order stands right after it was accepted, as far as the backend says; numbers of the public protocol. */
export interface OrderStanding {
  readonly orderStatus?: number;
  readonly marketState?: number;
  /** Filled so far. */
  readonly fillQty?: number;
}

/** States of Qot_Common.QotMarketState in which nothing trades. */
const idleNames: ReadonlySet<string> = new Set([
  ...['WaitingOpen', 'Rest', 'Closed', 'PreMarketEnd', 'AfterHoursEnd', 'NightEnd', 'FutureDayBreak', 'FutureDayClose'],
  ...['FutureDayWaitForOpen', 'FutureNightWait', 'FutureSwitchDate', 'FutureBreak', 'FutureClose', 'StibAfterHoursWait'],
  ...['StibAfterHoursEnd', 'AFTERNOON_END', 'OVERNIGHT_END'],
]);
const idle: ReadonlySet<number> = new Set(marketState.members.filter(({ name }) => idleNames.has(name)).map((member) => member.public));

/** Whether nothing trades in a state of a market. */
export function isIdle(state: number): boolean {
  return idle.has(state);
}

/** Asks how a new order stands, and its market. What the backend does not tell in time is left out: the order is placed in any case. */
export async function orderStanding(backend: Backend, request: PlaceC2S, orderIDEx: string, context: CallContext): Promise<OrderStanding> {
  const { header, code } = request;
  const security = resolveSecurity(request);
  const filterConditions = create(TrdFilterConditionsSchema, { orderIDExList: [orderIDEx] });
  const ordersAsked = create(OrdersC2S, { ...(header === undefined ? {} : { header }), filterConditions });
  const [orders, states] = await Promise.allSettled([
    backend.call(account.getOrders, ordersAsked, context),
    security instanceof Rejection
      ? undefined
      : backend.call(
          quote.getMarketState,
          create(MarketStateC2S, {
            securityList: [create(SecuritySchema, { market: security.market.number, code: code.split('.').at(-1) ?? code })],
          }),
          context,
        ),
  ]);
  const listed = orders.status === 'fulfilled' ? (payloadOf(account.getOrders, orders.value)?.orderList ?? []) : [];
  const order = listed.find((one) => one.orderIDEx === orderIDEx);
  const answer = states.status === 'fulfilled' ? states.value : undefined;
  const state = answer === undefined ? undefined : payloadOf(quote.getMarketState, answer)?.marketInfoList[0]?.marketState;
  return {
    ...(order === undefined ? {} : { orderStatus: order.orderStatus, fillQty: order.fillQty }),
    ...(state === undefined ? {} : { marketState: state }),
  };
}
