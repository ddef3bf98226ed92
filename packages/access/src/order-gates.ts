import { atLeastZero, type Decimal } from '@svc-gateway/contract/decimal';
import type { Store, Transaction } from '@svc-gateway/storage';
import { CountedOrders } from './counted-orders.js';
import { DayTotals } from './day-totals.js';
import type { GateReading } from './gate-table.js';
import { dayTotal, deny, GateTable, type Holder, Question } from './gate-table.js';
import { dailyLossGate, type GateDenial, type GateName, haltGate, type OrderFacts, openOrdersGate, ordersSent } from './gates.js';
import { LocalTime } from './hours-window.js';
import type { KeyRecord } from './key-record.js';
import { type LimitUse, limitUses } from './limit-use.js';
import { type Limits, unlimited } from './limits.js';
import { OpenOrders, type OrderList, type OrderPlace } from './open-orders.js';
import { RateWindows } from './rate-window.js';
import { type Admission, type Books, type RateSlot, Reservation } from './reservation.js';
import { utcDay } from './timestamp.js';
import { TradingHalts } from './trading-halts.js';
import { type ExchangeRates, isUnknown } from './worth.js';

/** Facts that the gates need and the order does not say. */
export interface Wanted {
  /** Places whose working orders have to be listed. */
  readonly openOrders?: readonly OrderPlace[];
  readonly dayProfit?: true;
  readonly reduces?: true;
}

/** `denials`: every gate that refuses the order, in the order of the gates; where both holders say no, the key's first. */
export type Admittance =
  | { readonly ok: true; readonly admission: Admission }
  | { readonly ok: false; readonly denials: readonly [GateDenial, ...GateDenial[]] };

/** Verdict of one gate on an order, for one holder of limits. */
export interface GateVerdict extends GateReading {
  readonly gate: GateName;
  /** Holder of the limits: the caller's key, or the daemon's start-up flags. */
  readonly holder: 'key' | 'flags';
  /** Present where the gate refuses. */
  readonly denial?: GateDenial;
}

export interface OrderGatesOptions {
  readonly store: Store;
  /** The start-up flags: they hold for every caller together with the key's own, and their totals count over all callers. */
  readonly flagLimits?: Limits;
  /** IANA zone of `hours_window`; the process's own by default. */
  readonly timeZone?: string;
  /** Epoch ms of the start, of steady time where there is one. */
  readonly now: number;
  /** Epoch ms of a time that nobody sets, for what is counted by the day and by the minute; the given moment by default. */
  readonly steadyNow?: () => number;
  /** Learns of a failed write; where a cap depends on it the admission's `durable` rejects as well. */
  readonly onStoreFailure: (error: unknown) => void;
}

/**
 * The gates of one order, for the key and the start-up flags together: a halt, the seven of the specification in its order, the open
 * orders and the loss of the day.
 *
 * `admit` runs to its end without yielding, so that no interleaving of concurrent orders passes a cap. Totals belong to
 * a key's id: editing the key keeps them.
 */
export class OrderGates {
  readonly #store: Store;
  readonly #flags: Holder;
  readonly #days: DayTotals;
  readonly #rates: RateWindows;
  readonly #open: OpenOrders;
  readonly #counted: CountedOrders;
  readonly halts: TradingHalts;
  readonly #localTime: LocalTime;
  readonly #gates: GateTable;
  readonly #books: Books;
  readonly #steadyNow: (now: number) => number;
  readonly #onStoreFailure: (error: unknown) => void;
  /** The last write with a failure handler. */
  #watched: Promise<void> | undefined;

