import type { JsonObject } from '../../contract/json/value.js';
import type { Operation } from '../../contract/operation.js';
import { account, subscription } from '../../contract/operations/index.js';
import { Rejection, rejectProblem } from '../../contract/rejection.js';
import { requestDecoder } from '../../contract/request.js';
import type { Gateway } from '../../gateway/index.js';
import type { PushConnection } from '../../gateway/push/index.js';
import type { HttpCallers } from '../common/callers.js';
import { changedBy, EventSink, type PushFrame } from './push.js';
import { watchFormat } from './push-format.js';
import { accountKinds, addressOf, type FoundKind, findKind, quoteUri } from './resource-kinds.js';
import type { Visitor } from './visitor.js';

export interface WatchParts {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
}

/** What a client hears of what it watches. */
export interface Watcher {
  /** A watched address has changed, or may have; it is told of one last time when its events end. */
  changed(uri: string, frame: PushFrame): void;
  /** Something is not watched any more, and the client did not ask for that; told after {@link changed}. */
  ended(): void;
  closed(reason: string): void;
}

/** What is watched: `uris` are the addresses by which the client asked for it, and hears of it. */
interface Watched {
  readonly found: FoundKind;
  readonly uris: Set<string>;
}

/** Addresses that one client may watch at a time, each spelling of one counted. */
const WATCHED_MAX = 200;

/** Watches resources for one client: what it watches is subscribed to by a connection of its own, and ends with it. */
export class Watch {
  readonly #parts: WatchParts;
  readonly #connection: PushConnection;
  /** By {@link addressOf}. */
  readonly #watched = new Map<string, Watched>();
  readonly sink: EventSink;

  private constructor(parts: WatchParts, open: (sink: EventSink) => PushConnection, watcher: Watcher) {
    this.#parts = parts;
    this.sink = new EventSink(
      (frame) => this.#deliver(frame, watcher),
      (reason) => watcher.closed(reason),
    );
    this.#connection = open(this.sink);
    this.sink.attach(this.#connection);
  }

  /** A refusal where the caller may not see live quotes. */
  static open(parts: WatchParts, visitor: Visitor, watcher: Watcher): Watch | Rejection {
    const { gateway, callers } = parts;
    const caller = callers.asking(visitor.caller, 'resources/subscribe');
    const opened = gateway.openPush(caller);
    if (opened instanceof Rejection) {
      gateway.auditRejection(caller, opened);
      return opened;
    }
    const { identity, permits } = opened;
    const keyId = identity.key === undefined ? {} : { keyId: identity.key.id };
    const connect = (sink: EventSink) =>
      gateway.push.connect({
        iface: 'mcp',
        owner: identity.owner,
        receives: 'own',
        permits,
        // Of the notices those of gaps alone: what was read before one may be out of date.
        wants: (event) => event.type !== 'notify' || event.gap !== undefined,
        format: watchFormat,
        sink,
        ...keyId,
      });
    return new Watch(parts, connect, watcher);
  }

  /** Watches one more address, as the visitor who asks. */
  async add(uri: string, visitor: Visitor): Promise<Rejection | undefined> {
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
    // Before the answer, so that the first event is not missed.
    this.#note(uri, found);
    const refused =
      kind.variable === 'symbol'
        ? await this.#ask(subscription.subscribe, { symbols: [value], sub_types: [kind.subType], is_first_push: false }, visitor)
        : await this.#ask(account.subAccPush, { acc_id_list: [value] }, visitor);
    // Asked again: it may have been ended meanwhile, or come to an end after a gap of before.
    if (refused === undefined && this.#isSubscribed(found)) this.#note(uri, found);
    else this.#forget(uri, found);
    return refused;
  }

  async remove(uri: string, visitor: Visitor): Promise<void> {
    const found = findKind(uri);
    if (found === undefined || found instanceof Rejection || !this.#forget(uri, found)) return;
    const { kind, value } = found;
    if (kind.variable === 'symbol') {
      await this.#ask(subscription.unsubscribe, { symbols: [value], sub_types: [kind.subType] }, visitor);
    } else if (!accountKinds.some(({ prefix }) => this.#watched.has(`${prefix}${value}`))) {
      await this.#ask(account.unsubAccPush, { acc_id_list: [value] }, visitor);
    }
  }

  close(): void {
    this.#connection.disconnected();
  }

  #deliver(frame: PushFrame, watcher: Watcher): void {
    const concerned = changedBy(frame).flatMap((address) => this.#watched.get(address) ?? []);
    // What could not be restored after a gap has ended by the time that the gap is told.
    const ended = frame.type === 'notify' ? concerned.filter(({ found }) => !this.#isSubscribed(found)) : [];
    for (const { found } of ended) this.#watched.delete(addressOf(found));
    for (const { uris } of concerned) for (const uri of uris) watcher.changed(uri, frame);
    if (ended.length > 0) watcher.ended();
  }

  get #count(): number {
    return [...this.#watched.values()].reduce((count, { uris }) => count + uris.size, 0);
  }

  #note(uri: string, found: FoundKind): void {
    const address = addressOf(found);
    const watched = this.#watched.get(address) ?? { found, uris: new Set<string>() };
    watched.uris.add(uri);
    this.#watched.set(address, watched);
  }

  /** Returns whether nothing watches by another spelling either, now that this one is gone. */
  #forget(uri: string, found: FoundKind): boolean {
    const address = addressOf(found);
    const watched = this.#watched.get(address);
    if (watched === undefined || !watched.uris.delete(uri) || watched.uris.size > 0) return false;
    return this.#watched.delete(address);
  }

  /** Whether the hub has the subscription that an address needs: it ends there when it cannot be restored. */
  #isSubscribed({ kind, value }: FoundKind): boolean {
    const { subscriptions, accounts } = this.#parts.gateway.push;
    const { ownOwner } = this.#connection;
    return kind.variable === 'symbol'
      ? subscriptions.holds(ownOwner, value, kind.subType)
      : accounts.receivers(BigInt(value)).includes(ownOwner);
  }

  /** Subscribes as everybody does, so that scopes and limits hold; what it brings belongs to the watch. */
  async #ask(operation: Operation, args: JsonObject, visitor: Visitor): Promise<Rejection | undefined> {
    const { gateway, callers } = this.#parts;
    const caller = { ...callers.asking(visitor.caller, operation.name), connectionOwner: this.#connection.ownOwner };
    const answer = await gateway.call(operation, caller, () => {
      const decoded = requestDecoder(operation, 'mcp')(args);
      return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
    });
    if (answer instanceof Rejection) return answer;
    return answer.retType === 0 ? undefined : new Rejection('request.invalid', `backend proto error: ${answer.retMsg}`);
  }
}
