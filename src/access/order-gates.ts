import type { Store, Transaction } from '../storage/index.js';
import { DayTotals } from './day-totals.js';
import {
  dailyLossReadings,
  dailyValueReadings,
  type GateReading,
  hoursReading,
  marketReading,
  openOrdersReadings,
  orderValueReadings,
  rateReading,
  sideReading,
  symbolReading,
} from './gate-readings.js';
import {
  type DayTotal,
  dailyLossGate,
  dailyValueGate,
  type GateDenial,
  type GateName,
  haltGate,
  hoursGate,
  marketGate,
  type OrderFacts,
  openOrdersGate,
  orderValueGate,
  rateGate,
  sideGate,
  symbolGate,
} from './gates.js';
import { LocalTime } from './hours-window.js';
import type { KeyRecord } from './key-record.js';
import { type LimitUse, limitUses } from './limit-use.js';
import { type Limits, unlimited } from './limits.js';
import { OpenOrders, type OrderNames, type OrderPlace } from './open-orders.js';
import { RateWindows } from './rate-window.js';
import { utcDay } from './timestamp.js';
import { TradingHalts } from './trading-halts.js';
import { converted, type ExchangeRates, isUnknown, type Measured, measured, type Worth } from './worth.js';

/** An order that may leave, with its value reserved. */
export interface Admission {
  /** Resolves when the reservation is on disk. The order must not leave before, and not at all when this rejects. */
  readonly durable: Promise<void>;
  /** Gives the day's value back: only when the order never left or the backend definitely refused it. The rate slot stays used. */
  refund(): Promise<void>;
  /** The backend has answered, or never will: the orders that it has accepted, by their names. Of the others nobody knows. */
  settle(orderIds: readonly string[]): void;
}

/** What the gates would have to know of an order that its facts do not say. */
export interface Wanted {
  /** Whose list of working orders to compare with. */
  readonly openOrders?: readonly OrderPlace[];
  readonly dayProfit?: true;
  readonly reduces?: true;
}

export type Admittance = { readonly ok: true; readonly admission: Admission } | { readonly ok: false; readonly denial: GateDenial };

/** What one gate says of an order for one holder of limits. */
export interface GateVerdict extends GateReading {
  readonly gate: GateName;
  /** Whose limits: the caller's key, or the daemon's start-up flags. */
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

/** Whose limits an order is held against, and under which name its totals are kept: a key's id, or '' for the start-up flags. */
interface Holder {
  readonly caller: string;
  readonly limits: Limits;
}

/** An order as one holder's gates see it. */
interface Question {
  readonly holder: Holder;
  readonly facts: OrderFacts;
  /** In the holder's currency, where it has one. */
  readonly measured: Measured;
  /** Epoch ms, by the machine's clock. */
  readonly now: number;
  /** Epoch ms, by a clock that nobody sets. */
  readonly steadyNow: number;
}

/** One of the gates: how it decides, and the figures it decides by; sums of money by currency. */
interface Gate {
  readonly name: GateName;
  deny(question: Question): GateDenial | undefined;
  read(question: Question): readonly GateReading[];
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
  readonly halts: TradingHalts;
  readonly #localTime: LocalTime;
  readonly #gates: readonly Gate[];
  readonly #steadyNow: (now: number) => number;
  readonly #onStoreFailure: (error: unknown) => void;
  /** The last write whose failure is listened to. */
  #watched: Promise<void> | undefined;

  /** Takes up the totals that an earlier process left in the store. */
  constructor(options: OrderGatesOptions) {
    this.#store = options.store;
    this.#flags = { caller: '', limits: options.flagLimits ?? unlimited };
    this.#days = new DayTotals(options.store, options.now);
    this.#rates = new RateWindows(options.store, options.now);
    this.#open = new OpenOrders(options.store);
    this.halts = new TradingHalts(options.store);
    this.#steadyNow = options.steadyNow ?? ((now) => now);
    this.#localTime = new LocalTime(options.timeZone);
    this.#gates = gatesOver(this.#localTime, this.#days, this.#rates, this.#open, this.halts);
    this.#onStoreFailure = options.onStoreFailure;
  }

  /** The start-up flags' limits, which hold for every caller. */
  get flagLimits(): Limits {
    return this.#flags.limits;
  }

