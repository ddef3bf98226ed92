import type { Store, Transaction } from '../storage/index.js';
import { DayTotals } from './day-totals.js';
import {
  dailyValueReading,
  type GateReading,
  hoursReading,
  marketReading,
  orderValueReading,
  rateReading,
  sideReading,
  symbolReading,
} from './gate-readings.js';
import {
  dailyValueGate,
  type GateDenial,
  type GateName,
  hoursGate,
  marketGate,
  type OrderFacts,
  orderValueGate,
  rateGate,
  sideGate,
  symbolGate,
} from './gates.js';
import { LocalTime } from './hours-window.js';
import type { KeyRecord } from './key-record.js';
import { type Limits, unlimited } from './limits.js';
import { RateWindows } from './rate-window.js';
import { utcDay } from './timestamp.js';

/** An order that may leave, with its value reserved. */
export interface Admission {
  /** Resolves when the reservation is on disk. The order must not leave before, and not at all when this rejects. */
  readonly durable: Promise<void>;
  /** Gives the day's value back: only when the order never left or the backend definitely refused it. The rate slot stays used. */
  refund(): Promise<void>;
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

/** One of the seven gates: how it decides, and the figures it decides by. */
interface Gate {
  readonly name: GateName;
  deny(holder: Holder, facts: OrderFacts, now: number): GateDenial | undefined;
  read(holder: Holder, facts: OrderFacts, now: number): GateReading;
}

/**
 * The seven gates of one order, in the specification's order, for the key and the start-up flags together.
 *
 * `admit` runs to its end without yielding, so that no interleaving of concurrent orders passes a cap. Totals belong to
 * a key's id: editing the key keeps them.
 */
export class OrderGates {
  readonly #store: Store;
  readonly #flags: Holder;
  readonly #days: DayTotals;
  readonly #rates: RateWindows;
  readonly #gates: readonly Gate[];
  readonly #steadyNow: (now: number) => number;
  readonly #onStoreFailure: (error: unknown) => void;

  /** Takes up the totals that an earlier process left in the store. */
  constructor(options: OrderGatesOptions) {
    this.#store = options.store;
    this.#flags = { caller: '', limits: options.flagLimits ?? unlimited };
    this.#days = new DayTotals(options.store, options.now);
    this.#rates = new RateWindows(options.store, options.now);
    this.#steadyNow = options.steadyNow ?? ((now) => now);
    this.#gates = gatesOver(new LocalTime(options.timeZone), this.#days, this.#rates, this.#steadyNow);
    this.#onStoreFailure = options.onStoreFailure;
  }

  /** The start-up flags' limits, which hold for every caller. */
  get flagLimits(): Limits {
    return this.#flags.limits;
  }

