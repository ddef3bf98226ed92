import type { Message } from '@bufbuild/protobuf';
import type { Access, KeyRecord } from '../access/index.js';
import type { Clock } from '../contract/clock.js';
import type { Operation } from '../contract/operation.js';
import { system } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import { StorageFailure } from '../storage/index.js';
import type { Backend, CallContext, LifecycleState, ResponseMessage } from './backend.js';
import { BackendLost } from './backend.js';
import type { IdempotencyKeys } from './idempotency.js';
import { type Caller, type Identity, ownerOfKey } from './identity.js';
import type { LocalHandler, LocalHandlers } from './local/index.js';
import type { Logger } from './logger.js';
import type { Meter } from './meter.js';
import { Permissions } from './permissions.js';
import { RET_SUCCEED } from './responses.js';
import { cancelled, type Writes } from './writes.js';

/** What a request comes to: the operation's `Response`, or the gateway's refusal. */
export type Answer = ResponseMessage | Rejection;

export interface PipelineParts {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly idempotency: IdempotencyKeys;
  /** Operations that the gateway answers itself, by name. */
  readonly local: LocalHandlers;
  readonly writes: Writes;
  readonly meter: Meter;
  readonly logger: Logger;
  /** Start-up switches that are on: "--enable-trading". */
  readonly switches: ReadonlySet<string>;
}

/**
 * The one way in, for every interface. A request passes these steps in this order:
 *
 *   identify    whose key is it?                       before anything else is looked at: 401
 *   authorise   do switches and scopes allow it?       before the body is read, so that a stranger cannot probe it: 401, 403
 *   decode      what is asked?                         400
 *   permit      the environment's trade scope, and the key's accounts, markets and symbols: 403, 429
 *   remember    has this idempotency key been used?    before the gates: a repetition must not count twice
 *   gate        the seven limits, for what adds risk   the value is reserved on disk before the order leaves: 429
 *   dispatch    the backend, or the gateway itself
 *   audit       every end of the way leaves one record
 *
 * Reads answer in the same turn when the backend does: nothing here waits that need not.
 */
