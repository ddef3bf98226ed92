import { type Backend, BackendRefused, type QuoteStream, type StreamScope, type UnsubscribeRefusal } from '../backend.js';
import { plainKey, quotaKey, streamKey, variantKeys } from './streams.js';

/**
 * Who is subscribed to what. An owner is a text: `key:<id>`, `anonymous` (legacy mode) or `conn:<id>` (one connection).
 *
 * What owners want changes at once; the backend follows. A stream is started when its first owner arrives and stopped
 * when its last one leaves. Work on one stream is done in the order in which it was asked for, and each piece looks at
 * what is wanted when its turn comes, so any interleaving of subscribing and unsubscribing ends in the right state.
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
      /** The backend's refusal, where it is one for a reason that has a code. */
      readonly refused?: BackendRefused;
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

interface Settled {
  /** The backend, or the quota, refused what was to be started. */
  readonly refusal: SubscribeOutcome | undefined;
  /** The backend does not let go of what was to be ended. */
  readonly kept: UnsubscribeRefusal | undefined;
}

/** The least time between two tries to end a stream. */
const RETRY_MS_MIN = 5_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Entry {
  readonly stream: QuoteStream;
  readonly key: string;
  readonly wanted: Map<string, Mutable<Subscription>>;
  /** The backend delivers it. */
  running: boolean;
  /** Nobody wants it, and the backend may go on delivering it: it is to be ended later. */
  lingering: boolean;
  /** Another try to end it is due. */
  retrying: boolean;
  /** How often it was lost: a reply to what was asked before the last loss proves nothing. */
  losses: number;
  /** It has its part in a quota unit. */
  counted: boolean;
  /** Settles when the work asked for so far is done; undefined when there is none. */
  work: Promise<void> | undefined;
}

interface BackendReply {
  readonly retType: number;
  readonly retMsg: string;
  readonly errCode: number;
  readonly refused?: BackendRefused;
}

/** Refusals that another try changes nothing about. */
const lasting: readonly string[] = ['backend.quota', 'backend.forbidden', 'backend.invalid', 'backend.unsupported'];

export class Subscriptions {
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, Map<string, Mutable<Subscription>>>();
  /** Streams in use per quota unit. */
  readonly #units = new Map<string, number>();
  readonly #retries = new Set<() => void>();
  #generation = 0;

