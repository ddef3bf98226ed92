import type { Clock } from '../../contract/clock.js';
import type { Backend, NotifyPush, PushEvent, QuotePush, QuoteStream, TradePush } from '../backend.js';
import { type AccountOutcome, AccountRegistrations } from './accounts.js';
import { Connection, type ConnectionInfo, type Permits, type PushSink } from './connection.js';
import { EventFrames, formatIndex, type WireFormat } from './event-frames.js';
import { Gatherer } from './gatherer.js';
import { streamKey } from './streams.js';
import { type SubscribeOptions, type SubscribeOutcome, type Subscription, Subscriptions } from './subscriptions.js';

export type PushBackend = Pick<Backend, 'subscribe' | 'unsubscribe' | 'current' | 'subscribeAccounts' | 'onPush'>;

export interface PushHubOptions {
  readonly backend: PushBackend;
  readonly clock: Clock;
  /** Distinct (symbol, type) pairs that may be subscribed to; default 1,000. */
  readonly subscriptionQuota?: number;
  /** Bytes that may wait for one reader before it is closed with 1013; default 8 MiB, sensible from 256 KiB up. */
  readonly maxBacklogBytes?: number;
  /** What a new connection is told first. */
  readonly greeting?: () => readonly NotifyPush[];
  /** An event that could not be encoded: a defect of the backend, which must not keep others from their events. */
  readonly onDefect: (error: unknown) => void;
  /** Told how long a quote event took from the backend to its connections, in milliseconds. */
  readonly onPublished?: (event: QuotePush, ms: number) => void;
}

export interface ConnectOptions extends WireFormat {
  /** The interface that it came by: `ws`. */
  readonly iface: string;
  /** Whose subscriptions it receives: `key:<id>` or `anonymous`. */
  readonly owner: string;
  readonly keyId?: string;
  readonly permits: Permits;
  readonly sink: PushSink;
}

/** A connection's face to the interface that holds its socket. */
export interface PushConnection {
  readonly id: string;
  /** Whose subscriptions it receives: `key:<id>` or `anonymous`. */
  readonly owner: string;
  /** The owner of what it subscribes to by its own commands: `conn:<id>`. */
  readonly ownOwner: string;
  /** Sends a text in order with the events; it has no `seq`. */
  send(text: string): void;
  /** First pushes of this connection wait until {@link release}: a command's answer is to come before its first push. */
  hold(): void;
  release(): void;
  /** The sink's buffer has drained. */
  drained(): void;
  /** The peer is gone: its own subscriptions end. */
  disconnected(): void;
  close(code: number, reason: string): void;
  setPermits(permits: Permits): void;
  info(): ConnectionInfo;
}

/** A first push that waits, with the generation that it belongs to. */
interface HeldPush {
  readonly subscription: Subscription;
  readonly generation: number;
}

interface Member {
  readonly connection: Connection;
  readonly options: ConnectOptions;
  readonly connectedAt: number;
  permits: Permits;
  held: HeldPush[] | undefined;
}

const SUBSCRIPTION_QUOTA = 1000;
const MAX_BACKLOG_BYTES = 8 * 1024 * 1024;
/** Ours: the key of the connection does not open it any more. */
const CLOSE_KEY_REVOKED = 4401;
const NOBODY: readonly Connection[] = [];

/**
 * Joins the backend's events, the subscriptions and the connections. An event is matched by one look-up of its stream,
 * encoded at most once per format, and handed to each recipient; how it is written is the {@link Connection}'s matter.
 */
export class PushHub {
  readonly subscriptions: Subscriptions;
  readonly accounts: AccountRegistrations;
  readonly #backend: PushBackend;
  readonly #clock: Clock;
  readonly #maxBacklogBytes: number;
  readonly #greeting: () => readonly NotifyPush[];
  readonly #onDefect: (error: unknown) => void;
  readonly #gatherer: Gatherer;
  readonly #members = new Map<string, Member>();
  /** Members by the owners whose subscriptions they receive: the key's and their own. */
  readonly #byOwner = new Map<string, Set<Member>>();
  /** Stream → who gets it. Made when an event finds none, dropped when anything changes for the stream. */
  readonly #routes = new Map<string, readonly Connection[]>();
  readonly #stopListening: () => void;
  #connectionCount = 0;

