import { create } from '@bufbuild/protobuf';
import { Absences } from '../../access/index.js';
import { type Decimal, decimalFromNumber, formatDecimal, lesser } from '../../contract/decimal.js';
import { type BasicQot, type Rehab, SecuritySchema } from '../../contract/generated/Qot_Common_pb.js';
import { C2SSchema as QuoteC2S } from '../../contract/generated/Qot_GetBasicQot_pb.js';
import { C2SSchema as RehabC2S } from '../../contract/generated/Qot_RequestRehab_pb.js';
import { type Order, PositionSide, TrdFilterConditionsSchema } from '../../contract/generated/Trd_Common_pb.js';
import { C2SSchema as HistoryC2S } from '../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import { C2SSchema as OrderListC2S } from '../../contract/generated/Trd_GetOrderList_pb.js';
import { C2SSchema as PositionsC2S } from '../../contract/generated/Trd_GetPositionList_pb.js';
import { quoteMarketOfSecMarket } from '../../contract/markets.js';
import { account, metadata, quote } from '../../contract/operations/index.js';
import { BackendFailure, BackendRefused } from '../backend.js';
import { LISTS_APART_MS } from '../orders/account-orders.js';
import { bracketOfRemark } from '../orders/bracket-entry.js';
import { followingSpan, historySpan } from '../orders/order-history.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, exitBuys, headerOf, isActive, isEntryOrder, isExitOrder, isOfSamePosition, nameOf, unclosed } from './bracket.js';
import { tradedAgainst } from './closing-trades.js';
import { learn, type OrderSource } from './learn.js';
import { isEmpty, namesOf, type OrderNames, unlisted } from './order-names.js';
import {
  carriesRemarks,
  isInMarket,
  isLikeExit,
  isUnrecorded,
  mayBeExit,
  ownExitNumber,
  ownExits,
  recalledExits,
  surplusExits,
} from './own-exits.js';
import { alert, type BracketsParts, contextOf, LOOK_MS, LOST_MS } from './parts.js';
import { afterShareChange, quoteDay, shareChanges } from './share-changes.js';

/** A list that has just been asked for is not asked for once more. */
const JUST_NOW_MS = 1_000;
/** Brackets share a list of all orders for so long: brokerages list them afresh ten times in 30 s. */
const SHARED_MS = 3_500;

type HistoryFilter = Partial<OrderNames> & { readonly codeList?: string[] };

/** A brokerage that cannot be asked has not said anything. */
function unanswered(thrown: unknown): undefined {
  if (!(thrown instanceof BackendFailure)) throw thrown;
}

/** A brokerage that has no such list, as of the fills of simulated accounts, lists nothing. */
function refused(thrown: unknown): [] {
  if (!(thrown instanceof BackendRefused)) throw thrown;
  return [];
}

/** Asks the brokerage how things stand with a bracket: its orders, the position that it guards, and the price. */
export class Inquiry {
  readonly #parts: BracketsParts;
  readonly #book: BracketBook;
  /** By bracket id: since when lists have been asked for its exits. */
  readonly #recalls = new Absences<string>();
  /** By account and market: the last list of all orders. */
  readonly #lists = new Map<string, { readonly askedAt: number; readonly orders: Promise<readonly Order[] | undefined> }>();

  constructor(parts: BracketsParts, book: BracketBook) {
    this.#parts = parts;
    this.#book = book;
  }

