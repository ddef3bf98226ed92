import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import {
  BackendFailure,
  BackendRefused,
  BackendTimeout,
  type QuoteStream,
  type ResponseMessage,
  type UnsubscribeRefusal,
} from '@svc-gateway/gateway';
import { streamKey } from '@svc-gateway/gateway/push';
import { ANSWER_MS_MIN, type Deadline, pause, secondsUntil, withDeadline } from '../requests/deadline.js';
import { type Outcome, settle } from '../requests/refusals.js';
import { QuotaUnit, type QuotaUnitName, unitKey } from './quota-unit.js';
import { QuoteStreams } from './quote-streams.js';
import { SubscriptionQuota } from './subscription-quota.js';
import { type SubscriptionRequests, type UnitFailure, type Wish, wishOf } from './subscription-requests.js';

/** Rules of a server for subscriptions. */
export interface SubscriptionRules {
  /**
   * Whether the server counts units of symbol and type against a quota that it tells (Qot_GetSubInfo), and answers live data only from
   * what is subscribed to.
   */
  readonly quota: boolean;
  /** Least age at which a unit is given back, ms; at 0 it is given back at once, and the caller hears of a refusal. */
  readonly minAgeMs: number;
  /** How long a unit is kept after it was last read, unless its room is needed, ms. */
  readonly keptMs: number;
}

/** Timeout of a subscription: callers give none. */
const SUBSCRIBE_MS_MAX = 15_000;
/** Pause after a refused unsubscription of a unit that seemed old enough. */
const AGAIN_MS = 10_000;
/** Pause after a refused unsubscription where units are given back at once. */
const REFUSED_MS = 60_000;
/** Bound on the units that are known at a time, so that symbols that are read once do not fill the memory. */
const UNITS_MAX = 10_000;

/** There is no room in the quota for a unit. */
class NoRoom {
  /** Time at which there may be room at the earliest, of `Clock.monotonic`; undefined while everything is in use. */
  constructor(readonly availableAt: number | undefined) {}
}

/** Units of one round that could not be subscribed to or given back, and why. */
type Failures = ReadonlyMap<QuotaUnit, UnitFailure | NoRoom>;

/**
 * Brings the subscriptions at a server in line with what is wanted: streams that callers hold, and units that reads need, each unit
 * once. It works in rounds, one at a time: a round subscribes to everything that is wanted by then and gives back what is over. An
 * idle unit is kept for a while; where its room is needed, the least recently read goes first, never before its least age, and
 * never one that a caller holds.
 */
export class SubscriptionReconciler {
  /** Running streams, and the pushes that are theirs. */
  readonly streams = new QuoteStreams();
  readonly #units = new Map<string, QuotaUnit>();
  readonly quota: SubscriptionQuota;
  /** Units that the next round looks at. */
  readonly #lacking = new Set<QuotaUnit>();
  #next: Promise<Failures> | undefined;
  #round: Promise<unknown> = Promise.resolve();
  #cancelSweep: (() => void) | undefined;
  /** Number of the connection: answers of an earlier one are ignored. */
  #generation = 0;
  #stopped = false;

