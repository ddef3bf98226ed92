import type { Backend, QuoteStream, StreamScope, UnsubscribeRefusal } from '../backend.js';
import { type BackendStream, BackendStreams } from './backend-streams.js';
import { plainKey, streamKey, variantKeys } from './streams.js';

/**
 * Who is subscribed to what. An owner is a text: `key:<id>`, `anonymous` (legacy mode) or `conn:<id>` (one connection).
 *
 * What owners want changes at once; the backend follows ({@link BackendStreams}). A stream is started when its first owner
 * arrives and stopped when its last one leaves, and any interleaving of subscribing and unsubscribing ends in the right state.
 */
export interface Subscription {
  readonly owner: string;
  readonly stream: QuoteStream;
  /** {@link streamKey} of the stream. */
  readonly key: string;
  /** New with every subscription made and every change of `push`: work that belongs to an earlier one is told apart by it. */
  readonly generation: number;
  /** Pushes are wanted, not only the right to query. */
  readonly push: boolean;
  /** The current data is pushed to each connection that begins to receive the stream. */
  readonly first: boolean;
  /** The backend has accepted it; until then nothing is delivered. */
  readonly active: boolean;
}

export interface SubscribeOptions {
  /** Undefined leaves the registration of an existing subscription as it is; a new one then gets no pushes. */
  readonly push: boolean | undefined;
  readonly first: boolean;
}

export type SubscribeOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: 'quota' | 'backend';
      readonly message: string;
      readonly retType: number;
      readonly errCode: number;
    };

/** Told after the fact, synchronously. */
export interface SubscriptionListener {
  /** From now on the subscription's owner receives the stream. */
  started(subscription: Subscription): void;
  /** From now on it does not. */
  ended(subscription: Subscription): void;
}

/** What became of streams that were to be restored. */
export interface Restored {
  /** Keys of those that run. */
  readonly keys: readonly string[];
  readonly ended: readonly Ended[];
}

