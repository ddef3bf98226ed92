import type { Clock } from '@svc-gateway/contract/clock';
import { type ComboOrder, type ComboTrade, Exchange, type Remainder } from '../exchange/index.js';
import type { Tick } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import { nextTurn } from '../pace.js';
import { Refusal } from '../refusal.js';
import type { Instrument, World } from '../world/index.js';
import { type Account, accounts } from './account.js';
import { Agenda } from './agenda.js';
import { Booking } from './booking.js';
import { type ComboCheck, comboStep } from './check-combo.js';
import type { OrderCheck } from './check-order.js';
import { Expiries } from './expiries.js';
import { Incidents } from './incidents.js';
import type { Latency } from './latency.js';
import { accountOf, arrived, holding, isBuying, isCombo, mainLeg, movedTo, type OrderRecord, remainingOf } from './order.js';
import { cancelled, isCancelling, isChangeable, isOpen } from './order-status.js';
import { rulesOf } from './order-types.js';
import type { Change, Records } from './records.js';
import { known } from './resolve.js';
import { nextOpening, sessionFor } from './sessions.js';
import { SLICE_MS, sliceOf } from './slices.js';
import { afterTicks, Triggers } from './triggers.js';

/** Orders dealt with in one turn of the event loop: a few milliseconds' worth. */
const SLICE = 25;

/** Statuses of orders that the exchange now has. */
const arrives: ReadonlySet<OrderRecord['status']> = new Set(['submitting', 'timed_out', 'unknown']);

const CANCELLED_REST = 'the part that could not be filled at once was cancelled, as the order type requires';

/**
 * The way of accepted orders through time: to the exchange when their trigger, session or auction has come, their fills
 * back, and their end when they expire. Each step that changes an order is told; those that come in one turn are one change.
 */