  /** Lets the order pass and reserves its value, or names the first gate that it fails. `key` is undefined for a caller without one. */
  admit(key: KeyRecord | undefined, facts: OrderFacts, now: number): Admittance {
    const steadyNow = this.#steadyNow(now);
    const questions = this.#questions(key, facts, now, steadyNow);
    const holders = questions.map(({ holder }) => holder);
    for (const { caller } of holders) this.#rates.of(caller).slide(steadyNow);
    let first: GateDenial | undefined;
    let counts = true;
    for (const gate of this.#gates) {
      for (const question of questions) {
        const denial = deny(gate, question);
        if (denial === undefined) continue;
        first ??= denial;
        // Counted as the specification's auth layer does, which sees hours and rate only: also when another gate refuses.
        if (gate.name === 'hours' || gate.name === 'rate') counts = false;
      }
    }
    const slots = counts ? this.#countAttempt(holders, steadyNow) : [];
    return first === undefined
      ? { ok: true, admission: this.#reserve(holders, slots, facts, utcDay(steadyNow), steadyNow) }
      : { ok: false, denial: first };
  }

  /** Why a caller may not take more risk at all; undefined where nobody has ordered that. */
  haltOf(key: KeyRecord | undefined): GateDenial | undefined {
    if (this.halts.none) return undefined;
    const halt = this.#holdersOf(key)
      .map(({ caller }) => this.halts.of(caller))
      .find((one) => one !== undefined);
    return haltGate(halt, { reduces: false });
  }

  /** What has to be found out before {@link admit} or {@link judge} can decide; undefined when the facts say it all. */
  wants(key: KeyRecord | undefined, asked: OrderFacts): Wanted | undefined {
    if (this.halts.none && !looksBeyond(this.flagLimits) && !(key !== undefined && looksBeyond(key.limits))) return undefined;
    const facts = this.#uncounted(asked);
    const holders = this.#holdersOf(key);
    const { opens, reduces, dayProfit } = facts;
    const isFull = ({ caller, limits }: Holder) => openOrdersGate(limits, this.#open.count(caller), facts) !== undefined;
    const full = opens === undefined || facts.opensCompared ? [] : holders.filter(isFull);
    if (full.length > 0) return { openOrders: full.flatMap(({ caller }) => this.#open.places(caller)) };
    if (dayProfit === undefined && holders.some(({ limits }) => limits.maxDailyLoss !== null)) return { dayProfit: true };
    if (reduces !== undefined) return undefined;
    const isStopped = (holder: Holder) =>
      this.halts.of(holder.caller) !== undefined || isFull(holder) || dailyLossGate(holder.limits, facts) !== undefined;
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

  /** Frees the orders that have ended: those of {@link openOrdersAt} which do not work in the account any more. */
  freeEnded(accId: bigint, settled: readonly number[], working: readonly OrderNames[]): void {
    const ended = this.#open.ended(accId, settled, working);
    if (ended.length === 0) return;
    void this.#write((change) => {
      for (const number of ended) this.#open.free(change, number);
    }, 'soon');
  }

  /**
   * What each gate would say of the order, the key's and then the flags', without counting or reserving anything: the
   * first denial is the one that `admit` would name. A gate that sums money has a verdict for each currency.
   */
  judge(key: KeyRecord | undefined, facts: OrderFacts, now: number): readonly GateVerdict[] {
    const questions = this.#questions(key, facts, now, this.#steadyNow(now));
    return this.#gates.flatMap((gate) =>
      questions.flatMap((question) => {
        const holder = question.holder === this.#flags ? 'flags' : 'key';
        return gate.read(question).map((reading) => {
          const denial = deny(gate, reading.currency === undefined ? question : inCurrency(question, reading.currency));
          return { gate: gate.name, holder, ...reading, ...(denial === undefined ? {} : { denial }) } as const;
        });
      }),
    );
  }

  /** What is used of the limits that hold for a caller, the key's and then the flags', without counting anything. */
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
      return limitUses(limits, used).map((use) => ({ holder: holder === this.#flags ? 'flags' : 'key', use }) as const);
    });
  }

  /** The currencies that the limits of a caller's orders are in, where they are in one: the rates that the gates will need. */
  limitsCurrencies(key: KeyRecord | undefined): readonly string[] {
    const currencies = [key?.limits, this.flagLimits].map((limits) => limits?.limitsCurrency ?? undefined);
    return [...new Set(currencies.filter((currency) => currency !== undefined))];
  }

  /** The facts of an order that comes back while it still counts as open: then it opens none. */
  #uncounted(facts: OrderFacts): OrderFacts {
    const { opens, accId } = facts;
    if (opens?.orderId === undefined || !this.#open.has(accId, opens.orderId)) return facts;
    const { opens: _, ...rest } = facts;
    return rest;
  }

  #questions(key: KeyRecord | undefined, asked: OrderFacts, now: number, steadyNow: number): readonly Question[] {
    const facts = this.#uncounted(asked);
    if (facts.legs.length === 0) throw new RangeError('an order has at least one leg');
    for (const { worth } of facts.legs) {
      if (!isUnknown(worth) && (worth.value < 0n || worth.increase < 0n)) throw new RangeError('an order has no negative value');
    }
    return this.#holdersOf(key).map((holder) => ({
      holder,
      facts,
      now,
      steadyNow,
      measured: measured(facts.legs, holder.limits, facts.rates),
    }));
  }

  #holdersOf(key: KeyRecord | undefined): readonly Holder[] {
    return key === undefined ? [this.#flags] : [{ caller: key.id, limits: key.limits }, this.#flags];
  }

  /** One slot per holder whose rate is limited. */
  #countAttempt(holders: readonly Holder[], now: number): RateSlot[] {
    const limited = holders.filter(({ limits }) => limits.maxOrdersPerMinute !== null);
    return limited.map(({ caller }) => ({ caller, sequence: this.#rates.of(caller).add(now) }));
  }

  #reserve(holders: readonly Holder[], slots: readonly RateSlot[], facts: OrderFacts, day: string, now: number): Admission {
    const increases = increasesOf(facts);
    const numbers: number[] = [];
    const add = (transaction: Transaction, sign: 1n | -1n) => {
      for (const { caller } of holders) {
        for (const { currency, increase } of increases) this.#days.add(transaction, day, caller, currency, sign * increase);
      }
    };
    const written = this.#write((transaction) => {
      this.#days.prune(transaction, now);
      // Kept without a cap as well: a cap that is added later counts the whole day.
      add(transaction, 1n);
      for (const { caller, sequence } of slots) this.#rates.save(transaction, caller, sequence);
      numbers.push(...this.#enterOpen(transaction, holders, facts));
    });
    let refunded: Promise<void> | undefined;
    const refund = () => {
      if (increases.length === 0 && numbers.length === 0) return Promise.resolve();
      refunded ??= this.#write((transaction) => {
        add(transaction, -1n);
        for (const number of numbers) this.#open.free(transaction, number);
      });
      return refunded;
    };
    const settle = (orderIds: readonly string[]) => {
      for (const number of numbers) this.#open.leave(number);
      const named = numbers.slice(0, orderIds.length);
      if (named.length === 0) return;
      void this.#write((change) => {
        for (const [index, number] of named.entries()) this.#open.name(change, number, orderIds[index] ?? '');
      }, 'soon');
    };
    const capped = slots.length > 0 || numbers.length > 0 || holders.some(({ limits }) => limits.maxDailyValue !== null);
    return { durable: capped ? written : Promise.resolve(), refund, settle };
  }

  /** Enters what an order opens, where anybody's open orders are limited. */
  #enterOpen(change: Transaction, holders: readonly Holder[], { accId, opens }: OrderFacts): readonly number[] {
    if (opens === undefined || holders.every(({ limits }) => limits.maxOpenOrders === null)) return [];
    const { env, market, count, orderId } = opens;
    if (orderId !== undefined && this.#open.has(accId, orderId)) return [];
    const caller = holders[0]?.caller ?? '';
    return Array.from({ length: count }, () => this.#open.enter(change, caller, { accId, env, market }, orderId));
  }

  /** Tells of a failure: nobody needs to wait for it. */
  #write(change: (transaction: Transaction) => void, when: 'now' | 'soon' = 'now'): Promise<void> {
    const written = this.#store.write(change, when);
    // One promise for all that are put on disk together.
    if (written !== this.#watched) written.catch(this.#onStoreFailure);
    this.#watched = written;
    return written;
  }
}

