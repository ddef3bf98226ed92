import type { Clock } from '@svc-gateway/contract/clock';
import type { Store } from '@svc-gateway/storage';
import {
  type Backend,
  BackendFailure,
  type NotifyPush,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type SubscriptionQuotas,
  type TradePush,
} from '../backend.js';
import { type AccountOutcome, AccountRegistrations } from './accounts.js';
import { Connection, type ConnectionInfo, type Permits } from './connection.js';
import { EventFrames, FormatState } from './event-frames.js';
import type { PushFormat } from './format.js';
import { FrameBatcher } from './frame-batcher.js';
import { GapAnnouncer } from './gap-announcer.js';
import { IdleKeys } from './idle-keys.js';
import { KeyShares } from './key-shares.js';
import { type ConnectOptions, type Member, type PushConnection, receives } from './member.js';
import { type MemberActions, MemberHandle } from './member-handle.js';
import { type Observed, type Observer, Observers } from './observers.js';
import { RecentTrades } from './recent-trades.js';
import { type Entitled, Registrations } from './registrations.js';
import { Resumptions } from './resumptions.js';
import { type After, Retries } from './retries.js';
import { fullerKey, poorerKey, streamKey } from './streams.js';
import { type SubscribeOptions, type SubscribeOutcome, type Subscription, Subscriptions } from './subscriptions.js';

export type PushBackend = Pick<
  Backend,
  'subscribe' | 'subscriptionQuotas' | 'unserved' | 'unsubscribe' | 'current' | 'subscribeAccounts' | 'onPush' | 'onStreams'
>;

export interface PushHubOptions {
  readonly backend: PushBackend;
  readonly clock: Clock;
  /** Keeps what keys are registered for over restarts; without it nothing is kept. */
  readonly store?: Store;
  /** Distinct (symbol, type) pairs that may be subscribed to; default 1,000. More where the backend's own quota is larger. */
  readonly subscriptionQuota?: number;
  /** Pairs that one key may hold; half of the quota by default. */
  readonly subscriptionsPerKey?: number | undefined;
  /** Bytes that may wait for one reader before it is closed with 1013; default 8 MiB, sensible from 256 KiB up. */
  readonly maxBacklogBytes?: number;
  /** Notices for a new connection. */
  readonly greeting?: () => readonly NotifyPush[];
  /** An event that could not be encoded: a defect of the backend, which must not keep others from their events. */
  readonly onDefect: (error: unknown) => void;
  /** Told of pushes that stopped, that are back, or that the backend does not take up again. */
  readonly onGap?: (message: string) => void;
  /** Told how long a quote event took from the backend to its connections, in milliseconds. */
  readonly onPublished?: (event: QuotePush, ms: number) => void;
  /** Hash of the text of an owner's key, undefined for an owner without one: another key may be given the id of one that is gone. */
  readonly keyHashOf?: (owner: string) => string | undefined;
}

const SUBSCRIPTION_QUOTA = 1000;
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
/** Ours: the key of the connection does not open it any more. */
const CLOSE_KEY_REVOKED = 4401;
const NOBODY: readonly Connection[] = [];
const everything: Permits = () => true;

/**
 * Joins the backend's events, the subscriptions and the connections. An event is matched by one look-up of its stream,
 * encoded at most once per format, and handed to each recipient; how it is written is the {@link Connection}'s matter.
 */
