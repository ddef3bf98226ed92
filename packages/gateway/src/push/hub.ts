import type { Clock } from '@svc-gateway/contract/clock';
import type { Store } from '@svc-gateway/storage';
import type { Backend, NotifyPush, PushEvent, QuotePush, QuoteStream, SubscriptionQuotas, TradePush } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import { type AccountOutcome, AccountRegistrations } from './accounts.js';
import { Connection, type ConnectionInfo, type Permits } from './connection.js';
import { EventFrames } from './event-frames.js';
import { FirstPushes } from './first-pushes.js';
import { FrameBatcher } from './frame-batcher.js';
import { GapAnnouncer } from './gap-announcer.js';
import { IdleKeys } from './idle-keys.js';
import { KeyShares } from './key-shares.js';
import { type ConnectOptions, Member, type MemberActions } from './member.js';
import { Members } from './members.js';
import { Observers } from './observers.js';
import { RecentTrades } from './recent-trades.js';
import { type Entitled, Registrations } from './registrations.js';
import { Resumptions } from './resumptions.js';
import { type After, Retries } from './retries.js';
import { Routes } from './routes.js';
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
const everything: Permits = () => true;

/**
 * Joins the backend's events, the subscriptions and the connections. An event is matched by one look-up of its stream,
 * encoded at most once per format, and handed to each recipient; how it is written is the {@link Connection}'s matter.
 */
