import type { DayTotals } from './day-totals.js';
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
  ordersSent,
  orderValueGate,
  rateGate,
  sideGate,
  symbolGate,
} from './gates.js';
import type { LocalTime } from './hours-window.js';
import type { Limits } from './limits.js';
import type { OpenOrders } from './open-orders.js';
import type { RateWindows } from './rate-window.js';
import { utcDay } from './timestamp.js';
import type { TradingHalts } from './trading-halts.js';
import { converted, type ExchangeRates, isUnknown, type Measured, measured } from './worth.js';

/** Holder of limits: a key, or the start-up flags (''). Totals are kept under its name. */
export interface Holder {
  readonly caller: string;
  readonly limits: Limits;
}

/** An order as one holder's gates see it. */
export class Question {
  #measured: Measured | undefined;

  /**
   * @param now epoch ms, by the machine's clock.
   * @param steadyNow epoch ms, by a clock that nobody sets.
   */
  constructor(
    readonly holder: Holder,
    readonly facts: OrderFacts,
    readonly now: number,
    readonly steadyNow: number,
  ) {}

  /** Amounts of the order, in the holder's currency where it has one. Computed for the gates that ask. */
  get measured(): Measured {
    this.#measured ??= measured(this.facts.legs, this.holder.limits, this.facts.rates);
    return this.#measured;
  }

  /** The question about what the order counts with in one currency. */
  inCurrency(currency: string): Question {
    const all = this.measured;
    if (isUnknown(all)) return this;
    const one = new Question(this.holder, this.facts, this.now, this.steadyNow);
    one.#measured = all.filter((worth) => worth.currency === currency);
    return one;
  }
}

/** One of the gates: how it decides, and the figures it decides by; sums of money by currency. */
interface GateRules {
  readonly name: GateName;
  /** Whether these limits can make it refuse anything. */
  isSet(limits: Limits): boolean;
  deny(question: Question): GateDenial | undefined;
  read(question: Question): readonly GateReading[];
}

export interface Gate extends GateRules {
  /** Its place in the order of the gates. */
  readonly place: number;
}

/** Counters and clocks that the gates decide by. */
export interface GateFigures {
  readonly localTime: LocalTime;
  readonly days: DayTotals;
  readonly rates: RateWindows;
  readonly open: OpenOrders;
  readonly halts: TradingHalts;
}

/** The gates in their order, and for limits those that they set. */
export class GateTable {
  readonly all: readonly Gate[];
  readonly #set = new WeakMap<Limits, readonly Gate[]>();

  constructor(figures: GateFigures) {
    this.all = gatesOver(figures).map((gate, place) => ({ ...gate, place }));
  }

  /** The gates that can refuse an order of these limits: found once for limits that ten thousand keys may share. */
  setBy(limits: Limits): readonly Gate[] {
    let gates = this.#set.get(limits);
    if (gates === undefined) {
      gates = this.all.filter((gate) => gate.isSet(limits));
      this.#set.set(limits, gates);
    }
    return gates;
  }
}