export class Routing {
  readonly #exchange: Exchange;
  readonly #stopListening: () => void;
  readonly #triggers = new Triggers();
  /** When orders go to the exchange, or their cancellation is confirmed. */
  readonly #steps: Agenda;
  readonly #expiries: Expiries;
  readonly #booking: Booking;
  readonly incidents = new Incidents();
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
    market: Market,
    private readonly records: Records,
    private readonly check: OrderCheck,
    private readonly combos: ComboCheck,
    readonly latency: Latency,
    /** Books the days that have passed. */
    private readonly catchUp: () => void,
  ) {
    this.#booking = new Booking(clock, world, records);
    this.#steps = new Agenda(clock, (ids) => this.#step(ids));
    this.#expiries = new Expiries(
      clock,
      () => records.liveOrders(),
      (ids) => void this.#inSlices(ids, (change, id) => this.#expire(change, id)),
    );
    // Listens ahead of the exchange: a new day's trades are not booked before the old day is over.
    this.#stopListening = market.onEvent(() => this.catchUp());
    this.#exchange = new Exchange(clock, market, (name) => world.calendar(name), {
      matched: (instrument, matching) => this.#commit((change) => this.#booking.settle(change, instrument, matching)),
      ticked: (instrument, ticks) => this.#ticked(instrument, ticks),
      mayTrade: (id) => this.#mayTrade(id),
      comboTraded: (trade) => this.#commit((change) => this.#settleCombo(change, trade)),
    });
  }

  close(): void {
    this.#closed = true;
    this.#steps.close();
    this.#expiries.close();
    this.#exchange.close();
    this.#stopListening();
  }

  /** The status of an order that is accepted now: on its way, or kept until its time. */
  firstStatus(order: Pick<OrderRecord, 'legs' | 'type' | 'extendedHours' | 'trigger'>): 'submitting' | 'waiting_submit' {
    const { type, extendedHours, trigger } = order;
    if (trigger !== undefined && !trigger.reached) return 'waiting_submit';
    const waits = rulesOf(type).auction || this.#exchange.session(this.instrumentOf(order), extendedHours) === undefined;
    return waits ? 'waiting_submit' : 'submitting';
  }

  /** Sets an accepted order on its way, or again after a change. */
  send(order: OrderRecord): void {
    const instrument = this.instrumentOf(order);
    this.#expiries.note(order);
    // An unsubmitted order is sent once confirmed.
    if (order.status === 'unsubmitted') return;
    if (order.trigger !== undefined && !order.trigger.reached) {
      this.#triggers.add(order);
      this.#exchange.watch(instrument);
      return;
    }
    const now = this.clock.now();
    if (rulesOf(order.type).auction && order.status === 'waiting_submit') {
      const { opensAt, closesAt } = nextOpening(this.world.calendar(instrument), now);
      // Its own opening may have passed while the process was down; then it goes as soon as it can.
      if (closesAt <= order.expiresAt) {
        this.#steps.set(order.id, opensAt);
        return;
      }
    }
    if (order.arrivesAt !== undefined) {
      this.#steps.set(order.id, order.arrivesAt);
      return;
    }
    const opens = sessionFor(this.world.calendar(instrument), now, order.extendedHours).start;
    const arrival = this.latency.nextArrival(now);
    // Orders that waited for the opening leave then, in order of arrival.
    this.#steps.set(order.id, opens > now ? opens : arrival);
  }

  /** An order on its way finds the exchange closed: it waits, and when it arrives is not known as it was. */
  #waitForSession(change: Change, waiting: OrderRecord): void {
    this.send(waiting.arrivesAt === undefined ? waiting : this.records.putOrder(change, { ...waiting, arrivesAt: undefined }));
  }

  /** Takes an order back from wherever it is. */
  recall(order: OrderRecord): void {
    const instrument = this.instrumentOf(order);
    this.#steps.remove(order.id);
    if (this.#triggers.remove(order)) this.#exchange.unwatch(instrument);
    this.#exchange.withdraw(instrument, order.id);
  }

  /** Has the cancellation of a recalled order confirmed in a moment. */
  confirmCancellation(order: OrderRecord): void {
    this.#steps.set(order.id, this.clock.now() + this.latency.draw());
  }

  /** Lowers what a resting order still has to trade without losing its place; false when it does not rest. */
  reduce(order: OrderRecord): boolean {
    return this.#exchange.reduce(this.instrumentOf(order), order.id, remainingOf(order));
  }

  /** Continues an order that was read back at start. Orders must come in the order of their priority. */
  resume(order: OrderRecord): void {
    if (isCancelling(order.status)) this.confirmCancellation(order);
    else if (isChangeable(order.status)) this.send(order);
  }

  /** Instrument of an order, or of one of its legs. All legs trade in the same hours. */
  instrumentOf({ legs }: Pick<OrderRecord, 'legs'>, leg = 0): Instrument {
    return known(this.world, (legs[leg] ?? legs[0]).symbol);
  }

  /** Puts a new version of an order into a change, with its event. */
  update(change: Change, order: OrderRecord): OrderRecord {
    this.records.putOrder(change, order);
    this.#tell(change, order);
    return order;
  }

  #tell(change: Change, order: OrderRecord): void {
    const account = accountOf(order);
    change.events.push({ kind: 'order', account, order, canSell: this.records.ledger.canSell(account, mainLeg(order).symbol) });
  }

  /** Ends every order in a security that is not over, or every one of an account, as part of a change. A disabled one can only be deleted. */
  endOrders(change: Change, symbol: string, why: string, of?: Account): void {
    for (const account of of === undefined ? accounts : [of]) {
      for (const { id, legs } of [...this.records.openOrders(account)]) {
        if (legs.some((leg) => leg.symbol === symbol)) this.#end(change, id, why);
      }
    }
  }

  /** As {@link endOrders}, in slices. An order that is over by its turn is left alone. */
  async endOrdersInSlices(symbol: string, why: string): Promise<void> {
    const orders = [...this.records.liveOrders()].filter(({ legs }) => legs.some((leg) => leg.symbol === symbol));
    const ids = orders.map(({ id }) => id);
    await this.#inSlices(ids, (change, id) => this.#end(change, id, why));
  }

  /** Loses sight of every order that rests unfilled, for so many milliseconds: then they are there again, behind what has come since. */
  async loseSight(ms: number): Promise<void> {
    const ids = [...this.records.liveOrders()].flatMap(({ id, status }) => (status === 'submitted' ? [id] : []));
    await this.#inSlices(ids, (change, id) => {
      const order = this.records.order(id);
      if (order?.status !== 'submitted') return;
      this.recall(order);
      this.update(change, movedTo(order, 'unknown', this.clock.now()));
      this.#steps.set(id, this.clock.now() + ms);
    });
  }

  /** Does something to many orders, each slice in a change and a turn of its own. */
  async #inSlices(ids: readonly bigint[], act: (change: Change, id: bigint) => void): Promise<void> {
    for (let from = 0; from < ids.length && !this.#closed; from += SLICE) {
      if (from > 0) await nextTurn();
      this.catchUp();
      this.#commit((change) => {
        for (const id of ids.slice(from, from + SLICE)) act(change, id);
      });
    }
  }

  /** Takes the trades of a filled order back. */
  bust(id: bigint): Promise<Refusal | undefined> {
    return this.#booking.bust(id, (act) => this.#commit(act));
  }

  #end(change: Change, id: bigint, why: string): void {
    const order = this.records.order(id);
    if (order === undefined || (!isOpen(order.status) && order.status !== 'disabled')) return;
    this.recall(order);
    this.#finish(change, order, order.status === 'disabled' ? 'deleted' : cancelled(order.filledQuantity), why);
  }

  #step(ids: readonly bigint[]): void {
    this.catchUp();
    // The exchange tells of what it finds out by itself in turns of its own: nothing else is changed in between.
    this.#commit((change) => {
      for (const id of ids) {
        const order = this.records.order(id);
        if (order === undefined) throw new Error(`no order ${id}`);
        if (isCancelling(order.status)) {
          this.#finish(change, order, cancelled(order.filledQuantity), '');
        } else if (isChangeable(order.status)) this.#arrive(change, order);
      }
    });
  }

  #comboOf(order: OrderRecord): ComboOrder {
    const legs = this.combos.legsOf(order).map(({ instrument, side, ratio }) => {
      return { instrument, side: isBuying(side) ? ('buy' as const) : ('sell' as const), ratio };
    });
    return { id: order.id, legs, limit: order.price, volume: remainingOf(order), step: comboStep(legs) };
  }

  /** Whether the account can still carry an order of several legs that could trade now; if not, this ends it. */
  #mayTrade(id: bigint): boolean {
    const order = this.records.order(id);
    if (order === undefined) throw new Error(`no order ${id}`);
    if (!(this.combos.carry(accountOf(order), order) instanceof Refusal)) return true;
    this.recall(order);
    this.#commit((change) => this.#carried(change, order));
    return false;
  }

  /** Books what all legs of an order traded, and tells the order once. */
  #settleCombo(change: Change, { orderId, legs }: ComboTrade): void {
    for (const { instrument, matching } of legs) this.#booking.settle(change, instrument, matching);
    const order = this.records.order(orderId);
    if (order === undefined) throw new Error(`no order ${orderId}`);
    this.update(change, order);
  }

  /** The order reaches the exchange: it trades, and the rest is dealt with as its type says. */
  #arrive(change: Change, waiting: OrderRecord): void {
    const isClosed = (leg: number) => this.#exchange.session(this.instrumentOf(waiting, leg), waiting.extendedHours) === undefined;
    if (waiting.legs.some((_, leg) => isClosed(leg))) {
      this.#waitForSession(change, waiting);
      return;
    }
    const submitted = this.#submit(change, waiting);
    const order = submitted && this.#carried(change, submitted);
    if (order === undefined) return;
    const rules = rulesOf(order.type);
    if (rules.worked !== undefined) {
      this.#work(change, order);
      return;
    }
    const remainder = order.timeInForce === 'ioc' && rules.remainder === 'rest' ? 'cancel' : rules.remainder;
    const rests = isCombo(order)
      ? this.#tradeCombo(change, order, remainder === 'rest')
      : this.#trade(change, order, remainingOf(order), remainder);
    const now = this.records.order(order.id) ?? order;
    if (rests || now.status === 'filled_all') return;
    if (remainder === 'exact_price' && now.filledQuantity === order.filledQuantity) {
      this.#finish(change, now, 'failed', 'the best price of the other side is not the price of the absolute limit order');
    } else this.#finish(change, now, cancelled(now.filledQuantity), CANCELLED_REST);
  }

  /** Brings so many units of an order of one leg to the exchange; whether what is left of them rests there. */
  #trade(change: Change, order: OrderRecord, volume: bigint, remainder: Remainder): boolean {
    const { id, worstPrice: limit, extendedHours } = order;
    const side = isBuying(mainLeg(order).side) ? 'buy' : 'sell';
    const instrument = this.instrumentOf(order);
    const arrival = this.#exchange.arrive(instrument, { id, side, limit, volume, extendedHours }, remainder);
    this.#booking.settle(change, instrument, arrival);
    return arrival.resting;
  }

  #tradeCombo(change: Change, order: OrderRecord, rests: boolean): boolean {
    const { trade, resting } = this.#exchange.arriveCombo(this.#comboOf(order), rests);
    if (trade !== undefined) this.#settleCombo(change, trade);
    return resting;
  }

  /** Sends the next slice of an order that is worked over time. What of it finds no counterpart is left to later ones; its end comes as that of any order. */
  #work(change: Change, order: OrderRecord): void {
    const now = this.clock.now();
    const instrument = this.instrumentOf(order);
    const volume = sliceOf(order, this.world.calendar(instrument), instrument.lotSize, now);
    if (volume > 0n) this.#trade(change, order, volume, 'cancel');
    if (this.records.order(order.id)?.status !== 'filled_all') this.#steps.set(order.id, now + SLICE_MS);
  }

  /** The order with what it holds at the market's price of now; undefined when the account cannot carry it any more, which ends it. */
  #carried(change: Change, order: OrderRecord): OrderRecord | undefined {
    const account = accountOf(order);
    const holds = isCombo(order) ? this.combos.carry(account, order) : this.check.carry(account, this.instrumentOf(order), order);
    if (holds === undefined) return order;
    if (holds instanceof Refusal) {
      this.#finish(change, order, order.filledQuantity === 0n ? 'failed' : cancelled(order.filledQuantity), holds.message);
      return undefined;
    }
    return this.records.putOrder(change, holding(order, holds));
  }

  /** The order as the exchange has it; undefined where it does not take it, or does not say so yet. */
  #submit(change: Change, order: OrderRecord): OrderRecord | undefined {
    const updatedAt = this.clock.now();
    let current = order;
    if (current.status === 'waiting_submit') current = this.update(change, movedTo(current, 'submitting', updatedAt));
    if (current.status === 'submitting') {
      const incident = this.incidents.next();
      if (incident === 'refused') {
        this.#finish(change, current, 'submit_failed', 'the exchange refused the order');
        return undefined;
      }
      if (incident !== undefined) {
        this.update(change, movedTo(current, 'timed_out', updatedAt));
        this.#steps.set(current.id, updatedAt + incident.silentMs);
        return undefined;
      }
    }
    if (current.arrivesAt !== undefined) {
      current = arrived(current, current.arrivesAt);
      this.records.putArrived(current);
      this.#tell(change, current);
    } else if (arrives.has(current.status)) {
      current = this.update(change, movedTo(current, 'submitted', updatedAt));
    }
    return current;
  }

  #expire(change: Change, id: bigint): void {
    const order = this.records.order(id);
    if (order === undefined || !isChangeable(order.status)) return;
    if (order.expiresAt > this.clock.now()) {
      // Changed since it was due, or the clock was set back.
      this.#expiries.note(order);
      return;
    }
    this.recall(order);
    const why = order.timeInForce === 'day' ? 'expired at the end of the trading day' : 'expired at the end of its time in force';
    this.#finish(change, order, cancelled(order.filledQuantity), why);
  }

  #finish(change: Change, order: OrderRecord, status: OrderRecord['status'], lastError: string): void {
    this.update(change, movedTo(order, status, this.clock.now(), lastError || order.lastError));
  }

  #ticked(instrument: Instrument, ticks: readonly Tick[]): void {
    for (const id of this.#triggers.waiting(instrument.symbol)) {
      const order = this.records.order(id);
      if (order?.trigger === undefined) throw new Error(`order ${id} waits for no price`);
      if (this.#exchange.session(instrument, order.extendedHours) === undefined) continue;
      const next = afterTicks(instrument, order, ticks, this.clock.now());
      if (next === order) continue;
      if (next.status === order.status) {
        this.#commit((change) => this.records.putOrder(change, next));
        continue;
      }
      this.#triggers.remove(order);
      this.#exchange.unwatch(instrument);
      const isCheaper = next.worstPrice !== order.worstPrice;
      // A trailing limit has moved in the order's favour at most: what it holds is enough, and may be too much.
      const sent = isCheaper ? holding(next, this.check.lowered(accountOf(order), instrument, next)) : next;
      this.#commit((change) => this.update(change, sent));
      this.send(sent);
    }
  }

  #commit(action: (change: Change) => void): void {
    const change = this.records.begin();
    action(change);
    if (change.orders.size === 0 && change.events.length === 0) return;
    // No caller waits for it, and what has traded is told at once. A failed disk is told by the journal to the next one who waits.
    this.records.commit(change, change.fills.length === 0 ? 'soon' : 'now').catch(() => undefined);
  }
}
