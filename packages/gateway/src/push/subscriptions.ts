import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Backend, QuoteStream, StreamScope, UnsubscribeRefusal } from '../backend.js';
import type { KeyShares } from './key-shares.js';
import type { After } from './retries.js';
import { plainKey, streamKey, variantKeys } from './streams.js';
import { type Refused, type RestoredStreams, UpstreamStreams } from './upstream.js';

/** One owner's hold on a stream. An owner is a text: `key:<id>`, `anonymous` (legacy mode) or `conn:<id>` (one connection). */
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
  /** The key whose share of the quota it takes; see {@link KeyShares}. */
  readonly holder: string | undefined;
}

export interface SubscribeOptions {
  /** Undefined leaves the registration of an existing subscription as it is; a new one then gets no pushes. */
  readonly push: boolean | undefined;
  readonly first: boolean;
  /** The key whose share of the quota this takes, where the owner does not say. */
  readonly holder?: string | undefined;
}

export type SubscribeOutcome = { readonly ok: true } | ({ readonly ok: false; readonly reason: 'quota' | 'backend' } & Refused);

/** Told after the fact, synchronously. */
export interface SubscriptionListener {
  /** From now on the subscription's owner receives the stream. */
  started(subscription: Subscription): void;
  /** From now on it does not. */
  ended(subscription: Subscription): void;
  /** Called when an owner's subscriptions have changed. */
  changed(owner: string): void;
}

/** Result of restoring streams. */
export interface Restored extends RestoredStreams {
  readonly ended: readonly Ended[];
}

/** A subscription that its owner did not end. */
export interface Ended {
  readonly subscription: Subscription;
  /** The backend's words. */
  readonly reason: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Subscriptions by owner. Owners' wishes take effect here at once; {@link UpstreamStreams} brings the backend in line. A stream
 * starts with its first owner and stops with its last.
 */
export class Subscriptions {
  /** Owner → stream key → subscription. */
  readonly #byOwner = new Map<string, Map<string, Mutable<Subscription>>>();
  /** The same by stream: stream key → owner → subscription. */
  readonly #byStream = new Map<string, Map<string, Mutable<Subscription>>>();
  readonly #upstream: UpstreamStreams;
  #generation = 0;

  constructor(
    backend: Pick<Backend, 'subscribe' | 'unsubscribe'>,
    private readonly listener: SubscriptionListener,
    /** Distinct (symbol, type) pairs that the whole daemon may be subscribed to. */
    private readonly quotaNow: () => number,
    private readonly shares: KeyShares,
    after: After,
  ) {
    this.#upstream = new UpstreamStreams(backend, (key) => this.#byStream.has(key), after);
  }

  get quota(): number {
    return this.quotaNow();
  }

  /** The pairs that an owner may be subscribed to: the daemon's, or its key's share where that is less. */
  quotaOf(owner: string): number {
    return this.shares.holderOf(owner) === undefined ? this.quota : Math.min(this.quota, this.shares.max());
  }

  /** The owner of the key that an owner subscribes with; without a key, the owner itself. */
  holderOf(owner: string): string {
    return this.shares.holderOf(owner) ?? owner;
  }

  /** Nothing is tried again. */
  stop(): void {
    this.#upstream.stop();
  }

  get usedQuota(): number {
    return this.#upstream.usedQuota;
  }

  /** Subscribes an owner to all of the streams or, when the quota or the backend refuses, to none of those that are new. */
  async subscribe(owner: string, streams: readonly QuoteStream[], options: SubscribeOptions): Promise<SubscribeOutcome> {
    const holder = options.holder ?? this.shares.holderOf(owner);
    const over = this.#overQuota(streams, holder);
    if (over !== undefined) return over;
    const known: [Mutable<Subscription>, SubscribeOptions][] = [];
    const added: Mutable<Subscription>[] = [];
    for (const stream of streams) {
      const subscription = this.#byOwner.get(owner)?.get(streamKey(stream));
      if (subscription?.active) {
        known.push([subscription, options]);
        continue;
      }
      // One that still waits for the backend is superseded: should its request be refused, this one stands on its own.
      if (subscription !== undefined) this.#remove(subscription);
      added.push(this.#add(owner, stream, options, holder));
    }
    if (!this.#upstream.allRun(streams)) {
      const { refused } = await this.#upstream.settle(streams, () => {
        for (const subscription of added) if (this.#isCurrent(subscription)) this.#remove(subscription);
      });
      if (refused !== undefined) {
        const { message, retType, errCode, cause } = refused;
        return { ok: false, reason: 'backend', message, retType, errCode, ...(cause === undefined ? {} : { cause }) };
      }
    }
    for (const [subscription, { push, first }] of known) this.#change(subscription, push ?? subscription.push, first);
    for (const subscription of added) this.#activate(subscription);
    return { ok: true };
  }

  /** Takes up a subscription that an earlier process had; it is started by {@link restore}. */
  adopt(owner: string, stream: QuoteStream, options: SubscribeOptions): void {
    if (this.#byOwner.get(owner)?.has(streamKey(stream))) return;
    this.#activate(this.#add(owner, stream, options, options.holder ?? this.shares.holderOf(owner)));
  }

  /**
   * Ends subscriptions of an owner. Delivery has ended when this returns; the promise says that the backend knows, or that it
   * does not let go of some streams yet. They are ended later, and until then count towards the quota.
   */
  unsubscribe(owner: string, streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    const idle: QuoteStream[] = [];
    for (const stream of streams) {
      const subscription = this.#byOwner.get(owner)?.get(streamKey(stream));
      if (subscription === undefined) continue;
      this.#remove(subscription);
      if (!this.#byStream.has(subscription.key)) idle.push(stream);
    }
    return idle.length === 0 ? Promise.resolve(undefined) : this.#upstream.settle(idle).then(({ kept }) => kept);
  }

  unsubscribeAll(owner: string): Promise<UnsubscribeRefusal | undefined> {
    return this.unsubscribe(owner, this.wanted(owner));
  }

  /** Streams that an owner has asked for, also those that the backend has yet to accept. */
  wanted(owner: string): readonly QuoteStream[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])].map(({ stream }) => stream);
  }