/** Gates in their order. Gates beyond the specification's are read only where their limit is set. */
function gatesOver({ localTime, days, rates, open, halts }: GateFigures): readonly GateRules[] {
  return [
    {
      name: 'halt',
      // Ordered at any time, for limits of any kind.
      isSet: () => true,
      deny: ({ holder, facts }) => (halts.none ? undefined : haltGate(halts.of(holder.caller), facts)),
      read: ({ holder }) => (halts.of(holder.caller) === undefined ? [] : [{ limit: null, after: null }]),
    },
    {
      name: 'market',
      isSet: ({ allowedMarkets }) => allowedMarkets !== null,
      deny: ({ holder, facts }) => marketGate(holder.limits, facts),
      read: ({ holder, facts }) => [marketReading(holder.limits, facts)],
    },
    {
      name: 'symbol',
      isSet: ({ allowedSymbols }) => allowedSymbols !== null,
      deny: ({ holder, facts }) => symbolGate(holder.limits, facts),
      read: ({ holder, facts }) => [symbolReading(holder.limits, facts)],
    },
    {
      name: 'side',
      isSet: ({ allowedTrdSides }) => allowedTrdSides !== null,
      deny: ({ holder, facts }) => sideGate(holder.limits, facts),
      read: ({ holder, facts }) => [sideReading(holder.limits, facts)],
    },
    {
      name: 'hours',
      isSet: ({ hoursWindow }) => hoursWindow !== null,
      deny: ({ holder, now }) => hoursGate(holder.limits, now, localTime),
      read: ({ holder, now }) => [hoursReading(holder.limits, now, localTime)],
    },
    {
      name: 'order_value',
      isSet: ({ maxOrderValue }) => maxOrderValue !== null,
      deny: ({ holder, measured }) => orderValueGate(holder.limits, measured),
      read: ({ holder, measured }) => orderValueReadings(holder.limits, measured),
    },
    {
      name: 'rate',
      isSet: ({ maxOrdersPerMinute }) => maxOrdersPerMinute !== null,
      deny: ({ holder, facts, steadyNow }) => rateGate(holder.limits, rates.of(holder.caller), ordersSent(facts), steadyNow),
      read: ({ holder, facts, steadyNow }) => [rateReading(holder.limits, rates.of(holder.caller), ordersSent(facts), steadyNow)],
    },
    {
      name: 'daily_value',
      isSet: ({ maxDailyValue }) => maxDailyValue !== null,
      deny: (question) => dailyValueGate(question.holder.limits, totalOf(days, question), question.measured, question.steadyNow),
      read: (question) => dailyValueReadings(question.holder.limits, totalOf(days, question), question.measured),
    },
    {
      name: 'open_orders',
      isSet: ({ maxOpenOrders }) => maxOpenOrders !== null,
      deny: ({ holder, facts }) => openOrdersGate(holder.limits, open.count(holder.caller), facts),
      read: ({ holder, facts }) => openOrdersReadings(holder.limits, open.count(holder.caller), facts),
    },
    {
      name: 'daily_loss',
      isSet: ({ maxDailyLoss }) => maxDailyLoss !== null,
      deny: ({ holder, facts }) => dailyLossGate(holder.limits, facts),
      read: ({ holder, facts }) => dailyLossReadings(holder.limits, facts),
    },
  ];
}

/** A holder's denial; that of the start-up flags says so, since no key of the caller's explains it. */
export function deny(gate: Gate, question: Question): GateDenial | undefined {
  const denial = gate.deny(question);
  if (denial === undefined || question.holder.caller !== '') return denial;
  return { ...denial, holder: 'flags', reason: `${denial.reason} (daemon-wide limit)` };
}

/** A day's total without the order itself. */
function totalOf(days: DayTotals, { holder, facts: { rates, isCountedToday }, steadyNow, measured }: Question): DayTotal {
  const total = dayTotal(days, { holder, rates, steadyNow });
  if (isCountedToday !== true || isUnknown(measured)) return total;
  return (currency) => {
    const all = total(currency);
    return isUnknown(all) ? all : all - (measured.find((one) => one.currency === currency)?.increase ?? 0n);
  };
}

interface DayQuestion extends Pick<Question, 'holder' | 'steadyNow'> {
  readonly rates: ExchangeRates;
}

/** A holder's sum of today in a currency: of all its currencies where the limits are in that one. */
export function dayTotal(days: DayTotals, { holder, rates, steadyNow }: DayQuestion): DayTotal {
  const day = utcDay(steadyNow);
  return (currency) => {
    if (holder.limits.limitsCurrency === null) return days.get(day, holder.caller, currency);
    let sum = 0n;
    for (const { currency: own, total } of days.of(day, holder.caller)) {
      const amount = converted(total, own, currency, rates);
      if (isUnknown(amount)) return amount;
      sum += amount;
    }
    return sum;
  };
}
