import { Emitter } from '@svc-gateway/contract/emitter';
import type { BackendStatus, BrokerSnapshot, LifecycleSnapshot, NotifyPush } from './backend.js';
import { awaitedConnection, severedConnection } from './backend-connections.js';
import type { GatewayBase } from './gateway-base.js';
import type { Trouble } from './operator-status.js';
import { connectionNotice } from './push/index.js';
import type { StorageStatus } from './storage-status.js';

export interface ReadinessDeps extends GatewayBase {
  readonly storage: StorageStatus;
  /** Sends a notice to every push connection. */
  readonly notify: (notice: NotifyPush) => void;
}

/** Whether requests can be served, for probes and health checks, and what keeps them from it. */
export class Readiness {
  readonly #listeners = new Emitter<boolean>();
  /** Calls `listener` whenever {@link ready} changes; returns its removal. */
  readonly onReady = this.#listeners.on;
  #announced: boolean;
  #connections: Connections;
  #stopping = false;

  constructor(private readonly deps: ReadinessDeps) {
    this.#announced = this.ready;
    this.#connections = this.#readConnections();
    deps.storage.onChange(() => this.#announce());
    deps.access.audit.onFileStatus(() => this.#announce());
    deps.backend.onLifecycle(() => {
      this.#announceConnections();
      this.#announce();
    });
  }

  /** Every connection of the backend is ready, nothing keeps writes from being served, and the daemon is not on its way out. */
  get ready(): boolean {
    if (this.#stopping || this.awaited() !== undefined) return false;
    return this.troubles().every(({ stopsWrites }) => !stopsWrites);
  }

  /** The daemon is on its way out. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** Current failures of the daemon's own resources: the database, the audit file. */
  troubles(): readonly Trouble[] {
    const { access, storage } = this.deps;
    const trail = access.audit.fileStatus()?.failure;
    return [
      ...(storage.failure === undefined ? [] : [{ message: `storage: ${storage.failure}`, stopsWrites: true }]),
      ...(trail === undefined ? [] : [{ message: `audit: ${trail}`, stopsWrites: access.audit.required }]),
    ];
  }

  backendStatus(): BackendStatus {
    return this.deps.backend.status();
  }

  /** The connection of the backend that is waited for; undefined when all are ready. */
  awaited(): LifecycleSnapshot | BrokerSnapshot | undefined {
    return awaitedConnection(this.backendStatus());
  }

  /** The connection of the backend that has no transport; undefined when all have. */
  severed(): LifecycleSnapshot | BrokerSnapshot | undefined {
    return severedConnection(this.backendStatus());
  }

  /** Whether quotes are to be had. */
  get quotes(): boolean {
    return this.#readConnections().quotes;
  }

  /** Whether orders are taken by every broker. */
  get trading(): boolean {
    return this.#readConnections().trading;
  }

  /** Number of times that connections of the backend were made anew. */
  get reconnects(): number {
    const { platform, brokers } = this.backendStatus();
    return [platform, ...brokers].reduce((sum, { reconnectSuccesses }) => sum + reconnectSuccesses, 0);
  }

  /** Marks everything as not ready. */
  stop(): void {
    this.#stopping = true;
    this.#announce();
  }

  #announce(): void {
    if (this.ready === this.#announced) return;
    this.#announced = this.ready;
    this.#listeners.emit(this.ready);
  }

  /** Tells clients whether quotes and trading are to be had, as the public protocol does, when that changes. */
  #announceConnections(): void {
    const before = this.#connections;
    const { quotes, trading } = this.#readConnections();
    this.#connections = { quotes, trading };
    if (quotes !== before.quotes || trading !== before.trading) this.deps.notify(connectionNotice(quotes, trading));
  }

  #readConnections(): Connections {
    const { platform, brokers } = this.backendStatus();
    const quotes = platform.lifecycleState === 'ready';
    return { quotes, trading: brokers.length === 0 ? quotes : brokers.every(({ lifecycleState }) => lifecycleState === 'ready') };
  }
}

interface Connections {
  /** The platform is ready. */
  readonly quotes: boolean;
  /** Every broker is ready. */
  readonly trading: boolean;
}
