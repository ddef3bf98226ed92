import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { atLeastZero, type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { subType } from '@svc-gateway/contract/enums';
import type { Response as QuoteUpdate } from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import { type C2S as BracketC2S, S2CSchema } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { PayloadOf } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { CallContext, PacketId, QuotePush, QuoteStream, ResponseMessage, TradePush } from '../backend.js';
import { BackendRefused, BackendUnsent } from '../backend-failures.js';
import { type OrderName, pushedOrder } from '../orders/order.js';
import { streamKey } from '../push/index.js';
import { success, successOf } from '../responses.js';
import { rejectUnstored } from '../storage-outage.js';
import { type BracketTerms, entryOf, remarkOf } from '../valuation/bracket-terms.js';
import { BracketBook, type Watched } from './book.js';
import { type Bracket, isOfSamePosition, newBracket, packetOf, termsOf } from './bracket.js';
import { alert, type BracketsDeps, LOOK_MS, report } from './deps.js';
import { Exits } from './exits.js';
import { BracketReads } from './reads.js';
import { BracketReconciler } from './reconciler.js';

/** Active at a time: of all keys, and of one, so that none takes every place. */
const ACTIVE_MAX = 1_000;
const ACTIVE_OF_KEY_MAX = 250;
const BASIC = subType.members.find(({ name }) => name === 'Basic')?.public ?? 0;

/**
 * Keeps brackets: entries with a take-profit and a stop-loss of which one ends the other. What it knows is on disk before an order leaves; after a
 * restart it goes on from there and from the brokerage's orders. An exit whose outcome is not known is looked for, and never sent again: nor is one
 * that an earlier process sent while the disk took no writes.
 */
export class BracketService {
  readonly #book: BracketBook;
  readonly #reconciler: BracketReconciler;
  readonly #exits: Exits;
  /** Brackets whose entry order is in flight, by bracket id. */
  readonly #sending = new Map<string, Bracket>();
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(private readonly deps: BracketsDeps) {
    const { store, clock, logger, onStorageFailure } = deps;
    const onAlert = (bracket: Bracket, how: string) => alert(deps.hub, bracket, how);
    this.#book = new BracketBook({ store, clock, logger, onStorageFailure, onAlert });
    const reads = new BracketReads(deps);
    this.#reconciler = new BracketReconciler(deps, this.#book, reads);
    this.#exits = new Exits(deps, this.#book, reads, this.#reconciler);
    for (const bracket of this.#book.open()) if (deps.mayTrade) this.#takeUp(bracket);
  }

  /** Goes on with a bracket of an earlier process. */
  #takeUp(bracket: Bracket): void {
    const { backend, recordedInOrder } = this.deps;
    if (bracket.state !== 'placing' || !recordedInOrder || backend.placedUnder === undefined) {
      this.#watch(bracket, false);
      return;
    }
    const placed = backend.placedUnder(bracket.packet);
    const written =
      placed !== undefined
        ? this.#book.keep(this.#watch(bracket, false), withEntry(bracket, placed))
        : bracket.withdrawn
          ? this.#book.write({ ...bracket, state: 'cancelled' })
          : this.#book.remove(bracket.id);
    written.catch((error: unknown) => report(this.deps, error, bracket.id));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
    for (const { stop } of this.#book.watched.values()) stop();
    this.#book.watched.clear();
  }

  /** Brackets of an account in its environment, newest first. */
  of(place: Pick<Bracket, 'accId' | 'trdEnv'>): readonly Bracket[] {
    return this.#book.of(place);
  }

  /** Whether there is such a bracket, or was one a short while ago. */
  has(id: string): boolean {
    return this.#book.watched.has(id) || this.#book.rows.get(id) !== undefined;
  }

  /** Notes an acknowledged order: it is no entry with a lost answer, whatever its remark. */
  placed(orderName: string, remark: string): void {
    if (remark === '') return;
    const isSought = ({ state, entryRemark }: Bracket) => state === 'placing' && entryRemark === remark;
    if ([...this.#sending.values()].some(isSought) || [...this.#book.watched.values()].some(({ bracket }) => isSought(bracket)))
      this.#book.addOther(orderName);
  }

  /** Whether anything of an account is guarded, or about to be. */
  hasProtectiveOrders(accId: bigint): boolean {
    return this.#book.hasProtectiveOrders(accId);
  }

  /** Tells of an account's orders which are exits of brackets that go on. */
  isProtectiveOrder(accId: bigint): (order: Order) => boolean {
    return this.#book.isProtectiveOrder(accId);
  }

  /** The bracket whose entry an order is, as it was asked for; undefined where it is none of a bracket that goes on. */
  entryTerms(accId: bigint, order: OrderName): BracketTerms | undefined {
    const bracket = this.#book.ofEntry(accId, order);
    return bracket && termsOf(bracket);
  }

  /**
   * Ends the exits of a bracket. One whose entry is not known yet is withdrawn: its entry is cancelled once it is. undefined where it
   * has ended.
   */
  async cancel(id: string): Promise<'ended' | 'withdrawn' | undefined> {
    const sending = this.#sending.get(id);
    if (sending !== undefined) {
      const withdrawn = asWithdrawn(sending);
      this.#sending.set(id, withdrawn);
      await this.#book.write(withdrawn);
      return 'withdrawn';
    }
    const watched = this.#book.watched.get(id);
    if (watched === undefined) return (await this.#book.forget(id)) ? 'ended' : undefined;
    if (watched.bracket.state === 'placing') {
      await this.#book.keep(watched, asWithdrawn(watched.bracket));
      return 'withdrawn';
    }
    await this.#book.keep(watched, { ...watched.bracket, ending: true });
    await this.#exits.advance(watched);
    return 'ended';
  }

  /**
   * Sends the entry. What is to guard it is written before that. Its id comes from the packet id of the write, so that a repetition after a
   * crash finds what the first time has left.
   */
  async place(request: BracketC2S, keyId: string | null, context: CallContext): Promise<ResponseMessage | Rejection> {
    const id = idOf(packetOf(request));
    const entry = entryOf(request);
    if (entry.remark === '') entry.remark = remarkOf(id, 0);
    const earlier = this.#book.watched.get(id)?.bracket ?? this.#book.rows.get(id);
    if (earlier !== undefined) return this.#sendAgain(entry, earlier, context);
    const full = this.refuseFull(keyId);
    if (full !== undefined) return full;
    const asked = newBracket(id, keyId, request, entry.remark, this.deps.clock.now());
    const placing: Bracket = { ...asked, against: this.#againstOf(asked, context.closes ?? 0n) };
    this.#sending.set(id, placing);
    try {
      return (await this.#write(placing, context)) ?? (await this.#send(entry, placing, context));
    } finally {
      this.#sending.delete(id);
    }
  }

  /** How much of an opposite position an entry closes, without what earlier ones close first. Where lists are never behind, the position itself says it. */
  #againstOf(asked: Bracket, held: Decimal): Decimal {
    if (this.deps.backend.listsCurrent) return 0n;
    const others = [...this.#sending.values(), ...[...this.#book.watched.values()].map(({ bracket }) => bracket)];
    const taken = others
      .filter((other) => isOfSamePosition(asked, other))
      .reduce((sum, { against, entryFilled }) => sum + atLeastZero(against - entryFilled), 0n);
    return atLeastZero(held - taken);
  }

  /** Reason why there is no room for one more bracket of a key. */
  refuseFull(keyId: string | null): Rejection | undefined {
    const all = [...this.#sending.values()];
    for (const { bracket } of this.#book.watched.values()) if (!this.#sending.has(bracket.id)) all.push(bracket);
    if (all.length >= ACTIVE_MAX)
      return new Rejection('limit.brackets', `the daemon keeps ${ACTIVE_MAX} brackets already, which is as many as it can`);
    if (all.filter((bracket) => bracket.keyId === keyId).length < ACTIVE_OF_KEY_MAX) return undefined;
    const whose = keyId === null ? 'the daemon' : `key ${JSON.stringify(keyId)}`;
    const message = `${whose} has ${ACTIVE_OF_KEY_MAX} brackets that go on, which is as many as one key may have: end one with cancel_bracket first`;
    return new Rejection('limit.brackets', message);
  }

  /** Puts a bracket on disk before its entry leaves, or lets the store's order see to that; why it may not leave where it may not. */
  async #write(placing: Bracket, context: CallContext): Promise<Rejection | undefined> {
    const { recordedInOrder, store } = this.deps;
    this.#book.prune();
    const written = this.#book.write(placing);
    if (recordedInOrder) {
      // The entry fails with it.
      written.catch(() => undefined);
      return undefined;
    }
    await written;
    // The bracket is only in memory: if a restart lost it, its entry would stay unprotected.
    const refused = store.failure === undefined ? context.lateRejection?.()?.rejection : rejectUnstored(store.failure);
    if (refused !== undefined) await this.#abandon(placing.id);
    return refused;
  }

  async #send(entry: PlaceC2S, placing: Bracket, context: CallContext): Promise<ResponseMessage | Rejection> {
    const { id } = placing;
    let response: ResponseMessage;
    try {
      response = await this.deps.backend.call(trade.placeOrder, entry, context);
    } catch (thrown) {
      const harmless = thrown instanceof BackendUnsent || thrown instanceof BackendRefused;
      if (harmless) await this.#abandon(id);
      // The outcome is unknown: search for the entry among the orders.
      else this.#watch(this.#sending.get(id) ?? placing);
      throw thrown;
    }
    const placed = placedBy(response);
    if (placed !== undefined) return this.#guarded(this.#sending.get(id) ?? placing, placed);
    await this.#abandon(id);
    return refusedAs(response);
  }

  /** Sends the entry of an earlier time once more: the brokerage answers what it has carried out already. */
  async #sendAgain(entry: PlaceC2S, earlier: Bracket, context: CallContext): Promise<ResponseMessage | Rejection> {
    if (!hasEntry(earlier) && earlier.state !== 'placing' && earlier.state !== 'unclear') {
      return new Rejection('request.invalid', `bracket ${earlier.id} was ended before its entry was known: check the orders`);
    }
    const response = await this.deps.backend.call(trade.placeOrder, entry, context);
    const placed = placedBy(response);
    const bracket = this.#book.watched.get(earlier.id)?.bracket ?? earlier;
    return placed === undefined ? refusedAs(response) : this.#guarded(bracket, placed);
  }

  /** Guards what an entry fills from now on, unless it is guarded already. */
  async #guarded(bracket: Bracket, placed: PlacedEntry): Promise<ResponseMessage> {
    if (!hasEntry(bracket)) {
      const open = withEntry(bracket, placed);
      const watched = this.#book.watched.get(bracket.id) ?? this.#watch(open);
      await this.#book.keep(watched, open);
      void this.#look(watched);
    }
    return success(trade.placeBracketOrder, create(S2CSchema, { ...payloadFields(placed), bracketId: bracket.id }));
  }

  /** Forgets a bracket with a failed entry. */
  #abandon(id: string): Promise<void> {
    this.#sending.delete(id);
    return this.#book.remove(id);
  }

  /**
   * Hears of its orders and its price from now on.
   *
   * @param exitsKnown false for one of an earlier process, which may have ended before the disk took what it knew.
   */
  #watch(bracket: Bracket, exitsKnown = true): Watched {
    const { hub } = this.deps;
    const owner = `bracket:${bracket.id}`;
    const stream = streamOf(bracket);
    const observer = (hear: (event: QuotePush | TradePush) => void) => ({ event: hear, lost: () => undefined });
    const watched: Watched = {
      bracket,
      last: 0n,
      busy: false,
      again: false,
      withdrawAt: 0,
      retryAt: 0,
      cancelAt: 0,
      stopRefusals: 0,
      asksChanges: false,
      changesAt: 0,
      // An exit that is in the market was confirmed before it was sent.
      confirmed: bracket.exit === undefined ? 0n : bracket.exit.qty - bracket.exit.filled,
      shown: undefined,
      lackingSince: undefined,
      spareSince: undefined,
      missingSince: undefined,
      exitsKnown,
      recalledAt: undefined,
      listedSince: undefined,
      surplus: new Set(),
      stop: () => {
        for (const end of ends) end();
        void hub.subscriptions.unsubscribeAll(owner);
        void hub.accounts.unsubscribeAll(owner);
      },
    };
    const ends = [
      hub.observers.add(
        bracket.accId,
        observer((event) => this.#hearOrder(watched, event)),
      ),
      ...(stream === undefined
        ? []
        : [
            hub.observers.add(
              streamKey(stream),
              observer((event) => this.#hearPrice(watched, event)),
            ),
          ]),
    ];
    this.#sending.delete(bracket.id);
    this.#book.watched.set(bracket.id, watched);
    this.#guard(hub.subscribeAccounts(owner, [bracket.accId]));
    if (stream !== undefined) this.#guard(hub.subscribe(owner, [stream], { push: true, first: true }));
    this.#lookLater();
    return watched;
  }

  /** Missing subscriptions are retried at the next look. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.deps.logger.warn({ err: error }, 'a bracket could not subscribe; it asks instead'));
  }

  #hearPrice(watched: Watched, event: QuotePush | TradePush): void {
    const quoted = (event.message as unknown as QuoteUpdate).s2c?.basicQotList[0];
    if (quoted === undefined) return;
    if (decimalFromNumber(quoted.curPrice) === watched.last && watched.bracket.priceSince === undefined) return;
    const seen = this.#reconciler.see(watched, quoted);
    if (seen === true) void this.#exits.advance(watched);
    else if (seen !== false) {
      seen
        .then((counts) => (counts ? this.#exits.advance(watched) : undefined))
        .catch((error: unknown) => report(this.deps, error, watched.bracket.id));
    }
  }

  #hearOrder(watched: Watched, event: QuotePush | TradePush): void {
    const order = pushedOrder(event);
    if (order !== undefined && this.#reconciler.applyOrders(watched, [order], 'push')) void this.#exits.advance(watched);
  }

  #lookLater(): void {
    if (this.#cancelLook !== undefined || this.#stopped) return;
    this.#cancelLook = this.deps.backendClock.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      for (const watched of [...this.#book.watched.values()]) void this.#look(watched);
      if (this.#book.watched.size > 0) this.#lookLater();
    });
  }

  /** Holds a bracket against the brokerage's orders and the price, and goes on from there. */
  async #look(watched: Watched): Promise<void> {
    if (watched.busy || !this.#book.isWatched(watched)) return;
    try {
      if (await this.#reconciler.compare(watched)) await this.#exits.advance(watched);
    } catch (error) {
      report(this.deps, error, watched.bracket.id);
    }
  }
}

/** Names the bracket of a write by its packet id: 12 characters. */
function idOf({ connId, serialNo }: PacketId): string {
  return createHash('sha256').update(`${connId}/${serialNo}`).digest().subarray(0, 9).toString('base64url');
}

function placedBy(response: ResponseMessage): PlacedEntry | undefined {
  return successOf(trade.placeOrder, response);
}

function refusedAs({ retType, retMsg, errCode }: ResponseMessage): ResponseMessage {
  return create(trade.placeBracketOrder.messages.ResponseSchema, { retType, retMsg, errCode }) as ResponseMessage;
}

/** Whether the order that is the entry is known. */
function hasEntry({ entryIdEx, entryId }: Bracket): boolean {
  return entryIdEx !== '' || entryId !== 0n;
}

function asWithdrawn(bracket: Bracket): Bracket {
  return { ...bracket, withdrawn: true };
}

/** A bracket with an acknowledged entry. */
function withEntry(bracket: Bracket, { orderID, orderIDEx }: OrderName): Bracket {
  return { ...bracket, state: 'open', entryIdEx: orderIDEx, entryId: orderID };
}

type PlacedEntry = PayloadOf<typeof trade.placeOrder>;

function payloadFields({ header, orderID, orderIDEx }: PlacedEntry) {
  return { header, orderID, orderIDEx };
}

function streamOf({ secMarket, code }: Bracket): QuoteStream | undefined {
  const market = quoteMarketOfSecMarket(secMarket);
  return market === undefined ? undefined : { symbol: `${market.name}.${code}`, subType: BASIC, rehabType: 0, extendedTime: false };
}