export class PushHub {
  readonly subscriptions: Subscriptions;
  readonly accounts: AccountRegistrations;
  readonly idleKeys: IdleKeys;
  readonly gaps: GapAnnouncer;
  /** Parts of the daemon that hear what is pushed, of what they subscribe to themselves. */
  readonly observers = new Observers();
  readonly #gatherer: FrameBatcher;
  readonly #members = new Members();
  readonly #routes = new Routes(this.#members, () => this.subscriptions);
  readonly #firstPushes: FirstPushes;
  readonly #recentTrades = new RecentTrades();
  readonly #resumptions: Resumptions;
  readonly #registrations: Registrations | undefined;
  readonly #retries: Retries;
  readonly #stopListening: (() => void)[];
  readonly #actions: MemberActions = {
    release: (member) => {
      const held = member.held ?? [];
      member.held = undefined;
      this.#resumptions.release(member);
      this.#firstPushes.release(member, held);
    },
    resume: (member, since, accIds) => this.#resumptions.hold(member, since, accIds),
    accounts: (member) => this.#resumptions.shownAccountsOf(member),
    remove: (member) => this.#remove(member),
    setPermits: (member, permits) => this.#setPermits(member, permits),
    subscriptionCount: ({ owners }) => owners.reduce((count, owner) => count + this.subscriptions.list(owner).length, 0),
    missed: (member, from, reason) => this.gaps.missed(member, from, reason),
  };
  #connectionCount = 0;

  constructor(private readonly options: PushHubOptions) {
    const { backend, clock, store, subscriptionQuota = SUBSCRIPTION_QUOTA, subscriptionsPerKey } = options;
    const { onDefect, onGap = () => undefined, onPublished, keyHashOf = () => undefined } = options;
    const framesOf = (event: PushEvent) => this.#framesOf(event);
    this.#gatherer = new FrameBatcher(clock);
    this.#firstPushes = new FirstPushes({ backend, members: this.#members, subscriptions: () => this.subscriptions, framesOf, onDefect });
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
    this.idleKeys = new IdleKeys(clock, this.subscriptions, (owner) => this.#members.has(owner));
    this.accounts = new AccountRegistrations(backend, accountListener, after);
    this.#resumptions = new Resumptions({ clock, accounts: this.accounts, framesOf });
    this.#registrations = store && new Registrations(store, this.subscriptions, this.accounts, keyHashOf);
    this.gaps = new GapAnnouncer({
      subscriptions: this.subscriptions,
      accounts: this.accounts,
      retries: this.#retries,
      clock,
      members: this.#members,
      framesOf,
      refresh: (key) => this.#firstPushes.refresh(key),
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
          this.gaps.lost(lost);
          this.observers.lost(lost);
        },
        restore: (scope) => this.gaps.restore(scope),
      }),
    ];
  }

  /** The quotas of the server behind the backend, where it has some of its own. */
  get quotas(): SubscriptionQuotas | undefined {
    return this.options.backend.subscriptionQuotas?.();
  }

  /** Pushes a notice to all connections that want notices, or to those of one owner. */
  notify(notice: NotifyPush, owner?: string): void {
    if (owner === undefined) {
      this.#publish(notice);
      return;
    }
    const frames = this.#framesOf(notice);
    for (const member of this.#members.ofKey(owner)) if (member.receives(notice)) member.connection.push(frames);
  }

  /** Adds a subscriber. It gets the greeting, then first pushes of what its owner is subscribed to already, if it receives that. */
  connect(options: ConnectOptions): Member {
    this.#connectionCount += 1;
    const { wants = everything } = options;
    const connection = new Connection({
      id: `${options.iface}-${this.#connectionCount}`,
      owner: options.owner,
      lane: this.#gatherer.laneOf(options.format),
      wants,
      sink: options.sink,
      gatherer: this.#gatherer,
      maxBacklogBytes: this.options.maxBacklogBytes ?? MAX_BACKLOG_BYTES,
      onOverflow: () => this.#remove(member),
    });
    const owners = options.receives === 'own' ? [connection.ownOwner] : [options.owner, connection.ownOwner];
    const member = new Member(connection, options, this.options.clock.now(), wants, owners, this.#actions);
    this.#members.add(member);
    this.#routes.memberChanged(member);
    const greet = () => {
      for (const notice of this.options.greeting?.() ?? []) if (wants(notice)) connection.push(this.#framesOf(notice));
    };
    if (options.greetAfterMs === undefined) greet();
    else member.cancelGreeting = this.options.clock.after(options.greetAfterMs, greet);
    for (const owner of owners) {
      for (const subscription of this.subscriptions.list(owner)) {
        if (subscription.push && subscription.first) this.#firstPushes.push(subscription, [member]);
      }
    }
    this.#resumptions.connected(member);
    return member;
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
    return this.gaps.restore({ streams: 'all', accIds: 'all' });
  }

  /** The refused streams that the backend does not serve at all: see {@link Backend.unserved}. */
  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    try {
      return (await this.options.backend.unserved?.(streams)) ?? [];
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

  /** Resolves when the registrations as they are now outlive a restart. */
  async whenKept(): Promise<void> {
    await this.#registrations?.whenKept();
  }

  /** Every connection, in the order in which they came. */
  connections(): readonly ConnectionInfo[] {
    return Array.from(this.#members.all(), (member) => member.info());
  }

  /** How many connections a key has open; a session of a language model, which has a bound of its own, is none. */
  connectionsOf(owner: string): number {
    return this.#members.ofKey(owner).filter(({ options }) => options.iface !== 'mcp').length;
  }

  /** The owners that have connections, each with the identifier of its key. */
  owners(): readonly (readonly [owner: string, keyId: string | undefined])[] {
    return this.#members.keyOwners();
  }

  /** The owner's key is gone: its connections are closed with 4401 and its subscriptions end. */
  revokeOwner(owner: string, reason: string): void {
    this.#end(owner, this.#members.ofKey(owner), reason);
  }

  /**
   * The owner's key may read no quotes any more: streams of its subscriptions have lost their purpose and are closed with
   * 4401. Connections that receive only their own go on, with what {@link updatePermits} leaves them.
   */
  endStreams(owner: string, reason: string): void {
    const streams = this.#members.ofKey(owner).filter(({ options }) => options.receives !== 'own');
    this.#end(owner, streams, reason);
  }

  #end(owner: string, members: readonly Member[], reason: string): void {
    for (const member of members) member.close(CLOSE_KEY_REVOKED, reason);
    void this.subscriptions.unsubscribeAll(owner);
    void this.accounts.unsubscribeAll(owner);
  }

  /** The owner's key was narrowed or widened: what is not allowed any more is not delivered, also of what is queued. */
  updatePermits(owner: string, permits: Permits): void {
    for (const member of this.#members.ofKey(owner)) this.#setPermits(member, permits);
  }

  /**
   * Ends the subscriptions of the owner and of its connections to streams that its key may not see any more: they would take quota and
   * reach nobody.
   */
  endUnseen(owner: string, sees: (stream: QuoteStream) => boolean): void {
    for (const held of [owner, ...this.#members.ofKey(owner).map(({ ownOwner }) => ownOwner)]) {
      const unseen = this.subscriptions.wanted(held).filter((stream) => !sees(stream));
      if (unseen.length > 0) void this.subscriptions.unsubscribe(held, unseen);
    }
  }

  /** Closes every connection and hears no more events. */
  stop(code: number, reason: string): void {
    for (const stopListening of this.#stopListening) stopListening();
    this.subscriptions.stop();
    this.#retries.stop();
    this.#resumptions.stop();
    for (const member of [...this.#members.all()]) member.close(code, reason);
  }

  #publish(event: PushEvent): void {
    if (event.type === 'quote') this.#publishQuote(event);
    else if (event.type === 'trade') this.#publishTrade(event);
    else {
      const frames = this.#framesOf(event);
      for (const member of this.#members.all()) if (member.receives(event)) member.connection.push(frames);
    }
  }

  #framesOf(event: PushEvent): EventFrames {
    return new EventFrames(event, this.options.onDefect);
  }

  #publishQuote(event: QuotePush): void {
    const recipients = this.#routes.of(event);
    if (recipients.length > 0) this.#gatherer.broadcast(recipients, this.#framesOf(event));
    this.observers.quote(event);
  }

  #publishTrade(event: TradePush): void {
    const receivers = this.accounts.receivers(event.accId);
    if (receivers.length === 0) return;
    // The gap is announced before what was missing in it.
    if (event.recovered) this.gaps.recovers(event.accId);
    if (!this.#recentTrades.note(event)) return;
    this.observers.trade(event);
    const numbered = this.#resumptions.add(event);
    const frames = this.#framesOf(numbered);
    for (const member of this.#members.receivingAny(receivers)) {
      // One that resumes is given it in its order.
      if (member.resuming === undefined && member.receives(event)) member.connection.push(frames);
    }
  }

  #started(subscription: Subscription): void {
    this.#routes.changed(subscription);
    if (this.subscriptions.receivers(subscription.key).length === 1) this.gaps.began(subscription.key);
    if (subscription.first) this.#firstPushes.push(subscription, this.#affected(subscription));
  }

  #ended(subscription: Subscription): void {
    this.#routes.changed(subscription);
    for (const { connection } of this.#affected(subscription))
      connection.purge(({ content }) => content.kind !== 'kept' && content.key === subscription.key);
  }

  /** Connections that receive a stream by this subscription alone. */
  #affected(subscription: Subscription): readonly Member[] {
    return [...this.#members.receiving(subscription.owner)].filter((member) => !this.#routes.receivesOtherwise(member, subscription));
  }

  #accountEnded(owner: string, accId: bigint): void {
    const receivers = this.accounts.receivers(accId);
    if (receivers.length === 0) this.#resumptions.follow(accId, false);
    for (const member of this.#members.receiving(owner)) {
      if (member.owners.some((other) => receivers.includes(other))) continue;
      member.connection.purge(({ content }) => content.kind === 'kept' && content.event?.type === 'trade' && content.event.accId === accId);
    }
  }

  #setPermits(member: Member, permits: Permits): void {
    member.permits = permits;
    this.#routes.memberChanged(member);
    member.connection.purge(({ content: { event } }) => event !== undefined && !permits(event));
  }

  /** Forgets a member; what it subscribed to by itself ends. False where it is not there any more. */
  #remove(member: Member): boolean {
    if (!this.#members.remove(member)) return false;
    member.cancelGreeting?.();
    this.#routes.memberChanged(member);
    void this.subscriptions.unsubscribeAll(member.ownOwner);
    this.#resumptions.left(member);
    return true;
  }

  /** The key that an owner subscribes with. */
  #keyOwnerOf(owner: string): string | undefined {
    if (owner.startsWith('key:')) return owner;
    const [member] = this.#members.receiving(owner);
    return member?.options.keyId === undefined ? undefined : member.owner;
  }

  #isGone(owner: string): boolean {
    return owner.startsWith('conn:') && !this.#members.has(owner);
  }
}

const connectionGone = { message: 'the connection is closed', retType: -1, errCode: 0 };
