import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import * as QotSub from '../../contract/generated/Qot_Sub_pb.js';
import {
  BackendFailure,
  BackendRefused,
  BackendTimeout,
  type QuoteStream,
  type ResponseMessage,
  type SubscriptionQuotas,
  type UnsubscribeRefusal,
} from '../../gateway/index.js';
import { streamKey } from '../../gateway/push/index.js';
import { pause, withDeadline } from '../requests/deadline.js';
import { ANSWER_MS_MIN, type Deadline, secondsUntil } from '../requests/request.js';
import type { Outcome } from '../requests/sender.js';
import { QuotaSlots } from './quota-slots.js';
import {
  forget,
  isAsWished,
  isIdle,
  isServed,
  newUnit,
  type QuotaUnit,
  type QuotaUnitName,
  unitKey,
  type Wish,
  wishOf,
} from './quota-unit.js';
import type { SubscriptionRequests, UnitFailure } from './subscription-requests.js';

/** Rules of a server for subscriptions. */
export interface SubscriptionRules {
  /**
   * Whether the server counts units of symbol and type against a quota that it tells (Qot_GetSubInfo), and answers live data only from
   * what is subscribed to.
   */
  readonly quota: boolean;
  /** Least age at which a unit is given back, ms; at 0 it is given back at once, and a refusal is the caller's to know. */
  readonly minAgeMs: number;
  /** How long a unit is kept after it was last read, while nobody else wants its place, ms. */
  readonly keptMs: number;
}

/** How long a subscription may take: callers give no deadline. */
const SUBSCRIBE_MS_MAX = 15_000;
/** Pause after a refused unsubscription, by its own clock or by the server's minute. */
const AGAIN_MS = 10_000;
const MINUTE_MS = 60_000;
/** Symbols that are read once must not fill the memory. */
const ABSENT_MAX = 10_000;

/** There is no place for a unit. */
class NoRoom {
  /** When a place can be had at the earliest, in `Clock.monotonic`; undefined while all are in use. */
  constructor(readonly availableAt: number | undefined) {}
}

/** What became of the units of one round that could not be had. */
type Failures = ReadonlyMap<QuotaUnit, UnitFailure | NoRoom>;

/**
 * What the gateway is subscribed to at the upstream: streams that callers hold and units that reads need, each unit once. It is
 * brought in line in rounds, one at a time: a round subscribes to what is wanted by then and gives back what is over. A unit
 * that nobody uses is kept for a while; when its place is needed, the least recently used goes first, never within its first
 * minute, and never one that a caller holds.
 */
export class SubscriptionReconciler {
  readonly #units = new Map<string, QuotaUnit>();
  readonly #places: QuotaSlots;
  /** What the next round is to bring in line. */
  readonly #lacking = new Set<QuotaUnit>();
  #next: Promise<Failures> | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #cancelSweep: (() => void) | undefined;
  /** Rises with each connection: what an earlier one answers says nothing of this one. */
  #generation = 0;
  #stopped = false;

  constructor(
    private readonly requests: SubscriptionRequests,
    private readonly clock: Clock,
    private readonly rules: SubscriptionRules,
  ) {
    this.#places = new QuotaSlots(requests, clock, rules.quota, () => this.#ours());
  }

