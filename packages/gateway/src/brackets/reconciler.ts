import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber, formatDecimal, lesser } from '@svc-gateway/contract/decimal';
import { type BasicQot, type Rehab, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as QuoteC2S } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import { C2SSchema as RehabC2S } from '@svc-gateway/contract/generated/Qot_RequestRehab_pb';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { account, metadata, quote } from '@svc-gateway/contract/operations';
import { LISTS_APART_MS, LOST_MS } from '../orders/order.js';
import { applyOrders, type OrderSource } from './apply-orders.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, headerOf, isActive, unclosed } from './bracket.js';
import { tradedAgainst } from './closing-trades.js';
import { alert, type BracketsDeps, LOOK_MS } from './deps.js';
import { ExitRecall } from './exit-recall.js';
import { isUnrecorded } from './own-exits.js';
import { type BracketReads, type HistoryFilter, isEmpty, namesOf, unanswered, unlisted } from './reads.js';
import { afterShareChange, quoteDay, shareChanges } from './share-changes.js';

/** A list that has just been asked for is not asked for once more. */
const JUST_NOW_MS = 1_000;

/** Asks the brokerage how things stand with a bracket: its orders, the position that it guards, and the price. */
export class BracketReconciler {
  readonly #recall: ExitRecall;

  constructor(
    private readonly deps: BracketsDeps,
    private readonly book: BracketBook,
    private readonly reads: BracketReads,
  ) {
    this.#recall = new ExitRecall(deps, book, reads);
  }

  /** Applies orders to a bracket; whether anything changed. */
  applyOrders(watched: Watched, orders: readonly Order[], source: OrderSource): boolean {
    if (source === 'push' && watched.exitsKnown && orders.some((order) => isUnrecorded(watched.bracket, order))) {
      this.#recall.restart(watched);
      return true;
    }
    return applyOrders(this.book, watched, orders, source, this.deps);
  }

  /** Looks for exits that an earlier process sent, see {@link ExitRecall.look}. */
  recall(watched: Watched, again: () => Promise<void>): Promise<readonly Order[]> {
    return this.#recall.look(watched, again);
  }

  /** Holds a bracket against the brokerage's orders and the price; whether something may follow from that. */
  async compare(watched: Watched): Promise<boolean> {
    const { backend } = this.deps;
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
      isIdle(watched)
    ) {
      if (await this.#giveUp(watched)) return false;
    }
    // A cancellation that was lost is asked for again: that cancels nothing twice.
    const current = watched.bracket.exit;
    if (watched.exitsKnown && current?.cancelling && current.idEx !== '' && !watched.busy)
      await this.book.keep(watched, { ...watched.bracket, exit: { ...current, cancelling: false } });
    return true;
  }

