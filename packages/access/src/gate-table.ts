import type { Decimal } from '@svc-gateway/contract/decimal';
import { moneyText } from '@svc-gateway/contract/money';
import { shown } from '@svc-gateway/contract/shown';
import type { DayTotals } from './day-totals.js';
import {
  type DayTotal,
  dailyLossGate,
  denial,
  type GateDenial,
  type GateName,
  haltGate,
  list,
  type OrderFacts,
  type OrderLeg,
  openOrdersGate,
  ordersSent,
} from './gates.js';
import { isWithin, type LocalTime } from './hours-window.js';
import { allowsMarket, allowsSymbol, type Limits } from './limits.js';
import type { OpenOrders } from './open-orders.js';
import type { RateWindows } from './rate-window.js';
import { secondsUntilNextUtcDay, utcDay } from './timestamp.js';
import type { TradingHalts } from './trading-halts.js';
import { converted, type ExchangeRates, isUnknown, lossesOf, type Measured, measured } from './worth.js';

/** Figure that a gate compares: names or a time of day with its zone as text, a sum of money, or a number of orders. */
export type GateFigure = string | Decimal | number;

/** A limit, and where an order would bring what it limits. */
export interface GateReading {
  /** null = not limited. */
  readonly limit: GateFigure | null;
  /** Totals with the order counted; the order's own market, symbol, side and value; the time of day with its zone. null = not counted or not known. */
  readonly after: GateFigure | null;
  /** Currency of a sum of money. */
  readonly currency?: string;
}

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

  get limits(): Limits {
    return this.holder.limits;
  }

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
      deny: ({ limits, facts: { legs } }) => {
        const denied = legs.find(({ markets }) => !allowsMarket(limits, markets));
        return denied && denial('market', `market ${denied.markets.join('/')} is not allowed; allowed: ${list(limits.allowedMarkets)}`);
      },
      read: ({ limits, facts }) => [{ limit: listOrNull(limits.allowedMarkets), after: ofLegs(facts, ({ markets }) => markets.join('/')) }],
    },
    {
      name: 'symbol',
      isSet: ({ allowedSymbols }) => allowedSymbols !== null,
      deny: ({ limits, facts: { legs } }) => {
        const denied = legs.find(({ symbol }) => !allowsSymbol(limits, symbol));
        return denied && denial('symbol', `symbol ${shown(denied.symbol)} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
      },
      read: ({ limits, facts }) => [{ limit: listOrNull(limits.allowedSymbols), after: ofLegs(facts, ({ symbol }) => symbol) }],
    },
    {
      name: 'side',
      isSet: ({ allowedTrdSides }) => allowedTrdSides !== null,
      deny: ({ limits: { allowedTrdSides }, facts: { legs, laterSides = [] } }) => {
        if (allowedTrdSides === null) return undefined;
        const allowed = list(allowedTrdSides);
        const denied = legs.find(({ side }) => !allowedTrdSides.has(side));
        if (denied !== undefined) return denial('side', `side ${denied.side} is not allowed; allowed: ${allowed}`);
        const later = laterSides.find((side) => !allowedTrdSides.has(side));
        if (later === undefined) return undefined;
        const why = 'the account holds the opposite position, so that its exits could open one';
        return { ...denial('side', `side ${later} of its exits is not allowed, and ${why}; allowed: ${allowed}`), ofLater: true };
      },
      read: ({ limits, facts }) => [{ limit: listOrNull(limits.allowedTrdSides), after: ofLegs(facts, ({ side }) => side) }],
    },
    {
      name: 'hours',
      isSet: ({ hoursWindow }) => hoursWindow !== null,
      deny: ({ limits: { hoursWindow }, now }) => {
        if (hoursWindow === null || isWithin(hoursWindow, localTime.minuteOfDay(now))) return undefined;
        const reason = `outside the hours ${localTime.windowText(hoursWindow)}: it is ${localTime.timeText(now)}`;
        return denial('hours', reason, Math.ceil(localTime.millisecondsUntilOpen(hoursWindow, now) / 1000));
      },
      read: ({ limits: { hoursWindow }, now }) => [
        { limit: hoursWindow && localTime.windowText(hoursWindow), after: localTime.timeText(now) },
      ],
    },
    {
      name: 'order_value',
      isSet: ({ maxOrderValue }) => maxOrderValue !== null,
      deny: ({ limits: { maxOrderValue: max }, measured }) => {
        if (max === null) return undefined;
        if (isUnknown(measured)) return { gate: 'order_value', ...measured };
        const over = measured.find(({ value }) => value > max);
        if (over === undefined) return undefined;
        const { value, currency } = over;
        const cap = moneyText(max, currency, 'down');
        return denial('order_value', `order value ${moneyText(value, currency, 'up')} ${currency} exceeds the cap of ${cap} per order`);
      },
      read: ({ limits: { maxOrderValue: limit }, measured }) =>
        isUnknown(measured) ? [{ limit, after: null }] : measured.map(({ currency, value }) => ({ limit, after: value, currency })),
    },
    {
      name: 'rate',
      isSet: ({ maxOrdersPerMinute }) => maxOrdersPerMinute !== null,
      deny: ({ holder, limits: { maxOrdersPerMinute: max }, facts, steadyNow }) => {
        if (max === null) return undefined;
        const recent = rates.of(holder.caller);
        const orders = ordersSent(facts);
        const count = recent.count(steadyNow);
        if (count + orders <= max) return undefined;
        const more = orders === 1 ? '' : `, ${orders} more`;
        const reason = `rate limit exceeded: ${count} orders in the last 60 s${more}, at most ${max}`;
        return denial(
          'rate',
          reason,
          max < orders ? undefined : Math.ceil(recent.millisecondsUntilBelow(max - orders + 1, steadyNow) / 1000),
        );
      },
      // Orders are counted only where their rate is limited.
      read: ({ holder, limits: { maxOrdersPerMinute: limit }, facts, steadyNow }) => [
        { limit, after: limit === null ? null : rates.of(holder.caller).count(steadyNow) + ordersSent(facts) },
      ],
    },
    {
      name: 'daily_value',
      isSet: ({ maxDailyValue }) => maxDailyValue !== null,
      deny: (question) => {
        const { limits, measured, steadyNow } = question;
        const { maxDailyValue: max } = limits;
        if (max === null) return undefined;
        if (isUnknown(measured)) return { gate: 'daily_value', ...measured };
        const total = totalOf(days, question);
        for (const { currency, increase } of measured) {
          // An order that adds nothing passes whatever the total.
          if (increase === 0n) continue;
          const used = total(currency);
          if (isUnknown(used)) return { gate: 'daily_value', ...used };
          if (used + increase <= max) continue;
          const sum = `${moneyText(used, currency, 'up')} used, ${moneyText(increase, currency, 'up')} more`;
          const reason = `daily value exceeded: ${sum}, at most ${moneyText(max, currency, 'down')} ${currency} per UTC day`;
          return denial('daily_value', reason, increase > max ? undefined : secondsUntilNextUtcDay(steadyNow));
        }
        return undefined;
      },
      read: (question) => {
        const { limits, measured } = question;
        const { maxDailyValue: limit } = limits;
        if (isUnknown(measured)) return [{ limit, after: null }];
        const total = totalOf(days, question);
        return measured.map(({ currency, increase }) => {
          const used = total(currency);
          return { limit, after: isUnknown(used) ? null : used + increase, currency };
        });
      },
    },
    {
      name: 'open_orders',
      isSet: ({ maxOpenOrders }) => maxOpenOrders !== null,
      deny: ({ holder, limits, facts }) => openOrdersGate(limits, open.count(holder.caller), facts),
      read: ({ holder, limits: { maxOpenOrders: limit }, facts: { opens } }) =>
        limit === null ? [] : [{ limit, after: open.count(holder.caller) + (opens?.count ?? 0) }],
    },
    {
      name: 'daily_loss',
      isSet: ({ maxDailyLoss }) => maxDailyLoss !== null,
      deny: ({ limits, facts }) => dailyLossGate(limits, facts),
      read: ({ limits, facts: { dayProfit, rates: exchange } }) => {
        const { maxDailyLoss: limit } = limits;
        if (limit === null) return [];
        const losses = dayProfit === undefined ? undefined : lossesOf(dayProfit, limits, exchange);
        if (losses === undefined || isUnknown(losses) || losses.length === 0) return [{ limit, after: null }];
        return losses.map(({ currency, loss }) => ({ limit, after: loss, currency }));
      },
    },
  ];
}

function listOrNull(names: ReadonlySet<string> | null): string | null {
  return names === null ? null : list(names);
}

function ofLegs({ legs }: OrderFacts, read: (leg: OrderLeg) => string): string {
  return [...new Set(legs.map(read))].join(', ');
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
