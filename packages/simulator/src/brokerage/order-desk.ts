import type { Clock } from '@svc-gateway/contract/clock';
import { StorageFailure, whenTaken } from '@svc-gateway/storage';
import { nextTurn } from '../pace.js';
import { Refusal } from '../refusal.js';
import { type Account, accounts } from './account.js';
import type { ComboCheck } from './check-combo.js';
import type { CheckedChange, CheckedOrder, OrderCheck } from './check-order.js';
import { inMarket } from './filter.js';
import { type NewOrderDeps, newOrder } from './new-order.js';
import { holding, isCombo, mainLeg, movedTo, type OrderRecord } from './order.js';
import { cancelling, isChangeable, isLegalMove, moved, statusInWords } from './order-status.js';
import type { PacketAnswer } from './packet.js';
import type { ComboRequest, PlaceRequest, ReplaceRequest, Write } from './place-request.js';
import { reasonOfWaiting, reconfirmTexts } from './reconfirm.js';
import type { Change, Records } from './records.js';
import type { Routing } from './routing.js';
import type { OrderGroup, RelationType } from './tables.js';
import { type ReconfirmReason, reconfirmReasons, type TradeMarket } from './terms.js';
import type { TradeLock } from './trade-lock.js';

/** Open orders of one account: far more than anybody needs, few enough to be kept in memory. */
const OPEN_ORDERS_MAX = 50_000;
/** Cancellations in one turn of the event loop: a few milliseconds' worth. */
const CANCELLED_A_TURN = 25;

/** Stands for the order in answers about many orders, or none. */
const noOrder = { id: 0n, idEx: '' };
/** The answer of a trial. */
const nothingDone: PacketAnswer = { orderId: 0n, orderIdEx: '' };

/**
 * Where callers' commands change orders. A command is answered, and its order leaves for the exchange, once its change is on disk; what
 * the exchange then makes of it comes as events. A desk for trials decides alike and stops there.
 */
export class OrderDesk {
  readonly #newOrderDeps: NewOrderDeps;

  constructor(
    private readonly clock: Clock,
    private readonly records: Records,
    private readonly check: OrderCheck,
    private readonly combos: ComboCheck,
    private readonly routing: Routing,
    private readonly lock: TradeLock,
    /** Takes what an order would say of itself, where this desk is for trials. */
    private readonly remark?: (text: string) => void,
  ) {
    this.#newOrderDeps = { clock, records, routing };
  }

  /** Resumes the orders that were working when the store was closed. */
  resume(): void {
    const orders = accounts.flatMap((account) => [...this.records.openOrders(account)]);
    for (const order of orders.sort((a, b) => (a.priority < b.priority ? -1 : 1))) this.routing.resume(order);
  }

  /** The same desk for trials: a command that it accepts changes nothing. `remark` is told what the order would say of itself, if anything. */
  trial(remark: (text: string) => void): OrderDesk {
    return new OrderDesk(this.clock, this.records, this.check, this.combos, this.routing, this.lock, remark);
  }

  /** A refusal comes at once. */
  place(request: PlaceRequest): Promise<PacketAnswer | Refusal> | Refusal {
    const { account } = request;
    const known = this.#known(account, request) ?? this.#tooMany(account);
    if (known !== undefined) return known;
    const checked = this.check.place(request);
    if (checked instanceof Refusal) return checked;
    const slip = this.#slipOf(request.type, checked);
    return this.#commit(request, (change) => this.#send(change, newOrder(this.#newOrderDeps, request, checked, slip)), slip);
  }

  /**
   * Places the two orders that turn a position into another, both or neither: `closing` takes it away, `opening` makes the new one. They
   * are recorded in one change.
   */
  placeGroup(relation: RelationType, closing: PlaceRequest, opening: PlaceRequest): Promise<OrderGroup | Refusal> | Refusal {
    const { account } = closing;
    const known = this.#known(account, closing) ?? this.#tooMany(account);
    if (known instanceof Refusal) return known;
    const checked = closing.code === opening.code ? this.#checkBoth(closing, opening) : this.#checkEach(closing, opening);
    if (checked instanceof Refusal) return checked;
    if (this.remark !== undefined) return Promise.resolve({ id: 0n, relation, orderIds: [] });
    const [first, second] = checked;
    const orders = [
      newOrder(this.#newOrderDeps, closing, first, this.#slipOf(closing.type, first)),
      newOrder(this.#newOrderDeps, opening, second, this.#slipOf(opening.type, second)),
    ];
    const group = { id: this.records.nextId(this.clock.now()), relation, orderIds: orders.map(({ id }) => id) };
    const change = this.records.begin();
    for (const order of orders) this.#send(change, order);
    return this.#store(change, group);
  }

  /** Two orders for one contract on one side hold what one for both quantities holds. */
  #checkBoth(closing: PlaceRequest, opening: PlaceRequest): readonly [CheckedOrder, CheckedOrder] | Refusal {
    const both = this.check.place({ ...closing, quantity: closing.quantity + opening.quantity });
    if (both instanceof Refusal) return both;
    const [first, second] = [BigInt(closing.quantity), BigInt(opening.quantity)];
    return [
      { ...both, quantity: first },
      { ...both, quantity: second },
    ];
  }

  /** Orders for two contracts: what the second asks for is there before the first has given anything back. */
  #checkEach(closing: PlaceRequest, opening: PlaceRequest): readonly [CheckedOrder, CheckedOrder] | Refusal {
    const first = this.check.place(closing);
    if (first instanceof Refusal) return first;
    const second = this.check.place(opening);
    return second instanceof Refusal ? second : [first, second];
  }

