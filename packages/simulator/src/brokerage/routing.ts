import type { Clock } from '@svc-gateway/contract/clock';
import { type ComboOrder, type ComboTrade, Exchange, type Match, type Matching } from '../exchange/index.js';
import type { Market, Tick } from '../market/market.js';
import { nextTurn } from '../pace.js';
import { Refusal } from '../refusal.js';
import type { Instrument, World } from '../world/index.js';
import { type Account, accounts } from './account.js';
import { Agenda } from './agenda.js';
import { type BustLeg, bust } from './bust.js';
import { type ComboCheck, comboStep } from './check-combo.js';
import { type OrderCheck, trailingLimit, trailingTrigger } from './check-order.js';
import { type Clearing, clearingOf } from './clearing/settlement.js';
import { execute } from './execution.js';
import { Expiries } from './expiries.js';
import { Incidents } from './incidents.js';
import type { Latency } from './latency.js';
import {
  arrived,
  type FillRecord,
  holding,
  holdingLegs,
  isBuying,
  isCombo,
  mainLeg,
  type OrderRecord,
  remainingOf,
  restated,
} from './order.js';
import { cancelled, isChangeable, isOpen, moved } from './order-status.js';
import { rulesOf } from './order-types.js';
import type { Change, Records } from './records.js';
import { nextOpening, sessionFor } from './sessions.js';
import { SLICE_MS, sliceOf } from './slices.js';
import { afterTicks, Triggers } from './triggers.js';