/** A subscription that its owner did not end. */
export interface Ended {
  readonly subscription: Subscription;
  /** The backend's words. */
  readonly reason: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class Subscriptions {
  readonly #streams: BackendStreams<Mutable<Subscription>>;
  readonly #owners = new Map<string, Map<string, Mutable<Subscription>>>();
  #generation = 0;

  constructor(
    backend: Pick<Backend, 'subscribe' | 'unsubscribe'>,
    private readonly listener: SubscriptionListener,
    /** Distinct (symbol, type) pairs that the whole daemon may be subscribed to. */
    readonly quota: number,
    /** Runs an action after so many milliseconds. */
    after: (ms: number, action: () => void) => () => void,
  ) {
    this.#streams = new BackendStreams(backend, after);
  }

  /** Nothing is tried again. */
  stop(): void {
    this.#streams.stop();
  }

  get usedQuota(): number {
    return this.#streams.usedQuota;
  }

  /** Subscribes an owner to all of the streams or, when the quota or the backend refuses, to none of those that are new. */
  async subscribe(owner: string, streams: readonly QuoteStream[], options: SubscribeOptions): Promise<SubscribeOutcome> {
    const over = this.#overQuota(streams);
    if (over !== undefined) return over;
    const known: [Mutable<Subscription>, SubscribeOptions][] = [];
    const added: Mutable<Subscription>[] = [];
    for (const stream of streams) {
      const subscription = this.#owners.get(owner)?.get(streamKey(stream));
      if (subscription?.active) {
        known.push([subscription, options]);
        continue;
      }
      // One that still waits for the backend is superseded: should its request be refused, this one stands on its own.
      if (subscription !== undefined) this.#remove(subscription);
      added.push(this.#add(owner, stream, options));
    }
    const touched = streams.map((stream) => this.#streams.entry(stream));
    if (touched.some((entry) => !entry.running || entry.work !== undefined)) {
      const { refusal } = await this.#streams.settle(touched, () => {
        for (const subscription of added) if (this.#isCurrent(subscription)) this.#remove(subscription);
      });
      if (refusal !== undefined) {
        return { ok: false, reason: 'backend', message: refusal.retMsg, retType: refusal.retType, errCode: refusal.errCode };
      }
    }
    for (const [subscription, { push, first }] of known) this.#change(subscription, push ?? subscription.push, first);
    for (const subscription of added) this.#activate(subscription);
    return { ok: true };
  }

  /**
   * Ends subscriptions of an owner. Delivery has ended when this returns; the promise says that the backend knows, or that it
   * does not let go of some streams yet. They are ended later, and until then count towards the quota.
   */
  unsubscribe(owner: string, streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    const idle: BackendStream<Mutable<Subscription>>[] = [];
    for (const stream of streams) {
      const subscription = this.#owners.get(owner)?.get(streamKey(stream));
      if (subscription === undefined) continue;
      const entry = this.#remove(subscription);
      if (entry.wanted.size === 0) idle.push(entry);
    }
    return idle.length === 0 ? Promise.resolve(undefined) : this.#streams.settle(idle, () => undefined).then(({ kept }) => kept);
  }

  unsubscribeAll(owner: string): Promise<UnsubscribeRefusal | undefined> {
    return this.unsubscribe(owner, this.wanted(owner));
  }

  /** Streams that an owner has asked for, also those that the backend has yet to accept. */
  wanted(owner: string): readonly QuoteStream[] {
    return [...(this.#owners.get(owner)?.values() ?? [])].map(({ stream }) => stream);
  }

  /** Accepted subscriptions of an owner. */
  list(owner: string): readonly Subscription[] {
    return [...(this.#owners.get(owner)?.values() ?? [])].filter(({ active }) => active);
  }

  /** Accepted subscriptions of every owner that has one. */
  listAll(): readonly { readonly owner: string; readonly subscriptions: readonly Subscription[] }[] {
    return [...this.#owners.keys()]
      .map((owner) => ({ owner, subscriptions: this.list(owner) }))
      .filter(({ subscriptions }) => subscriptions.length > 0);
  }

  /** An owner's accepted subscription to a stream. */
  get(owner: string, key: string): Subscription | undefined {
    const subscription = this.#owners.get(owner)?.get(key);
    return subscription?.active ? subscription : undefined;
  }

  /** Whether an owner has an accepted subscription to a symbol's data of one type, whatever the adjustment and hours. */
  holds(owner: string, symbol: string, subType: number): boolean {
    const owned = this.#owners.get(owner);
    if (owned === undefined) return false;
    // Asked for each read of live data: the one that nearly always is it is looked for first.
    if (owned.get(plainKey(symbol, subType))?.active) return true;
    return variantKeys(symbol, subType).some((key) => owned.get(key)?.active === true);
  }

  /** Owners that receive the pushes of a stream. */
  receivers(key: string): readonly string[] {
    const wanted = this.#streams.get(key)?.wanted.values() ?? [];
    return [...wanted].filter(({ active, push }) => active && push).map(({ owner }) => owner);
  }

  /** Every stream that somebody wants, whether the backend delivers it or not. */
  desired(): readonly QuoteStream[] {
    return this.#streams.desired();
  }

  /** The backend delivers these no more: the keys of those that somebody wants. */
  lost(streams: StreamScope['streams']): readonly string[] {
    return this.#streams.lost(streams);
  }

  /** Starts those of these that are wanted and do not run. Those that the backend refuses end. */
  async restore(streams: StreamScope['streams']): Promise<Restored> {
    const ended: Ended[] = [];
    const keys = await this.#streams.restore(streams, (stream, reason) => {
      for (const subscription of [...stream.wanted.values()]) {
        this.#remove(subscription);
        ended.push({ subscription, reason });
      }
    });
    return { keys, ended };
  }

  #overQuota(streams: readonly QuoteStream[]): SubscribeOutcome | undefined {
    const needed = this.#streams.unitsNeeded(streams);
    if (this.usedQuota + needed <= this.quota) return undefined;
    const message = `subscription quota exceeded: ${this.usedQuota} of ${this.quota} in use, ${needed} more asked for; unsubscribe first`;
    return { ok: false, reason: 'quota', message, retType: -1, errCode: 0 };
  }

  #add(owner: string, stream: QuoteStream, { push, first }: SubscribeOptions): Mutable<Subscription> {
    const entry = this.#streams.entry(stream);
    this.#generation += 1;
    const subscription = { owner, stream, key: entry.key, generation: this.#generation, push: push ?? false, first, active: false };
    entry.wanted.set(owner, subscription);
    this.#streams.tidy(entry);
    let owned = this.#owners.get(owner);
    if (owned === undefined) {
      owned = new Map();
      this.#owners.set(owner, owned);
    }
    owned.set(entry.key, subscription);
    return subscription;
  }

  #remove(subscription: Subscription): BackendStream<Mutable<Subscription>> {
    const { owner, stream, key } = subscription;
    const entry = this.#streams.entry(stream);
    entry.wanted.delete(owner);
    const owned = this.#owners.get(owner);
    owned?.delete(key);
    if (owned?.size === 0) this.#owners.delete(owner);
    this.#streams.tidy(entry);
    if (subscription.active && subscription.push) this.listener.ended(subscription);
    return entry;
  }

  /** Whether it is still what its owner wants: it may have been ended while the backend was asked. */
  #isCurrent(subscription: Subscription): boolean {
    return this.#owners.get(subscription.owner)?.get(subscription.key) === subscription;
  }

  #activate(subscription: Mutable<Subscription>): void {
    if (!this.#isCurrent(subscription) || subscription.active) return;
    subscription.active = true;
    if (subscription.push) this.listener.started(subscription);
  }

  /** Changes the push registration of a subscription that exists. */
  #change(subscription: Mutable<Subscription>, push: boolean, first: boolean): void {
    if (!this.#isCurrent(subscription)) return;
    subscription.first = first;
    if (subscription.push === push) return;
    subscription.push = push;
    this.#generation += 1;
    subscription.generation = this.#generation;
    if (push) this.listener.started(subscription);
    else this.listener.ended(subscription);
  }
}
