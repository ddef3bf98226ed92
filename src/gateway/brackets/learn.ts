import { type Decimal, decimalFromNumber } from '../../contract/decimal.js';
import { type Order, OrderStatus } from '../../contract/generated/Trd_Common_pb.js';
import { finalStatuses } from '../final-statuses.js';
import { bracketOfRemark } from '../orders/bracket-entry.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, isExitOrder } from './bracket.js';
import { afterExit, type ExitEnd } from './decide.js';
import { type BracketsParts, LOOK_MS } from './parts.js';

/** How far the brokerage's clock may be behind where an entry is known by the caller's remark. */
const SKEW_MS = 2_000;
const DAY_LENGTH = '2026-11-20'.length;

/** Takes what orders say into account; whether that was news. */
export function learn(
  book: BracketBook,
  watched: Watched,
  orders: readonly Order[],
  { backendClock }: Pick<BracketsParts, 'backendClock'>,
): boolean {
  const before = watched.bracket;
  let bracket = before;
  for (const order of orders) {
    const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
    const filled = isVoid ? 0n : (decimalFromNumber(order.fillQty) ?? 0n);
    if (bracket.state === 'placing' && mayBeEntry(book, bracket, order))
      bracket = { ...bracket, state: 'open', entryIdEx: order.orderIDEx };
    if (order.orderIDEx === bracket.entryIdEx && bracket.entryIdEx !== '') {
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
    if (exit === undefined || !isExitOrder(bracket, exit, order)) continue;
    bracket = afterExitOrder({ ...bracket, exit: { ...exit, idEx: order.orderIDEx } }, order, filled, watched.last);
    const ended = bracket.exit === undefined && !exit.cancelling && order.orderStatus !== OrderStatus.OrderStatus_Filled_All;
    if (!ended) continue;
    // Whoever would not have this one would not have another now; one that the gateway holds instead is none.
    if (bracket.stopHeld === before.stopHeld) watched.retryAt = backendClock.monotonic() + LOOK_MS;
    if (order.lastErrMsg !== '' && !failures.has(order.orderStatus)) watched.priceSince = order.updateTime.slice(0, DAY_LENGTH);
  }
  watched.bracket = bracket;
  return bracket !== before;
}

/**
 * Whether an order may be the entry whose answer was lost. A remark that the gateway wrote names this bracket alone, whatever the
 * brokerage's clock says; one of the caller's may stand beside every order.
 */
function mayBeEntry(book: BracketBook, bracket: Bracket, order: Order): boolean {
  const { entryRemark, code, entryQty, createdAt } = bracket;
  if (order.remark !== entryRemark || order.code !== code || decimalFromNumber(order.qty) !== entryQty) return false;
  if (bracketOfRemark(entryRemark) === bracket.id) return true;
  if (order.createTimestamp > 0 && order.createTimestamp * 1000 < createdAt - SKEW_MS) return false;
  return !book.of(bracket).some(({ id, entryIdEx }) => id !== bracket.id && entryIdEx === order.orderIDEx);
}

function afterExitOrder(bracket: Bracket, order: Order, told: Decimal, last: Decimal): Bracket {
  const { exit } = bracket;
  if (exit === undefined) return bracket;
  const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
  const filled = isVoid || told > exit.filled ? told : exit.filled;
  if (finalStatuses.has(order.orderStatus) || order.orderStatus === OrderStatus.OrderStatus_Disabled) {
    return afterExit(bracket, exit, { filled, by: endOf(order, filled >= exit.qty), why: order.lastErrMsg }, last);
  }
  // Somebody may have changed it: then another replaces it.
  const qty = decimalFromNumber(order.qty) ?? exit.qty;
  const unconfirmed = order.orderStatus === OrderStatus.OrderStatus_Unsubmitted ? order.orderID : 0n;
  return { ...bracket, exit: { ...exit, qty, filled, unconfirmed } };
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
