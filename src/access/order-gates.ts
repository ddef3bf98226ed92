import type { Store, Transaction } from '../storage/index.js';
import { DayTotals } from './day-totals.js';
import {
  dailyValueGate,
  type GateDenial,
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

export interface OrderGatesOptions {
  readonly store: Store;
  /** The start-up flags: they hold for every caller together with the key's own, and their totals count over all callers. */
  readonly flagLimits?: Limits;
  /** IANA zone of `hours_window`; the process's own by default. */
  readonly timeZone?: string;
  /** Epoch ms of the start. */
  readonly now: number;
  /** Learns of a failed write; where a cap depends on it the admission's `durable` rejects as well. */
  readonly onStoreFailure: (error: unknown) => void;
}

/** Whose limits an order is held against, and under which name its totals are kept: a key's id, or '' for the start-up flags. */
interface Holder {
  readonly caller: string;
  readonly limits: Limits;
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
  readonly #localTime: LocalTime;
  readonly #days: DayTotals;
  readonly #rates: RateWindows;
  readonly #onStoreFailure: (error: unknown) => void;

  /** Takes up the totals that an earlier process left in the store. */
  constructor(options: OrderGatesOptions) {
    this.#store = options.store;
    this.#flags = { caller: '', limits: options.flagLimits ?? unlimited };
    this.#localTime = new LocalTime(options.timeZone);
    this.#days = new DayTotals(options.store, options.now);
    this.#rates = new RateWindows(options.store, options.now);
    this.#onStoreFailure = options.onStoreFailure;
  }

  /** The start-up flags' limits, which hold for every caller. */
  get flagLimits(): Limits {
    return this.#flags.limits;
  }

  /** Lets the order pass and reserves its value, or names the first gate that it fails. `key` is undefined for a caller without one. */
  admit(key: KeyRecord | undefined, facts: OrderFacts, now: number): Admittance {
    if (facts.value < 0n || facts.increase < 0n) throw new RangeError('an order has no negative value');
    const holders = key === undefined ? [this.#flags] : [{ caller: key.id, limits: key.limits }, this.#flags];
    const day = utcDay(now);
    const whitelist =
      first(holders, ({ limits }) => marketGate(limits, facts)) ??
      first(holders, ({ limits }) => symbolGate(limits, facts)) ??
      first(holders, ({ limits }) => sideGate(limits, facts));
    const hours = first(holders, ({ limits }) => hoursGate(limits, now, this.#localTime));
    const value = first(holders, ({ limits }) => orderValueGate(limits, facts));
    const rate = first(holders, ({ limits, caller }) => rateGate(limits, this.#rates.of(caller), now));
    const daily = first(holders, ({ limits, caller }) => dailyValueGate(limits, this.#days.get(day, caller), facts, now));

    // Counted as the specification's auth layer does, which sees hours and rate only: also when another gate refuses.
    const slots = hours === undefined && rate === undefined ? this.#countAttempt(holders, now) : [];
    const denial = whitelist ?? hours ?? value ?? rate ?? daily;
    return denial === undefined ? { ok: true, admission: this.#reserve(holders, slots, facts, day, now) } : { ok: false, denial };
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

/** The first holder's denial; that of the start-up flags says so, since no key of the caller's explains it. */
function first(holders: readonly Holder[], gate: (holder: Holder) => GateDenial | undefined): GateDenial | undefined {
  for (const holder of holders) {
    const denial = gate(holder);
    if (denial !== undefined) return holder.caller === '' ? { ...denial, reason: `${denial.reason} (daemon-wide limit)` } : denial;
  }
  return undefined;
}
