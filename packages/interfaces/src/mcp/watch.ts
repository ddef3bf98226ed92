import type { JsonObject } from '@svc-gateway/contract/json/value';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, subscription } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { readRequest } from '@svc-gateway/contract/request';
import type { Gateway } from '@svc-gateway/gateway';
import type { PushConnection } from '@svc-gateway/gateway/push';
import type { HttpCallers } from '../common/callers.js';
import type { McpCaller } from './mcp-caller.js';
import { changedBy, EventSink, type PushFrame } from './push.js';
import { watchFormat } from './push-format.js';
import { accountKinds, addressOf, type FoundKind, findKind, quoteUri } from './resource-kinds.js';

export interface WatchDeps {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
}

/** Receives the changes of watched resources. */
export interface Watcher {
  /** Called when a watched address has changed or may have, and once more when its events end. */
  changed(uri: string, frame: PushFrame): void;
  /** Called when a resource is no longer watched without the client's request; after {@link changed}. */
  ended(): void;
  closed(reason: string): void;
}

/** A watched resource. `uris` are the spellings of its address that the client used, and is told. */
interface Watched {
  readonly found: FoundKind;
  readonly uris: Set<string>;
}

/** Maximum addresses that a client may watch, each spelling counted. */
const WATCHED_MAX = 200;

/** Watches resources for one client, by subscriptions of a push connection of its own, which end with it. */
export class Watch {
  readonly #connection: PushConnection;
  /** Watched resources by {@link addressOf}. */
  readonly #watched = new Map<string, Watched>();
  readonly sink: EventSink;

  private constructor(
    private readonly deps: WatchDeps,
    open: (sink: EventSink) => PushConnection,
    watcher: Watcher,
  ) {
    this.sink = new EventSink(
      (frame) => this.#deliver(frame, watcher),
      (reason) => watcher.closed(reason),
    );
    this.#connection = open(this.sink);
    this.sink.attach(this.#connection);
  }

  /** Opens a watch, or rejects a caller without access to live quotes. */
  static open(deps: WatchDeps, mcpCaller: McpCaller, watcher: Watcher): Watch | Rejection {
    const { gateway, callers } = deps;
    const caller = callers.asking(mcpCaller.caller, 'resources/subscribe');
    const opened = gateway.admissions.openPush(caller);
    if (opened instanceof Rejection) {
      gateway.admissions.recordRefusal(caller, opened);
      return opened;
    }
    const { identity, permits } = opened;
    const connect = (sink: EventSink) =>
      gateway.push.connect({
        iface: 'mcp',
        owner: identity.owner,
        receives: 'own',
        permits,
        // Only notices of gaps matter: earlier reads may be stale after one.
        wants: (event) => event.type !== 'notify' || event.gap !== undefined,
        format: watchFormat,
        sink,
        keyId: identity.key?.id,
      });
    return new Watch(deps, connect, watcher);
  }

  /** Watches one more address as this caller. */
  async add(uri: string, mcpCaller: McpCaller): Promise<Rejection | undefined> {
    const found = findKind(uri);
    if (found === undefined) {
      return new Rejection('request.invalid', `uri: ${quoteUri(uri)} cannot be watched; see resources/templates/list`);
    }
    if (found instanceof Rejection) return found;
    const isWatched = this.#watched.get(addressOf(found))?.uris.has(uri) === true;
    if (isWatched && this.#isSubscribed(found)) return undefined;
    if (!isWatched && this.#count >= WATCHED_MAX) {
      return new Rejection('limit.subscriptions', `at most ${WATCHED_MAX} resources can be watched at a time: unsubscribe from some first`);
    }
    const { kind, value } = found;
    // Set before the answer arrives, so that the first event is not missed.
    this.#note(uri, found);
    const refused =
      kind.variable === 'symbol'
        ? await this.#ask(subscription.subscribe, { symbols: [value], sub_types: [kind.subType], is_first_push: false }, mcpCaller)
        : await this.#ask(account.subAccPush, { acc_id_list: [value] }, mcpCaller);
    // Checked again: it may have ended in the meantime, after an earlier gap.
    if (refused === undefined && this.#isSubscribed(found)) this.#note(uri, found);
    else this.#forget(uri, found);
    return refused;
  }

  async remove(uri: string, mcpCaller: McpCaller): Promise<void> {
    const found = findKind(uri);
    if (found === undefined || found instanceof Rejection || !this.#forget(uri, found)) return;
    const { kind, value } = found;
    if (kind.variable === 'symbol') {
      await this.#ask(subscription.unsubscribe, { symbols: [value], sub_types: [kind.subType] }, mcpCaller);
    } else if (!accountKinds.some(({ prefix }) => this.#watched.has(`${prefix}${value}`))) {
      await this.#ask(account.unsubAccPush, { acc_id_list: [value] }, mcpCaller);
    }
  }

  close(): void {
    this.#connection.disconnected();
  }

  #deliver(frame: PushFrame, watcher: Watcher): void {
    const concerned = changedBy(frame).flatMap((address) => this.#watched.get(address) ?? []);
    // Subscriptions that could not be restored have ended before the notice of the gap.
    const ended = frame.type === 'notify' ? concerned.filter(({ found }) => !this.#isSubscribed(found)) : [];
    for (const { found } of ended) this.#watched.delete(addressOf(found));
    for (const { uris } of concerned) for (const uri of uris) watcher.changed(uri, frame);
    if (ended.length > 0) watcher.ended();
  }

  get #count(): number {
    return [...this.#watched.values()].reduce((count, { uris }) => count + uris.size, 0);
  }

  #note(uri: string, found: FoundKind): void {
    getOrInsert(this.#watched, addressOf(found), () => ({ found, uris: new Set() })).uris.add(uri);
  }

  /** Removes a spelling of an address. Returns true if it was the last one. */
  #forget(uri: string, found: FoundKind): boolean {
    const address = addressOf(found);
    const watched = this.#watched.get(address);
    if (watched === undefined || !watched.uris.delete(uri) || watched.uris.size > 0) return false;
    return this.#watched.delete(address);
  }

  /** True if the hub still has the subscription of an address: it ends if it cannot be restored. */
  #isSubscribed({ kind, value }: FoundKind): boolean {
    const { subscriptions, accounts } = this.deps.gateway.push;
    const { ownOwner } = this.#connection;
    return kind.variable === 'symbol'
      ? subscriptions.holds(ownOwner, value, kind.subType)
      : accounts.receivers(BigInt(value)).includes(ownOwner);
  }

  /** Subscribes through the pipeline, so that scopes and limits hold; the events belong to the watch. */
  async #ask(operation: Operation, args: JsonObject, mcpCaller: McpCaller): Promise<Rejection | undefined> {
    const { gateway, callers } = this.deps;
    const caller = { ...callers.asking(mcpCaller.caller, operation.name), connectionOwner: this.#connection.ownOwner };
    const answer = await gateway.call(operation, caller, () => readRequest(operation, 'mcp', args));
    if (answer instanceof Rejection) return answer;
    return answer.retType === 0 ? undefined : new Rejection('request.invalid', `backend proto error: ${answer.retMsg}`);
  }
}
