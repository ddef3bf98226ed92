import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Order, OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { finalStatuses, LOST_MS } from '../orders/order.js';
import { bracketOfRemark } from '../valuation/bracket-terms.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, type Exit, isEntryOrder, isExitOrder, isOfExitSide, isOfSecurity, nameOf, withShownPrices } from './bracket.js';
import { afterExit, type ExitEnd } from './decide.js';
import { type BracketsDeps, LOOK_MS } from './deps.js';

/** How far the brokerage's clock may be behind where an entry is known by the caller's remark. */
const SKEW_MS = 2_000;
const DAY_LENGTH = '2026-11-20'.length;

/** Where orders come from: a push has one, and a list all that there are; `recall` has an exit that has just been found to be the bracket's own. */
export type OrderSource = 'push' | 'list' | 'recall';

/** Applies orders to a bracket; whether anything changed. A new note is logged. */
export function applyOrders(
  book: BracketBook,
  watched: Watched,
  orders: readonly Order[],
  source: OrderSource,
  { backendClock, logger }: Pick<BracketsDeps, 'backendClock' | 'logger'>,
): boolean {
  const before = watched.bracket;
  const entry = before.state === 'placing' ? entryAmong(book, watched, orders, source) : undefined;
  let bracket: Bracket = entry === undefined ? before : { ...before, state: 'open', entryIdEx: entry.orderIDEx, entryId: entry.orderID };
  for (const order of orders) {
    const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
    const filled = isVoid ? 0n : (decimalFromNumber(order.fillQty) ?? 0n);
    if (isEntryOrder(bracket, order)) {
      if (bracket.entryIdEx === '' && order.orderIDEx !== '') bracket = { ...bracket, entryIdEx: order.orderIDEx };
      const entryOver = bracket.entryOver || finalStatuses.has(order.orderStatus);
      // Pushes may overtake each other; only the exchange takes back what was filled.
      const entryFilled = isVoid || filled > bracket.entryFilled ? filled : bracket.entryFilled;
      // Somebody may have changed it.
      const entryQty = decimalFromNumber(order.qty) || bracket.entryQty;
      if (entryFilled !== bracket.entryFilled || entryOver !== bracket.entryOver || entryQty !== bracket.entryQty)
        bracket = { ...bracket, entryOver, entryFilled, entryQty, note: entryOver && bracket.withdrawn ? '' : bracket.note };
      continue;
    }
    const { exit } = bracket;
    // Until all of its exits are known, the row's may be one that another has replaced: its end would not be what it seems.
    if (!watched.exitsKnown && source !== 'recall') continue;
    if (exit === undefined || !isExitOrder(bracket, exit, order)) continue;
    bracket = afterExitOrder({ ...bracket, exit: { ...exit, idEx: order.orderIDEx } }, order, filled, watched.last);
    const ended = bracket.exit === undefined && !exit.cancelling && order.orderStatus !== OrderStatus.OrderStatus_Filled_All;
    if (!ended) continue;
    // Whoever would not have this one would not have another now; one that the gateway holds instead is none.
    if (bracket.stopHeld === before.stopHeld) watched.retryAt = backendClock.monotonic() + LOOK_MS;
    if (reasonOf(order, exit) !== '' && !failures.has(order.orderStatus))
      bracket = { ...bracket, priceSince: order.updateTime.slice(0, DAY_LENGTH) };
  }
  watched.bracket = bracket;
  if (bracket.note !== before.note && bracket.note !== '') logger.warn({ bracket: bracket.id }, bracket.note);
  return bracket !== before;
}

/**
 * The entry whose answer was lost. A remark that the gateway wrote names this bracket alone, whatever the brokerage's clock says; one of the
 * caller's may stand beside every order: then it is the only one in a whole list that is like it, of its minute and nobody else's, a look after
 * the first, when whoever sent another has been told of that.
 */
function entryAmong(
  book: BracketBook,
  { bracket, missingSince }: Watched,
  orders: readonly Order[],
  source: OrderSource,
): Order | undefined {
  const alike = orders.filter((order) => isLikeEntry(bracket, order));
  if (bracketOfRemark(bracket.entryRemark) === bracket.id) return alike[0];
  if (source !== 'list' || missingSince === undefined) return undefined;
  const [entry, another] = alike.filter((order) => isOfMinute(bracket, order) && !book.isKnown(bracket, order));
  return another === undefined ? entry : undefined;
}

function isLikeEntry(bracket: Bracket, order: Order): boolean {
  const { entryRemark, entryQty } = bracket;
  const isOfEntry = isOfSecurity(bracket, order) && !isOfExitSide(bracket, order);
  return order.remark === entryRemark && isOfEntry && decimalFromNumber(order.qty) === entryQty;
}

function isOfMinute({ createdAt }: Bracket, { createTimestamp }: Order): boolean {
  const afterwards = createTimestamp * 1000 - createdAt;
  return createTimestamp <= 0 || (afterwards >= -SKEW_MS && afterwards <= LOST_MS + SKEW_MS);
}

function afterExitOrder(bracket: Bracket, order: Order, told: Decimal, last: Decimal): Bracket {
  const { exit } = bracket;
  if (exit === undefined) return bracket;
  const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
  const filled = isVoid || told > exit.filled ? told : exit.filled;
  if (finalStatuses.has(order.orderStatus) || order.orderStatus === OrderStatus.OrderStatus_Disabled) {
    const by = endOf(order, filled >= exit.qty);
    return afterExit(bracket, exit, { filled, by, why: by === 'failure' ? order.lastErrMsg : reasonOf(order, exit) }, last);
  }
  // Somebody may have changed it: then another replaces it.
  const qty = decimalFromNumber(order.qty) ?? exit.qty;
  const unconfirmed = order.orderStatus === OrderStatus.OrderStatus_Unsubmitted ? order.orderID : 0n;
  const shown = withShownPrices(bracket, exit, order);
  const note = shown.moved && !exit.moved ? `somebody changed the price of its ${nameOf(exit)}: another replaces it` : bracket.note;
  return { ...bracket, note, exit: { ...shown, qty, filled, unconfirmed, told: order.lastErrMsg } };
}

/** Reason why the brokerage ended an exit; empty where it does not say. What it said before that is no reason, and to disable an order is somebody's wish. */
function reasonOf({ orderStatus, lastErrMsg }: Order, { told }: Exit): string {
  return orderStatus === OrderStatus.OrderStatus_Disabled || lastErrMsg === told ? '' : lastErrMsg;
}

/** The brokerage would not have it, or has taken its trades back. */
const failures: ReadonlySet<number> = new Set([
  OrderStatus.OrderStatus_SubmitFailed,
  OrderStatus.OrderStatus_Failed,
  OrderStatus.OrderStatus_FillCancelled,
]);

function endOf({ orderStatus }: Order, filled: boolean): ExitEnd['by'] {
  if (filled || orderStatus === OrderStatus.OrderStatus_Filled_All) return 'fills';
  return failures.has(orderStatus) ? 'failure' : 'cancel';
}
