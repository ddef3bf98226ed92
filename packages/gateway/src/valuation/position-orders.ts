import { create } from '@bufbuild/protobuf';
import type { Unknown } from '@svc-gateway/access';
import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Security, SecuritySchema, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type FutureInfo, C2SSchema as FutureInfoC2S } from '@svc-gateway/contract/generated/Qot_GetFutureInfo_pb';
import { C2SSchema as StaticInfoC2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import type { OrderGroup } from '@svc-gateway/contract/generated/svc/position_orders_pb';
import type { C2S as ReverseC2S, S2C } from '@svc-gateway/contract/generated/svc/reverse_position_pb';
import type { C2S as RollC2S } from '@svc-gateway/contract/generated/svc/roll_position_pb';
import { OrderType, type Position, PositionSide, TrdEnv, type TrdHeader, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { derivatives, quote, trade } from '@svc-gateway/contract/operations';
import { invalidField, Rejection, type StandingTerms } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { BackendFailure, BackendLost } from '../backend-failures.js';
import { tradedMarketNames } from '../market-names.js';
import type { AccountContext } from '../orders/account-context.js';
import { ofStandingTerms, termsOfPosition } from '../orders/order.js';
import { readOrders, readPositions } from '../orders/reads.js';
import type { ClosingClaim } from '../orders/unsettled-trades.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { sideName } from '../trade-names.js';
import { securitiesOf, telling, unidentified } from '../visibility.js';
import type { Valued, ValuedLeg } from './single-orders.js';

/** A request that turns one position into another by two orders. */
export type PositionRequest = ReverseC2S | RollC2S;

/** Expected terms of one of the two orders of a group. */
export interface ExpectedOrder {
  readonly role: 'close' | 'open';
  readonly code: string;
  readonly secMarket: number;
  readonly side: number;
  readonly qty: number;
}

/** Whether an operation places two orders for a position. */
export function isOfPosition(operation: Operation): boolean {
  return operation.valuer === 'position';
}

/**
 * Values what a position is turned into, by what the account holds now and what the brokerage's list says of the contracts. What the
 * orders will trade at is not known: no cap on values lets them pass.
 */
export async function valuePosition(
  backend: Backend,
  operation: Operation,
  request: PositionRequest,
  context: CallContext,
): Promise<Valued | Rejection> {
  const expected = await expectedOrders(backend, operation, request, context);
  return expected instanceof Rejection ? expected : valuedOrders(operation, expected, request.header);
}

/** The value of the two orders: what they are of is known, what they are worth is not. */
export function valuedOrders(operation: Operation, expected: readonly ExpectedOrder[], header: TrdHeader | undefined): Valued | Rejection {
  const legs: ValuedLeg[] = [];
  for (const order of expected) {
    const leg = legOf(operation, order, header);
    if (leg instanceof Rejection) return leg;
    legs.push(leg);
  }
  const [first, ...rest] = legs;
  if (first === undefined) throw new Error('a group has orders');
  const opens = { env: header?.trdEnv ?? 0, market: header?.trdMarket ?? 0, count: legs.length };
  return { accId: header?.accID ?? 0n, legs: [first, ...rest], opens };
}

/**
 * Orders of a caller that may not know what they are in. A preview that judges them in place of others has the same shape whatever the position is,
 * and whether it can be moved or not.
 */
export function hiddenOrders(operation: Operation, header: TrdHeader): Valued {
  const unknown = { pricing: undefined, multiplier: undefined, currency: '', worth: unvalued(operation) };
  const leg: ValuedLeg = { ...unidentified[0], side: 'BUY', qty: 0n, ...unknown };
  return { accId: header.accID, legs: [leg, leg], opens: { env: header.trdEnv, market: header.trdMarket, count: 2 } };
}

/** Type of both orders: a roll trades at the market, and so does a reversal unless it asks for limits. */
export function typeOfOrders({ initial }: PositionRequest): OrderType {
  const isLimit = initial?.$typeName === 'svc.reverse_position.Initial' && initial.priceType === LIMITED;
  return isLimit ? OrderType.OrderType_Normal : OrderType.OrderType_Market;
}

/** The two orders that a request comes to, by fresh facts. */
export async function expectedOrders(
  backend: Backend,
  operation: Operation,
  request: PositionRequest,
  context: CallContext,
): Promise<readonly ExpectedOrder[] | Rejection> {
  const { header, initial } = request;
  if (header?.trdEnv !== TrdEnv.TrdEnv_Real) {
    return invalidField('env', `${operation.name} is for real accounts only; found a simulated one`);
  }
  const position = await freshPosition(backend, header, initial?.positionId ?? 0n, context);
  if (position instanceof Rejection) return position;
  const orders = await ordersFor(backend, request, position, context);
  if (!(orders instanceof Rejection)) return orders;
  const trading = header.trdMarket;
  return ofStandingTerms(telling(orders, securitiesOf(position, trading)), termsOfPosition(position, targetIn(request), trading));
}

async function ordersFor(
  backend: Backend,
  request: PositionRequest,
  position: Position,
  context: CallContext,
): Promise<readonly ExpectedOrder[] | Rejection> {
  const { code, secMarket } = position;
  const source = { code, secMarket };
  if (position.qty === 0) {
    return invalidField('position_id', `position ${position.positionID} in ${code} is closed`);
  }
  const target = targetOf(request, source);
  if (target instanceof Rejection) return target;
  const unfit = await refuseContracts(backend, source, target, context);
  if (unfit !== undefined) return unfit;
  const qty = Math.abs(position.qty);
  const long = position.positionSide === PositionSide.PositionSide_Long;
  const [buy, sell] = [TrdSide.TrdSide_Buy, TrdSide.TrdSide_Sell];
  const closing = long ? sell : buy;
  const opening = target === source ? closing : long ? buy : sell;
  return [
    { role: 'close', ...source, side: closing, qty },
    { role: 'open', ...target, side: opening, qty },
  ];
}

/**
 * Claims the position for the two orders, by their value, so that what closes it together closes no more than there is of it. To be settled
 * when they are answered.
 */
export async function claimPosition(
  accountContext: AccountContext,
  { accId, legs }: Valued,
  header: TrdHeader | undefined,
  context: CallContext,
): Promise<ClosingClaim | Rejection> {
  const [{ symbol, side, qty }] = legs;
  const claim = await accountContext.claimClosing({ accId, symbol, side, qty }, undefined, header, context, true);
  if (claim !== undefined) return claim;
  const message = `position_id: orders that work or are on their way close some of the position in ${symbol} already, and both would be too much: cancel them or wait for them first`;
  return telling(new Rejection('request.invalid', message, { field: 'position_id' }), legs);
}

/**
 * Sees to it that a success is one: the brokerage's answer shows both orders in one group of the right kind, and its list of orders,
 * asked for anew, has both of them as they were meant. Throws where that cannot be shown: the outcome is not known then, and nobody
 * sends it again.
 */
export async function proveGroup(
  backend: Backend,
  operation: Operation,
  request: PositionRequest,
  expected: readonly ExpectedOrder[],
  response: ResponseMessage,
  context: CallContext,
): Promise<void> {
  const group = (response as ResponseMessage & { s2c?: S2C }).s2c?.group;
  const relation = operation === trade.rollPosition ? ROLLED : REVERSED;
  const wrong = group === undefined ? 'it names no group of orders' : unlike(group, relation, expected);
  if (wrong !== undefined || group === undefined) throw unproven(wrong ?? '');
  const ids = group.orderList.map(({ orderId }) => orderId);
  const { header } = request;
  const listed = await readOrders(backend, header, { idList: ids }, context, { refreshCache: true }).catch((thrown: unknown) => {
    if (!(thrown instanceof BackendFailure)) throw thrown;
    // The orders are there by then, or not: the reason for a missing list does not matter.
    throw unproven(`its list of orders did not come: ${thrown.message}`);
  });
  const orders = 'retType' in listed ? [] : listed;
  for (const [index, order] of expected.entries()) {
    const found = orders.find(({ orderID }) => orderID === ids[index]);
    if (found === undefined) throw unproven(`the list of orders has no order ${ids[index]}`);
    const { code, secMarket, trdSide, qty } = found;
    if (code !== order.code || secMarket !== order.secMarket || trdSide !== order.side || qty !== order.qty) {
      throw unproven(`order ${ids[index]} is not the one that ${order.role}s the position`);
    }
  }
}

/** The price type of a reversal by limit orders. */
const LIMITED = 2;
const REVERSED = 1;
const ROLLED = 2;

/** Reason why a group is not the one that was asked for. */
function unlike(
  { relationType, linkageId, orderList }: OrderGroup,
  relation: number,
  expected: readonly ExpectedOrder[],
): string | undefined {
  if (relationType !== relation) return `its group has relation type ${relationType} in place of ${relation}`;
  if (linkageId === 0n) return 'its group has no linkage id';
  if (orderList.length !== expected.length || orderList[0]?.orderId === orderList[1]?.orderId) {
    return `its group has ${new Set(orderList.map(({ orderId }) => orderId)).size} orders in place of ${expected.length}`;
  }
  const differs = expected.some(({ role, code, secMarket, side, qty }, index) => {
    const order = orderList[index];
    return order?.role !== role || order.code !== code || order.secMarket !== secMarket || order.trdSide !== side || order.qty !== qty;
  });
  return differs ? 'its orders are not those that were asked for' : undefined;
}

function unproven(why: string): BackendLost {
  return new BackendLost(`the brokerage accepted it, but ${why}`);
}

/** Terms of the orders that a request comes to, by a list that may be some seconds old; undefined where it shows no such position. */
export async function standingOf(backend: Backend, request: PositionRequest, context: CallContext): Promise<StandingTerms | undefined> {
  const { header, initial } = request;
  if (header === undefined) return undefined;
  const position = await positionOf(backend, header, initial?.positionId ?? 0n, false, context);
  if (position instanceof Rejection || position.qty === 0) return undefined;
  return termsOfPosition(position, targetIn(request), header.trdMarket);
}

/** The position that a request names; undefined where the account has none such. */
export async function positionNamed(
  backend: Backend,
  { header, initial }: PositionRequest,
  context: CallContext,
): Promise<Position | undefined> {
  if (header === undefined) return undefined;
  const position = await freshPosition(backend, header, initial?.positionId ?? 0n, context);
  return position instanceof Rejection ? undefined : position;
}

function freshPosition(backend: Backend, header: TrdHeader, id: bigint, context: CallContext): Promise<Position | Rejection> {
  return positionOf(backend, header, id, true, context);
}

async function positionOf(
  backend: Backend,
  header: TrdHeader,
  id: bigint,
  refreshCache: boolean,
  context: CallContext,
): Promise<Position | Rejection> {
  const field = { field: 'position_id' };
  const listed = await readPositions(backend, header, context, { refreshCache });
  if (typeof listed === 'string') return new Rejection('request.invalid', `position_id: ${listed}`, field);
  const position = listed.positions.find(({ positionID }) => positionID === id);
  if (position === undefined) return new Rejection('request.invalid', `position_id: account ${header.accID} has no position ${id}`, field);
  return position;
}

/** The contract that a position is rolled into, as the request names it; undefined for a reversal. */
function targetIn({ initial }: PositionRequest): Contract | undefined {
  return initial?.$typeName === 'svc.roll_position.Initial' ? { code: initial.targetCode, secMarket: initial.targetSecMarket } : undefined;
}

/** The contract that the second order is for. */
function targetOf(request: PositionRequest, source: Contract): Contract | Rejection {
  const target = targetIn(request);
  if (target === undefined) return source;
  if (target.code !== source.code || target.secMarket !== source.secMarket) return target;
  return invalidField('target_code', `${shown(target.code)} is the contract that the position is in`);
}

function legOf(operation: Operation, order: ExpectedOrder, header: TrdHeader | undefined): ValuedLeg | Rejection {
  const { code, secMarket, side, qty } = order;
  const market = quoteMarketOfSecMarket(secMarket);
  const named = sideName(side);
  const units: Decimal | undefined = decimalFromNumber(qty);
  if (market === undefined || named === undefined || units === undefined) {
    const message = `position_id: ${code} is in a market that this gateway does not trade`;
    return telling(
      new Rejection('request.invalid', message, { field: 'position_id' }),
      securitiesOf({ trdMarket: 0, ...order }, header?.trdMarket ?? 0),
    );
  }
  return {
    markets: tradedMarketNames(header?.trdMarket ?? 0, market),
    symbol: `${market.name}.${code}`,
    side: named,
    qty: units,
    pricing: undefined,
    multiplier: undefined,
    currency: market.currency,
    worth: unvalued(operation),
  };
}

function unvalued({ name }: Operation): Unknown {
  return {
    code: 'limit.price_unknown',
    reason: `order value unknown: what the two orders of ${name} trade at is not known beforehand, so no key or daemon with max_order_value or max_daily_value may use it`,
  };
}

/** A contract as trading names it. */
export interface Contract {
  readonly code: string;
  /** Trd_Common.TrdSecMarket. */
  readonly secMarket: number;
}

/**
 * Reason why a position may not be moved from one contract to the other, by fresh facts of the brokerage: each is a future of one month, and where they
 * differ, both are months of one contract. undefined where it may.
 */
async function refuseContracts(backend: Backend, source: Contract, target: Contract, context: CallContext): Promise<Rejection | undefined> {
  const roles =
    target === source ? [['position_id', source] as const] : [['position_id', source] as const, ['target_code', target] as const];
  for (const [field, contract] of roles) {
    const wrong = await notMonthly(backend, contract, context);
    if (wrong !== undefined) return invalidField(field, `${shown(contract.code)} ${wrong}`);
  }
  const unlinked = target === source ? undefined : await notLinked(backend, source, target, context);
  if (unlinked === undefined) return undefined;
  return invalidField('target_code', `${shown(target.code)} ${unlinked}`);
}

function securityOf({ code, secMarket }: Contract): Security {
  return create(SecuritySchema, { market: quoteMarketOfSecMarket(secMarket)?.number ?? 0, code });
}

/** Reason why a contract is no future of one month, by the brokerage's own list; undefined where it is. */
async function notMonthly(backend: Backend, contract: Contract, context: CallContext): Promise<string | undefined> {
  const { code } = contract;
  const response = await backend.call(quote.getStaticInfo, create(StaticInfoC2S, { securityList: [securityOf(contract)] }), context);
  if (response.retType !== RET_SUCCEED) return `is not in the brokerage's list: ${response.retMsg}`;
  const info = payloadOf(quote.getStaticInfo, response)?.staticInfoList.find(({ basic }) => basic?.security?.code === code);
  if (info?.basic === undefined) return "is not in the brokerage's list";
  if (info.basic.secType !== SecurityType.SecurityType_Future) return 'is no future';
  if (info.futureExData === undefined) return 'has no terms in the list';
  const { isMainContract, lastTradeTime } = info.futureExData;
  return isMainContract || lastTradeTime === '' ? 'is no ordinary monthly future' : undefined;
}

/**
 * Why two monthly futures are no months of one contract. The public protocol shows the terms of contracts, and not the linkage id by which
 * the brokerage knows them: what differs in what every month shares has another one.
 */
async function notLinked(backend: Backend, source: Contract, target: Contract, context: CallContext): Promise<string | undefined> {
  const securityList = [source, target].map(securityOf);
  const response = await backend.call(derivatives.getFutureInfo, create(FutureInfoC2S, { securityList }), context);
  if (response.retType !== RET_SUCCEED) return `has no terms in the brokerage's list: ${response.retMsg}`;
  const infos = payloadOf(derivatives.getFutureInfo, response)?.futureInfoList ?? [];
  const [from, to] = [source, target].map(({ code }) => infos.find(({ security }) => security?.code === code));
  if (from === undefined || to === undefined) return "has no terms in the brokerage's list";
  const differing = sharedTerms.find((term) => termText(from, term) !== termText(to, term));
  if (differing === undefined) return undefined;
  const [is, was] = [to, from].map((info) => termText(info, differing));
  return `is no month of the contract of ${source.code}: its ${termNames[differing]} is ${is} in place of ${was}`;
}

/** Terms shared by every month of a contract. */
const termNames = {
  exchange: 'exchange',
  owner: 'underlying',
  ownerOther: 'underlying',
  contractType: 'type',
  contractSize: 'size',
  contractSizeUnit: 'unit',
  quoteCurrency: 'currency',
} as const satisfies Partial<Record<keyof FutureInfo, string>>;
type SharedTerm = keyof typeof termNames;
const sharedTerms = Object.keys(termNames) as SharedTerm[];

function termText(info: FutureInfo, term: SharedTerm): string {
  const value = info[term];
  return typeof value === 'object' ? `${value.market}.${value.code}` : String(value);
}