  /** Lets the order pass and reserves its value, or names the first gate that it fails. `key` is undefined for a caller without one. */
  admit(key: KeyRecord | undefined, facts: OrderFacts, now: number): Admittance {
    const holders = this.#holdersOf(key, facts);
    const steadyNow = this.#steadyNow(now);
    for (const { caller } of holders) this.#rates.of(caller).slide(steadyNow);
    let first: GateDenial | undefined;
    let counts = true;
    for (const gate of this.#gates) {
      for (const holder of holders) {
        const denial = deny(gate, holder, facts, now);
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

  /**
   * What each gate would say of the order, the key's and then the flags', without counting or reserving anything: the
   * first denial is the one that `admit` would name.
   */
  judge(key: KeyRecord | undefined, facts: OrderFacts, now: number): readonly GateVerdict[] {
    const holders = this.#holdersOf(key, facts);
    return this.#gates.flatMap((gate) =>
      holders.map((holder) => {
        const denial = deny(gate, holder, facts, now);
        return {
          gate: gate.name,
          holder: holder === this.#flags ? 'flags' : 'key',
          ...gate.read(holder, facts, now),
          ...(denial === undefined ? {} : { denial }),
        } as const;
      }),
    );
  }

  #holdersOf(key: KeyRecord | undefined, facts: OrderFacts): readonly Holder[] {
    if (facts.value < 0n || facts.increase < 0n) throw new RangeError('an order has no negative value');
    return key === undefined ? [this.#flags] : [{ caller: key.id, limits: key.limits }, this.#flags];
  }

  /** One slot per holder whose rate is limited. */
  #countAttempt(holders: readonly Holder[], now: number): RateSlot[] {
    const limited = holders.filter(({ limits }) => limits.maxOrdersPerMinute !== null);
    return limited.map(({ caller }) => ({ caller, sequence: this.#rates.of(caller).add(now) }));
  }

  #reserve(holders: readonly Holder[], slots: readonly RateSlot[], facts: OrderFacts, day: string, now: number): Admission {
    const { increase } = facts;
    const written = this.#write((transaction) => {
      this.#days.prune(transaction, now);
      // Kept without a cap as well: a cap that is added later counts the whole day.
      if (increase > 0n) for (const { caller } of holders) this.#days.add(transaction, day, caller, increase);
      for (const { caller, sequence } of slots) this.#rates.save(transaction, caller, sequence, now);
    });
    let refunded: Promise<void> | undefined;
    const refund = () => {
      if (increase === 0n) return Promise.resolve();
      refunded ??= this.#write((transaction) => {
        for (const { caller } of holders) this.#days.add(transaction, day, caller, -increase);
      });
      return refunded;
    };
    const capped = slots.length > 0 || holders.some(({ limits }) => limits.maxDailyValue !== null);
    return { durable: capped ? written : Promise.resolve(), refund };
  }

  #write(change: (transaction: Transaction) => void): Promise<void> {
    const written = this.#store.write(change);
    written.catch(this.#onStoreFailure);
    return written;
  }
}

interface RateSlot {
  readonly caller: string;
  readonly sequence: number;
}

/** The gates in the specification's order. */
function gatesOver(localTime: LocalTime, days: DayTotals, rates: RateWindows, steadyNow: (now: number) => number): readonly Gate[] {
  const total = ({ caller }: Holder, now: number) => days.get(utcDay(steadyNow(now)), caller);
  return [
    {
      name: 'market',
      deny: ({ limits }, facts) => marketGate(limits, facts),
      read: ({ limits }, facts) => marketReading(limits, facts),
    },
    {
      name: 'symbol',
      deny: ({ limits }, facts) => symbolGate(limits, facts),
      read: ({ limits }, facts) => symbolReading(limits, facts),
    },
    {
      name: 'side',
      deny: ({ limits }, facts) => sideGate(limits, facts),
      read: ({ limits }, facts) => sideReading(limits, facts),
    },
    {
      name: 'hours',
      deny: ({ limits }, _, now) => hoursGate(limits, now, localTime),
      read: ({ limits }, _, now) => hoursReading(limits, now, localTime),
    },
    {
      name: 'order_value',
      deny: ({ limits }, facts) => orderValueGate(limits, facts),
      read: ({ limits }, facts) => orderValueReading(limits, facts),
    },
    {
      name: 'rate',
      deny: ({ limits, caller }, _, now) => rateGate(limits, rates.of(caller), steadyNow(now)),
      read: ({ limits, caller }, _, now) => rateReading(limits, rates.of(caller), steadyNow(now)),
    },
    {
      name: 'daily_value',
      deny: (holder, facts, now) => dailyValueGate(holder.limits, total(holder, now), facts, steadyNow(now)),
      read: (holder, facts, now) => dailyValueReading(holder.limits, total(holder, now), facts),
    },
  ];
}

/** A holder's denial; that of the start-up flags says so, since no key of the caller's explains it. */
function deny(gate: Gate, holder: Holder, facts: OrderFacts, now: number): GateDenial | undefined {
  const denial = gate.deny(holder, facts, now);
  return denial !== undefined && holder.caller === '' ? { ...denial, reason: `${denial.reason} (daemon-wide limit)` } : denial;
}