  /**
   * `Backend.subscribe`: starts streams, or rejects with `BackendRefused`. A refusal in the server's own words is a `Response`, and
   * then none of the streams is held.
   */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const { units, added } = this.#hold(streams);
    const deadline = this.#deadline();
    let held = false;
    try {
      const refused = await this.ensure(units, deadline);
      held = refused === undefined;
      if (refused !== undefined) return this.requests.settle(refused, deadline);
      return create(QotSub.ResponseSchema, { retType: 0, s2c: create(QotSub.S2CSchema) });
    } finally {
      if (!held) this.#letGo(added);
    }
  }

  /** Streams that the server refuses, each by itself. The others are subscribed to as if they were read. */
  async unserved(streams: readonly QuoteStream[], deadline: Deadline): Promise<readonly QuoteStream[]> {
    const { units, release } = this.read(streams);
    try {
      const outcomes = await Promise.all(units.map((unit) => this.ensure([unit], deadline)));
      // A refusal with a known meaning holds for others too.
      return streams.filter((_, index) => outcomes[index] !== undefined && outcomes[index].refused === undefined);
    } finally {
      release();
    }
  }

  /** `Backend.unsubscribe`: nobody holds these streams any more. The server is told once their units are old enough. */
  async unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    this.#letGo(streams);
    if (this.rules.minAgeMs > 0) return undefined;
    const refusals = await this.#bring([]);
    const kept = streams.filter((stream) => {
      const unit = this.#units.get(unitKey(stream));
      return unit !== undefined && refusals.has(unit);
    });
    const [refusal] = kept.flatMap((stream) => refusals.get(this.#unit(stream)) ?? []);
    if (refusal === undefined || refusal instanceof NoRoom) return undefined;
    const message = refusal instanceof BackendFailure ? refusal.message : refusal.response.retMsg;
    return { streams: kept, message, retryAfterMs: MINUTE_MS };
  }

  /** Holds units for a read, until the returned function is called. */
  read(names: readonly QuotaUnitName[]): { readonly units: readonly QuotaUnit[]; readonly release: () => void } {
    const units = names.map((name) => this.#unit(name));
    for (const unit of units) unit.readers += 1;
    const release = () => {
      for (const unit of units) {
        unit.readers -= 1;
        unit.lastRead = this.clock.monotonic();
        unit.keptUntil = unit.lastRead + this.rules.keptMs;
        this.#tidy(unit);
      }
      this.#armSweep();
    };
    return { units, release };
  }

  /** Callers hold these streams from now on, until they are let go; `added` are those that they did not hold before. */
  #hold(streams: readonly QuoteStream[]): { readonly units: readonly QuotaUnit[]; readonly added: readonly QuoteStream[] } {
    const units = new Set<QuotaUnit>();
    const added: QuoteStream[] = [];
    for (const stream of streams) {
      const unit = this.#unit(stream);
      const key = streamKey(stream);
      if (!unit.streams.has(key)) added.push(stream);
      unit.streams.set(key, stream);
      units.add(unit);
    }
    return { units: [...units], added };
  }

  /** Callers hold these streams no more. The upstream hears of it when it takes it. */
  #letGo(streams: readonly QuoteStream[]): void {
    for (const stream of streams) {
      const unit = this.#units.get(unitKey(stream));
      if (unit === undefined || !unit.streams.delete(streamKey(stream))) continue;
      // Whoever is left may want less than is delivered.
      if (unit.streams.size > 0 && unit.state === 'present' && !isAsWished(unit)) void this.#bring([unit]);
      this.#tidy(unit);
    }
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    this.#armSweep();
  }

  /** Callers' streams of a symbol and type: whom a push of it is for. */
  streamsOf(name: QuotaUnitName): Iterable<QuoteStream> {
    return this.#units.get(unitKey(name))?.streams.values() ?? [];
  }

  /**
   * Resolves when the upstream delivers what is wanted of these units; waits for room as long as the caller does, if it
   * `waitsForRoom`. The failure
   * of one that cannot be had otherwise: `BackendFailure` is thrown, a refusal in the upstream's words is returned.
   */
  async ensure(units: readonly QuotaUnit[], deadline: Deadline, waitsForRoom = true): Promise<Outcome | undefined> {
    for (;;) {
      // What nobody wants any more needs nothing.
      const lacking = units.filter((unit) => !isIdle(unit) && !isServed(unit));
      if (lacking.length === 0) return undefined;
      if (!this.#places.known) await withDeadline(this.clock, this.#places.learn(), deadline);
      const tooMany = this.#places.tooMany(lacking);
      if (tooMany !== undefined) throw new BackendRefused('backend.quota', tooMany);
      const failures = await withDeadline(this.clock, this.#bring(lacking), deadline);
      const failure = lacking.map((unit) => failures.get(unit)).find((found) => found !== undefined);
      if (failure === undefined) continue;
      if (failure instanceof BackendFailure) throw failure;
      if (!(failure instanceof NoRoom)) return failure;
      await this.#awaitRoom(failure, deadline, waitsForRoom);
    }
  }

  /** The upstream has forgotten these. */
  forget(units: readonly QuotaUnit[]): void {
    for (const unit of units) if (unit.state === 'present') forget(unit);
  }

  /** Another connection: nothing is subscribed to, and who holds streams says so again. */
  reset(): void {
    this.#generation += 1;
    this.#places.forget();
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    for (const unit of this.#units.values()) {
      forget(unit);
      unit.streams.clear();
      this.#tidy(unit);
    }
  }

  /** Compares with what the upstream says it delivers, and subscribes again to what it forgot: the streams that were lost. */
  async verify(deadline: Deadline): Promise<readonly QuoteStream[]> {
    const present = [...this.#units.values()].filter(({ state }) => state === 'present');
    if (present.length === 0) return [];
    const info = await this.requests.info();
    if (info === undefined) return [];
    const lost = present.filter((unit) => unit.state === 'present' && !info.units.has(unit.key));
    this.forget(lost);
    const held = lost.filter(({ streams }) => streams.size > 0);
    const streams = held.flatMap((unit) => [...unit.streams.values()]);
    await this.ensure(held, deadline);
    return streams;
  }

  /** Subscribes once more to streams that callers hold and the upstream says it delivers. */
  async resubscribe(streams: readonly QuoteStream[]): Promise<void> {
    const units = new Set(streams.map((stream) => this.#units.get(unitKey(stream))));
    const present = [...units].filter((unit) => unit !== undefined).filter(isServed);
    await this.requests.repeat(present.map(wishOf).filter(({ pushes }) => pushes));
  }

  /** The upstream's quotas as they are now; undefined where it does not say. */
  async figures(): Promise<SubscriptionQuotas | undefined> {
    await this.#places.learn();
    return this.#places.figures();
  }

  /** The same as far as it is known without asking. */
  lastFigures(): SubscriptionQuotas | undefined {
    return this.#places.figures();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelSweep?.();
  }

  #unit(name: QuotaUnitName): QuotaUnit {
    const key = unitKey(name);
    let unit = this.#units.get(key);
    if (unit === undefined) {
      if (this.#units.size >= ABSENT_MAX)
        throw new BackendRefused('backend.quota', `${ABSENT_MAX} symbols are read at a time; nothing was sent`, 1);
      unit = newUnit(name);
      this.#units.set(key, unit);
    }
    return unit;
  }

  #tidy(unit: QuotaUnit): void {
    if (isIdle(unit) && unit.state === 'absent' && !this.#lacking.has(unit)) this.#units.delete(unit.key);
  }

  #ours(): readonly QuotaUnit[] {
    return [...this.#units.values()].filter(({ state }) => state !== 'absent');
  }

  /** Has the next round bring these in line. */
  #bring(units: readonly QuotaUnit[]): Promise<Failures> {
    for (const unit of units) this.#lacking.add(unit);
    this.#next ??= this.#round.then(() => {
      this.#next = undefined;
      return this.#run();
    });
    this.#round = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #run(): Promise<Failures> {
    const generation = this.#generation;
    const lacking = [...this.#lacking].filter((unit) => !isIdle(unit) && !isServed(unit));
    this.#lacking.clear();
    const failures = new Map<QuotaUnit, UnitFailure | NoRoom>();
    const present = lacking.filter(({ state }) => state === 'present');
    const accepted = await this.#makeRoom(
      lacking.filter(({ state }) => state === 'absent'),
      failures,
    );
    if (generation !== this.#generation) return failures;
    // Other hours, and the orders of a book, are a matter of the subscription; pushes and adjustments are not.
    const subscribing = [...accepted, ...present.filter((unit) => !isAsWished(unit))].map(wishOf);
    const registering = present.filter(isAsWished).map(wishOf);
    for (const unit of accepted) unit.state = 'starting';
    const [refused, unregistered] = await Promise.all([this.requests.subscribe(subscribing), this.requests.register(registering)]);
    if (generation !== this.#generation) return failures;
    for (const wish of subscribing) this.#settle(wish, refused.get(wish.unit), failures);
    for (const wish of registering) this.#settle(wish, unregistered.get(wish.unit), failures);
    await this.#giveBack(
      [...this.#units.values()].filter((unit) => this.#isOver(unit)),
      failures,
    );
    this.#armSweep();
    return failures;
  }

  /** Takes up what became of a wish. */
  #settle(
    { unit, pushes, rehabTypes, extendedTime, orderDetail }: Wish,
    failure: UnitFailure | undefined,
    failures: Map<QuotaUnit, UnitFailure | NoRoom>,
  ): void {
    // Forgotten since it was subscribed to, as by a login anew: who waits for it sees that it is lacking, and has it subscribed to again.
    if (failure !== undefined && unit.state === 'present' && isForgotten(failure)) {
      forget(unit);
      return;
    }
    if (failure !== undefined) {
      if (isOverQuota(failure)) this.#places.full();
      // Without an answer it may be there all the same, and is to be given back.
      if (unit.state === 'starting') this.#begin(unit, failure instanceof BackendTimeout ? 'present' : 'absent');
      this.#tidy(unit);
      failures.set(unit, isOverQuota(failure) ? new NoRoom(this.#roomAt()) : failure);
      return;
    }
    if (unit.state === 'starting') this.#begin(unit, 'present');
    if (!pushes) return;
    unit.pushing = true;
    unit.extendedTime = extendedTime;
    unit.orderDetail = orderDetail;
    for (const rehabType of rehabTypes) unit.rehabTypes.add(rehabType);
  }

  #begin(unit: QuotaUnit, state: 'present' | 'absent'): void {
    unit.state = state;
    if (state === 'absent') return;
    unit.since = this.clock.monotonic();
    this.#places.taken();
  }

  /** Those of the units that there is a place for, once what is not needed has been given back. */
  async #makeRoom(absent: readonly QuotaUnit[], failures: Map<QuotaUnit, UnitFailure | NoRoom>): Promise<readonly QuotaUnit[]> {
    if (absent.length === 0) return [];
    if (!this.#places.known) await this.#places.learn();
    const accepted: QuotaUnit[] = [];
    for (const wanted of this.#places.byQuota(absent)) {
      if (this.#places.fit(wanted, accepted).lacking > 0) await this.#places.learn();
      const { lacking } = this.#places.fit(wanted, accepted);
      const [like] = wanted;
      if (lacking > 0 && like !== undefined) await this.#giveBack(this.#places.toEnd(this.#leastNeeded(), like, lacking));
      accepted.push(...this.#places.fit(wanted, accepted).placed);
    }
    for (const unit of absent) if (!accepted.includes(unit)) failures.set(unit, new NoRoom(this.#roomAt()));
    return accepted;
  }

  /** What nobody uses and could be given back now, least recently read first. */
  #leastNeeded(): readonly QuotaUnit[] {
    const now = this.clock.monotonic();
    const idle = [...this.#units.values()].filter(
      (unit) => isIdle(unit) && unit.state === 'present' && unit.since + this.rules.minAgeMs <= now,
    );
    return idle.sort((a, b) => a.lastRead - b.lastRead);
  }

  async #giveBack(units: readonly QuotaUnit[], failures?: Map<QuotaUnit, UnitFailure | NoRoom>): Promise<void> {
    if (units.length === 0) return;
    const generation = this.#generation;
    for (const unit of units) unit.state = 'ending';
    const refused = await this.requests.unsubscribe(units);
    if (generation !== this.#generation) return;
    for (const unit of units) {
      const failure = refused.get(unit);
      if (failure !== undefined) {
        // By its clock it may be too young still.
        unit.state = 'present';
        this.#defer(unit);
        failures?.set(unit, failure);
      } else {
        forget(unit);
        this.#tidy(unit);
        this.#places.vacated();
      }
    }
  }

  /** The server does not take a unit back yet: by its clock it may be too young. */
  #defer(unit: QuotaUnit): void {
    const { minAgeMs } = this.rules;
    if (minAgeMs > 0) unit.since = this.clock.monotonic() + AGAIN_MS - minAgeMs;
    else unit.keptUntil = this.clock.monotonic() + MINUTE_MS;
  }

  #deadline(): Deadline {
    return { deadline: this.clock.monotonic() + SUBSCRIBE_MS_MAX, signal: new AbortController().signal };
  }

  #isOver(unit: QuotaUnit): boolean {
    return unit.state === 'present' && isIdle(unit) && this.#overAt(unit) <= this.clock.monotonic();
  }

  /** When a unit that nobody uses is given back. */
  #overAt({ since, keptUntil }: QuotaUnit): number {
    return Math.max(since + this.rules.minAgeMs, keptUntil);
  }

  /** When a place can be had at the earliest. */
  #roomAt(): number | undefined {
    const times = [...this.#units.values()]
      .filter((unit) => unit.state === 'present' && isIdle(unit))
      .map(({ since }) => since + this.rules.minAgeMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async #awaitRoom({ availableAt }: NoRoom, deadline: Deadline, waits: boolean): Promise<void> {
    const now = this.clock.monotonic();
    if (!waits || availableAt === undefined || availableAt > deadline.deadline - ANSWER_MS_MIN)
      throw this.#noRoom(availableAt ?? now + this.rules.minAgeMs);
    await pause(this.clock, Math.max(0, availableAt - now), deadline);
  }

  #noRoom(availableAt: number): BackendRefused {
    const seconds = secondsUntil(availableAt, this.clock.monotonic());
    return new BackendRefused('backend.quota', `${this.#places.describe()}; try again in ${seconds} s`, seconds);
  }

  #armSweep(): void {
    if (this.#stopped || this.#cancelSweep !== undefined) return;
    const times = [...this.#units.values()].filter((unit) => unit.state === 'present' && isIdle(unit)).map((unit) => this.#overAt(unit));
    if (times.length === 0) return;
    this.#cancelSweep = this.clock.after(Math.max(0, Math.min(...times) - this.clock.monotonic()), () => {
      this.#cancelSweep = undefined;
      void this.#bring([]);
    });
  }
}

function isForgotten(failure: UnitFailure): boolean {
  return !(failure instanceof BackendFailure) && failure.refused === 'not_subscribed';
}

function isOverQuota(failure: UnitFailure): boolean {
  return !(failure instanceof BackendFailure) && failure.refused === 'subscription_quota';
}