  /** Handles an order that was sent but is missing from the brokerage's list; true if nothing more can be done for the bracket. */
  async #giveUp(watched: Watched): Promise<boolean> {
    const { backendClock, recordedInOrder, logger } = this.deps;
    watched.missingSince ??= backendClock.monotonic();
    const isTime = backendClock.monotonic() - watched.missingSince > LOST_MS;
    if (!recordedInOrder && !isTime) return false;
    // The order may have ended on an earlier day.
    await this.#askHistory(watched, { codeList: [watched.bracket.code] });
    const { bracket } = watched;
    if (!isMissing(bracket) || !isIdle(watched)) return false;
    if (recordedInOrder && bracket.exit !== undefined) {
      // This brokerage records every order it receives, so the exit was never placed.
      await this.book.keep(watched, { ...bracket, exit: undefined });
      return false;
    }
    if (!isTime) return false;
    const note = `what became of its ${bracket.state === 'placing' ? 'entry' : 'exit'} is not known: check the orders and positions`;
    logger.error({ bracket: bracket.id }, note);
    await this.book.keep(watched, { ...bracket, state: 'unclear', note });
    this.book.drop(watched);
    return true;
  }

  /** Asks for the orders of a bracket; whether the brokerage has listed them. */
  async ask(watched: Watched): Promise<boolean> {
    const { bracket } = watched;
    const names = namesOf(bracket);
    const wholeList = isMissing(bracket);
    if (isEmpty(names) && !wholeList) return true;
    const orders = await this.reads.orders(bracket, wholeList ? {} : names, wholeList);
    if (orders === undefined) return false;
    this.applyOrders(watched, orders, 'list');
    // Orders that ended on an earlier day are in the history alone.
    const gone = unlisted(names, orders);
    if (!isEmpty(gone)) await this.#askHistory(watched, gone);
    return true;
  }

  /** Looks for orders under other days. */
  async #askHistory(watched: Watched, of: HistoryFilter): Promise<void> {
    this.applyOrders(watched, await this.reads.history(watched.bracket, of), 'list');
  }

  /**
   * Takes off what somebody else has closed of the position, as an exit for that would open the opposite one. A brokerage's list of positions
   * may lag behind its orders, or have the position under another code: it counts once it has lacked the position for a while, also when it is
   * made afresh, and something else says the same.
   */
  async askPosition(watched: Watched): Promise<void> {
    const { backendClock, recordedInOrder } = this.deps;
    const { bracket } = watched;
    const open = unclosed(bracket);
    if (open <= 0n) return;
    const listed = await this.reads.held(bracket, false);
    if (listed === undefined) return;
    if (this.book.leftOf(bracket, listed) >= open) return this.#seeHeld(watched, listed);
    // The position is of new shares already, and the bracket follows with the first price of theirs.
    if (bracket.stopHeld && (await this.#changes(bracket))?.length) return;
    watched.spareSince = undefined;
    const now = backendClock.monotonic();
    watched.lackingSince ??= now;
    if (!recordedInOrder && now - watched.lackingSince < LOOK_MS) return;
    const held = recordedInOrder ? listed : await this.reads.held(bracket, true);
    if (held === undefined) return;
    const lacking = open - this.book.leftOf(bracket, held);
    if (lacking <= 0n) return this.#seeHeld(watched, held);
    // No list is behind for so long.
    const proven = now - watched.lackingSince >= LOST_MS ? lacking : await this.#provenGone(bracket, held, lacking);
    if (proven <= 0n) return;
    // The change may come from one of the bracket's own exits.
    await this.ask(watched);
    if (unclosed(watched.bracket) !== open) return;
    const note = `${formatDecimal(proven)} of its position were closed by somebody else`;
    this.deps.logger.warn({ bracket: bracket.id }, note);
    await this.book.keep(watched, { ...watched.bracket, gone: watched.bracket.gone + proven, note });
  }

  /**
   * Where lists may be behind, finds out how much of what the exits are for is there: as much as two fresh lists show, {@link LISTS_APART_MS}
   * apart. `again` is called when it is time for another list.
   */
  async confirm(watched: Watched, again: () => Promise<void>): Promise<void> {
    const { backendClock, logger, hub } = this.deps;
    const { bracket } = watched;
    const open = unclosed(bracket);
    const askedAt = backendClock.monotonic();
    if (!isActive(bracket) || bracket.ending || open <= watched.confirmed) return;
    const before = watched.shown;
    if (before !== undefined && askedAt - before.askedAt < LISTS_APART_MS) return;
    const held = await this.reads.held(bracket, true).catch(unanswered);
    const left = held === undefined ? undefined : lesser(this.book.leftOf(bracket, held), open);
    // A list that was not answered says nothing: the one before it still counts.
    watched.shown = { left: left ?? before?.left, askedAt };
    if (left !== undefined && before?.left !== undefined) watched.confirmed = lesser(before.left, left);
    if (watched.confirmed >= open) return;
    backendClock.after(LISTS_APART_MS, () => void again());
    if (before === undefined || watched.bracket !== bracket) return;
    const note =
      left === undefined
        ? 'the brokerage does not say whether its position is there: no exit is sent yet'
        : `the brokerage does not list ${formatDecimal(open - watched.confirmed)} of its position: no exit is sent for that`;
    if (note !== bracket.note) {
      logger.warn({ bracket: bracket.id }, note);
      alert(hub, bracket, `waits: ${note}`);
    }
    await this.book.keep(watched, { ...bracket, note });
  }

  /** Whether all that an exit of `qty` would be for is there: an exit for more would open the opposite position. */
  async isThere(watched: Watched, qty: Decimal): Promise<boolean> {
    const { backend, backendClock, logger } = this.deps;
    const { bracket } = watched;
    if (!backend.listsCurrent) {
      const askedAt = backendClock.monotonic();
      if (watched.shown !== undefined && askedAt - watched.shown.askedAt < JUST_NOW_MS) return (watched.shown.left ?? 0n) >= qty;
      const shown = await this.reads.held(bracket, true).catch(unanswered);
      if (shown !== undefined && this.book.leftOf(bracket, shown) >= qty) return true;
      // Two lists have to show it again.
      watched.confirmed = 0n;
      watched.shown = { left: shown === undefined ? undefined : lesser(this.book.leftOf(bracket, shown), unclosed(bracket)), askedAt };
      return false;
    }
    const held = await this.reads.held(bracket, false);
    if (held === undefined || watched.bracket !== bracket) return held === undefined;
    const lacking = unclosed(bracket) - this.book.leftOf(bracket, held);
    // The position is of new shares already, and the bracket follows with the first price of theirs.
    if (lacking <= 0n || (bracket.stopHeld && (await this.#changes(bracket))?.length)) return true;
    const note = `${formatDecimal(lacking)} of its position are not there, or were closed by somebody else: no exit is for them`;
    logger.warn({ bracket: bracket.id }, note);
    await this.book.keep(watched, { ...bracket, gone: bracket.gone + lacking, note });
    return false;
  }

  /**
   * How much of what is lacking is gone for sure: all where the list has had the position and has nothing of it any more, or where it is never
   * behind the orders; or else what others have traded against it.
   */
  async #provenGone(bracket: Bracket, held: Decimal, lacking: Decimal): Promise<Decimal> {
    if (bracket.seenHeld && (this.deps.recordedInOrder || held === 0n)) return lacking;
    return lesser(lacking, await tradedAgainst(this.deps, this.reads, this.book, bracket));
  }

  /** All of the position is there. What was taken for gone is guarded again where, for a while, more is held than all brackets guard. */
  async #seeHeld(watched: Watched, held: Decimal): Promise<void> {
    const { backendClock, logger } = this.deps;
    watched.lackingSince = undefined;
    // Persist the sighting, so that closes during downtime count as well.
    if (!watched.bracket.seenHeld) await this.book.keep(watched, { ...watched.bracket, seenHeld: true });
    const { bracket } = watched;
    const { gone, gained } = bracket;
    const spare = held - unclosed(bracket) - this.book.guardedBeside(bracket, () => true);
    // After a change of the shares, what is gone is a number of old ones.
    const back = gained === 0n ? lesser(spare, gone) : 0n;
    if (back <= 0n) {
      watched.spareSince = undefined;
      return;
    }
    const now = backendClock.monotonic();
    watched.spareSince ??= now;
    // The spare quantity may come from another entry's fresh fill.
    if (now - watched.spareSince < LOOK_MS) return;
    const note = `${formatDecimal(back)} of its position are there again`;
    logger.info({ bracket: bracket.id }, note);
    await this.book.keep(watched, { ...bracket, gone: gone - back, note });
  }

  /** Asks for the price of now. */
  async askPrice(watched: Watched): Promise<void> {
    const market = quoteMarketOfSecMarket(watched.bracket.secMarket);
    if (market === undefined) return;
    const security = create(SecuritySchema, { market: market.number, code: watched.bracket.code });
    const answer = await this.reads.call(quote.getQuote, create(QuoteC2S, { securityList: [security] }), watched.bracket);
    const quoted = answer?.basicQotList[0];
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
      if (this.deps.backendClock.monotonic() >= watched.changesAt) {
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
        watched.changesAt = this.deps.backendClock.monotonic() + LOOK_MS;
        const note = 'whether the issuer has changed the shares is not known: its prices stay as they are';
        await this.book.note(watched, note);
        return;
      }
      if (bracket.levelsOf !== before) return;
      const next = changes.reduce(afterShareChange, bracket);
      if (changes.length > 0) {
        this.deps.logger.info({ bracket: bracket.id }, next.note);
        watched.lackingSince = undefined;
      }
      // The list of positions has to show the new shares before it can lack any.
      const seenHeld = next.seenHeld && changes.length === 0;
      // The step that is next may come before the row is on disk: its price is of the same shares as its levels.
      watched.last = last;
      await this.book.keep(watched, { ...next, seenHeld, levelsOf: day });
    } finally {
      watched.asksChanges = false;
    }
  }

  /** Corporate actions on the shares since the day of a bracket's prices; undefined where the backend does not say. */
  async #changes(bracket: Bracket, upTo?: string): Promise<readonly Rehab[] | undefined> {
    const { secMarket, code, levelsOf } = bracket;
    const market = quoteMarketOfSecMarket(secMarket);
    if (market === undefined || levelsOf === '') return [];
    const query = create(RehabC2S, { security: create(SecuritySchema, { market: market.number, code }) });
    const rehabList = (await this.reads.call(metadata.getRehab, query, bracket))?.rehabList;
    return rehabList && shareChanges(rehabList, levelsOf, upTo);
  }
}

/** Whether no step is being taken that could learn of the missing order. While the entry is not known there is none to take. */
function isIdle({ busy, bracket }: Watched): boolean {
  return !busy || bracket.state === 'placing';
}

/** Whether it has an order of which only its own remark is known. */
function isMissing({ state, exit }: Bracket): boolean {
  return state === 'placing' || exit?.idEx === '';
}