  constructor(
    private readonly backend: Pick<Backend, 'subscribe' | 'unsubscribe'>,
    private readonly listener: SubscriptionListener,
    /** Distinct (symbol, type) pairs that the whole daemon may be subscribed to. */
    readonly quota: number,
    /** Runs an action after so many milliseconds. */
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {}

  /** Nothing is tried again. */
  stop(): void {
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  get usedQuota(): number {
    return this.#units.size;
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
    const touched = streams.map((stream) => this.#entry(stream));
    const settled = touched.every((entry) => entry.running && entry.work === undefined) ? undefined : await this.#settle(touched, added);
    if (settled?.refusal !== undefined) return settled.refusal;
    for (const [subscription, { push, first }] of known) this.#change(subscription, push ?? subscription.push, first);
    for (const subscription of added) this.#activate(subscription);
    return { ok: true };
  }

  /**
   * Ends subscriptions of an owner. Delivery has ended when this returns; the promise says that the backend knows, or that it
   * does not let go of some streams yet. They are ended later, and until then count towards the quota.
   */
  unsubscribe(owner: string, streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    const idle: Entry[] = [];
    for (const stream of streams) {
      const subscription = this.#owners.get(owner)?.get(streamKey(stream));
      if (subscription === undefined) continue;
      const entry = this.#remove(subscription);
      if (entry.wanted.size === 0) idle.push(entry);
    }
    return idle.length === 0 ? Promise.resolve(undefined) : this.#settle(idle, []).then(({ kept }) => kept);
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
    const wanted = this.#entries.get(key)?.wanted.values() ?? [];
    return [...wanted].filter(({ active, push }) => active && push).map(({ owner }) => owner);
  }

  /** Every stream that somebody wants, whether the backend delivers it or not. */
  desired(): readonly QuoteStream[] {
    return [...this.#entries.values()].filter(({ wanted }) => wanted.size > 0).map(({ stream }) => stream);
  }

  /** The backend delivers these no more: the keys of those that somebody wants. */
  lost(streams: StreamScope['streams']): readonly string[] {
    const entries = this.#within(streams);
    const missed = entries.filter(({ running, wanted }) => running && wanted.size > 0).map(({ key }) => key);
    for (const entry of entries) {
      entry.losses += 1;
      entry.running = false;
      entry.lingering = false;
      this.#tidy(entry);
    }
    return missed;
  }

  /** Starts those of these that are wanted and do not run. */
  async restore(streams: StreamScope['streams']): Promise<Restored> {
    const entries = this.#within(streams);
    return this.#queue(entries, async () => {
      const idle = entries.filter(({ running, wanted }) => !running && wanted.size > 0);
      const ended = await this.#restart(idle);
      return { keys: entries.filter(({ running }) => running).map(({ key }) => key), ended };
    });
  }

  /** Starts streams again, together or, when that is refused, one by one. Those that are refused alone end. */
  async #restart(entries: readonly Entry[]): Promise<Ended[]> {
    if (entries.length === 0) return [];
    const reply = await this.#start(entries);
    if (reply.retType === 0 || !reply.answered) return [];
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) {
      const ended: Ended[] = [];
      for (const each of entries) ended.push(...(await this.#restart([each])));
      return ended;
    }
    const subscriptions = [...entry.wanted.values()];
    for (const subscription of subscriptions) this.#remove(subscription);
    return subscriptions.map((subscription) => ({ subscription, reason: reply.retMsg }));
  }

  #within(streams: StreamScope['streams']): readonly Entry[] {
    if (streams === 'all') return [...this.#entries.values()];
    return streams.map((stream) => this.#entries.get(streamKey(stream))).filter((entry) => entry !== undefined);
  }

  /**
   * Brings the backend in line with what is wanted for these streams, after all earlier work on any of them. The new
   * subscriptions are taken back when a stream of theirs is refused.
   */
  #settle(entries: readonly Entry[], added: readonly Subscription[]): Promise<Settled> {
    return this.#queue(entries, () => this.#reconcile(entries, added));
  }

  #queue<T>(entries: readonly Entry[], job: () => Promise<T>): Promise<T> {
    const before = Promise.all(entries.map((entry) => entry.work));
    const result = before.then(job);
    const done: Promise<void> = result.then(
      () => this.#release(entries, done),
      () => this.#release(entries, done),
    );
    for (const entry of entries) entry.work = done;
    return result;
  }

  #release(entries: readonly Entry[], done: Promise<void>): void {
    for (const entry of entries) {
      if (entry.work !== done) continue;
      entry.work = undefined;
      this.#tidy(entry);
    }
  }

  /** Brings the quota in line with an entry, and forgets one that is over. */
  #tidy(entry: Entry): void {
    const counts = entry.wanted.size > 0 || entry.lingering;
    if (counts !== entry.counted) {
      entry.counted = counts;
      const unit = quotaKey(entry.stream);
      const streams = (this.#units.get(unit) ?? 0) + (counts ? 1 : -1);
      if (streams > 0) this.#units.set(unit, streams);
      else this.#units.delete(unit);
    }
    const over = !counts && !entry.running && entry.work === undefined;
    if (over && this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }

  async #reconcile(entries: readonly Entry[], added: readonly Subscription[]): Promise<Settled> {
    const starting = entries.filter((entry) => entry.wanted.size > 0 && !entry.running);
    let refusal: SubscribeOutcome | undefined;
    if (starting.length > 0) {
      const notLost = watchLosses(starting);
      const reply = await this.#start(starting);
      if (reply.retType !== 0) {
        const { retMsg: message, retType, errCode, refused } = reply;
        refusal = { ok: false, reason: 'backend', message, retType, errCode, ...(refused === undefined ? {} : { refused }) };
        for (const subscription of added) if (this.#isCurrent(subscription)) this.#remove(subscription);
        // Of a refused batch the backend may have started a part.
        for (const entry of notLost()) entry.running = true;
      }
    }
    const stopping = entries.filter(
      (entry) => (entry.wanted.size === 0 && (entry.running || entry.lingering)) || (refusal !== undefined && starting.includes(entry)),
    );
    const kept = stopping.length > 0 ? await this.#stop(stopping) : undefined;
    return { refusal, kept };
  }

  async #start(entries: readonly Entry[]): Promise<BackendReply & { readonly answered: boolean }> {
    const notLost = watchLosses(entries);
    try {
      const reply = await this.backend.subscribe(entries.map(({ stream }) => stream));
      if (reply.retType === 0) {
        for (const entry of notLost()) {
          entry.running = true;
          entry.lingering = false;
        }
      }
      return { retType: reply.retType, retMsg: reply.retMsg, errCode: reply.errCode, answered: true };
    } catch (thrown) {
      if (thrown instanceof BackendRefused) {
        return { retType: -1, retMsg: thrown.message, errCode: 0, refused: thrown, answered: lasting.includes(thrown.code) };
      }
      const retMsg = `the backend did not answer: ${messageOf(thrown)}`;
      return { retType: -1, retMsg, errCode: 0, answered: false };
    }
  }