  constructor(
    private readonly requests: SubscriptionRequests,
    private readonly clock: Clock,
    private readonly rules: SubscriptionRules,
  ) {
    this.quota = new SubscriptionQuota(requests, clock, rules.quota, () => this.#all(({ state }) => state !== 'absent'));
  }

  /**
   * `Backend.subscribe`: starts streams, or rejects with `BackendRefused`. A refusal in the server's own words is a `Response`, and
   * then none of the streams is held. They run from before they are asked for, so that a first push is not missed.
   */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const added = streams.filter((stream) => !this.#unit(stream).streams.has(streamKey(stream)));
    for (const stream of streams) this.#unit(stream).streams.set(streamKey(stream), stream);
    this.streams.begin(added);
    const units = new Set(streams.map((stream) => this.#unit(stream)));
    const deadline = { deadline: this.clock.monotonic() + SUBSCRIBE_MS_MAX };
    let held = false;
    try {
      const refused = await this.ensure([...units], deadline);
      held = refused === undefined;
      if (refused !== undefined) return settle(refused);
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
    const failures = await this.#bring([]);
    const refusalOf = (stream: QuoteStream) => {
      const unit = this.#units.get(unitKey(stream));
      return unit && failures.get(unit);
    };
    const kept = streams.filter((stream) => refusalOf(stream) !== undefined);
    const refusal = kept[0] && refusalOf(kept[0]);
    if (refusal === undefined || refusal instanceof NoRoom) return undefined;
    const message = refusal instanceof BackendFailure ? refusal.message : refusal.response.retMsg;
    return { streams: kept, message, retryAfterMs: REFUSED_MS };
  }

  /** Uses units for a read, until they are released. */
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

  /**
   * Resolves once the server delivers everything that is wanted of these units. A unit that cannot be had ends it: a `BackendFailure` is
   * thrown, a refusal in the server's words is returned. With `waitsForRoom` it waits for room in the quota as long as the caller.
   */
  async ensure(units: readonly QuotaUnit[], deadline: Deadline, waitsForRoom = true): Promise<Outcome | undefined> {
    for (;;) {
      const lacking = units.filter((unit) => !unit.isIdle && !unit.isServed);
      if (lacking.length === 0) return undefined;
      if (!this.quota.known) await withDeadline(this.clock, this.quota.learn(), deadline);
      const tooMany = this.quota.tooMany(lacking);
      if (tooMany !== undefined) throw new BackendRefused('backend.quota', tooMany);
      const failures = await withDeadline(this.clock, this.#bring(lacking), deadline);
      const failure = lacking.map((unit) => failures.get(unit)).find((found) => found !== undefined);
      if (failure === undefined) continue;
      if (failure instanceof BackendFailure) throw failure;
      if (!(failure instanceof NoRoom)) return failure;
      await this.#awaitRoom(failure, deadline, waitsForRoom);
    }
  }

  /** The server says that these are not subscribed to. */
  forget(units: readonly QuotaUnit[]): void {
    for (const unit of units) if (unit.state === 'present') unit.forget();
  }

  /** Another connection: nothing is subscribed to, and callers hold no stream until they subscribe again. */
  reset(): void {
    this.#generation += 1;
    this.streams.clear();
    this.quota.forget();
    this.#disarmSweep();
    for (const unit of this.#units.values()) {
      unit.forget();
      unit.streams.clear();
      this.#tidy(unit);
    }
  }

  /** Subscribes again to everything that the server, by its own account, has forgotten; resolves to the streams among it. */
  async verify(deadline: Deadline): Promise<readonly QuoteStream[]> {
    const present = this.#all(({ state }) => state === 'present');
    const info = present.length === 0 ? undefined : await this.requests.info();
    if (info === undefined) return [];
    const lost = present.filter((unit) => unit.state === 'present' && !info.units.has(unit.key));
    this.forget(lost);
    const held = lost.filter(({ streams }) => streams.size > 0);
    const streams = held.flatMap((unit) => [...unit.streams.values()]);
    await this.ensure(held, deadline);
    return streams;
  }

  /** Subscribes and registers once more to streams that the server says it delivers. */
  async resubscribe(streams: readonly QuoteStream[]): Promise<void> {
    const units = new Set(streams.flatMap((stream) => this.#units.get(unitKey(stream)) ?? []));
    await this.requests.repeat([...units].filter((unit) => unit.isServed && unit.streams.size > 0).map(wishOf));
  }

  stop(): void {
    this.#stopped = true;
    this.#disarmSweep();
  }

  #all(wanted: (unit: QuotaUnit) => boolean): readonly QuotaUnit[] {
    return [...this.#units.values()].filter(wanted);
  }

  #unit(name: QuotaUnitName): QuotaUnit {
    const key = unitKey(name);
    const known = this.#units.get(key);
    if (known !== undefined) return known;
    if (this.#units.size >= UNITS_MAX)
      throw new BackendRefused('backend.quota', `${UNITS_MAX} symbols are read at a time; nothing was sent`, 1);
    const unit = new QuotaUnit(name);
    this.#units.set(key, unit);
    return unit;
  }

  /** Drops a unit that is neither used nor subscribed to. */
  #tidy(unit: QuotaUnit): void {
    if (unit.isIdle && unit.state === 'absent' && !this.#lacking.has(unit)) this.#units.delete(unit.key);
  }

  #letGo(streams: readonly QuoteStream[]): void {
    this.streams.end(streams);
    for (const stream of streams) {
      const unit = this.#units.get(unitKey(stream));
      if (unit === undefined || !unit.streams.delete(streamKey(stream))) continue;
      // The holders that are left may want less than is delivered.
      if (unit.state === 'present' && !unit.hasWantedKind) void this.#bring([unit]);
      this.#tidy(unit);
    }
    this.#disarmSweep();
    this.#armSweep();
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
    const lacking = [...this.#lacking].filter((unit) => !unit.isIdle && !unit.isServed);
    this.#lacking.clear();
    const failures = new Map<QuotaUnit, UnitFailure | NoRoom>();
    const present = lacking.filter(({ state }) => state === 'present');
    const absent = lacking.filter(({ state }) => state === 'absent');
    const accepted = await this.#makeRoom(absent, failures);
    if (generation !== this.#generation) return failures;
    // Other hours and the orders of a book need another subscription; pushes and adjustments are only registered for.
    const subscribing = [...accepted, ...present.filter((unit) => !unit.hasWantedKind)].map(wishOf);
    const registering = present.filter((unit) => unit.hasWantedKind).map(wishOf);
    for (const unit of accepted) unit.state = 'starting';
    const [refused, unregistered] = await Promise.all([this.requests.subscribe(subscribing), this.requests.register(registering)]);
    if (generation !== this.#generation) return failures;
    for (const wish of subscribing) this.#settle(wish, refused.get(wish.unit), failures);
    for (const wish of registering) this.#settle(wish, unregistered.get(wish.unit), failures);
    const now = this.clock.monotonic();
    await this.#giveBack(
      this.#all((unit) => unit.state === 'present' && unit.isIdle && this.#overAt(unit) <= now),
      failures,
    );
    this.#armSweep();
    return failures;
  }

  /** Takes up the outcome of a subscription or registration. */
  #settle({ unit, terms }: Wish, failure: UnitFailure | undefined, failures: Map<QuotaUnit, UnitFailure | NoRoom>): void {
    const refused = failure === undefined || failure instanceof BackendFailure ? undefined : failure.refused;
    if (refused === 'not_subscribed' && unit.state === 'present') {
      // The server has forgotten it, as after its own login: its users have it subscribed to again.
      unit.forget();
    } else if (failure !== undefined) {
      const isFull = refused === 'subscription_quota';
      if (isFull) this.quota.full();
      // Without an answer it may be there all the same, and is given back then.
      if (unit.state === 'starting') this.#begin(unit, failure instanceof BackendTimeout ? 'present' : 'absent');
      this.#tidy(unit);
      failures.set(unit, isFull ? new NoRoom(this.#roomAt()) : failure);
    } else {
      if (unit.state === 'starting') this.#begin(unit, 'present');
      unit.grant(terms);
    }
  }

  #begin(unit: QuotaUnit, state: 'present' | 'absent'): void {
    unit.state = state;
    if (state === 'absent') return;
    unit.since = this.clock.monotonic();
    this.quota.vacated(-1);
  }

  /** Returns the units with room for them, after releasing idle ones. */
  async #makeRoom(absent: readonly QuotaUnit[], failures: Map<QuotaUnit, UnitFailure | NoRoom>): Promise<readonly QuotaUnit[]> {
    if (absent.length === 0) return [];
    if (!this.quota.known) await this.quota.learn();
    if (this.quota.plan(absent, []).placed.length < absent.length) {
      await this.quota.learn();
      await this.#giveBack(this.quota.plan(absent, this.#leastNeeded()).ending);
    }
    const { placed } = this.quota.plan(absent, []);
    for (const unit of absent) if (!placed.includes(unit)) failures.set(unit, new NoRoom(this.#roomAt()));
    return placed;
  }

  /** Idle units that are old enough, least recently read first. */
  #leastNeeded(): readonly QuotaUnit[] {
    const now = this.clock.monotonic();
    const idle = this.#all((unit) => unit.isIdle && unit.state === 'present' && unit.since + this.rules.minAgeMs <= now);
    return [...idle].sort((a, b) => a.lastRead - b.lastRead);
  }

  async #giveBack(units: readonly QuotaUnit[], failures?: Map<QuotaUnit, UnitFailure | NoRoom>): Promise<void> {
    if (units.length === 0) return;
    const generation = this.#generation;
    for (const unit of units) unit.state = 'ending';
    const refused = await this.requests.unsubscribe(units);
    if (generation !== this.#generation) return;
    for (const unit of units) {
      const failure = refused.get(unit);
      if (failure === undefined) {
        unit.forget();
        this.#tidy(unit);
        this.quota.vacated(1);
        continue;
      }
      // By the server's clock it may be too young still.
      const { minAgeMs } = this.rules;
      unit.state = 'present';
      if (minAgeMs > 0) unit.since = this.clock.monotonic() + AGAIN_MS - minAgeMs;
      else unit.keptUntil = this.clock.monotonic() + REFUSED_MS;
      failures?.set(unit, failure);
    }
  }

  /** Time at which an idle unit is given back. */
  #overAt({ since, keptUntil }: QuotaUnit): number {
    return Math.max(since + this.rules.minAgeMs, keptUntil);
  }

  /** Time at which there may be room at the earliest. */
  #roomAt(): number | undefined {
    const times = this.#all((unit) => unit.state === 'present' && unit.isIdle).map(({ since }) => since + this.rules.minAgeMs);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async #awaitRoom({ availableAt }: NoRoom, deadline: Deadline, waits: boolean): Promise<void> {
    const now = this.clock.monotonic();
    if (waits && availableAt !== undefined && availableAt <= deadline.deadline - ANSWER_MS_MIN)
      return pause(this.clock, Math.max(0, availableAt - now), deadline);
    const seconds = secondsUntil(availableAt ?? now + this.rules.minAgeMs, now);
    throw new BackendRefused('backend.quota', `${this.quota.describe()}; try again in ${seconds} s`, seconds);
  }

  #disarmSweep(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
  }

  /** Gives back idle units when their time has come. */
  #armSweep(): void {
    if (this.#stopped || this.#cancelSweep !== undefined) return;
    const times = this.#all((unit) => unit.state === 'present' && unit.isIdle).map((unit) => this.#overAt(unit));
    if (times.length === 0) return;
    this.#cancelSweep = this.clock.after(Math.max(0, Math.min(...times) - this.clock.monotonic()), () => {
      this.#cancelSweep = undefined;
      void this.#bring([]);
    });
  }
}