  constructor({
    backend,
    clock,
    subscriptionQuota = SUBSCRIPTION_QUOTA,
    maxBacklogBytes = MAX_BACKLOG_BYTES,
    greeting = () => [],
    onDefect,
    onPublished,
  }: PushHubOptions) {
    this.#backend = backend;
    this.#clock = clock;
    this.#maxBacklogBytes = maxBacklogBytes;
    this.#greeting = greeting;
    this.#onDefect = onDefect;
    this.#gatherer = new Gatherer(clock);
    const listener = { started: (began: Subscription) => this.#started(began), ended: (ended: Subscription) => this.#ended(ended) };
    this.subscriptions = new Subscriptions(backend, listener, subscriptionQuota);
    this.accounts = new AccountRegistrations(backend, (owner, accId) => this.#accountEnded(owner, accId));
    this.#stopListening = backend.onPush((event) => {
      const started = performance.now();
      this.#publish(event);
      if (event.type === 'quote') onPublished?.(event, performance.now() - started);
    });
  }

  /** Adds a subscriber. It gets the greeting, then first pushes of what its key is subscribed to already. */
  connect(options: ConnectOptions): PushConnection {
    this.#connectionCount += 1;
    const connection = new Connection({
      id: `${options.iface}-${this.#connectionCount}`,
      owner: options.owner,
      format: formatIndex(options),
      sink: options.sink,
      gatherer: this.#gatherer,
      maxBacklogBytes: this.#maxBacklogBytes,
      onOverflow: () => this.#remove(member),
    });
    const member: Member = { connection, options, connectedAt: this.#clock.now(), permits: options.permits, held: undefined };
    this.#members.set(connection.id, member);
    for (const owner of ownersOf(member)) {
      const members = this.#byOwner.get(owner);
      if (members === undefined) this.#byOwner.set(owner, new Set([member]));
      else members.add(member);
    }
    this.#reroute(member);
    for (const notice of this.#greeting()) connection.push(this.#framesOf(notice));
    for (const subscription of this.subscriptions.list(options.owner)) {
      if (subscription.push && subscription.first) this.#firstPush(subscription, [member]);
    }
    return this.#face(member);
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

  unsubscribeAccounts(owner: string, accIds: readonly bigint[]): Promise<void> {
    return this.accounts.unsubscribe(owner, accIds);
  }

  /** Every connection, in the order in which they came. */
  connections(): readonly ConnectionInfo[] {
    return [...this.#members.values()].map((member) => this.#info(member));
  }

  /** The owner's key is gone: its connections are closed with 4401 and its subscriptions end. */
  revokeOwner(owner: string, reason: string): void {
    for (const { connection } of this.#byOwner.get(owner) ?? []) this.#close(connection.id, CLOSE_KEY_REVOKED, reason);
    void this.subscriptions.unsubscribeAll(owner);
    void this.accounts.unsubscribeAll(owner);
  }

  /** The owner's key was narrowed or widened: what is not allowed any more is not delivered, also of what is queued. */
  updatePermits(owner: string, permits: Permits): void {
    for (const member of this.#byOwner.get(owner) ?? []) this.#setPermits(member, permits);
  }

  /** Closes every connection and hears no more events. */
  stop(code: number, reason: string): void {
    this.#stopListening();
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
        for (const { connection } of this.#members.values()) connection.push(frames);
      }
    }
  }

  #framesOf(event: PushEvent): EventFrames {
    return new EventFrames(event, this.#onDefect);
  }

  #publishQuote(event: QuotePush): void {
    const key = streamKey(event.stream);
    const recipients = this.#routes.get(key) ?? this.#route(key, event);
    if (recipients.length > 0) this.#gatherer.broadcast(recipients, this.#framesOf(event));
  }

  #route(key: string, event: QuotePush): readonly Connection[] {
    const owners = this.subscriptions.receivers(key);
    if (owners.length === 0) return NOBODY;
    const recipients = [...this.#membersOf(owners)].filter(({ permits }) => permits(event)).map(({ connection }) => connection);
    this.#routes.set(key, recipients);
    return recipients;
  }

  #publishTrade(event: TradePush): void {
    const frames = this.#framesOf(event);
    for (const { connection, permits } of this.#membersOf(this.accounts.receivers(event.accId))) {
      if (permits(event)) connection.push(frames);
    }
  }

  #membersOf(owners: readonly string[]): Set<Member> {
    const members = new Set<Member>();
    for (const owner of owners) for (const member of this.#byOwner.get(owner) ?? []) members.add(member);
    return members;
  }

  #started(subscription: Subscription): void {
    this.#routes.delete(subscription.key);
    if (!subscription.first) return;
    const members = [...(this.#byOwner.get(subscription.owner) ?? [])];
    this.#firstPush(
      subscription,
      members.filter((member) => !this.#receivesOtherwise(member, subscription)),
    );
  }

  #ended(subscription: Subscription): void {
    this.#routes.delete(subscription.key);
    for (const member of this.#byOwner.get(subscription.owner) ?? []) {
      if (this.#receivesOtherwise(member, subscription)) continue;
      member.connection.purge(({ content }) => content.kind !== 'kept' && content.key === subscription.key);
    }
  }

  #accountEnded(owner: string, accId: bigint): void {
    const receivers = this.accounts.receivers(accId);
    for (const member of this.#byOwner.get(owner) ?? []) {
      if (ownersOf(member).some((other) => receivers.includes(other))) continue;
      member.connection.purge(({ content }) => content.kind === 'kept' && content.event?.type === 'trade' && content.event.accId === accId);
    }
  }

  /** Whether a member receives the stream by a subscription of its other owner. */
  #receivesOtherwise(member: Member, { owner, key }: Subscription): boolean {
    return ownersOf(member).some((other) => other !== owner && this.subscriptions.get(other, key)?.push === true);
  }

  #firstPush(subscription: Subscription, members: readonly Member[]): void {
    if (members.length === 0) return;
    const event = this.#backend.current(subscription.stream);
    if (event === undefined) return;
    const frames = this.#framesOf(event);
    for (const member of members) {
      if (member.held !== undefined) member.held.push({ subscription, generation: subscription.generation });
      else if (member.permits(event)) member.connection.push(frames);
    }
  }

  #release(member: Member): void {
    const held = member.held ?? [];
    member.held = undefined;
    for (const { subscription, generation } of held) {
      const current = this.subscriptions.get(subscription.owner, subscription.key);
      if (current?.generation === generation) this.#firstPush(current, [member]);
    }
  }