  /** Accepted subscriptions of an owner. */
  list(owner: string): readonly Subscription[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])].filter(({ active }) => active);
  }

  /** All owners of subscriptions. */
  owners(): readonly string[] {
    return [...this.#byOwner.keys()];
  }

  /** Accepted subscriptions of every owner that has one. */
  listAll(): readonly { readonly owner: string; readonly subscriptions: readonly Subscription[] }[] {
    return [...this.#byOwner.keys()]
      .map((owner) => ({ owner, subscriptions: this.list(owner) }))
      .filter(({ subscriptions }) => subscriptions.length > 0);
  }

  /** An owner's accepted subscription to a stream. */
  get(owner: string, key: string): Subscription | undefined {
    const subscription = this.#byOwner.get(owner)?.get(key);
    return subscription?.active ? subscription : undefined;
  }

  /** Whether an owner has an accepted subscription to a symbol's data of one type, whatever the adjustment and hours. */
  holds(owner: string, symbol: string, subType: number): boolean {
    const owned = this.#byOwner.get(owner);
    if (owned === undefined) return false;
    // Asked for each read of live data: the one that nearly always is it is looked for first.
    if (owned.get(plainKey(symbol, subType))?.active) return true;
    return variantKeys(symbol, subType).some((key) => owned.get(key)?.active === true);
  }

  /** Owners that receive the pushes of a stream. */
  receivers(key: string): readonly string[] {
    const held = this.#byStream.get(key)?.values() ?? [];
    return [...held].filter(({ active, push }) => active && push).map(({ owner }) => owner);
  }

  /** Every stream that somebody wants, whether the backend delivers it or not. */
  desired(): readonly QuoteStream[] {
    return [...this.#byStream.values()].flatMap((held) => [...held.values()].slice(0, 1)).map(({ stream }) => stream);
  }

  /** Marks streams as lost at the backend; returns the keys of the wanted ones. */
  lost(streams: StreamScope['streams']): readonly string[] {
    return this.#upstream.lost(streams);
  }

  /** Starts those of these that are wanted and do not run. Those that the backend refuses by themselves end. */
  async restore(streams: StreamScope['streams']): Promise<Restored> {
    const ended: Ended[] = [];
    const restored = await this.#upstream.restore(streams, (key, reason) => {
      for (const subscription of this.#byStream.get(key)?.values() ?? []) {
        // A pending subscription has a request and an answer of its own.
        if (!subscription.active) continue;
        this.#remove(subscription);
        ended.push({ subscription, reason });
      }
    });
    return { ...restored, ended };
  }

  #overQuota(streams: readonly QuoteStream[], holder: string | undefined): SubscribeOutcome | undefined {
    const used = this.usedQuota;
    const more = this.#upstream.newUnits(streams);
    const message =
      used + more > this.quota
        ? `subscription quota exceeded: ${used} of ${this.quota} in use, ${more} more requested; unsubscribe first`
        : this.shares.refuse(holder, streams);
    return message === undefined ? undefined : { ok: false, reason: 'quota', message, retType: -1, errCode: 0 };
  }

  #add(owner: string, stream: QuoteStream, { push, first }: SubscribeOptions, holder: string | undefined): Mutable<Subscription> {
    this.#generation += 1;
    const key = streamKey(stream);
    const subscription = { owner, stream, key, generation: this.#generation, push: push ?? false, first, active: false, holder };
    getOrInsert(this.#byStream, key, () => new Map()).set(owner, subscription);
    getOrInsert(this.#byOwner, owner, () => new Map()).set(key, subscription);
    this.shares.add(holder, stream);
    this.#upstream.note(stream);
    return subscription;
  }

  #remove(subscription: Subscription): void {
    const { owner, stream, key, holder } = subscription;
    this.shares.remove(holder, stream);
    take(this.#byStream, key, owner);
    take(this.#byOwner, owner, key);
    this.#upstream.note(stream);
    if (subscription.active) this.listener.changed(owner);
    if (subscription.active && subscription.push) this.listener.ended(subscription);
  }

  /** Whether it is still what its owner wants: it may have been ended while the backend was asked. */
  #isCurrent(subscription: Subscription): boolean {
    return this.#byOwner.get(subscription.owner)?.get(subscription.key) === subscription;
  }

  #activate(subscription: Mutable<Subscription>): void {
    if (!this.#isCurrent(subscription) || subscription.active) return;
    subscription.active = true;
    this.listener.changed(subscription.owner);
    if (subscription.push) this.listener.started(subscription);
  }

  /** Changes the push registration of a subscription that exists. */
  #change(subscription: Mutable<Subscription>, push: boolean, first: boolean): void {
    if (!this.#isCurrent(subscription)) return;
    subscription.first = first;
    this.listener.changed(subscription.owner);
    if (subscription.push === push) return;
    subscription.push = push;
    this.#generation += 1;
    subscription.generation = this.#generation;
    if (push) this.listener.started(subscription);
    else this.listener.ended(subscription);
  }
}

/** An outer key without values is forgotten. */
function take(nested: Map<string, Map<string, unknown>>, outer: string, inner: string): void {
  const values = nested.get(outer);
  values?.delete(inner);
  if (values?.size === 0) nested.delete(outer);
}