  /** Places an order for several securities, which trade together or not at all. */
  placeCombo(request: ComboRequest): Promise<PacketAnswer | Refusal> | Refusal {
    const { account } = request;
    const known = this.#known(account, request) ?? this.#tooMany(account);
    if (known !== undefined) return known;
    let open = 0;
    for (const order of this.records.openOrders(account)) if (isCombo(order)) open += 1;
    const checked = this.combos.place(request, open);
    if (checked instanceof Refusal) return checked;
    return this.#commit(request, (change) =>
      this.#send(change, newOrder(this.#newOrderDeps, { ...request, extendedHours: false }, checked)),
    );
  }

  #tooMany(account: Account): Refusal | undefined {
    if (this.records.ledger.openOrders(account) < OPEN_ORDERS_MAX) return undefined;
    return new Refusal(`account ${account.id} has reached its limit of ${OPEN_ORDERS_MAX} open orders`, 'broker.open_orders');
  }

  /** Changes quantity, price or trigger. More quantity or another price costs the place in the queue. */
  async replace(account: Account, order: OrderRecord, request: ReplaceRequest, write: Write): Promise<PacketAnswer | Refusal> {
    const refused = this.#known(account, write) ?? refuseUnless(isChangeable(order.status), order, ' and cannot be modified');
    if (refused !== undefined) return refused;
    const checked = isCombo(order)
      ? this.combos.replace(account, order, request)
      : this.check.replace(account, this.routing.instrumentOf(order), order, request);
    if (checked instanceof Refusal) return checked;
    const slip = order.status === 'unsubmitted' ? this.#slipIn({ ...order, ...checked }) : undefined;
    return this.#commit(write, (change) => this.#replaced(change, order, checked), slip);
  }

  #replaced(change: Change, order: OrderRecord, { quantity, price, worstPrice, trigger, holds }: CheckedChange): OrderRecord {
    const now = this.clock.now();
    const keepsPlace = worstPrice === order.worstPrice && price === order.price && quantity <= order.quantity && trigger === order.trigger;
    const changed: OrderRecord = {
      ...holding(order, holds),
      quantity,
      price,
      worstPrice,
      ...(trigger === undefined ? {} : { trigger }),
      arrivesAt: undefined,
      updatedAt: now,
      priority: keepsPlace ? order.priority : this.records.nextId(now),
    };
    const next = order.status === 'unsubmitted' ? this.#reconsidered(changed) : changed;
    this.#update(change, next);
    if (keepsPlace && (this.routing.reduce(next) || next.quantity === order.quantity)) return next;
    this.routing.recall(order);
    change.leaving.push(next.id);
    return next;
  }

  /** An order that waits to be confirmed, after a change: it goes where it does not look like a slip any more. */
  #reconsidered(order: OrderRecord): OrderRecord {
    const slip = this.#slipIn(order);
    return slip === undefined ? this.#released(order) : { ...order, lastError: reconfirmTexts[slip] };
  }

  #slipIn(order: OrderRecord): ReconfirmReason | undefined {
    const { side } = mainLeg(order);
    return this.check.slip({ ...order, side, instrument: this.routing.instrumentOf(order) });
  }

  #slipOf(type: OrderRecord['type'], { legs: [leg], quantity, price }: CheckedOrder): ReconfirmReason | undefined {
    return this.check.slip({ ...leg, type, quantity, price });
  }

  /** An order on its way that waited to be confirmed. */
  #released(order: OrderRecord): OrderRecord {
    const first = this.routing.firstStatus(order);
    return movedTo(order, first, this.clock.now(), '');
  }

  /** Has an order sent that looked like a slip, now that its owner has said for which reason it is none. */
  async reconfirm(account: Account, order: OrderRecord, reason: ReconfirmReason, write: Write): Promise<PacketAnswer | Refusal> {
    const refused =
      this.#known(account, write) ??
      refuseUnless(order.status === 'unsubmitted', order, '; only an order that waits for it can be confirmed');
    if (refused !== undefined) return refused;
    const own = reasonOfWaiting(this.routing.instrumentOf(order), order.quantity);
    if (reason !== own) {
      const numbers = `${reconfirmReasons.numberOf(own)} (${own}), not ${reconfirmReasons.numberOf(reason)} (${reason})`;
      return new Refusal(`order ${order.idEx} waits to be confirmed for reason ${numbers}`, 'broker.order_state');
    }
    return this.#commit(write, (change) =>
      this.#send(change, { ...this.#released(order), priority: this.records.nextId(this.clock.now()) }),
    );
  }

  #send(change: Change, order: OrderRecord): OrderRecord {
    this.#update(change, order);
    change.leaving.push(order.id);
    return order;
  }

  /** A new version of an order, or a new order, that a refusal by the disk takes back. */
  #update(change: Change, order: OrderRecord): void {
    change.before.set(order.id, this.records.order(order.id));
    this.routing.update(change, order);
  }

  async cancel(account: Account, order: OrderRecord, write: Write): Promise<PacketAnswer | Refusal> {
    const refused = this.#known(account, write, 'cancel') ?? refuseUnless(isChangeable(order.status), order, ' and cannot be cancelled');
    if (refused !== undefined) return refused;
    await whenTaken(this.#commit(write, (change) => this.#cancel(change, order)));
    return answerTo(order);
  }

  /**
   * Cancels every open order of an account, or those of one market: those that are open now and that can still be cancelled
   * when their turn has come, as many take several turns of the event loop. The answer names no order.
   */
  async cancelAll(account: Account, market: TradeMarket | undefined, write: Write): Promise<PacketAnswer | Refusal> {
    const known = this.#known(account, write, 'cancel');
    if (known !== undefined) return known;
    const open = [...this.records.openOrders(account)].filter(
      (order) => isChangeable(order.status) && (market === undefined || inMarket(order.tradeMarket, market)),
    );
    for (let from = 0; ; from += CANCELLED_A_TURN) {
      const last = from + CANCELLED_A_TURN >= open.length;
      const done = this.#commit(last ? write : { ...write, packet: undefined }, (change) => {
        for (const { id } of open.slice(from, from + CANCELLED_A_TURN)) {
          const order = this.records.order(id);
          if (order !== undefined && isChangeable(order.status)) this.#cancel(change, order);
        }
        return noOrder;
      });
      // The journal keeps the order: the last part is on disk after all others, and fails with any of them.
      const taken = whenTaken(done);
      if (last) return taken.then(() => answerTo(noOrder));
      taken.catch(() => undefined);
      await nextTurn();
    }
  }

  /** Takes a Hong Kong order without fills out of the market; its owner can enable it again. */
  async disable(account: Account, order: OrderRecord, write: Write): Promise<PacketAnswer | Refusal> {
    const refused =
      this.#known(account, write) ??
      refuseOutsideHongKong(order, 'disabled') ??
      refuseCombo(order, 'disabled') ??
      refuseUnless(isLegalMove(order.status, 'disabled'), order, ' and cannot be disabled');
    if (refused !== undefined) return refused;
    return this.#commit(write, (change) => {
      this.routing.recall(order);
      this.routing.update(change, movedTo(order, 'disabled', this.clock.now()));
      return order;
    });
  }

  async enable(account: Account, order: OrderRecord, write: Write): Promise<PacketAnswer | Refusal> {
    const refused =
      this.#known(account, write) ??
      refuseOutsideHongKong(order, 'enabled') ??
      refuseUnless(order.status === 'disabled', order, '; only a disabled order can be enabled');
    if (refused !== undefined) return refused;
    const checked = this.check.enable(account, this.routing.instrumentOf(order), order);
    if (checked instanceof Refusal) return checked;
    return this.#commit(write, (change) => {
      const now = this.clock.now();
      const status = moved(order.status, this.routing.firstStatus(order));
      return this.#send(change, {
        ...holding(order, checked.holds),
        expiresAt: checked.expiresAt,
        // One that is over by its date lives for the day.
        expireTime: checked.expiresAt === order.expiresAt ? order.expireTime : undefined,
        priority: this.records.nextId(now),
        status,
        updatedAt: now,
      });
    });
  }

  /** Deletes an order that is over and had no fill: lists leave it out unless they are asked for deleted ones. */
  async delete(account: Account, order: OrderRecord, write: Write): Promise<PacketAnswer | Refusal> {
    const refused =
      this.#known(account, write) ??
      refuseOutsideHongKong(order, 'deleted') ??
      refuseUnless(isLegalMove(order.status, 'deleted'), order, '; only a finished order without fills can be deleted');
    if (refused !== undefined) return refused;
    return this.#commit(write, (change) => {
      this.routing.update(change, movedTo(order, 'deleted', this.clock.now()));
      return order;
    });
  }

  #cancel(change: Change, order: OrderRecord): OrderRecord {
    this.routing.recall(order);
    const next = this.routing.update(change, movedTo(order, cancelling(order.filledQuantity), this.clock.now()));
    this.routing.confirmCancellation(next);
    return order;
  }

  /** The answer that a command gets without being carried out: it was given before, or trading is locked. */
  #known(
    account: Account,
    { packet, fingerprint }: Write,
    what: 'cancel' | 'other' = 'other',
  ): Promise<PacketAnswer | Refusal> | Refusal | undefined {
    const first = this.records.packets.find(packet, fingerprint);
    if (first instanceof Refusal) return first;
    // The first request may still be on its way to the disk.
    if (first !== undefined) {
      const again = () => this.records.packets.find(packet, fingerprint) ?? this.#unrecorded();
      return this.records.journal.durable(again);
    }
    const locked = this.lock.refusal(account);
    if (locked !== undefined) return locked;
    return this.records.journal.failure === undefined || what === 'cancel' ? undefined : this.#unrecorded();
  }

  #unrecorded(reason = this.records.journal.failure?.message ?? 'the disk refused a write'): Refusal {
    return new Refusal(`the brokerage cannot write its records and accepts no orders: ${reason}`, 'broker.records');
  }

  /**
   * Carries out an accepted command; the answer names the order that `act` returns. All commands but groups end here, and trials do
   * nothing. `slip`: why the order would wait to be confirmed.
   */
  #commit(
    write: Write,
    act: (change: Change) => Pick<OrderRecord, 'id' | 'idEx'>,
    slip?: ReconfirmReason,
  ): Promise<PacketAnswer | Refusal> {
    if (this.remark !== undefined) {
      if (slip !== undefined) this.remark(reconfirmTexts[slip]);
      return Promise.resolve(nothingDone);
    }
    const change = this.records.begin();
    const answer = answerTo(act(change));
    if (write.packet !== undefined) change.packet = { id: write.packet, answer, fingerprint: write.fingerprint };
    return this.#store(change, answer);
  }

  /** `answer`, once a change is on disk and its orders have left; a refusal where the disk refused it, and nothing has changed. */
  async #store<T>(change: Change, answer: T): Promise<T | Refusal> {
    try {
      return await this.records.commit(change, 'now', answer, () => this.#leave(change.leaving));
    } catch (error) {
      if (!(error instanceof StorageFailure && change.isTakenBack)) throw error;
      this.#leave(change.before.keys());
      return this.#unrecorded(error.message);
    }
  }

  /** Sends orders to the exchange, unless they have been cancelled meanwhile. */
  #leave(ids: Iterable<bigint>): void {
    for (const id of ids) {
      const order = this.records.order(id);
      if (order === undefined || !isChangeable(order.status)) continue;
      this.routing.recall(order);
      this.routing.send(order);
    }
  }
}

function answerTo({ id, idEx }: Pick<OrderRecord, 'id' | 'idEx'>): PacketAnswer {
  return { orderId: id, orderIdEx: idEx };
}

/** @param rest of the sentence that says in which state the order is. */
function refuseUnless(isRight: boolean, { idEx, status }: OrderRecord, rest: string): Refusal | undefined {
  return isRight ? undefined : new Refusal(`order ${idEx} ${statusInWords(status)}${rest}`, 'broker.order_state');
}

function refuseCombo(order: OrderRecord, what: string): Refusal | undefined {
  return isCombo(order)
    ? new Refusal(`order ${order.idEx} has several legs and cannot be ${what}; cancel it`, 'broker.order_state')
    : undefined;
}

function refuseOutsideHongKong(order: OrderRecord, what: string): Refusal | undefined {
  return order.tradeMarket === 'HK'
    ? undefined
    : new Refusal(`only Hong Kong orders can be ${what}; order ${order.idEx} is ${mainLeg(order).symbol}`, 'broker.order_state');
}