  /** Takes up the totals that an earlier process left in the store. */
  constructor(options: OrderGatesOptions) {
    this.#store = options.store;
    this.#flags = { caller: '', limits: options.flagLimits ?? unlimited };
    this.#days = new DayTotals(options.store, options.now);
    this.#rates = new RateWindows(options.store, options.now);
    this.#open = new OpenOrders(options.store);
    this.#counted = new CountedOrders(options.store);
    this.halts = new TradingHalts(options.store);
    this.#steadyNow = options.steadyNow ?? ((now) => now);
    this.#localTime = new LocalTime(options.timeZone);
    const [days, rates, open, counted] = [this.#days, this.#rates, this.#open, this.#counted];
    this.#gates = new GateTable({ localTime: this.#localTime, days, rates, open, halts: this.halts });
    this.#books = { days, rates, open, counted, write: (change, when) => this.#write(change, when) };
    this.#onStoreFailure = options.onStoreFailure;
  }

  /** The start-up flags' limits, which hold for every caller. */
  get flagLimits(): Limits {
    return this.#flags.limits;
  }

  /** Lets the order pass and reserves its value, or names the gates that it fails. `key` is undefined for a caller without one. */
  admit(key: KeyRecord | undefined, facts: OrderFacts, now: number): Admittance {
    const steadyNow = this.#steadyNow(now);
    const holders = this.#holdersOf(key);
    const limited = holders.filter(({ limits }) => limits.maxOrdersPerMinute !== null);
    for (const { caller } of limited) this.#rates.of(caller).slide(steadyNow);
    const refused: { readonly denial: GateDenial; readonly place: number }[] = [];
    let counts = true;
    const questions = this.#questions(holders, facts, now, steadyNow);
    for (const question of questions) {
      for (const gate of this.#gates.setBy(question.holder.limits)) {
        const denial = deny(gate, question);
        if (denial === undefined) continue;
        refused.push({ denial, place: gate.place });
        // Counted as the specification's auth layer does, which sees hours and rate only: also when another gate refuses.
        if (gate.name === 'hours' || gate.name === 'rate') counts = false;
      }
    }
    const sent = counts ? ordersSent(facts) : 0;
    const slots = limited.flatMap(({ caller }) =>
      Array.from({ length: sent }, (): RateSlot => ({ caller, sequence: this.#rates.of(caller).add(steadyNow) })),
    );
    const [first, ...others] = refused.sort((one, other) => one.place - other.place).map(({ denial }) => denial);
    if (first !== undefined) return { ok: false, denials: [first, ...others] };
    return { ok: true, admission: new Reservation(this.#books, questions, slots, facts, utcDay(steadyNow), steadyNow) };
  }

  /** Reason why a caller may not take more risk at all; undefined where nobody has ordered that. */
  haltOf(key: KeyRecord | undefined): GateDenial | undefined {
    if (this.halts.none) return undefined;
    const halt = this.#holdersOf(key)
      .map(({ caller }) => this.halts.of(caller))
      .find((one) => one !== undefined);
    return haltGate(halt, { reduces: false });
  }

  /** Whether a change of a caller's order is judged by the terms that it replaces: a halt or a limit on values, losses or open orders looks at both. */
  weighsChanges(key: KeyRecord | undefined): boolean {
    return this.haltOf(key) !== undefined || this.#holdersOf(key).some(({ limits }) => weighs(limits));
  }

  /** Facts that {@link admit} and {@link judge} still need; undefined when they need none. */
  wants(key: KeyRecord | undefined, asked: OrderFacts): Wanted | undefined {
    if (this.halts.none && !looksBeyond(this.flagLimits) && !(key !== undefined && looksBeyond(key.limits))) return undefined;
    const holders = this.#holdersOf(key);
    const { reduces, dayProfit } = asked;
    const isFull = (holder: Holder) =>
      openOrdersGate(holder.limits, this.#open.count(holder.caller), this.#factsFor(holder, asked)) !== undefined;
    const full = asked.opensCompared ? [] : holders.filter(isFull);
    if (full.length > 0) return { openOrders: full.flatMap(({ caller }) => this.#open.places(caller)) };
    if (dayProfit === undefined && holders.some(({ limits }) => limits.maxDailyLoss !== null)) return { dayProfit: true };
    if (reduces !== undefined) return undefined;
    const isStopped = (holder: Holder) =>
      this.halts.of(holder.caller) !== undefined || isFull(holder) || dailyLossGate(holder.limits, asked) !== undefined;
    return holders.some(isStopped) ? { reduces: true } : undefined;
  }

  /** The orders of a place that a list of its working orders, asked for from now on, can tell about. */
  openOrdersAt(place: OrderPlace): readonly number[] {
    return this.#open.settled(place);
  }

  /** The places where a caller, or all ('') together, have orders that count as open. */
  openOrderPlaces(caller: string): readonly OrderPlace[] {
    return this.#open.places(caller);
  }

  /** Frees the orders of {@link openOrdersAt} that have ended, by a list that was asked for after that. */
  freeEnded(accId: bigint, settled: readonly number[], list: OrderList): void {
    this.#free(this.#open.ended(accId, settled, list));
  }

  /** Frees an order of which a push says that it is over. */
  freeNamed(accId: bigint, names: readonly string[]): void {
    this.#free(names.flatMap((name) => this.#open.settledNumber(accId, name) ?? []));
  }

  /** The orders that count as open, as far as their names are known. */
  openOrders(): Iterable<OrderPlace & { readonly orderId: string }> {
    return this.#open.named();
  }

  #free(ended: readonly number[]): void {
    if (ended.length === 0) return;
    void this.#write((change) => {
      for (const number of ended) this.#open.free(change, number);
    }, 'soon');
  }

  /**
   * Verdict of each gate on the order, the key's and then the flags', without counting or reserving anything: the denials
   * are those of `admit`, in the same order. A gate that sums money has a verdict for each currency.
   */
  judge(key: KeyRecord | undefined, facts: OrderFacts, now: number): readonly GateVerdict[] {
    const questions = this.#questions(this.#holdersOf(key), facts, now, this.#steadyNow(now));
    return this.#gates.all.flatMap((gate) =>
      questions.flatMap((question) => {
        const holder = question.holder === this.#flags ? 'flags' : 'key';
        return gate.read(question).map((reading) => {
          const denial = deny(gate, reading.currency === undefined ? question : question.inCurrency(reading.currency));
          return { gate: gate.name, holder, ...reading, ...(denial === undefined ? {} : { denial }) } as const;
        });
      }),
    );
  }

  /** Use of the limits that hold for a caller, the key's and then the flags', without counting anything. */
  uses(key: KeyRecord | undefined, rates: ExchangeRates, now: number): readonly { holder: 'key' | 'flags'; use: LimitUse }[] {
    const steadyNow = this.#steadyNow(now);
    return this.#holdersOf(key).flatMap((holder) => {
      const { caller, limits } = holder;
      const { limitsCurrency } = limits;
      const currencies =
        limitsCurrency === null ? this.#days.of(utcDay(steadyNow), caller).map(({ currency }) => currency) : [limitsCurrency];
      const total = dayTotal(this.#days, { holder, rates, steadyNow });
      const recent = this.#rates.of(caller);
      const used = { recent, open: this.#open.count(caller), total, currencies, localTime: this.#localTime, now, steadyNow };
      return Array.from(limitUses(limits, used), (use) => ({ holder: holder === this.#flags ? 'flags' : 'key', use }) as const);
    });
  }

  /** The currencies that the limits of a caller's orders are in, where they are in one: the rates that the gates will need. */
  limitsCurrencies(key: KeyRecord | undefined): readonly string[] {
    const own = key?.limits.limitsCurrency ?? null;
    const everybodys = this.flagLimits.limitsCurrency;
    if (own === null) return everybodys === null ? [] : [everybodys];
    return everybodys === null || everybodys === own ? [own] : [own, everybodys];
  }

  /** An order as its caller's key counts it; without a key, as the start-up flags do. */
  countedFor(key: KeyRecord | undefined, facts: OrderFacts): OrderFacts {
    const [holder = this.#flags] = this.#holdersOf(key);
    return this.#factsFor(holder, facts);
  }

  /**
   * An order as it counts for one holder of limits. One that comes back while it counts as open, or whose first sending does, opens none; a change that
   * makes an order larger or brings it closer to the market is a new order for whom it has not counted.
   */
  #factsFor({ caller, limits }: Holder, facts: OrderFacts): OrderFacts {
    const { accId, opens, changes, write, firstSentMs } = facts;
    if (opens?.orderId === undefined && changes?.grows !== true && firstSentMs === undefined) return facts;
    const own: { -readonly [Name in keyof OrderFacts]: OrderFacts[Name] } = { ...facts };
    if (opens?.orderId !== undefined && this.#open.has(accId, opens.orderId, caller)) delete own.opens;
    const isOpen = firstSentMs !== undefined && this.#open.numberOf(write) !== undefined;
    if (isOpen) delete own.opens;
    if (changes?.grows !== true) return own;
    const { names, env, market } = changes;
    const [orderId = ''] = names;
    if (opens === undefined && !isOpen && !names.some((name) => this.#open.has(accId, name, caller)))
      own.opens = { accId, env, market, count: 1, orderId };
    // Where the day is not limited, nobody keeps what has counted of which orders.
    if (limits.maxDailyValue === null) return own;
    let counted = new Map<string, Decimal>();
    own.legs = facts.legs.map((leg) => {
      const { worth } = leg;
      if (isUnknown(worth)) return leg;
      const { currency, value } = worth;
      const before = counted.get(currency) ?? this.#counted.valueOf(caller, accId, names, currency);
      const increase = atLeastZero(value - before);
      // The legs of an order count together.
      counted = new Map([...counted, [currency, atLeastZero(before - value)]]);
      return { ...leg, worth: { ...worth, increase } };
    });
    return own;
  }

  #questions(holders: readonly Holder[], order: OrderFacts, now: number, steadyNow: number): readonly Question[] {
    if (order.legs.length === 0) throw new RangeError('an order has at least one leg');
    for (const { worth } of order.legs) {
      if (!isUnknown(worth) && (worth.value < 0n || worth.increase < 0n)) throw new RangeError('an order has no negative value');
    }
    const { firstSentMs } = order;
    const isCountedToday = firstSentMs !== undefined && utcDay(steadyNow - firstSentMs) === utcDay(steadyNow);
    const facts = isCountedToday ? { ...order, isCountedToday } : order;
    return holders.map((holder) => new Question(holder, this.#factsFor(holder, facts), now, steadyNow));
  }

  #holdersOf(key: KeyRecord | undefined): readonly Holder[] {
    return key === undefined ? [this.#flags] : [{ caller: key.id, limits: key.limits }, this.#flags];
  }

  /** Reports a failed write; callers need not wait for it. */
  #write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    const written = this.#store.write(change, when);
    // One promise for all that are put on disk together.
    if (written !== this.#watched) written.catch(this.#onStoreFailure);
    this.#watched = written;
    return written;
  }
}

function weighs(limits: Limits): boolean {
  return limits.maxOrderValue !== null || limits.maxDailyValue !== null || looksBeyond(limits);
}

/** Whether limits hold orders against more than what their facts say. */
function looksBeyond({ maxOpenOrders, maxDailyLoss }: Limits): boolean {
  return maxOpenOrders !== null || maxDailyLoss !== null;
}