/** Whether limits hold orders against more than what their facts say. */
function looksBeyond({ maxOpenOrders, maxDailyLoss }: Limits): boolean {
  return maxOpenOrders !== null || maxDailyLoss !== null;
}

interface RateSlot {
  readonly caller: string;
  readonly sequence: number;
}

/** What the day's totals are raised by: in the orders' own currencies, whatever currency the limits are in. */
function increasesOf({ legs }: OrderFacts): readonly Pick<Worth, 'currency' | 'increase'>[] {
  const increases: Pick<Worth, 'currency' | 'increase'>[] = [];
  for (const { worth } of legs) if (!isUnknown(worth) && worth.increase !== 0n) increases.push(worth);
  return increases;
}

/** The question about what the order counts with in one currency. */
function inCurrency(question: Question, currency: string): Question {
  return isUnknown(question.measured)
    ? question
    : { ...question, measured: question.measured.filter((worth) => worth.currency === currency) };
}

/** The gates in their order. Those that the specification does not have are read only where somebody has set them. */
function gatesOver(localTime: LocalTime, days: DayTotals, rates: RateWindows, open: OpenOrders, halts: TradingHalts): readonly Gate[] {
  return [
    {
      name: 'halt',
      deny: ({ holder, facts }) => haltGate(halts.of(holder.caller), facts),
      read: ({ holder }) => (halts.of(holder.caller) === undefined ? [] : [{ limit: null, after: null }]),
    },
    {
      name: 'market',
      deny: ({ holder, facts }) => marketGate(holder.limits, facts),
      read: ({ holder, facts }) => [marketReading(holder.limits, facts)],
    },
    {
      name: 'symbol',
      deny: ({ holder, facts }) => symbolGate(holder.limits, facts),
      read: ({ holder, facts }) => [symbolReading(holder.limits, facts)],
    },
    {
      name: 'side',
      deny: ({ holder, facts }) => sideGate(holder.limits, facts),
      read: ({ holder, facts }) => [sideReading(holder.limits, facts)],
    },
    {
      name: 'hours',
      deny: ({ holder, now }) => hoursGate(holder.limits, now, localTime),
      read: ({ holder, now }) => [hoursReading(holder.limits, now, localTime)],
    },
    {
      name: 'order_value',
      deny: ({ holder, measured }) => orderValueGate(holder.limits, measured),
      read: ({ holder, measured }) => orderValueReadings(holder.limits, measured),
    },
    {
      name: 'rate',
      deny: ({ holder, steadyNow }) => rateGate(holder.limits, rates.of(holder.caller), steadyNow),
      read: ({ holder, steadyNow }) => [rateReading(holder.limits, rates.of(holder.caller), steadyNow)],
    },
    {
      name: 'daily_value',
      deny: (question) => dailyValueGate(question.holder.limits, totalOf(days, question), question.measured, question.steadyNow),
      read: (question) => dailyValueReadings(question.holder.limits, totalOf(days, question), question.measured),
    },
    {
      name: 'open_orders',
      deny: ({ holder, facts }) => openOrdersGate(holder.limits, open.count(holder.caller), facts),
      read: ({ holder, facts }) => openOrdersReadings(holder.limits, open.count(holder.caller), facts),
    },
    {
      name: 'daily_loss',
      deny: ({ holder, facts }) => dailyLossGate(holder.limits, facts),
      read: ({ holder, facts }) => dailyLossReadings(holder.limits, facts),
    },
  ];
}

function totalOf(days: DayTotals, { holder, facts: { rates }, steadyNow }: Question): DayTotal {
  return dayTotal(days, { holder, rates, steadyNow });
}

interface DayQuestion extends Pick<Question, 'holder' | 'steadyNow'> {
  readonly rates: ExchangeRates;
}

/** A holder's sum of today in a currency: of all its currencies where the limits are in that one. */
function dayTotal(days: DayTotals, { holder, rates, steadyNow }: DayQuestion): DayTotal {
  const day = utcDay(steadyNow);
  return (currency) => {
    let sum = days.ofNoCurrency(day, holder.caller);
    if (holder.limits.limitsCurrency === null) return sum + days.get(day, holder.caller, currency);
    for (const { currency: own, total } of days.of(day, holder.caller)) {
      const amount = converted(total, own, currency, rates);
      if (isUnknown(amount)) return amount;
      sum += amount;
    }
    return sum;
  };
}

/** A holder's denial; that of the start-up flags says so, since no key of the caller's explains it. */
function deny(gate: Gate, question: Question): GateDenial | undefined {
  const denial = gate.deny(question);
  return denial !== undefined && question.holder.caller === '' ? { ...denial, reason: `${denial.reason} (daemon-wide limit)` } : denial;
}
