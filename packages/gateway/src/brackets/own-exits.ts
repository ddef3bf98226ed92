import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Order, OrderStatus, OrderType } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { finalStatuses, nameOfOrder } from '../orders/order.js';
import { exitNumberOf, remarkOf } from '../valuation/bracket-terms.js';
import { type Bracket, type Exit, exitOrder, isEntryOrder, isOfExitSide, isOfSecurity, newExit, unclosed } from './bracket.js';
import { afterExit } from './decide.js';

/** How far the brokerage's clock may be behind. */
const SKEW_MS = 2_000;
/** Brokerages move prices to a step: at most a tenth of the price. */
const STEPS_PER_PRICE = 10n;

/** A bracket that takes the exits which are found into account one by one. */
interface Recalled {
  readonly bracket: Bracket;
  readonly last: Decimal;
  readonly surplus: ReadonlySet<string>;
}

/** The number of a bracket's exit that an order is, by its remark and by what it trades; 0 where it is none. */
export function ownExitNumber(bracket: Bracket, order: Order): number {
  const number = exitNumberOf(bracket.id, order.remark);
  return number > 0 && isOfSecurity(bracket, order) && isOfExitSide(bracket, order) ? number : 0;
}

/** Whether an exit is still in the market; one that is disabled counts as over. */
export function isInMarket({ orderStatus }: Order): boolean {
  return !finalStatuses.has(orderStatus) && orderStatus !== OrderStatus.OrderStatus_Disabled;
}

/** The exits of a bracket among orders, by number. */
export function ownExits(bracket: Bracket, orders: readonly Order[]): Order[] {
  const isOwn = (order: Order) => isCurrent(bracket, order) || ownExitNumber(bracket, order) > 0;
  const rank = (order: Order) => [numberOf(bracket, order), isCurrent(bracket, order) ? 1 : 0, order.createTimestamp];
  return orders.filter(isOwn).sort((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const at = left.findIndex((value, i) => value !== right[i]);
    return (left[at] ?? 0) - (right[at] ?? 0);
  });
}

/** All of a bracket's own exits that are in the market, but the one to keep: its latest. */
export function surplusExits(own: readonly Order[]): Order[] {
  return own.filter(isInMarket).slice(0, -1);
}

/** Whether an exit of a bracket is in the market that its row knows nothing of. */
export function isUnrecorded(bracket: Bracket, order: Order): boolean {
  const number = isInMarket(order) ? ownExitNumber(bracket, order) : 0;
  const { exit, exits } = bracket;
  // Late pushes of an earlier exit have its number.
  const isSecond = number === exits && exit !== undefined && exit.idEx !== '' && exit.idEx !== order.orderIDEx;
  return number > exits || (number > 0 && isSecond);
}

/**
 * The exits that a bracket's row does not count yet, in order, each with the bracket as it was while that exit was the one in the market. Lazily:
 * the bracket has taken one into account before the next. Another is sent only once the one before it is over, so the gateway ended all but the last.
 */
export function* recalledExits(watched: Recalled, own: readonly Order[]): Iterable<{ readonly bracket: Bracket; readonly order: Order }> {
  const { bracket: before } = watched;
  const isCounted = (order: Order) =>
    !isCurrent(before, order) && numberOf(before, order) <= before.exits && !watched.surplus.has(nameOfOrder(order));
  const found = own
    .filter((order) => order.orderIDEx !== '' && !isCounted(order))
    .sort((a, b) => Number(isInMarket(a)) - Number(isInMarket(b)));
  for (const order of found) {
    const { bracket, last } = watched;
    const isLast = order === found.at(-1);
    const isOwn = isCurrent(bracket, order);
    const { exit: current } = bracket;
    const rest =
      current === undefined || isOwn
        ? bracket
        : afterExit(bracket, { ...current, cancelling: true }, { filled: current.filled, by: 'cancel', why: '' }, last);
    const exit = isOwn && current !== undefined ? current : exitOf(rest, order);
    yield {
      order,
      bracket: {
        ...rest,
        exits: Math.max(rest.exits, numberOf(rest, order)),
        exit: { ...exit, idEx: order.orderIDEx, cancelling: exit.cancelling || !isLast },
      },
    };
  }
}

/** Whether the brokerage is seen to keep remarks, by a bracket's entry. */
export function carriesRemarks(bracket: Bracket, orders: readonly Order[]): boolean {
  return orders.some((order) => isEntryOrder(bracket, order) && order.remark === bracket.entryRemark);
}

/** Whether an order may be an exit of a bracket where remarks say nothing: it closes on its side, and was sent after it. */
export function mayBeExit(bracket: Bracket, order: Order): boolean {
  const isAfter = order.createTimestamp <= 0 || order.createTimestamp * 1000 >= bracket.createdAt - SKEW_MS;
  return isAfter && isOfSecurity(bracket, order) && isOfExitSide(bracket, order);
}

/** Whether an order that {@link mayBeExit} is like the exit that the bracket would have: by type, quantity and prices. One that is over closes no more. */
export function isLikeExit(bracket: Bracket, order: Order): boolean {
  if (!isInMarket(order)) return false;
  const exit = exitOf(bracket, order);
  const sent = exitOrder(bracket, exit);
  return (
    order.orderType === sent.orderType &&
    exit.qty === (bracket.exit?.idEx === '' ? bracket.exit.qty : unclosed(bracket)) &&
    isNear(order.price, sent.price) &&
    isNear(order.auxPrice, sent.auxPrice)
  );
}

function isCurrent(bracket: Bracket, order: Order): boolean {
  const { exit } = bracket;
  if (exit === undefined) return false;
  // Somebody may have changed its quantity since it was sent.
  return exit.idEx === '' ? order.remark === exit.remark && ownExitNumber(bracket, order) > 0 : order.orderIDEx === exit.idEx;
}

/** An order that is known by its text alone, or by what it is, has the number of the row's exit, or the next. */
function numberOf(bracket: Bracket, order: Order): number {
  return ownExitNumber(bracket, order) || (isCurrent(bracket, order) ? bracket.exits : bracket.exits + 1);
}

/** Describes an order as an exit that was never recorded, or whose text is not known. */
function exitOf(bracket: Bracket, order: Order): Exit {
  const { orderType } = order;
  const isStop = orderType === OrderType.OrderType_Stop || orderType === OrderType.OrderType_StopLimit;
  const isTarget = !isStop && orderType !== OrderType.OrderType_Market && isNearestToTarget(bracket, decimalFromNumber(order.price) ?? 0n);
  return newExit({
    kind: isTarget ? 'target' : 'stop',
    reached: !isStop && !isTarget,
    remark: remarkOf(bracket.id, numberOf(bracket, order)),
    qty: decimalFromNumber(order.qty) ?? 0n,
  });
}

function isNearestToTarget({ takeProfit, stopLimit }: Bracket, price: Decimal): boolean {
  if (takeProfit === 0n || stopLimit === 0n) return takeProfit > 0n;
  return distance(price, takeProfit) <= distance(price, stopLimit);
}

/** Whether a price that is shown is the one that was sent, moved to a step; any is where none was sent. */
function isNear(shown: number, sent: number): boolean {
  const [a, b] = [decimalFromNumber(shown) ?? 0n, decimalFromNumber(sent) ?? 0n];
  return b === 0n || distance(a, b) * STEPS_PER_PRICE <= b;
}

function distance(a: Decimal, b: Decimal): Decimal {
  return a > b ? a - b : b - a;
}
