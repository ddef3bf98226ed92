import { create } from '@bufbuild/protobuf';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { type Order, type OrderFill, OrderStatus, TrdFilterConditionsSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as HistoryDealsC2S } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderFillList_pb';
import { C2SSchema as HistoryC2S } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import { C2SSchema as DealsC2S } from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { account } from '@svc-gateway/contract/operations';
import { BackendRefused } from '../backend-failures.js';
import { magnitude, nameOfOrder, type OrderName } from '../orders/order.js';
import { historySpan } from '../orders/reads.js';
import { bracketOfRemark, remarkOf } from '../valuation/bracket-terms.js';
import type { BracketBook } from './book.js';
import { type Bracket, headerOf, isEntryOrder, isOfExitSide, isOfSecurity } from './bracket.js';
import type { BracketsDeps } from './deps.js';
import type { BracketReads } from './reads.js';

/**
 * How much others have traded against the position of a bracket since its entry first filled, beyond what counts as gone already. Asked of the
 * orders, and of the fills where there is such an order: a list of positions may be behind, and an older order may have filled before the entry.
 */
export async function tradedAgainst(
  { clock }: Pick<BracketsDeps, 'clock'>,
  reads: BracketReads,
  book: BracketBook,
  bracket: Bracket,
): Promise<Decimal> {
  const now = clock.now();
  const orders = await ordersIn(reads, now, bracket);
  const entry = orders.find((order) => isEntryOrder(bracket, order));
  if (entry === undefined || entry.createTimestamp <= 0) return 0n;
  const closing = orders.filter(
    (order) => isOfOthers(book, bracket, order) && order.fillQty > 0 && order.updateTimestamp >= entry.createTimestamp,
  );
  if (closing.length === 0) return 0n;
  const traded = bracket.gained === 0n ? byFills(bracket, entry, closing, await fillsIn(reads, now, bracket)) : undefined;
  if (traded !== undefined) return traded - bracket.gone;
  const later = closing.filter((order) => hasTradedSince(bracket, order, entry));
  // `gone` counts shares from before their change.
  return sumOf(later.map(({ fillQty }) => fillQty)) - (bracket.gained === 0n ? bracket.gone : 0n);
}

/**
 * Quantity that those orders filled since the first fill of the entry; undefined where the brokerage lists no fill of the entry.
 * An older order that fills in the same moment counts: it may have traded with the entry.
 */
function byFills(bracket: Bracket, entry: Order, closing: readonly Order[], fills: readonly OrderFill[]): Decimal | undefined {
  const times = fills.filter((fill) => isEntryOrder(bracket, fill)).map(({ createTimestamp }) => createTimestamp);
  const since = Math.min(...times);
  if (times.length === 0 || since <= 0) return undefined;
  const later = fills.filter((fill) => {
    const order = closing.find((one) => isSame(one, fill));
    return order !== undefined && (fill.createTimestamp > since || (fill.createTimestamp === since && isNewer(order, entry)));
  });
  return sumOf(later.map(({ qty }) => qty));
}

/**
 * Whether an order has traded since the entry was placed, as far as the order itself says. What last happened to an older one was a trade
 * where that filled it; after a change of the shares only trades of the new ones count.
 */
function hasTradedSince({ gained, levelsOf }: Bracket, order: Order, entry: Order): boolean {
  if (gained !== 0n && order.updateTime.slice(0, levelsOf.length) < levelsOf) return false;
  return isNewer(order, entry) || order.orderStatus === OrderStatus.OrderStatus_Filled_All;
}

function isNewer(order: Order, entry: Order): boolean {
  return order.createTimestamp >= entry.createTimestamp;
}

/** Whether an order trades against the position and is no exit of a bracket: what those close is known. */
function isOfOthers(book: BracketBook, bracket: Bracket, order: Order): boolean {
  if (!isOfSecurity(bracket, order) || !isOfExitSide(bracket, order)) return false;
  const id = bracketOfRemark(order.remark);
  return id === undefined || order.remark === remarkOf(id, 0) || book.rows.get(id) === undefined;
}

function isSame(order: OrderName, { orderID, orderIDEx }: OrderName): boolean {
  return orderIDEx === '' ? orderID === order.orderID : orderIDEx === order.orderIDEx;
}

/** The orders in a bracket's security, of today and of before. */
async function ordersIn(reads: BracketReads, now: number, bracket: Bracket): Promise<readonly Order[]> {
  const { header, today, before } = queryOf(now, bracket);
  const current = await reads.call(account.getOrders, create(OrderListC2S, { header, filterConditions: today }), bracket);
  const history = await reads.call(account.getHistoryOrders, create(HistoryC2S, { header, filterConditions: before }), bracket);
  return once([...(current?.orderList ?? []), ...(history?.orderList ?? [])], nameOfOrder);
}

/** The fills in a bracket's security, of today and of before; none where the brokerage lists none. */
async function fillsIn(reads: BracketReads, now: number, bracket: Bracket): Promise<readonly OrderFill[]> {
  const { header, today, before } = queryOf(now, bracket);
  try {
    const current = await reads.call(account.getDeals, create(DealsC2S, { header, filterConditions: today }), bracket);
    const history = await reads.call(account.getHistoryDeals, create(HistoryDealsC2S, { header, filterConditions: before }), bracket);
    return once(
      [...(current?.orderFillList ?? []), ...(history?.orderFillList ?? [])],
      ({ fillIDEx, fillID }) => fillIDEx || String(fillID),
    );
  } catch (thrown) {
    // Servers of the public protocol have no fills of simulated accounts.
    if (thrown instanceof BackendRefused && thrown.code === 'backend.invalid') return [];
    throw thrown;
  }
}

/** Each once: what is of today may be in the history as well. */
function once<One>(list: readonly One[], nameOf: (one: One) => string): readonly One[] {
  return [...new Map(list.map((one) => [nameOf(one), one])).values()];
}

function queryOf(now: number, bracket: Bracket) {
  const of = { codeList: [bracket.code] };
  const today = create(TrdFilterConditionsSchema, of);
  const before = create(TrdFilterConditionsSchema, { ...of, ...historySpan(now) });
  return { header: headerOf(bracket), today, before };
}

function sumOf(quantities: readonly number[]): Decimal {
  return quantities.reduce((sum, qty) => sum + magnitude(qty), 0n);
}
