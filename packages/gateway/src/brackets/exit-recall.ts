import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { BackendRefused } from '../backend-failures.js';
import { LISTS_APART_MS } from '../orders/order.js';
import { bracketOfRemark } from '../valuation/bracket-terms.js';
import { applyOrders } from './apply-orders.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, isEntryOrder, isExitOrder, nameOf, unclosed } from './bracket.js';
import type { BracketsDeps } from './deps.js';
import { carriesRemarks, isInMarket, isLikeExit, mayBeExit, ownExitNumber, ownExits, recalledExits, surplusExits } from './own-exits.js';
import { type BracketReads, unanswered } from './reads.js';

/** Brackets share a list of all orders for so long: brokerages list them afresh ten times in 30 s. */
const SHARED_MS = 3_500;

/** Looks for exits that an earlier process sent and did not record. No exit is placed before: a second one could open the opposite position. */
export class ExitRecall {
  /** The last list of all orders, by account and market. */
  readonly #lists = new Map<string, { readonly askedAt: number; readonly orders: Promise<readonly Order[] | undefined> }>();

  constructor(
    private readonly deps: BracketsDeps,
    private readonly book: BracketBook,
    private readonly reads: BracketReads,
  ) {}

  /** A push shows an exit that is not recorded: looks for a bracket's exits anew, in lists that are asked for after it. */
  restart(watched: Watched): void {
    watched.exitsKnown = false;
    this.#lists.delete(placeOf(watched.bracket));
  }

  /**
   * After a start, finds the exits that an earlier process sent and could not record, as while the disk took no writes: among all orders, asked
   * for afresh, twice {@link LISTS_APART_MS} apart where lists may be behind. Such an exit becomes the bracket's own; nothing else is done for its
   * exits before. Returns exits that are in the market beside another. `again` is called when it is time for another list.
   */
  async look(watched: Watched, again: () => Promise<void>): Promise<readonly Order[]> {
    const { backend, backendClock } = this.deps;
    const now = backendClock.monotonic();
    if (watched.exitsKnown || (watched.recalledAt !== undefined && now - watched.recalledAt < LISTS_APART_MS)) return [];
    watched.recalledAt = now;
    backendClock.after(LISTS_APART_MS, () => void (watched.exitsKnown || again()));
    const { bracket } = watched;
    const { askedAt, orders: listed } = await this.#allOrders(bracket);
    if (listed === undefined) return [];
    applyOrders(this.book, watched, listed, 'list', this.deps);
    const surplus = surplusExits(ownExits(watched.bracket, listed));
    if (surplus.length > 0) return surplus;
    // An exit follows the entry: it may still be found.
    if (watched.bracket.state === 'placing') return [];
    watched.listedSince ??= askedAt;
    if (!backend.listsCurrent && askedAt - watched.listedSince < LISTS_APART_MS) return [];
    await this.#adopt(watched, listed);
    return [];
  }

  /** Takes over what a list that counts has of a bracket's own exits. */
  async #adopt(watched: Watched, listed: readonly Order[]): Promise<void> {
    const { bracket } = watched;
    const isNone = bracket.entryFilled <= 0n && bracket.exit === undefined;
    let orders = listed;
    if (!isNone && !ownExits(bracket, listed).some(isInMarket)) {
      // The last one may have ended on an earlier day.
      const history = await this.reads.history(bracket, { codeList: [bracket.code] }).catch(refused);
      if (watched.bracket !== bracket) return;
      orders = [...listed, ...history.filter((order) => listed.every(({ orderIDEx }) => orderIDEx !== order.orderIDEx))];
    }
    let own = ownExits(bracket, orders);
    const isNamed = own.some((order) => ownExitNumber(bracket, order) > 0) || carriesRemarks(bracket, orders);
    if (!isNone && !isNamed && !own.some(isInMarket) && unclosed(bracket) > 0n) {
      const unnamed = await this.#unnamedExit(watched, orders);
      if (unnamed === undefined || watched.bracket !== bracket) return;
      own = unnamed;
    }
    for (const step of recalledExits(watched, own)) {
      watched.bracket = step.bracket;
      applyOrders(this.book, watched, [step.order], 'recall', this.deps);
    }
    const { exit } = watched.bracket;
    if (exit !== undefined && exit.idEx !== bracket.exit?.idEx) {
      this.deps.logger.warn({ bracket: bracket.id }, `its ${nameOf(exit)} ${exit.idEx} was found among the orders`);
      // The quantity was confirmed before the exit was sent.
      if (exit.qty - exit.filled > watched.confirmed) watched.confirmed = exit.qty - exit.filled;
    }
    watched.surplus.clear();
    watched.exitsKnown = true;
    watched.recalledAt = undefined;
    watched.listedSince = undefined;
  }

  /**
   * The exit of a bracket whose brokerage keeps no remarks: the only order like one. Empty where there is none, and all that trades on its side leaves
   * enough of the position; undefined where nothing tells, and the bracket is `unclear`.
   */
  async #unnamedExit(watched: Watched, orders: readonly Order[]): Promise<Order[] | undefined> {
    const { bracket } = watched;
    const over = ownExits(bracket, orders);
    const working = orders.filter((order) => isInMarket(order) && mayBeExit(bracket, order) && !this.#isAnothers(bracket, order));
    const alike = working.filter((order) => isLikeExit(bracket, order));
    if (alike.length === 1) return [...over, ...alike];
    if (alike.length === 0) {
      if (working.length === 0) return over;
      const held = await this.reads.held(bracket, true);
      if (held === undefined) return undefined;
      const open = ({ qty, fillQty }: Order) => (decimalFromNumber(qty) ?? 0n) - (decimalFromNumber(fillQty) ?? 0n);
      const closing = working.reduce((sum, order) => sum + open(order), 0n);
      if (this.book.leftOf(bracket, held) - closing >= unclosed(bracket)) return over;
    }
    const note = 'an exit of its own may be among the orders, where the brokerage keeps no remarks: check the orders and positions';
    this.deps.logger.error({ bracket: bracket.id }, note);
    await this.book.keep(watched, { ...watched.bracket, state: 'unclear', note });
    this.book.drop(watched);
    return undefined;
  }

  /** Whether an order is of another bracket. */
  #isAnothers(bracket: Bracket, order: Order): boolean {
    const named = bracketOfRemark(order.remark);
    if (named !== undefined && named !== bracket.id) return true;
    for (const { bracket: other } of this.book.watched.values()) {
      if (other.id !== bracket.id && (isEntryOrder(other, order) || (other.exit !== undefined && isExitOrder(other, other.exit, order))))
        return true;
    }
    return false;
  }

  /** All orders of an account, asked for afresh; brackets that ask within a while share one list. */
  async #allOrders(bracket: Bracket): Promise<{ readonly askedAt: number; readonly orders: readonly Order[] | undefined }> {
    const place = placeOf(bracket);
    const askedAt = this.deps.backendClock.monotonic();
    const before = this.#lists.get(place);
    if (before !== undefined && askedAt - before.askedAt < SHARED_MS) return { askedAt: before.askedAt, orders: await before.orders };
    const orders = this.reads.orders(bracket, {}, true).catch(unanswered);
    this.#lists.set(place, { askedAt, orders });
    return { askedAt, orders: await orders };
  }
}

/** A brokerage that has no such list, as of the fills of simulated accounts, lists nothing. */
function refused(thrown: unknown): [] {
  if (!(thrown instanceof BackendRefused)) throw thrown;
  return [];
}

function placeOf({ accId, trdEnv, trdMarket }: Bracket): string {
  return `${accId}/${trdEnv}/${trdMarket}`;
}