export class PushHub {
  readonly subscriptions: Subscriptions;
  readonly accounts: AccountRegistrations;
  readonly idleKeys: IdleKeys;
  readonly #backend: PushBackend;
  readonly #clock: Clock;
  readonly #maxBacklogBytes: number;
  readonly #greeting: () => readonly NotifyPush[];
  readonly #onDefect: (error: unknown) => void;
  readonly #gatherer: FrameBatcher;
  readonly #members = new Map<string, Member>();
  /** Members by the owners whose subscriptions they receive. */
  readonly #byOwner = new Map<string, Set<Member>>();
  /** Receivers by stream. Built on the first event, dropped when anything changes for the stream. */
  readonly #routes = new Map<string, readonly Connection[]>();
  /** Weak: a format that no connection has any more is forgotten with it. */
  readonly #lanes = new WeakMap<PushFormat, FormatState>();
  /** Members by the owner of their key. */
  readonly #ofKey = new Map<string, Set<Member>>();
  readonly #gaps: GapAnnouncer;
  readonly #observers = new Observers();
  readonly #recentTrades = new RecentTrades();
  readonly #resumptions: Resumptions;
  readonly #registrations: Registrations | undefined;
  readonly #retries: Retries;
  readonly #stopListening: (() => void)[];
  readonly #actions: MemberActions = {
    release: (member) => this.#release(member),
    resume: (member, since, accIds) => this.#resumptions.hold(member, since, accIds),
    accounts: (member) => this.#resumptions.shownAccountsOf(member),
    remove: (member) => this.#remove(member),
    close: ({ connection }, code, reason) => this.#close(connection.id, code, reason),
    setPermits: (member, permits) => this.#setPermits(member, permits),
    info: (member) => this.#info(member),
  };
  #connectionCount = 0;

  constructor({
    backend,
    clock,
    store,
    subscriptionQuota = SUBSCRIPTION_QUOTA,
    subscriptionsPerKey,
    maxBacklogBytes = MAX_BACKLOG_BYTES,
    greeting = () => [],
    onDefect,
    onGap = () => undefined,
    onPublished,
    keyHashOf = () => undefined,
  }: PushHubOptions) {
    this.#backend = backend;
    this.#clock = clock;
    this.#maxBacklogBytes = maxBacklogBytes;
    this.#greeting = greeting;
    this.#onDefect = onDefect;
    this.#gatherer = new FrameBatcher(clock);
    const changed = (owner: string) => this.#registrations?.changed(owner);
    const listener = {
      started: (began: Subscription) => this.#started(began),
      ended: (ended: Subscription) => this.#ended(ended),
      changed,
    };
    const accountListener = {
      began: (owner: string, accId: bigint) => {
        changed(owner);
        this.#resumptions.follow(accId, true);
      },
      ended: (owner: string, accId: bigint) => {
        changed(owner);
        this.#accountEnded(owner, accId);
      },
    };
    const after: After = (ms, action) => clock.after(ms, action);
    this.#retries = new Retries(after);
    const quota = () => Math.max(subscriptionQuota, this.quotas?.securities.limit ?? 0);
    const shares = new KeyShares(
      (owner) => this.#keyOwnerOf(owner),
      () => subscriptionsPerKey ?? Math.max(1, Math.floor(quota() / 2)),
    );
    this.subscriptions = new Subscriptions(backend, listener, quota, shares, after);
    this.idleKeys = new IdleKeys(clock, this.subscriptions, (owner) => this.#byOwner.has(owner));
    this.accounts = new AccountRegistrations(backend, accountListener, after);
    this.#resumptions = new Resumptions({ clock, accounts: this.accounts, framesOf: (event) => this.#framesOf(event) });
    this.#registrations = store && new Registrations(store, this.subscriptions, this.accounts, keyHashOf);
    this.#gaps = new GapAnnouncer({
      subscriptions: this.subscriptions,
      accounts: this.accounts,
      retries: this.#retries,
      clock,
      membersOf: (owners) => this.#membersOf(owners),
      framesOf: (event) => this.#framesOf(event),
      refresh: (key) => this.#refresh(key),
      onRestored: (accIds) => this.#resumptions.restored(accIds),
      onGap,
      onDefect,
    });
    this.#stopListening = [
      backend.onPush((event) => {
        const started = performance.now();
        this.#publish(event);
        if (event.type === 'quote') onPublished?.(event, performance.now() - started);
      }),
      backend.onStreams({
        lost: (lost) => {
          this.#resumptions.lost(lost.accIds);
          this.#gaps.lost(lost);
          this.#observers.lost(lost);
        },
        restore: (scope) => this.#gaps.restore(scope),
      }),
    ];
  }

  /** The quotas of the server behind the backend, where it has some of its own. */
  get quotas(): SubscriptionQuotas | undefined {
    return this.#backend.subscriptionQuotas?.();
  }

  /** Gaps in what the backend delivered that were announced so far. */
  get gapCount(): number {
    return this.#gaps.count;
  }

  /** Streams and accounts whose pushes are missing now. */
  get missing(): number {
    return this.#gaps.missing;
  }

  /** Pushes a notice to all connections that want notices, or to those of one owner. */
  notify(notice: NotifyPush, owner?: string): void {
    if (owner === undefined) {
      this.#publish(notice);
      return;
    }
    const frames = this.#framesOf(notice);
    for (const member of this.#ofKey.get(owner) ?? []) if (receives(member, notice)) member.connection.push(frames);
  }

  /** Adds a subscriber. It gets the greeting, then first pushes of what its owner is subscribed to already, if it receives that. */
  connect(options: ConnectOptions): PushConnection {
    this.#connectionCount += 1;
    const { wants = everything } = options;
    const connection = new Connection({
      id: `${options.iface}-${this.#connectionCount}`,
      owner: options.owner,
      lane: this.#lane(options.format),
      wants,
      sink: options.sink,
      gatherer: this.#gatherer,
      maxBacklogBytes: this.#maxBacklogBytes,
      onOverflow: () => this.#remove(member),
    });
    const owners = options.receives === 'own' ? [connection.ownOwner] : [options.owner, connection.ownOwner];
    const { permits } = options;
    const connectedAt = this.#clock.now();
    const waiting = { held: undefined, resuming: undefined, cancelGreeting: undefined };
    const member: Member = { connection, options, connectedAt, permits, wants, owners, ...waiting };
    this.#members.set(connection.id, member);
    addTo(this.#ofKey, connection.owner, member);
    for (const owner of owners) addTo(this.#byOwner, owner, member);
    this.#reroute(member);
    const greet = () => {
      for (const notice of this.#greeting()) if (wants(notice)) connection.push(this.#framesOf(notice));
    };
    if (options.greetAfterMs === undefined) greet();
    else member.cancelGreeting = this.#clock.after(options.greetAfterMs, greet);
    for (const owner of owners) {
      for (const subscription of this.subscriptions.list(owner)) {
        if (subscription.push && subscription.first) this.#firstPush(subscription, [member]);
      }
    }
    this.#resumptions.connected(member);
    return new MemberHandle(member, this.#actions);
  }

  /**
   * Takes up what keys had in an earlier process, as far as they may still have it. The backend is told of it when it is ready, by itself
   * or with {@link restore}.
   */
  takeUp(entitled: (owner: string) => Entitled): void {
    this.#registrations?.takeUp(entitled);
  }

  /** Tells a backend that is ready what is wanted of it and does not run. */
  restore(): Promise<void> {
    return this.#gaps.restore({ streams: 'all', accIds: 'all' });
  }

  /** Lets a part of the daemon hear what is pushed of a stream or an account, which it subscribes to itself. Returns its own removal. */
  observe(observed: Observed, observer: Observer): () => void {
    return this.#observers.add(observed, observer);
  }

  /** The refused streams that the backend does not serve at all: see {@link Backend.unserved}. */
  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    try {
      return (await this.#backend.unserved?.(streams)) ?? [];
    } catch (thrown) {
      if (thrown instanceof BackendFailure) return [];
      throw thrown;
    }
  }

  /** Subscribes an owner; a connection's own subscriptions end with it, so those of a closed one are refused. */
  async subscribe(owner: string, streams: readonly QuoteStream[], options: SubscribeOptions): Promise<SubscribeOutcome> {
    if (this.#isGone(owner)) return { ok: false, reason: 'backend', ...connectionGone };
    return this.subscriptions.subscribe(owner, streams, options);
  }

  /** Registers an owner for order and fill pushes of accounts. */
  async subscribeAccounts(owner: string, accIds: readonly bigint[]): Promise<AccountOutcome> {
    if (this.#isGone(owner)) return { ok: false, ...connectionGone };
    return this.accounts.subscribe(owner, accIds);
  }

  /** Makes these accounts, and no others, the ones whose order and fill pushes an owner receives. */
  async replaceAccounts(owner: string, accIds: readonly bigint[]): Promise<AccountOutcome> {
    if (this.#isGone(owner)) return { ok: false, ...connectionGone };
    return this.accounts.replace(owner, accIds);
  }

  async unsubscribeAccounts(owner: string, accIds: readonly bigint[]): Promise<void> {
    await this.accounts.unsubscribe(owner, accIds);
  }

  /** Resolves when the registrations as they are now outlive a restart. */
  async whenKept(): Promise<void> {
    await this.#registrations?.whenKept();
  }

  /** Every connection, in the order in which they came. */
  connections(): readonly ConnectionInfo[] {
    return [...this.#members.values()].map((member) => this.#info(member));
  }

  /** How many connections a key has open; a session of a language model, which has a bound of its own, is none. */
  connectionsOf(owner: string): number {
    let count = 0;
    for (const { options } of this.#ofKey.get(owner) ?? []) if (options.iface !== 'mcp') count += 1;
    return count;
  }

  /** The owners that have connections, each with the identifier of its key. */
  owners(): readonly (readonly [owner: string, keyId: string | undefined])[] {
    return [...this.#ofKey].map(([owner, [member]]) => [owner, member?.options.keyId] as const);
  }

  /** The owner's key is gone: its connections are closed with 4401 and its subscriptions end. */
  revokeOwner(owner: string, reason: string): void {
    for (const { connection } of this.#membersOfKey(owner)) this.#close(connection.id, CLOSE_KEY_REVOKED, reason);
    void this.subscriptions.unsubscribeAll(owner);
    void this.accounts.unsubscribeAll(owner);
  }

  /**
   * The owner's key may read no quotes any more: streams of its subscriptions have lost their purpose and are closed with
   * 4401. Connections that receive only their own go on, with what {@link updatePermits} leaves them.
   */
  endStreams(owner: string, reason: string): void {
    for (const { connection, options } of this.#membersOfKey(owner)) {
      if (options.receives !== 'own') this.#close(connection.id, CLOSE_KEY_REVOKED, reason);
    }
    void this.subscriptions.unsubscribeAll(owner);
    void this.accounts.unsubscribeAll(owner);
  }

  /** The owner's key was narrowed or widened: what is not allowed any more is not delivered, also of what is queued. */
  updatePermits(owner: string, permits: Permits): void {
    for (const member of this.#membersOfKey(owner)) this.#setPermits(member, permits);
  }

  /** Closes every connection and hears no more events. */
  stop(code: number, reason: string): void {
    for (const stopListening of this.#stopListening) stopListening();
    this.subscriptions.stop();
    this.#retries.stop();
    this.#resumptions.stop();
    for (const id of [...this.#members.keys()]) this.#close(id, code, reason);
  }

  #publish(event: PushEvent): void {
    switch (event.type) {
      case 'quote':
        this.#publishQuote(event);
        return;
      case 'trade':
        this.#publishTrade(event);
        return;
      case 'notify': {
        const frames = this.#framesOf(event);
        for (const member of this.#members.values()) if (receives(member, event)) member.connection.push(frames);
      }
    }
  }

  #lane(format: PushFormat): FormatState {
    let lane = this.#lanes.get(format);
    if (lane === undefined) {
      lane = new FormatState(format);
      this.#lanes.set(format, lane);
    }
    return lane;
  }

  #framesOf(event: PushEvent): EventFrames {
    return new EventFrames(event, this.#onDefect);
  }

  #publishQuote(event: QuotePush): void {
    const key = streamKey(event.stream);
    const recipients = this.#routes.get(key) ?? this.#route(key, event);
    if (recipients.length > 0) this.#gatherer.broadcast(recipients, this.#framesOf(event));
    this.#observers.quote(event);
  }

  #route(key: string, event: QuotePush): readonly Connection[] {
    const owners = this.subscriptions.receivers(key);
    if (owners.length === 0) return NOBODY;
    const fuller = fullerKey(event.stream);
    const isGiven = (member: Member) => receives(member, event) && !(fuller !== undefined && this.#receivesKey(member, fuller));
    const recipients = [...this.#membersOf(owners)].filter(isGiven).map(({ connection }) => connection);
    this.#routes.set(key, recipients);
    return recipients;
  }

  #publishTrade(event: TradePush): void {
    const receivers = this.accounts.receivers(event.accId);
    if (receivers.length === 0) return;
    // The gap is announced before what was missing in it.
    if (event.recovered) this.#gaps.recovers(event.accId);
    if (!this.#recentTrades.note(event)) return;
    this.#observers.trade(event);
    const numbered = this.#resumptions.add(event);
    const frames = this.#framesOf(numbered);
    for (const member of this.#membersOf(receivers)) {
      // One that resumes is given it in its order.
      if (member.resuming === undefined && receives(member, event)) member.connection.push(frames);
    }
  }

  /** Pushes a stream's current data to connections that had a first push of it. */
  #refresh(key: string): void {
    const told = new Set<Member>();
    for (const owner of this.subscriptions.receivers(key)) {
      const subscription = this.subscriptions.get(owner, key);
      if (!subscription?.first) continue;
      const members = [...(this.#byOwner.get(owner) ?? [])].filter((member) => !told.has(member));
      for (const member of members) told.add(member);
      this.#firstPush(subscription, members);
    }
  }

  /** The connections of one key, whatever they receive. */
  #membersOfKey(owner: string): Member[] {
    return [...(this.#ofKey.get(owner) ?? [])];
  }

  #membersOf(owners: readonly string[]): Set<Member> {
    const members = new Set<Member>();
    for (const owner of owners) for (const member of this.#byOwner.get(owner) ?? []) members.add(member);
    return members;
  }

  #started(subscription: Subscription): void {
    this.#forgetRoute(subscription);
    if (this.subscriptions.receivers(subscription.key).length === 1) this.#gaps.began(subscription.key);
    if (!subscription.first) return;
    const members = [...(this.#byOwner.get(subscription.owner) ?? [])];
    this.#firstPush(
      subscription,
      members.filter((member) => !this.#receivesOtherwise(member, subscription)),
    );
  }

  #ended(subscription: Subscription): void {
    this.#forgetRoute(subscription);
    for (const member of this.#byOwner.get(subscription.owner) ?? []) {
      if (this.#receivesOtherwise(member, subscription)) continue;
      member.connection.purge(({ content }) => content.kind !== 'kept' && content.key === subscription.key);
    }
  }

  #accountEnded(owner: string, accId: bigint): void {
    const receivers = this.accounts.receivers(accId);
    if (receivers.length === 0) this.#resumptions.follow(accId, false);
    for (const member of this.#byOwner.get(owner) ?? []) {
      if (member.owners.some((other) => receivers.includes(other))) continue;
      member.connection.purge(({ content }) => content.kind === 'kept' && content.event?.type === 'trade' && content.event.accId === accId);
    }
  }

  #forgetRoute({ stream, key }: Subscription): void {
    this.#routes.delete(key);
    const poorer = poorerKey(stream);
    if (poorer !== undefined) this.#routes.delete(poorer);
  }

  /** Whether a member receives the stream by a subscription of its other owner, or one that has all of its data. */
  #receivesOtherwise(member: Member, { owner, stream, key }: Subscription): boolean {
    const fuller = fullerKey(stream);
    if (fuller !== undefined && this.#receivesKey(member, fuller)) return true;
    return member.owners.some((other) => other !== owner && this.subscriptions.get(other, key)?.push === true);
  }

  #receivesKey(member: Member, key: string): boolean {
    return member.owners.some((owner) => this.subscriptions.get(owner, key)?.push === true);
  }

  #firstPush(subscription: Subscription, members: readonly Member[]): void {
    if (members.length === 0) return;
    const event = this.#current(subscription.stream);
    if (event === undefined) return;
    const frames = this.#framesOf(event);
    for (const member of members) {
      if (member.held !== undefined) member.held.push({ subscription, generation: subscription.generation });
      else if (receives(member, event)) member.connection.push(frames);
    }
  }

  /** A missing first push does not stop the later ones. */
  #current(stream: QuoteStream): QuotePush | undefined {
    try {
      return this.#backend.current(stream);
    } catch (thrown) {
      this.#onDefect(thrown);
      return undefined;
    }
  }

  #release(member: Member): void {
    const held = member.held ?? [];
    member.held = undefined;
    this.#resumptions.release(member);
    for (const { subscription, generation } of held) {
      const current = this.subscriptions.get(subscription.owner, subscription.key);
      if (current?.generation === generation) this.#firstPush(current, [member]);
    }
  }

  #setPermits(member: Member, permits: Permits): void {
    member.permits = permits;
    this.#reroute(member);
    member.connection.purge(({ content: { event } }) => event !== undefined && !permits(event));
  }

  #close(id: string, code: number, reason: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#remove(member);
    member.connection.close(code, reason);
  }

  /** Forgets a member; what it subscribed to by itself ends. */
  #remove(member: Member): void {
    const { connection } = member;
    if (!this.#members.delete(connection.id)) return;
    member.cancelGreeting?.();
    removeFrom(this.#ofKey, member.connection.owner, member);
    this.#reroute(member);
    for (const owner of member.owners) removeFrom(this.#byOwner, owner, member);
    void this.subscriptions.unsubscribeAll(connection.ownOwner);
    this.#resumptions.left(member);
  }

  #reroute(member: Member): void {
    for (const owner of member.owners) for (const { key } of this.subscriptions.list(owner)) this.#routes.delete(key);
  }

  /** The key that an owner subscribes with. */
  #keyOwnerOf(owner: string): string | undefined {
    if (owner.startsWith('key:')) return owner;
    const [member] = this.#byOwner.get(owner) ?? [];
    return member?.options.keyId === undefined ? undefined : member.connection.owner;
  }

  #isGone(owner: string): boolean {
    return owner.startsWith('conn:') && !this.#byOwner.has(owner);
  }

  #info({ connection, options, connectedAt, owners }: Member): ConnectionInfo {
    return {
      id: connection.id,
      iface: options.iface,
      keyId: options.keyId,
      connectedAt,
      subscriptionCount: owners.reduce((count, owner) => count + this.subscriptions.list(owner).length, 0),
      sentCount: connection.sentCount,
      conflatedCount: connection.conflatedCount,
      backlogBytes: connection.backlogBytes,
    };
  }
}

const connectionGone = { message: 'the connection is closed', retType: -1, errCode: 0 };

function addTo(map: Map<string, Set<Member>>, owner: string, member: Member): void {
  const members = map.get(owner);
  if (members === undefined) map.set(owner, new Set([member]));
  else members.add(member);
}

function removeFrom(map: Map<string, Set<Member>>, owner: string, member: Member): void {
  const members = map.get(owner);
  members?.delete(member);
  if (members?.size === 0) map.delete(owner);
}
