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
  readonly keyId?: string;
  /** Subscriptions to receive: those of its owner and its own (`all`, the default), or only its own. */
  readonly receives?: 'all' | 'own';
  readonly permits: Permits;
  /** Events wanted, among those permitted; all by default. */
  readonly wants?: Permits;
  /** The greeting comes so much later than the connection, for clients that take what comes first for an answer. Default at once. */
  readonly greetAfterMs?: number;
  /** One object for all connections that are written to in the same way. */
  readonly format: PushFormat;
  readonly sink: PushSink;
  /** The last order or fill event that its client has: those after it are sent again. */
  readonly since?: Cursor;
}

/** A connection's face to the interface that holds its socket. */
export interface PushConnection {
  readonly id: string;
  /** Owner of the connection: `key:<id>` or `anonymous`. */
  readonly owner: string;
  /** The owner of what it subscribes to by its own commands: `conn:<id>`. */
  readonly ownOwner: string;
  /** Sends a frame of the interface's own, at once and in order with the events; it is none of them and has no number. */
  send(frame: Frame): void;
  /** First pushes of this connection wait until {@link release}: a command's answer is to come before its first push. */
  hold(): void;
  release(): void;
  /**
   * Order and fill events wait until {@link release}, which begins with those of `accIds` after `since`. Called again, it says better
   * which; without a cursor only what has come meanwhile is sent.
   */
  resume(since: Cursor | undefined, accIds: readonly bigint[]): void;
  /** Accounts whose order and fill events it receives and may see, by its own registrations and those of its key. */
  accounts(): readonly bigint[];
  /** The sink's buffer has drained. */
  drained(): void;
  /** The peer is gone: its own subscriptions end. */
  disconnected(): void;
  close(code: number, reason: string): void;
  setPermits(permits: Permits): void;
  info(): ConnectionInfo;
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

/** A connection as the hub has it. */
export interface Member {
  readonly connection: Connection;
  readonly options: ConnectOptions;
  readonly connectedAt: number;
  /** Events that its key may see. */
  permits: Permits;
  readonly wants: Permits;
  /** The owners whose subscriptions it receives. */
  readonly owners: readonly string[];
  held: HeldPush[] | undefined;
  resuming: Resuming | undefined;
  /** Cancels the greeting that is to come. */
  cancelGreeting: (() => void) | undefined;
}

/** True if a member receives an event that one of its owners is subscribed to. */
export function receives({ permits, wants }: Member, event: PushEvent): boolean {
  return permits(event) && wants(event);
}