/** Orders that end in one turn of the event loop: a few milliseconds' worth. */
const ENDED_A_TURN = 25;

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
  readonly incidents = new Incidents();
  #lastArrival = 0;
  #closed = false;
  readonly #accounts = new Map<bigint, Account>(accounts.map((account) => [account.id, account]));

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
    market: Market,
    private readonly records: Records,
    private readonly check: OrderCheck,
    private readonly combos: ComboCheck,
    private readonly latency: Latency,
    /** Books the days that have passed. */
    private readonly catchUp: () => void,
  ) {
    this.#steps = new Agenda(clock, (ids) => this.#step(ids));
    this.#expiries = new Expiries(
      clock,
      () => records.liveOrders(),
      ({ id }) => this.#expire(id),
    );
    // Listens ahead of the exchange: a new day's trades are not booked before the old day is over.
    this.#stopListening = market.onEvent(() => this.catchUp());
    this.#exchange = new Exchange(clock, market, (name) => world.calendar(name), {
      matched: (instrument, matching) => this.#commit((change) => this.#settle(change, instrument, matching)),
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
  firstStatus(
    instrument: Instrument,
    type: OrderRecord['type'],
    extendedHours: boolean,
    trigger: OrderRecord['trigger'],
  ): 'submitting' | 'waiting_submit' {
    if (trigger !== undefined && !trigger.reached) return 'waiting_submit';
    const waits = rulesOf(type).auction || this.#exchange.session(instrument, extendedHours) === undefined;
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
    const arrival = this.nextArrival(now);
    // Orders that waited for the opening leave then, in order of arrival.
    this.#steps.set(order.id, opens > now ? opens : arrival);
  }

  /** When an order reaches the exchange that leaves at `now`, both epoch ms: nothing overtakes what was sent before it. */
  nextArrival(now: number): number {
    // The bound is for a clock that was set back.
    this.#lastArrival = Math.max(now + this.latency.draw(), Math.min(this.#lastArrival, now + this.latency.max));
    return this.#lastArrival;
  }

  /** An order on its way finds the exchange closed: it waits, and when it arrives is not known as it was. */
  #waitForSession(change: Change, waiting: OrderRecord): void {
    const later = waiting.arrivesAt === undefined ? waiting : { ...waiting, arrivesAt: undefined };
    if (later !== waiting) this.records.putOrder(change, later);
    this.send(later);
  }

  /** Takes an order back from wherever it is. */
  recall(order: OrderRecord): void {
    const instrument = this.instrumentOf(order);
    this.#steps.remove(order.id);
    if (this.#triggers.remove(order)) this.#exchange.unwatch(instrument);
    if (isCombo(order)) this.#exchange.withdrawCombo(order.id);
    else this.#exchange.withdraw(instrument, order.id);
  }

  /** Has the cancellation of a recalled order confirmed in a moment. */
  confirmCancellation(order: OrderRecord): void {
    this.#steps.set(order.id, this.clock.now() + this.latency.draw());
  }

  /** Lowers what a resting order still has to trade without losing its place; false when it does not rest. */
  reduce(order: OrderRecord): boolean {
    if (isCombo(order)) return this.#exchange.reduceCombo(order.id, remainingOf(order));
    return this.#exchange.reduce(this.instrumentOf(order), order.id, remainingOf(order));
  }

  /** Continues an order that was read back at start. Orders must come in the order of their priority. */
  resume(order: OrderRecord): void {
    if (order.status === 'cancelling_all' || order.status === 'cancelling_part') this.confirmCancellation(order);
    else if (isChangeable(order.status)) this.send(order);
  }

  /** Instrument of an order, or of one of its legs. All legs trade in the same hours. */
  instrumentOf(order: OrderRecord, leg = 0): Instrument {
    const { symbol } = order.legs[leg] ?? mainLeg(order);
    const instrument = this.world.instrument(symbol);
    if (instrument === undefined) throw new Error(`order for ${symbol}, which the world does not know`);
    return instrument;
  }

  accountOf(order: { accId: bigint }): Account {
    const account = this.#accounts.get(order.accId);
    if (account === undefined) throw new Error(`no account ${order.accId}`);
    return account;
  }

  /** Puts a new version of an order into a change, with its event. */
  update(change: Change, order: OrderRecord): OrderRecord {
    this.records.putOrder(change, order);
    this.#tell(change, order);
    return order;
  }

  #tell(change: Change, order: OrderRecord): void {
    const account = this.accountOf(order);
    change.events.push({ kind: 'order', account, order, canSell: this.records.ledger.canSell(account, mainLeg(order).symbol) });
  }

  /** Ends every order in a security that is not over, or every one of an account, as part of a change. A disabled one can only be deleted. */
  endOrders(change: Change, symbol: string, why: string, of?: Account): void {
    for (const account of of === undefined ? accounts : [of]) {
      for (const order of [...this.records.openOrders(account)]) {
        if (!order.legs.some((leg) => leg.symbol === symbol)) continue;
        this.#end(change, order.id, why);
      }
    }
  }

  /** As {@link endOrders}, each slice in a change and a turn of its own. An order that is over by its turn is left alone. */
  async endOrdersInSlices(symbol: string, why: string): Promise<void> {
    const ids = accounts
      .flatMap((account) => [...this.records.openOrders(account)])
      .flatMap((order) => {
        return order.legs.some((leg) => leg.symbol === symbol) ? [order.id] : [];
      });
    for (let from = 0; from < ids.length && !this.#closed; from += ENDED_A_TURN) {
      if (from > 0) await nextTurn();
      this.#commit((change) => {
        for (const id of ids.slice(from, from + ENDED_A_TURN)) this.#end(change, id, why);
      });
    }
  }

  /** Loses sight of every order that rests unfilled, for so many milliseconds: then they are there again, behind what has come since. */
  async loseSight(ms: number): Promise<void> {
    const ids = Array.from(this.records.liveOrders()).flatMap(({ id, status }) => (status === 'submitted' ? [id] : []));
    for (let from = 0; from < ids.length && !this.#closed; from += ENDED_A_TURN) {
      if (from > 0) await nextTurn();
      this.#commit((change) => {
        for (const id of ids.slice(from, from + ENDED_A_TURN)) {
          const order = this.records.order(id);
          if (order?.status !== 'submitted') continue;
          this.recall(order);
          this.update(change, restated(order, moved(order.status, 'unknown'), this.clock.now()));
          this.#steps.set(id, this.clock.now() + ms);
        }
      });
    }
  }

  /** Takes the trades of a filled order back, as an exchange does that finds them clearly erroneous. */
  async bust(id: bigint): Promise<Refusal | undefined> {
    await this.records.journal.whenDurable(undefined);
    const order = this.records.order(id);
    if (order?.status !== 'filled_all') return new Refusal(`order ${id} is not filled: there is nothing to take back`);
    const fills: FillRecord[] = [];
    for await (const fill of this.records.fillsBetween(order.accId, order.createdAt, order.updatedAt + 1)) {
      if (fill.orderId === id) fills.push(fill);
    }
    const legs = order.legs.map((leg, index): BustLeg => {
      const instrument = this.instrumentOf(order, index);
      const own = fills.filter(({ symbol, side }) => symbol === leg.symbol && side === leg.side);
      return { instrument, leg, fills: own, ...this.#clearing(instrument) };
    });
    // Ordered twice, it is done once.
    if (this.records.order(id)?.status !== 'filled_all') return undefined;
    this.#commit((change) => bust(this.records, change, this.accountOf(order), order, legs, this.clock.now()));
    return undefined;
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
        if (order.status === 'cancelling_all' || order.status === 'cancelling_part') {
          this.#finish(change, order, cancelled(order.filledQuantity), '');
        } else if (isChangeable(order.status)) this.#arrive(change, order);
      }
    });
  }

  /** As {@link #arrive}, of several legs. */
  #arriveCombo(change: Change, waiting: OrderRecord): void {
    if (waiting.legs.some((_, leg) => this.#exchange.session(this.instrumentOf(waiting, leg), false) === undefined)) {
      this.#waitForSession(change, waiting);
      return;
    }
    const submitted = this.#submit(change, waiting);
    const order = submitted && this.#carriedCombo(change, submitted);
    if (order === undefined) return;
    const { trade, resting } = this.#exchange.arriveCombo(this.#comboOf(order), order.timeInForce !== 'ioc');
    const now = trade === undefined ? order : this.#settleCombo(change, trade);
    if (resting || now.status === 'filled_all') return;
    this.#finish(change, now, cancelled(now.filledQuantity), CANCELLED_REST);
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
    if (!(this.combos.carry(this.accountOf(order), order) instanceof Refusal)) return true;
    this.recall(order);
    this.#commit((change) => this.#carriedCombo(change, order));
    return false;
  }

  /** As {@link #carried}, of several legs. */
  #carriedCombo(change: Change, order: OrderRecord): OrderRecord | undefined {
    const holds = this.combos.carry(this.accountOf(order), order);
    if (holds instanceof Refusal) {
      this.#finish(change, order, order.filledQuantity === 0n ? 'failed' : cancelled(order.filledQuantity), holds.message);
      return undefined;
    }
    const carried = holdingLegs(order, holds);
    this.records.putOrder(change, carried);
    return carried;
  }

  /** Books what all legs of an order traded, and tells the order once. */
  #settleCombo(change: Change, { orderId, legs }: ComboTrade): OrderRecord {
    for (const { instrument, matching } of legs) this.#settle(change, instrument, matching);
    const order = this.records.order(orderId);
    if (order === undefined) throw new Error(`no order ${orderId}`);
    return this.update(change, order);
  }

  /** The order reaches the exchange: it trades, and the rest is dealt with as its type says. */
  #arrive(change: Change, waiting: OrderRecord): void {
    if (isCombo(waiting)) {
      this.#arriveCombo(change, waiting);
      return;
    }
    const instrument = this.instrumentOf(waiting);
    if (this.#exchange.session(instrument, waiting.extendedHours) === undefined) {
      this.#waitForSession(change, waiting);
      return;
    }
    const submitted = this.#submit(change, waiting);
    const order = submitted && this.#carried(change, instrument, submitted);
    if (order === undefined) return;
    const rules = rulesOf(order.type);
    if (rules.worked !== undefined) {
      this.#work(change, instrument, order);
      return;
    }
    const remainder = order.timeInForce === 'ioc' && rules.remainder === 'rest' ? 'cancel' : rules.remainder;
    const { matches, prints, resting } = this.#exchange.arrive(
      instrument,
      {
        id: order.id,
        side: isBuying(mainLeg(order).side) ? 'buy' : 'sell',
        limit: order.worstPrice,
        volume: remainingOf(order),
        extendedHours: order.extendedHours,
      },
      remainder,
    );
    this.#settle(change, instrument, { matches, prints });
    const now = this.records.order(order.id) ?? order;
    if (resting || now.status === 'filled_all') return;
    if (remainder === 'exact_price' && matches.length === 0) {
      this.#finish(change, now, 'failed', 'the best price of the other side is not the price of the absolute limit order');
    } else this.#finish(change, now, cancelled(now.filledQuantity), CANCELLED_REST);
  }

  /** Sends the next slice of an order that is worked over time. What of it finds no counterpart is left to later ones; its end comes as that of any order. */
  #work(change: Change, instrument: Instrument, order: OrderRecord): void {
    const now = this.clock.now();
    const volume = sliceOf(order, this.world.calendar(instrument), instrument.lotSize, now);
    if (volume > 0n) {
      const side = isBuying(mainLeg(order).side) ? 'buy' : 'sell';
      const slice = { id: order.id, side, limit: order.worstPrice, volume, extendedHours: false } as const;
      this.#settle(change, instrument, this.#exchange.arrive(instrument, slice, 'cancel'));
    }
    if (this.records.order(order.id)?.status !== 'filled_all') this.#steps.set(order.id, now + SLICE_MS);
  }

  /** The order with what it holds at the market's price of now; undefined when the account cannot carry it any more, which ends it. */
  #carried(change: Change, instrument: Instrument, order: OrderRecord): OrderRecord | undefined {
    const hold = this.check.carry(this.accountOf(order), instrument, order);
    if (hold === undefined) return order;
    if (hold instanceof Refusal) {
      this.#finish(change, order, order.filledQuantity === 0n ? 'failed' : cancelled(order.filledQuantity), hold.message);
      return undefined;
    }
    const carried = holding(order, hold);
    this.records.putOrder(change, carried);
    return carried;
  }

  /** The order as the exchange has it; undefined where it does not take it, or does not say so yet. */
  #submit(change: Change, order: OrderRecord): OrderRecord | undefined {
    const updatedAt = this.clock.now();
    let current = order;
    if (current.status === 'waiting_submit')
      current = this.update(change, restated(current, moved(current.status, 'submitting'), updatedAt));
    if (current.status === 'submitting') {
      const incident = this.incidents.next();
      if (incident === 'refused') {
        this.#finish(change, current, 'submit_failed', 'the exchange refused the order');
        return undefined;
      }
      if (incident !== undefined) {
        this.update(change, restated(current, moved(current.status, 'timed_out'), updatedAt));
        this.#steps.set(current.id, updatedAt + incident.silentMs);
        return undefined;
      }
    }
    if (current.arrivesAt !== undefined) {
      current = arrived(current, current.arrivesAt);
      this.records.putArrived(current);
      this.#tell(change, current);
    } else if (arrives.has(current.status)) {
      current = this.update(change, restated(current, moved(current.status, 'submitted'), updatedAt));
    }
    return current;
  }

  #expire(id: bigint): void {
    this.catchUp();
    const order = this.records.order(id);
    if (order === undefined || !isChangeable(order.status)) return;
    if (order.expiresAt > this.clock.now()) {
      // Changed since it was due, or the clock was set back.
      this.#expiries.note(order);
      return;
    }
    this.recall(order);
    const why = order.timeInForce === 'day' ? 'expired at the end of the trading day' : 'expired at the end of its time in force';
    this.#commit((change) => this.#finish(change, order, cancelled(order.filledQuantity), why));
  }

  #finish(change: Change, order: OrderRecord, status: OrderRecord['status'], lastError: string): void {
    this.update(change, restated(order, moved(order.status, status), this.clock.now(), lastError || order.lastError));
  }

  /** Books matches in the order in which they happened. */
  #settle(change: Change, { symbol }: Instrument, { matches, prints }: Matching): void {
    for (const tick of prints) change.prints.push({ symbol, tick });
    for (const match of matches) this.#book(change, match);
  }

  #book(change: Change, match: Match): void {
    const order = this.records.order(match.orderId);
    if (order === undefined) throw new Error(`no order ${match.orderId}`);
    const leg = match.leg ?? 0;
    const instrument = this.instrumentOf(order, leg);
    const time = this.clock.now();
    const { day, clearing } = this.#clearing(instrument);
    const account = this.accountOf(order);
    execute(this.records, change, {
      account,
      instrument,
      order,
      leg,
      price: match.price,
      quantity: match.volume,
      multipliers: order.legs.map((_, index) => this.instrumentOf(order, index).multiplier),
      time,
      day,
      clearing,
    });
  }

  /** The trading day of now, and how its trades clear. */
  #clearing(instrument: Instrument): { readonly day: string; readonly clearing: Clearing } {
    const calendar = this.world.calendar(instrument);
    const day = calendar.tradingDay(this.clock.now());
    const rolledDay = this.records.rolled(calendar.name)?.slice(0, day.length) ?? '';
    return { day, clearing: clearingOf(instrument, calendar, day, rolledDay) };
  }

  #ticked(instrument: Instrument, ticks: readonly Tick[]): void {
    for (const id of this.#triggers.waiting(instrument.symbol)) {
      const order = this.records.order(id);
      if (order?.trigger === undefined) throw new Error(`order ${id} waits for no price`);
      if (this.#exchange.session(instrument, order.extendedHours) === undefined) continue;
      const { trail } = order.trigger;
      const buying = isBuying(mainLeg(order).side);
      const later = ticks.filter((tick) => tick.time > order.createdAt);
      const trigger = afterTicks(order.trigger, later, (extreme) =>
        trail === undefined ? 0n : trailingTrigger(instrument, buying, extreme, trail),
      );
      if (trigger === order.trigger) continue;
      if (!trigger.reached) {
        this.#commit((change) => this.records.putOrder(change, { ...order, trigger }));
        continue;
      }
      this.#triggers.remove(order);
      this.#exchange.unwatch(instrument);
      const limit = trigger.spread === undefined ? order.price : trailingLimit(instrument, buying, trigger.price, trigger.spread);
      const worstPrice = trigger.spread === undefined ? order.worstPrice : limit;
      const triggered: OrderRecord = {
        ...order,
        trigger,
        price: limit,
        worstPrice,
        status: moved(order.status, 'submitting'),
        updatedAt: this.clock.now(),
      };
      // A trailing limit has moved in the order's favour at most: what it holds is enough, and may be too much.
      const isCheaper = worstPrice !== order.worstPrice;
      const next = isCheaper ? holding(triggered, this.check.lowered(this.accountOf(order), instrument, triggered)) : triggered;
      this.#commit((change) => this.update(change, next));
      this.send(next);
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
