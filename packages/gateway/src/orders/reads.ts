import { create, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { wholeAccountMarket } from '@svc-gateway/contract/account-market';
import { marketState } from '@svc-gateway/contract/enums';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as MarketStateC2S } from '@svc-gateway/contract/generated/Qot_GetMarketState_pb';
import type { Order, Position, TrdFilterConditionsSchema, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as AccountListC2S } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as PositionsC2S } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote } from '@svc-gateway/contract/operations';
import { missingField, Rejection } from '@svc-gateway/contract/rejection';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { failure, payloadOf, RET_SUCCEED } from '../responses.js';
import { unknownAccount } from '../unknown-account.js';
import { resolveSecurity } from '../valuation/securities.js';
import { type OrderName, workingStatuses } from './order.js';

/**
 * Reads a list by whose age something is judged. Callers may share a list that is under way: it was asked for before the call.
 *
 * @param now of `Clock.monotonic`, as is `askedAt`.
 */
export async function readDated(
  backend: Backend,
  operation: Operation,
  request: Message,
  { requestId, deadline, signal, owner, answerMs }: CallContext,
  now: number,
): Promise<{ readonly response: ResponseMessage; readonly askedAt: number }> {
  let askedAt = now;
  const onAsked = (at: number) => {
    askedAt = Math.min(now, at);
  };
  const response = await backend.call(operation, request, { requestId, deadline, signal, owner, answerMs, onAsked });
  return { response, askedAt };
}

/** The positions of an account, those closed today among them, and when they were asked for; why not, where the backend does not list them. */
export async function readPositions(
  backend: Backend,
  header: TrdHeader,
  context: CallContext,
  { now = 0, refreshCache = true }: { readonly now?: number; readonly refreshCache?: boolean } = {},
): Promise<{ readonly positions: readonly Position[]; readonly askedAt: number } | string> {
  const { response, askedAt } = await readDated(
    backend,
    account.getPositions,
    create(PositionsC2S, { header, refreshCache }),
    context,
    now,
  );
  if (response.retType !== RET_SUCCEED) return `the brokerage does not list the positions: ${response.retMsg}`;
  const positions = payloadOf(account.getPositions, response)?.positionList;
  return positions === undefined ? 'the brokerage does not list the positions' : { positions, askedAt };
}

/** Orders of an account by a filter; the backend's answer where it does not list them. */
export async function readOrders(
  backend: Backend,
  header: TrdHeader | undefined,
  filterConditions: MessageInitShape<typeof TrdFilterConditionsSchema>,
  context: CallContext,
  { refreshCache = false, filterStatusList = [] }: { readonly refreshCache?: boolean; readonly filterStatusList?: readonly number[] } = {},
): Promise<readonly Order[] | ResponseMessage> {
  const query = create(OrderListC2S, { header, filterConditions, refreshCache, filterStatusList: [...filterStatusList] });
  const response = await backend.call(account.getOrders, query, context);
  return response.retType === RET_SUCCEED ? (payloadOf(account.getOrders, response)?.orderList ?? []) : response;
}

/** The order that a modify or a cancel names, by its text where that is given; undefined where number and text name two. */
export async function orderNamed(
  backend: Backend,
  { header, orderID, orderIDEx }: Pick<ModifyC2S, 'header' | 'orderID' | 'orderIDEx'>,
  context: CallContext,
  refreshCache = false,
): Promise<Order | undefined> {
  const orders = await readOrders(backend, header, namedBy({ orderID, orderIDEx }), context, { refreshCache });
  if ('retType' in orders) return undefined;
  // Asked again of what was found: a backend may list more, and what is valued must be what is changed.
  return orders.find((order) => (orderIDEx === '' || order.orderIDEx === orderIDEx) && (orderID === 0n || order.orderID === orderID));
}

/** The filter for one order: its text where it has one, or its number. */
export function namedBy({ orderID, orderIDEx }: OrderName): { idList: bigint[] } | { orderIDExList: string[] } {
  return orderIDEx === '' ? { idList: [orderID] } : { orderIDExList: [orderIDEx] };
}

/** Every working order of an account, of one trading market or (0) of all; the backend's refusal when it has no such account. */
export function workingOrders(
  backend: Backend,
  header: TrdHeader,
  market: number,
  context: CallContext,
): Promise<readonly Order[] | ResponseMessage> {
  return readOrders(backend, header, market === 0 ? {} : { filterMarket: market }, context, { filterStatusList: workingStatuses });
}

/** How far back orders are looked for: the longest range that the public protocol answers at once. */
export const HISTORY_DAYS = 90;

/** The dates between which an order is looked for that is not among today's. `now`: epoch ms. */
export function historySpan(now: number): { readonly beginTime: string; readonly endTime: string } {
  return { beginTime: day(now - HISTORY_DAYS * DAY_MS), endTime: day(now + DAY_MS) };
}

/** The dates after {@link historySpan}: what a brokerage recorded under later ones before the clock was set back. */
export function followingSpan(now: number): { readonly beginTime: string; readonly endTime: string } {
  return { beginTime: day(now + DAY_MS), endTime: day(now + HISTORY_DAYS * DAY_MS) };
}

/** "2026-11-20", in UTC: a day of margin lies on either side. */
function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Writes the environment of the account that a request names into its header, and a market where it names none: what the caller's scope is held
 * against cannot be what the caller says. The backend's refusal where it does not say.
 */
export async function addressByAccount(
  backend: Backend,
  operation: Operation,
  request: Message,
  context: CallContext,
): Promise<undefined | Rejection | ResponseMessage> {
  const { header } = request as Message & { header?: TrdHeader };
  if (header === undefined) return missingField('header');
  const response = await backend.call(account.listAccounts, create(AccountListC2S, { userID: 0n, needGeneralSecAccount: true }), context);
  if (response.retType !== RET_SUCCEED) return failure(operation, response.retMsg, response.errCode);
  const own = payloadOf(account.listAccounts, response)?.accList.find(({ accID }) => accID === header.accID);
  if (own === undefined) return unknownAccount(operation, header.accID);
  header.trdEnv = own.trdEnv;
  if (header.trdMarket === 0) header.trdMarket = wholeAccountMarket(own);
  return undefined;
}

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
  const [orders, state] = await Promise.all([
    readOrders(backend, request.header, { orderIDExList: [orderIDEx] }, context).catch(() => []),
    marketStateOf(backend, request, context).catch(() => undefined),
  ]);
  const order = 'retType' in orders ? undefined : orders.find((one) => one.orderIDEx === orderIDEx);
  return {
    ...(order === undefined ? {} : { orderStatus: order.orderStatus, fillQty: order.fillQty }),
    ...(state === undefined ? {} : { marketState: state }),
  };
}

async function marketStateOf(backend: Backend, request: PlaceC2S, context: CallContext): Promise<number | undefined> {
  const security = resolveSecurity(request);
  if (security instanceof Rejection) return undefined;
  const { code } = request;
  const asked = create(SecuritySchema, { market: security.market.number, code: code.split('.').at(-1) ?? code });
  const answer = await backend.call(quote.getMarketState, create(MarketStateC2S, { securityList: [asked] }), context);
  return payloadOf(quote.getMarketState, answer)?.marketInfoList[0]?.marketState;
}