export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #permissions: Permissions;
  #lifecycleState: LifecycleState;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#permissions = new Permissions(parts.access, parts.switches);
    this.#lifecycleState = parts.backend.status().platform.lifecycleState;
    parts.backend.onLifecycle(({ platform }) => {
      this.#lifecycleState = platform.lifecycleState;
    });
  }

  /** Answers one request. `decode` reads the interface's own format; it runs only for callers who may ask. */
  call(operation: Operation, caller: Caller, decode: () => Message | Rejection): Answer | Promise<Answer> {
    const started = performance.now();
    const identity = this.identify(caller);
    if (identity instanceof Rejection) return this.#finish(operation, caller, undefined, started, identity);
    const refused = this.authorise(operation, caller, identity);
    if (refused !== undefined) return this.#finish(operation, caller, identity.key, started, refused);
    const request = this.#decode(operation, caller, decode);
    if (request instanceof Rejection) return this.#finish(operation, caller, identity.key, started, request);
    const forbidden = this.#permissions.check(operation, identity.key, request);
    if (forbidden !== undefined) return this.#finish(operation, caller, identity.key, started, forbidden);

    const answer = this.#answer(operation, caller, identity, request);
    if (answer instanceof Promise)
      return answer.then((settled) => this.#finish(operation, caller, identity.key, started, settled, request));
    return this.#finish(operation, caller, identity.key, started, answer, request);
  }

  /** Names the caller, or says why the credential is no good. */
  identify(caller: Caller): Identity | Rejection {
    const authenticated = this.#parts.access.authenticate(caller.keyText);
    if (!authenticated.ok) {
      const { code, message, keyId } = authenticated;
      return new Rejection(code, message, keyId === null ? {} : { keyId });
    }
    return { key: authenticated.key, owner: ownerOfKey(authenticated.key) };
  }

  /** Whether this caller may ask for this operation at all, whatever the body says. */
  authorise(operation: Operation, caller: Caller, { key }: Identity): Rejection | undefined {
    const denied = this.#permissions.scope(operation, key);
    if (denied !== undefined) return denied;
    if (operation.switches.some((name) => !this.#parts.switches.has(name))) {
      const missing = operation.switches.filter((name) => !this.#parts.switches.has(name));
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${missing.join(' ')}`);
    }
    if (operation.loopbackOnly && !caller.peer.loopback) {
      const message = `${operation.name} is accepted from this machine only; remote callers go through an HTTPS reverse proxy on the same host`;
      return new Rejection('rest.unlock_trade.local_transport_required', message);
    }
    return undefined;
  }

  #decode(operation: Operation, caller: Caller, decode: () => Message | Rejection): Message | Rejection {
    try {
      return decode();
    } catch (thrown) {
      return this.#failed(operation, caller, thrown);
    }
  }

  #answer(operation: Operation, caller: Caller, identity: Identity, request: Message): Answer | Promise<Answer> {
    const context: CallContext = { requestId: caller.requestId };
    try {
      const local = this.#parts.local[operation.name];
      if (this.#lifecycleState !== 'ready' && needsBackend(operation, local)) {
        return new Rejection('backend.not_ready', `the backend is ${this.#lifecycleState}; nothing was sent, try again shortly`, {
          retryAfterSeconds: 1,
        });
      }
      if (caller.isGone?.()) return cancelled();
      const answer =
        operation.effect === 'order' || operation.effect === 'write'
          ? this.#write(operation, caller, identity, request, context)
          : local !== undefined
            ? local({ operation, request, identity, caller, context })
            : this.#parts.backend.call(operation, request, context);
      return answer instanceof Promise ? answer.catch((thrown: unknown) => this.#failed(operation, caller, thrown)) : answer;
    } catch (thrown) {
      return this.#failed(operation, caller, thrown);
    }
  }

  async #write(operation: Operation, caller: Caller, identity: Identity, request: Message, context: CallContext): Promise<Answer> {
    const local = this.#parts.local[operation.name];
    const { idempotency, writes } = this.#parts;
    const key = caller.idempotencyKey;
    const send =
      local === undefined
        ? writes.sender(operation, request, identity, context, () => caller.isGone?.() ?? false)
        : async () => local({ operation, request, identity, caller, context });
    if (key === undefined) return send(undefined, undefined);
    const known = idempotency.look(identity.owner, key, operation, request);
    if (known instanceof Rejection) return known;
    switch (known.kind) {
      case 'answered':
        return known.response;
      case 'under_way': {
        const answer = await known.answer;
        // The first caller went away before anything was sent: this one is still here.
        const unsent = answer instanceof Rejection && answer.code === 'request.cancelled';
        return unsent && !caller.isGone?.() ? this.#write(operation, caller, identity, request, context) : answer;
      }
      case 'resumed':
        return idempotency.run(identity.owner, key, operation, request, (commit) => send(commit, known.packet));
      case 'first':
        return idempotency.run(identity.owner, key, operation, request, (commit) => send(commit, undefined));
    }
  }

  #failed(operation: Operation, caller: Caller, thrown: unknown): Rejection {
    const unknownOutcome =
      operation.effect === 'order' || operation.effect === 'write'
        ? '; whether it took effect is not known: look at the orders before you send it again'
        : '';
    if (thrown instanceof BackendLost) return new Rejection('backend.disconnected', `${thrown.message}${unknownOutcome}`);
    if (thrown instanceof StorageFailure) {
      const remedy = '; the daemon has to be started again when the disk takes writes';
      return new Rejection('storage.failed', `${thrown.message}${unknownOutcome}${remedy}`);
    }
    return this.defect(caller, thrown);
  }

  /** Logs what should not have happened; the refusal tells the caller where to look, and no more. */
  defect(caller: Caller, thrown: unknown): Rejection {
    this.#parts.logger.error({ err: thrown, endpoint: caller.endpoint, request_id: caller.requestId }, 'request failed');
    return new Rejection('internal', `internal error; the log has the details under request id ${caller.requestId}`);
  }

  #finish(operation: Operation, caller: Caller, key: KeyRecord | undefined, started: number, answer: Answer, request?: Message): Answer {
    const { access, meter, writes } = this.#parts;
    const rejected = answer instanceof Rejection;
    const trade = !rejected && operation.group === 'trade' && operation.effect !== 'read' && operation.name !== 'unlock_trade';
    access.audit.record({
      iface: caller.iface,
      endpoint: caller.endpoint,
      keyId: key?.id ?? (rejected ? (answer.details.keyId ?? null) : null),
      outcome: rejected ? 'reject' : trade ? 'trade' : 'allow',
      reason: rejected ? answer.auditReason : answer.retType === RET_SUCCEED ? '' : `ret_type ${answer.retType}: ${answer.retMsg}`,
      requestId: caller.requestId,
      trade: trade && request !== undefined ? writes.auditTrade(request, answer) : undefined,
    });
    meter.request(operation, caller.iface, rejected ? answer.code : undefined, performance.now() - started);
    return answer;
  }
}

/** What the gateway says of itself it can say always, and a pending login is answered by the one operation that it waits for. */
function needsBackend(operation: Operation, local: LocalHandler | undefined): boolean {
  if (operation === system.verification) return false;
  return local === undefined || (operation.group !== 'admin' && operation.group !== 'system');
}
