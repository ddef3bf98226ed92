import type { PushEvent } from '../backend.js';
import type { Connection, ConnectionInfo, Permits, PushSink } from './connection.js';
import type { PushFormat } from './format.js';
import type { Frame } from './frame.js';
import type { Subscription } from './subscriptions.js';
import type { Cursor } from './trade-log.js';

export interface ConnectOptions {
  /** The interface that it came by: `ws`. */
  readonly iface: string;
  /** Owner of the connection: `key:<id>` or `anonymous`. */
  readonly owner: string;
  readonly keyId?: string | undefined;
  /** Subscriptions to receive: those of its owner and its own (`all`, the default), or only its own. */
  readonly receives?: 'all' | 'own';
  readonly permits: Permits;
  /** Events wanted, among those permitted; all by default. */
  readonly wants?: Permits | undefined;
  /** The greeting comes so much later than the connection, for clients that take what comes first for an answer. Default at once. */
  readonly greetAfterMs?: number;
  /** One object for all connections that are written to in the same way. */
  readonly format: PushFormat;
  readonly sink: PushSink;
  /** The last order or fill event that its client has: those after it are sent again. */
  readonly since?: Cursor | undefined;
}

/** A first push that waits, with the generation that it belongs to. */
export interface HeldPush {
  readonly subscription: Subscription;
  readonly generation: number;
}

/** Events to send to a connection that resumes. */
export interface Resuming {
  readonly since: Cursor | undefined;
  readonly accIds: readonly bigint[];
  /** Number of the last event before it waited. */
  readonly from: number;
}

/** The hub's actions for a connection. */
export interface MemberActions {
  readonly release: (member: Member) => void;
  readonly resume: (member: Member, since: Cursor | undefined, accIds: readonly bigint[]) => void;
  readonly accounts: (member: Member) => readonly bigint[];
  readonly remove: (member: Member) => boolean;
  readonly setPermits: (member: Member, permits: Permits) => void;
  readonly subscriptionCount: (member: Member) => number;
  readonly missed: (member: Member, from: number, reason: string) => void;
}

/** A connection as the hub and the interface that holds its socket have it. There may be ten thousand: what all have in common they share. */
export class Member {
  /** Events that its key may see. */
  permits: Permits;
  /** First pushes that wait for {@link release}; undefined while they are sent at once. */
  held: HeldPush[] | undefined;
  resuming: Resuming | undefined;
  /** Cancels the greeting that is to come. */
  cancelGreeting: (() => void) | undefined;

  constructor(
    readonly connection: Connection,
    readonly options: ConnectOptions,
    /** Epoch ms, UTC. */
    readonly connectedAt: number,
    readonly wants: Permits,
    /** The owners whose subscriptions it receives. */
    readonly owners: readonly string[],
    private readonly actions: MemberActions,
  ) {
    this.permits = options.permits;
  }

  get id(): string {
    return this.connection.id;
  }

  /** Owner of the connection: `key:<id>` or `anonymous`. */
  get owner(): string {
    return this.connection.owner;
  }

  /** The owner of what it subscribes to by its own commands: `conn:<id>`. */
  get ownOwner(): string {
    return this.connection.ownOwner;
  }

  /** Whether it receives an event that one of its owners is subscribed to. */
  receives(event: PushEvent): boolean {
    return this.permits(event) && this.wants(event);
  }

  /** Sends a frame of the interface's own, at once and in order with the events; it is none of them and has no number. */
  send(frame: Frame): void {
    this.connection.send(frame);
  }

  /** First pushes of this connection wait until {@link release}: a command's answer is to come before its first push. */
  hold(): void {
    this.held ??= [];
  }

  release(): void {
    this.actions.release(this);
  }

  /**
   * Order and fill events wait until {@link release}, which begins with those of `accIds` after `since`. Called again, it says better
   * which; without a cursor only what has come meanwhile is sent.
   */
  resume(since: Cursor | undefined, accIds: readonly bigint[]): void {
    this.actions.resume(this, since, accIds);
  }

  /** Accounts whose order and fill events it receives and may see, by its own registrations and those of its key. */
  accounts(): readonly bigint[] {
    return this.actions.accounts(this);
  }

  /** Announces a gap since `from` (epoch ms) in all that it receives: its interface has dropped events that it was pushed. */
  missed(from: number, reason: string): void {
    this.actions.missed(this, from, reason);
  }

  /** The sink's buffer has drained. */
  drained(): void {
    this.connection.drained();
  }

  /** The peer is gone: its own subscriptions end. */
  disconnected(): void {
    this.actions.remove(this);
    this.connection.discard();
  }

  close(code: number, reason: string): void {
    if (this.actions.remove(this)) this.connection.close(code, reason);
  }

  setPermits(permits: Permits): void {
    this.actions.setPermits(this, permits);
  }

  info(): ConnectionInfo {
    const { connection, options, connectedAt } = this;
    return {
      id: connection.id,
      iface: options.iface,
      keyId: options.keyId,
      connectedAt,
      subscriptionCount: this.actions.subscriptionCount(this),
      sentCount: connection.sentCount,
      conflatedCount: connection.conflatedCount,
      backlogBytes: connection.backlogBytes,
    };
  }
}