  /** Ends streams. What the backend does not let go of, or may not have, is tried again later. */
  async #stop(entries: readonly Entry[]): Promise<UnsubscribeRefusal | undefined> {
    const streams = entries.map(({ stream }) => stream);
    const notLost = watchLosses(entries);
    let refusal: UnsubscribeRefusal | undefined;
    let answered = true;
    try {
      refusal = await this.backend.unsubscribe(streams);
    } catch (thrown) {
      answered = false;
      refusal = { streams, message: `the backend did not answer: ${messageOf(thrown)}`, retryAfterMs: RETRY_MS_MIN };
    }
    // With their connection the streams are gone as well.
    const still = new Set(notLost().map(({ key }) => key));
    const streamsKept = refusal?.streams.filter((stream) => still.has(streamKey(stream))) ?? [];
    const kept = new Set(streamsKept.map(streamKey));
    for (const entry of entries) {
      entry.lingering = kept.has(entry.key);
      entry.running = answered && entry.lingering;
      this.#tidy(entry);
    }
    const due = entries.filter((entry) => entry.lingering && !entry.retrying);
    if (refusal === undefined || kept.size === 0) return undefined;
    if (due.length > 0) this.#retryAfter(refusal.retryAfterMs, due);
    return { ...refusal, streams: streamsKept };
  }

  #retryAfter(ms: number, entries: readonly Entry[]): void {
    for (const entry of entries) entry.retrying = true;
    const cancel = this.after(Math.max(ms, RETRY_MS_MIN), () => {
      this.#retries.delete(cancel);
      for (const entry of entries) entry.retrying = false;
      const idle = entries.filter((entry) => entry.lingering && entry.wanted.size === 0 && this.#entries.get(entry.key) === entry);
      if (idle.length > 0) void this.#settle(idle, []);
    });
    this.#retries.add(cancel);
  }

  #overQuota(streams: readonly QuoteStream[]): SubscribeOutcome | undefined {
    const units = new Set(streams.map(quotaKey).filter((unit) => !this.#units.has(unit)));
    if (this.#units.size + units.size <= this.quota) return undefined;
    const message = `subscription quota exceeded: ${this.#units.size} of ${this.quota} in use, ${units.size} more asked for; unsubscribe first`;
    return { ok: false, reason: 'quota', message, retType: -1, errCode: 0 };
  }

  #entry(stream: QuoteStream): Entry {
    const key = streamKey(stream);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        stream,
        key,
        wanted: new Map(),
        running: false,
        lingering: false,
        retrying: false,
        losses: 0,
        counted: false,
        work: undefined,
      };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  #add(owner: string, stream: QuoteStream, { push, first }: SubscribeOptions): Mutable<Subscription> {
    const entry = this.#entry(stream);
    this.#generation += 1;
    const subscription = { owner, stream, key: entry.key, generation: this.#generation, push: push ?? false, first, active: false };
    entry.wanted.set(owner, subscription);
    this.#tidy(entry);
    let owned = this.#owners.get(owner);
    if (owned === undefined) {
      owned = new Map();
      this.#owners.set(owner, owned);
    }
    owned.set(entry.key, subscription);
    return subscription;
  }

  #remove(subscription: Subscription): Entry {
    const { owner, stream, key } = subscription;
    const entry = this.#entry(stream);
    entry.wanted.delete(owner);
    const owned = this.#owners.get(owner);
    owned?.delete(key);
    if (owned?.size === 0) this.#owners.delete(owner);
    this.#tidy(entry);
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

/** Says later which of these were not lost in between. */
function watchLosses(entries: readonly Entry[]): () => readonly Entry[] {
  const before = entries.map(({ losses }) => losses);
  return () => entries.filter(({ losses }, index) => losses === before[index]);
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