  #setPermits(member: Member, permits: Permits): void {
    member.permits = permits;
    this.#reroute(member);
    member.connection.purge(({ content: { event } }) => event !== undefined && event.type !== 'notify' && !permits(event));
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
    this.#reroute(member);
    for (const owner of ownersOf(member)) {
      const members = this.#byOwner.get(owner);
      members?.delete(member);
      if (members?.size === 0) this.#byOwner.delete(owner);
    }
    void this.subscriptions.unsubscribeAll(connection.ownOwner);
    void this.accounts.unsubscribeAll(connection.ownOwner);
  }

  #reroute(member: Member): void {
    for (const owner of ownersOf(member)) for (const { key } of this.subscriptions.list(owner)) this.#routes.delete(key);
  }

  #isGone(owner: string): boolean {
    return owner.startsWith('conn:') && !this.#byOwner.has(owner);
  }

  #info({ connection, options, connectedAt }: Member): ConnectionInfo {
    return {
      id: connection.id,
      iface: options.iface,
      keyId: options.keyId,
      connectedAt,
      subscriptionCount: this.subscriptions.list(connection.owner).length + this.subscriptions.list(connection.ownOwner).length,
      sentCount: connection.sentCount,
      conflatedCount: connection.conflatedCount,
      backlogBytes: connection.backlogBytes,
    };
  }

  #face(member: Member): PushConnection {
    const { connection } = member;
    return {
      id: connection.id,
      owner: connection.owner,
      ownOwner: connection.ownOwner,
      send: (text) => connection.send(text),
      hold: () => {
        member.held ??= [];
      },
      release: () => this.#release(member),
      drained: () => connection.drained(),
      disconnected: () => {
        this.#remove(member);
        connection.discard();
      },
      close: (code, reason) => this.#close(connection.id, code, reason),
      setPermits: (permits) => this.#setPermits(member, permits),
      info: () => this.#info(member),
    };
  }
}

function ownersOf({ connection }: Member): readonly string[] {
  return [connection.owner, connection.ownOwner];
}

const connectionGone = { message: 'the connection is closed', retType: -1, errCode: 0 };