  /** Takes what orders say into account; whether that was news. */
  learn(watched: Watched, orders: readonly Order[], source: OrderSource): boolean {
    const { note: before } = watched.bracket;
    if (source === 'push' && watched.exitsKnown && orders.some((order) => isUnrecorded(watched.bracket, order))) {
      watched.exitsKnown = false;
      // A list of before that push may lack it.
      this.#lists.delete(placeOf(watched.bracket));
      return true;
    }
    const isNews = learn(this.#book, watched, orders, source, this.#parts);
    const { id, note } = watched.bracket;
    if (note !== before && note !== '') this.#parts.logger.warn({ bracket: id }, note);
    return isNews;
  }

  /** Holds a bracket against the brokerage's orders and the price; whether something may follow from that. */
  async compare(watched: Watched): Promise<boolean> {
    const { backend } = this.#parts;
    const header = headerOf(watched.bracket);
    if (backend.readiness(account.getOrders, create(OrderListC2S, { header })) !== undefined) return false;
    const { bracket: sought } = watched;
    const asked = await this.ask(watched);
    // An exit that is not known yet may have closed what is not there.
    if (watched.exitsKnown) await this.askPosition(watched);
    await this.askPrice(watched);
    if (!isMissing(watched.bracket)) watched.missingSince = undefined;
    else if (
      asked &&
      isMissing(sought) &&
      (watched.exitsKnown || watched.bracket.exit === undefined) &&
      sought.exits === watched.bracket.exits &&
      !watched.busy
    ) {
      if (await this.#giveUp(watched)) return false;
    }
    // A cancellation that was lost is asked for again: that cancels nothing twice.
    const current = watched.bracket.exit;
    if (watched.exitsKnown && current?.cancelling && current.idEx !== '' && !watched.busy)
      await this.#book.keep(watched, { ...watched.bracket, exit: { ...current, cancelling: false } });
    return true;
  }

  /** Of an order that is not in the brokerage's list though it was sent; whether nothing more can be done for the bracket. */
  async #giveUp(watched: Watched): Promise<boolean> {
    const { backendClock, recordedInOrder, logger } = this.#parts;
    watched.missingSince ??= backendClock.monotonic();
    const isTime = backendClock.monotonic() - watched.missingSince > LOST_MS;
    if (!recordedInOrder && !isTime) return false;
    // It may have ended on an earlier day.
    await this.#askHistory(watched, { codeList: [watched.bracket.code] });
    const { bracket } = watched;
    if (!isMissing(bracket) || watched.busy) return false;
    if (recordedInOrder && bracket.exit !== undefined) {
      // What this brokerage records is there, or it never was.
      await this.#book.keep(watched, { ...bracket, exit: undefined });
      return false;
    }
    if (!isTime) return false;
    const note = `what became of its ${bracket.state === 'placing' ? 'entry' : 'exit'} is not known: check the orders and positions`;
    logger.error({ bracket: bracket.id }, note);
    await this.#book.keep(watched, { ...bracket, state: 'unclear', note });
    this.#book.drop(watched);
    return true;
  }

  /** Asks for the orders of a bracket; whether the brokerage has listed them. */
  async ask(watched: Watched): Promise<boolean> {
    const { backend } = this.#parts;
    const { bracket } = watched;
    const names = namesOf(bracket);
    const wholeList = isMissing(bracket);
    if (isEmpty(names) && !wholeList) return true;
    const header = headerOf(bracket);
    const filterConditions = create(TrdFilterConditionsSchema, wholeList ? {} : names);
    const context = contextOf(this.#parts, bracket.id);
    const answer = await backend.call(
      account.getOrders,
      create(OrderListC2S, { header, filterConditions, refreshCache: wholeList }),
      context,
    );
    const orders = payloadOf(account.getOrders, answer)?.orderList ?? [];
    this.learn(watched, orders, 'list');
    // What ended on an earlier day is in the history alone.
    const gone = unlisted(names, orders);
    if (answer.retType !== RET_SUCCEED) return false;
    if (!isEmpty(gone)) await this.#askHistory(watched, gone);
    return true;
  }

  /** Looks for orders under other days. */
  async #askHistory(watched: Watched, of: HistoryFilter): Promise<void> {
    this.learn(watched, await this.#historyOf(watched.bracket, of), 'list');
  }

  /** Orders under other days; under later ones too, where a clock that was set back left them. */
  async #historyOf(bracket: Bracket, of: HistoryFilter): Promise<Order[]> {
    const { backend, clock } = this.#parts;
    const header = headerOf(bracket);
    const now = clock.now();
    const found: Order[] = [];
    for (const span of [historySpan(now), followingSpan(now)]) {
      const query = create(HistoryC2S, { header, filterConditions: create(TrdFilterConditionsSchema, { ...of, ...span }) });
      const history = await backend.call(account.getHistoryOrders, query, contextOf(this.#parts, bracket.id));
      found.push(...(payloadOf(account.getHistoryOrders, history)?.orderList ?? []));
      if (of.codeList === undefined && isEmpty(unlisted(of, found))) break;
    }
    return found;
  }

  /**
   * After a start, finds the exits that an earlier process sent and could not record, as while the disk took no writes: among all orders, asked
   * for afresh, twice {@link LISTS_APART_MS} apart where lists may be behind. Such an exit becomes the bracket's own; nothing else is done for its
   * exits before. Returns exits that are in the market beside another. `again` is called when it is time for another list.
   */
  async recall(watched: Watched, again: () => Promise<void>): Promise<readonly Order[]> {
    const { backend, backendClock } = this.#parts;
    const now = backendClock.monotonic();
    if (watched.exitsKnown || (watched.recalledAt !== undefined && now - watched.recalledAt < LISTS_APART_MS)) return [];
    watched.recalledAt = now;
    backendClock.after(LISTS_APART_MS, () => void (watched.exitsKnown || again()));
    const { bracket } = watched;
    const { askedAt, orders: listed } = await this.#allOrders(bracket);
    if (listed === undefined) return [];
    this.learn(watched, listed, 'list');
    const surplus = surplusExits(ownExits(watched.bracket, listed));
    if (surplus.length > 0) return surplus;
    // An exit follows the entry: it may still be found.
    if (watched.bracket.state === 'placing') return [];
    if (!this.#recalls.provenBy(bracket.id, askedAt, backend.listsCurrent ? 0 : LISTS_APART_MS)) return [];
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
      const history = await this.#historyOf(bracket, { codeList: [bracket.code] }).catch(refused);
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
      this.learn(watched, [step.order], 'recall');
    }
    const { exit } = watched.bracket;
    if (exit !== undefined && exit.idEx !== bracket.exit?.idEx) {
      this.#parts.logger.warn({ bracket: bracket.id }, `its ${nameOf(exit)} ${exit.idEx} was found among the orders`);
      // It was confirmed before it was sent.
      if (exit.qty - exit.filled > watched.confirmed) watched.confirmed = exit.qty - exit.filled;
    }
    watched.surplus.clear();
    watched.exitsKnown = true;
    watched.recalledAt = undefined;
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
      const held = await this.#heldOf(bracket, true);
      if (held === undefined) return undefined;
      const open = ({ qty, fillQty }: Order) => (decimalFromNumber(qty) ?? 0n) - (decimalFromNumber(fillQty) ?? 0n);
      const closing = working.reduce((sum, order) => sum + open(order), 0n);
      if (this.#leftOf(bracket, held) - closing >= unclosed(bracket)) return over;
    }
    const note = 'an exit of its own may be among the orders, where the brokerage keeps no remarks: check the orders and positions';
    this.#parts.logger.error({ bracket: bracket.id }, note);
    await this.#book.keep(watched, { ...watched.bracket, state: 'unclear', note });
    this.#book.drop(watched);
    return undefined;
  }

  /** Whether an order is of another bracket. */
  #isAnothers(bracket: Bracket, order: Order): boolean {
    const named = bracketOfRemark(order.remark);
    if (named !== undefined && named !== bracket.id) return true;
    for (const { bracket: other } of this.#book.watched.values()) {
      if (other.id !== bracket.id && (isEntryOrder(other, order) || (other.exit !== undefined && isExitOrder(other, other.exit, order))))
        return true;
    }
    return false;
  }

  /** All orders of an account, asked for afresh; brackets that ask within a while share one list. */
  async #allOrders(bracket: Bracket): Promise<{ readonly askedAt: number; readonly orders: readonly Order[] | undefined }> {
    const { backend, backendClock } = this.#parts;
    const header = headerOf(bracket);
    const place = placeOf(bracket);
    const askedAt = backendClock.monotonic();
    const before = this.#lists.get(place);
    if (before !== undefined && askedAt - before.askedAt < SHARED_MS) return { askedAt: before.askedAt, orders: await before.orders };
    const query = create(OrderListC2S, { header, filterConditions: create(TrdFilterConditionsSchema, {}), refreshCache: true });
    const ask = async () => {
      const answer = await backend.call(account.getOrders, query, contextOf(this.#parts, bracket.id));
      return answer.retType === RET_SUCCEED ? payloadOf(account.getOrders, answer)?.orderList : undefined;
    };
    const orders = ask().catch(unanswered);
    this.#lists.set(place, { askedAt, orders });
    return { askedAt, orders: await orders };
  }

  /**
   * Takes off what somebody else has closed of the position, as an exit for that would open the opposite one. A brokerage's list of positions
   * may lag behind its orders, or have the position under another code: it counts once it has lacked the position for a while, also when it is
   * made afresh, and something else says the same.
   */
  async askPosition(watched: Watched): Promise<void> {
    const { backendClock, recordedInOrder } = this.#parts;
    const { bracket } = watched;
    const open = unclosed(bracket);
    if (open <= 0n) return;
    const listed = await this.#heldOf(bracket, false);
    if (listed === undefined) return;
    if (this.#leftOf(bracket, listed) >= open) return this.#seeHeld(watched, listed);
    // The position is of new shares already, and the bracket follows with the first price of theirs.
    if (bracket.stopHeld && (await this.#changes(bracket))?.length) return;
    watched.spareSince = undefined;
    const now = backendClock.monotonic();
    watched.lackingSince ??= now;
    if (!recordedInOrder && now - watched.lackingSince < LOOK_MS) return;
    const held = recordedInOrder ? listed : await this.#heldOf(bracket, true);
    if (held === undefined) return;
    const lacking = open - this.#leftOf(bracket, held);
    if (lacking <= 0n) return this.#seeHeld(watched, held);
    // No list is behind for so long.
    const proven = now - watched.lackingSince >= LOST_MS ? lacking : await this.#provenGone(bracket, held, lacking);
    if (proven <= 0n) return;
    // It may have been an exit of its own.
    await this.ask(watched);
    if (unclosed(watched.bracket) !== open) return;
    const note = `${formatDecimal(proven)} of its position were closed by somebody else`;
    this.#parts.logger.warn({ bracket: bracket.id }, note);
    await this.#book.keep(watched, { ...watched.bracket, gone: watched.bracket.gone + proven, note });
  }

  /**
   * Where lists may be behind, finds out how much of what the exits are for is there: as much as two fresh lists show, {@link LISTS_APART_MS}
   * apart. `again` is called when it is time for another list.
   */
  async confirm(watched: Watched, again: () => Promise<void>): Promise<void> {
    const { backendClock, logger, hub } = this.#parts;
    const { bracket } = watched;
    const open = unclosed(bracket);
    const askedAt = backendClock.monotonic();
    if (!isActive(bracket) || bracket.ending || open <= watched.confirmed) return;
    const before = watched.shown;
    if (before !== undefined && askedAt - before.askedAt < LISTS_APART_MS) return;
    const held = await this.#heldOf(bracket, true).catch(unanswered);
    const left = held === undefined ? 0n : lesser(this.#leftOf(bracket, held), open);
    watched.shown = { left, askedAt };
    if (before !== undefined) watched.confirmed = lesser(before.left, left);
    if (watched.confirmed >= open) return;
    backendClock.after(LISTS_APART_MS, () => void again());
    if (before === undefined || watched.bracket !== bracket) return;
    const note = `the brokerage does not list ${formatDecimal(open - watched.confirmed)} of its position: no exit is sent for that`;
    if (note !== bracket.note) {
      logger.warn({ bracket: bracket.id }, note);
      alert(hub, bracket, `waits: ${note}`);
    }
    await this.#book.keep(watched, { ...bracket, note });
  }

  /** Whether all that an exit of `qty` would be for is there: an exit for more would open the opposite position. */
  async isThere(watched: Watched, qty: Decimal): Promise<boolean> {
    const { backend, backendClock, logger } = this.#parts;
    const { bracket } = watched;
    if (!backend.listsCurrent) {
      const askedAt = backendClock.monotonic();
      if (watched.shown !== undefined && askedAt - watched.shown.askedAt < JUST_NOW_MS) return watched.shown.left >= qty;
      const shown = await this.#heldOf(bracket, true).catch(unanswered);
      if (shown !== undefined && this.#leftOf(bracket, shown) >= qty) return true;
      // Two lists have to show it again.
      watched.confirmed = 0n;
      watched.shown = { left: shown === undefined ? 0n : lesser(this.#leftOf(bracket, shown), unclosed(bracket)), askedAt };
      return false;
    }
    const held = await this.#heldOf(bracket, false);
    if (held === undefined || watched.bracket !== bracket) return held === undefined;
    const lacking = unclosed(bracket) - this.#leftOf(bracket, held);
    // The position is of new shares already, and the bracket follows with the first price of theirs.
    if (lacking <= 0n || (bracket.stopHeld && (await this.#changes(bracket))?.length)) return true;
    const note = `${formatDecimal(lacking)} of its position are not there, or were closed by somebody else: no exit is for them`;
    logger.warn({ bracket: bracket.id }, note);
    await this.#book.keep(watched, { ...bracket, gone: bracket.gone + lacking, note });
    return false;
  }

  /**
   * How much of what is lacking is gone for sure: all where the list has had the position and has nothing of it any more, or where it is never
   * behind the orders; or else what others have traded against it.
   */
  async #provenGone(bracket: Bracket, held: Decimal, lacking: Decimal): Promise<Decimal> {
    if (bracket.seenHeld && (this.#parts.recordedInOrder || held === 0n)) return lacking;
    return lesser(lacking, await tradedAgainst(this.#parts, this.#book, bracket));
  }

  /** All of the position is there. What was taken for gone is guarded again where, for a while, more is held than all brackets guard. */
  async #seeHeld(watched: Watched, held: Decimal): Promise<void> {
    const { backendClock, logger } = this.#parts;
    watched.lackingSince = undefined;
    // On disk: what is closed while the daemon is away counts as well.
    if (!watched.bracket.seenHeld) await this.#book.keep(watched, { ...watched.bracket, seenHeld: true });
    const { bracket } = watched;
    const { gone, gained } = bracket;
    const spare = held - unclosed(bracket) - this.#guardedBeside(bracket, () => true);
    // After a change of the shares, what is gone is a number of old ones.
    const back = gained === 0n ? lesser(spare, gone) : 0n;
    if (back <= 0n) {
      watched.spareSince = undefined;
      return;
    }
    const now = backendClock.monotonic();
    watched.spareSince ??= now;
    // It may be what another entry has just filled.
    if (now - watched.spareSince < LOOK_MS) return;
    const note = `${formatDecimal(back)} of its position are there again`;
    logger.info({ bracket: bracket.id }, note);
    await this.#book.keep(watched, { ...bracket, gone: gone - back, note });
  }

  /** What is held of the position that a bracket's exits close; undefined where the brokerage does not say. */
  async #heldOf(bracket: Bracket, refreshCache: boolean): Promise<Decimal | undefined> {
    const query = create(PositionsC2S, {
      header: headerOf(bracket),
      filterConditions: create(TrdFilterConditionsSchema, { codeList: [bracket.code] }),
      refreshCache,
    });
    const answer = await this.#parts.backend.call(account.getPositions, query, contextOf(this.#parts, bracket.id));
    const positions = payloadOf(account.getPositions, answer)?.positionList;
    if (answer.retType !== RET_SUCCEED || positions === undefined) return undefined;
    const side = exitBuys(bracket) ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
    let held = 0n;
    for (const { code, secMarket, positionSide, qty } of positions) {
      if (code === bracket.code && secMarket === bracket.secMarket && positionSide === side) held += decimalFromNumber(Math.abs(qty)) ?? 0n;
    }
    return held;
  }

  /** What is left of a position for a bracket, without what older ones guard of it. */
  #leftOf(bracket: Bracket, held: Decimal): Decimal {
    const left = held - this.#guardedBeside(bracket, (other) => isOlder(other, bracket));
    return left > 0n ? left : 0n;
  }

  /** What other brackets guard of the same position. */
  #guardedBeside(bracket: Bracket, counts: (other: Bracket) => boolean): Decimal {
    let guarded = 0n;
    for (const { bracket: other } of this.#book.watched.values()) {
      if (other.id !== bracket.id && isOfSamePosition(bracket, other) && counts(other)) guarded += unclosed(other);
    }
    return guarded;
  }

  /** Asks for the price of now. */
  async askPrice(watched: Watched): Promise<void> {
    const market = quoteMarketOfSecMarket(watched.bracket.secMarket);
    if (market === undefined) return;
    const security = create(SecuritySchema, { market: market.number, code: watched.bracket.code });
    const answer = await this.#parts.backend.call(
      quote.getQuote,
      create(QuoteC2S, { securityList: [security] }),
      contextOf(this.#parts, watched.bracket.id),
    );
    const quoted = payloadOf(quote.getQuote, answer)?.basicQotList[0];
    if (quoted !== undefined) await this.see(watched, quoted);
  }

  /**
   * Takes a quote into account; whether its price counts. Where the gateway holds the stop-loss itself, price and levels are of the same
   * shares: the first price that trades on a later day has the bracket follow what the issuer did to its shares up to then.
   */
  see(watched: Watched, quoted: BasicQot): boolean | Promise<boolean> {
    const { bracket } = watched;
    const last = decimalFromNumber(quoted.curPrice) ?? 0n;
    if (last <= 0n) return false;
    const day = quoteDay(quoted, quoteMarketOfSecMarket(bracket.secMarket)?.timeZone ?? 'UTC');
    if (bracket.levelsOf === '') watched.bracket = { ...bracket, levelsOf: day };
    if (bracket.priceSince !== undefined && day < bracket.priceSince) return false;
    // Before the first trade of a day it is the price of the day before, or what that becomes in new shares, and may have either's day.
    if (bracket.stopHeld && quoted.volume === 0n) return false;
    if (bracket.stopHeld && bracket.levelsOf !== '' && day > bracket.levelsOf) {
      if (watched.asksChanges) return false;
      if (this.#parts.backendClock.monotonic() >= watched.changesAt) {
        return this.#follow(watched, day, last).then(() => {
          this.#count(watched, last);
          return true;
        });
      }
    }
    this.#count(watched, last);
    return true;
  }

  #count(watched: Watched, last: Decimal): void {
    watched.last = last;
    if (watched.bracket.priceSince !== undefined) watched.bracket = { ...watched.bracket, priceSince: undefined };
  }

  /** Adjusts a bracket to the shares of a day, of which `last` is a price: once, as its prices and their day are one row. */
  async #follow(watched: Watched, day: string, last: Decimal): Promise<void> {
    const before = watched.bracket.levelsOf;
    watched.asksChanges = true;
    try {
      const changes = await this.#changes(watched.bracket, day);
      const { bracket } = watched;
      if (changes === undefined) {
        // A stop-loss that waited for this would protect less than one that goes by its old price. Prices come faster than one may ask.
        watched.changesAt = this.#parts.backendClock.monotonic() + LOOK_MS;
        const note = 'whether the issuer has changed the shares is not known: its prices stay as they are';
        if (bracket.note !== note) this.#parts.logger.warn({ bracket: bracket.id }, note);
        await this.#book.keep(watched, { ...bracket, note });
        return;
      }
      if (bracket.levelsOf !== before) return;
      const next = changes.reduce(afterShareChange, bracket);
      if (changes.length > 0) {
        this.#parts.logger.info({ bracket: bracket.id }, next.note);
        watched.lackingSince = undefined;
      }
      // The list of positions has to show the new shares before it can lack any.
      const seenHeld = next.seenHeld && changes.length === 0;
      // The step that is next may come before the row is on disk: its price is of the same shares as its levels.
      watched.last = last;
      await this.#book.keep(watched, { ...next, seenHeld, levelsOf: day });
    } finally {
      watched.asksChanges = false;
    }
  }

  /** What the issuer did to the shares since the day of a bracket's prices; undefined where the backend does not say. */
  async #changes({ id, secMarket, code, levelsOf }: Bracket, upTo?: string): Promise<readonly Rehab[] | undefined> {
    const market = quoteMarketOfSecMarket(secMarket);
    if (market === undefined || levelsOf === '') return [];
    const query = create(RehabC2S, { security: create(SecuritySchema, { market: market.number, code }) });
    const answer = await this.#parts.backend.call(metadata.getRehab, query, contextOf(this.#parts, id));
    const rehabList = answer.retType === RET_SUCCEED ? payloadOf(metadata.getRehab, answer)?.rehabList : undefined;
    return rehabList && shareChanges(rehabList, levelsOf, upTo);
  }
}

/** Whether it has an order of which only its own remark is known. */
function isMissing({ state, exit }: Bracket): boolean {
  return state === 'placing' || exit?.idEx === '';
}

function placeOf({ accId, trdEnv, trdMarket }: Bracket): string {
  return `${accId}/${trdEnv}/${trdMarket}`;
}

function isOlder(a: Bracket, b: Bracket): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}
