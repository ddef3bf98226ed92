import type { Message } from '@bufbuild/protobuf';
import { isSameKey, type KeyRecord } from '../access/index.js';
import type { Clock } from '../contract/clock.js';
import { fieldValue } from '../contract/field-path.js';
import type { Operation, RequestOf } from '../contract/operation.js';
import { system, trade } from '../contract/operations/index.js';
import { hasPreview } from '../contract/preview-path.js';
import { Rejection } from '../contract/rejection.js';
import { asWritten } from '../contract/written-names.js';
import { StorageFailure } from '../storage/index.js';
import { checkAnswer } from './answer-check.js';
import { filterAnswer } from './answer-filter.js';
import { AnswerRecord, type AnswerRecordDeps, isOrderRefused, isTrade, isWrite, type Moment, reasonOf } from './answer-record.js';
import { BackendFailure, type ResponseMessage } from './backend.js';
import { notReady } from './backend-connections.js';
import { Call, cancelled } from './call.js';
import { type Reach, rejectFailure, rejectUnanswered } from './call-failures.js';
import { type Caller, type Identity, identityOf, isSameText } from './identity.js';
import type { InFlight } from './in-flight.js';
import type { LocalOperations } from './local/index.js';
import { limitsOf } from './market-names.js';
import { asWanted, type OrderDetail } from './order-detail.js';
import { addressByAccount } from './orders/account-env.js';
import type { AccountOrders } from './orders/account-orders.js';
import { confineCancelAll, isCancel, refuseForAll } from './orders/cancel-scope.js';
import { type Admission, type Commit, checkKeyText, type IdempotencyKeys, type Run } from './orders/idempotency.js';
import { lateRejection } from './orders/late-rejection.js';
import { OrderPermits } from './orders/order-permits.js';
import { noPacket } from './orders/packet-ids.js';
import type { ProtectiveOrders } from './orders/protective-orders.js';
import { type TradePasswordSource, withTradePassword } from './orders/trade-password.js';
import { refusesPassword, type UnlockThrottle } from './orders/unlock-throttle.js';
import { Permissions } from './permissions.js';
import { type Preview, type Previewer, repetitionOf, shownPreview, undecided } from './preview/index.js';
import type { TurnedAway } from './refusal-throttle.js';
import { type Answer, failure, RET_SUCCEED, withMessage } from './responses.js';
import { shownRefusal } from './sight.js';
import type { StorageStatus } from './storage-status.js';
import { told } from './told.js';
import { withoutValues } from './unsaid-values.js';
import { isWayOut, rejectUnstored } from './ways-out.js';

export interface PipelineDeps extends AnswerRecordDeps {
  readonly clock: Clock;
  readonly idempotency: IdempotencyKeys;
  readonly unlocks: UnlockThrottle;
  /** Operations that the gateway answers itself, by name. */
  readonly local: LocalOperations;
  readonly inFlight: InFlight;
  readonly orderDetail: OrderDetail;
  readonly orders: AccountOrders;
  readonly protective: ProtectiveOrders;
  readonly previewer: Previewer;
  /** Told of each request that a key may make. */
  readonly keyUsed: (keyId: string) => void;
  /** Unlocks for tools, which cannot say the password themselves. */
  readonly tradePassword: TradePasswordSource;
  /** Start-up switches that are on: "--enable-trading". */
  readonly switches: ReadonlySet<string>;
  readonly storage: StorageStatus;
  /** Reason why trading is halted after an inconsistent restore. */
  readonly tradingHalt: string | undefined;
}

/**
 * The one way in, for every interface. A request passes these steps in this order:
 *
 *   identify    whose key is it?                       before anything else is looked at: 401
 *   throttle    was it refused too often just now?     before anything that costs more: 429
 *   authorise   do switches and scopes allow it?       before the body is read, so that a stranger cannot probe it: 401, 403
 *   decode      what is asked?                         400
 *   permit      the environment's trade scope, and the key's accounts, markets and symbols: 403, 429; an order that is named is
 *               looked up, since its own market counts and not the one written beside it
 *   remember    has this idempotency key been used?    before the gates: a repetition must not count twice
 *   gate        the seven limits, for what adds risk   the value is reserved on disk before the order leaves: 429
 *   dispatch    the backend, or the gateway itself; refused before where the connection is away or too much is under way: 503, 429
 *   filter      of lists that reach beyond the request, what the key may see
 *   audit       every end of the way leaves one record; a write is acknowledged once its record is with the operating system
 *
 * A preview goes as far as *permit*, and is audited.
 * Reads answer in the same turn when the backend does: nothing here waits that need not.
 */
export class Pipeline {
  readonly #deps: PipelineDeps;
  readonly #permissions: Permissions;
  readonly #orderPermits: OrderPermits;
  readonly #record: AnswerRecord;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
    this.#record = new AnswerRecord(deps, (caller, thrown) => this.defect(caller, thrown));
    this.#permissions = new Permissions(deps.access, deps.switches);
    this.#orderPermits = new OrderPermits(deps.backend, deps.access, deps.clock, deps.orders, deps.protective);
  }

  /** Answers one request. `decode` reads the interface's own format; it runs only for authorised callers. */
  call(operation: Operation, caller: Caller, decode: () => Message | Rejection): Answer | Promise<Answer> {
    const moment = this.#moment();
    const entered = this.#enter(operation, caller, decode, moment);
    if (!('refusal' in entered)) return this.#answerEntered(operation, caller, moment, entered);
    if (operation.effect !== 'order') return this.#refuse(operation, caller, moment, entered);
    return this.#ofPosition(operation, caller, entered).then((refused) => this.#refuse(operation, caller, moment, refused));
  }

  #answerEntered(operation: Operation, caller: Caller, moment: Moment, { identity, request }: Entered): Answer | Promise<Answer> {
    const answer = this.#answer(operation, caller, identity, request);
    if (answer instanceof Promise || isWrite(operation))
      return this.#finishLater(operation, caller, identity.key, moment.started, answer, request);
    return this.#record.finish(operation, caller, identity.key, moment, asWritten(operation, request, answer), request);
  }

  /** The end of a request that was not answered in its turn. The record of a write outlives this process, as far as the trail can be written at all. */
  async #finishLater(
    operation: Operation,
    caller: Caller,
    key: KeyRecord | undefined,
    started: number,
    work: Answer | Promise<Answer>,
    request: Message,
  ): Promise<Answer> {
    const settled = asWritten(operation, request, await work);
    const about = isOrderRefused(operation, settled) ? await this.#record.told(operation, caller, key, request, settled) : undefined;
    const answer = this.#record.finish(operation, caller, key, this.#moment(started), settled, request, about);
    if (!isWrite(operation)) return answer;
    if (operation.effect === 'order' && !(answer instanceof Rejection)) this.#deps.storage.succeeded();
    await this.#deps.access.audit.written();
    return answer;
  }

  /** Sees to it, where the trail is required, that it has a line of a write before the write leaves. */
  async #announce(operation: Operation, caller: Caller, { key }: Identity, request: Message): Promise<Rejection | undefined> {
    const { audit } = this.#deps.access;
    // Whoever looks after the daemon must be able to.
    if (operation.group === 'admin') return undefined;
    const { iface, endpoint, requestId } = caller;
    const trade = isTrade(operation) ? this.#deps.writes.auditTrade(request) : undefined;
    audit.record({ iface, endpoint, keyId: key?.id ?? null, outcome: 'allow', reason: 'admitted, not sent yet', requestId, trade });
    return this.#refuseUnrecorded(operation, request);
  }

  /** Refuses a write that the required trail cannot take. A way out is open all the same: the log has its line. */
  async #refuseUnrecorded(operation: Operation, request: Message): Promise<Rejection | undefined> {
    const { audit } = this.#deps.access;
    if (!audit.required || (await audit.written()) !== false || isWayOut(operation, request)) return undefined;
    const why = audit.fileStatus()?.failure ?? 'it cannot be written';
    return new Rejection('audit.unavailable', `the required audit log cannot be written: ${why}; nothing was sent`, {
      retryAfterSeconds: 1,
    });
  }

  /**
   * Says what a write would do and which gates it would meet. It comes in by the same steps as {@link call} up to *permit*;
   * then nothing is remembered, counted, reserved or sent.
   */
  async preview(operation: Operation, caller: Caller, decode: () => Message | Rejection): Promise<Preview | ResponseMessage | Rejection> {
    const moment = this.#moment();
    const entered = this.#enter(operation, caller, decode, moment);
    if ('turnedAway' in entered) return this.#refuse(operation, caller, moment, entered);
    const outcome =
      'refusal' in entered ? entered.refusal : asWritten(operation, entered.request, await this.#preview(operation, caller, entered));
    return this.#finishPreview(operation, caller, moment, entered, outcome);
  }

  /**
   * Previews a write that waits for a person's word. One that would be refused is refused now, and on record as the write would be, as far as
   * that is decided. undefined: it may go, and has no preview.
   */
  async ask(
    operation: Operation,
    caller: Caller,
    decode: () => Message | Rejection,
  ): Promise<Preview | ResponseMessage | Rejection | undefined> {
    const moment = this.#moment();
    const entered = this.#enter(operation, caller, decode, moment);
    if ('refusal' in entered) return this.#refuse(operation, caller, moment, await this.#ofPosition(operation, caller, entered));
    if (!hasPreview(operation)) {
      const { iface, endpoint, requestId } = caller;
      const keyId = entered.identity.key?.id ?? null;
      this.#deps.access.audit.record({ iface, endpoint, keyId, outcome: 'allow', reason: '', requestId }, moment.now);
      return undefined;
    }
    const outcome = asWritten(operation, entered.request, await this.#preview(operation, caller, entered));
    const refused = foreseen(operation, outcome);
    if (refused === undefined) return this.#finishPreview(operation, caller, moment, entered, outcome);
    if (isPreview(outcome) && outcome.kind === 'repetition') this.#record.repeated(caller);
    const { key } = entered.identity;
    const about = isPreview(outcome)
      ? outcome.refusal?.details.about
      : await this.#record.told(operation, caller, key, entered.request, refused);
    return this.#record.finish(operation, caller, key, this.#moment(moment.started), refused, entered.request, about);
  }

  async #finishPreview(
    operation: Operation,
    caller: Caller,
    { started }: Moment,
    entered: Entered | Refused,
    outcome: Preview | ResponseMessage | Rejection,
  ): Promise<Preview | ResponseMessage | Rejection> {
    const { access } = this.#deps;
    const key = 'refusal' in entered ? entered.key : entered.identity.key;
    const rejected = outcome instanceof Rejection;
    const answer = 'retType' in outcome || rejected ? outcome : undefined;
    const reason = `preview: ${rejected ? outcome.auditReason : previewReason(outcome)}`;
    const verdict = { outcome: rejected ? 'reject' : 'allow', reason } as const;
    this.#record.record(operation, caller, key, this.#moment(started), answer, verdict, 'preview');
    if (rejected) return shownRefusal(access, key, outcome);
    // The line of the preview may be the first that the trail does not take.
    const unrecorded = 'refusal' in entered ? undefined : await this.#refuseUnrecorded(operation, entered.request);
    if (unrecorded !== undefined) return unrecorded;
    if (isPreview(outcome)) return shownPreview(access, key, outcome, (text) => told(operation, caller, text, entered.request));
    return 'refusal' in entered
      ? outcome
      : this.#record.shownFailure(
          operation,
          caller,
          key,
          outcome,
          await this.#record.told(operation, caller, key, entered.request, outcome),
          entered.request,
        );
  }

  /** The steps before anything happens: identify, authorise, decode, permit. */
  #enter(operation: Operation, caller: Caller, decode: () => Message | Rejection, { now }: Moment): Entered | Refused {
    const identity = this.identify(caller, now);
    if (identity instanceof Rejection) return { key: undefined, refusal: identity };
    const { key } = identity;
    if (key !== undefined) this.#deps.keyUsed(key.id);
    const turnedAway = key === undefined ? undefined : this.#deps.refusals.turnAway(identity, operation);
    if (turnedAway !== undefined) return { key, refusal: turnedAway.rejection, turnedAway };
    const refused = this.authorise(operation, caller, identity);
    if (refused !== undefined) return { key, refusal: refused };
    const request = this.#decode(operation, caller, decode);
    if (request instanceof Rejection) return { key, refusal: request };
    confineCancelAll(operation, request, caller.iface);
    const forbidden = this.#permissions.check(operation, key, request) ?? asWritten(operation, request, refuseForAll(operation, request));
    return forbidden === undefined ? { identity, request } : { key, refusal: forbidden, request };
  }

  /** Names the caller, or says why the credential is no good, at `now`, epoch ms. */
  identify(caller: Caller, now = this.#deps.clock.now()): Identity | Rejection {
    const { access } = this.#deps;
    if (caller.key !== undefined) return identityOf(access.revalidate(caller.key, now));
    const { keyText, peer } = caller;
    const { shown } = peer;
    if (shown !== undefined && keyText !== undefined && isSameText(keyText, shown.keyText)) {
      const known = access.revalidate(shown.key, now);
      if (known.ok) return identityOf(known);
    }
    const authenticated = access.authenticate(keyText, now);
    if (authenticated.ok && authenticated.key !== undefined && keyText !== undefined) peer.shown = { keyText, key: authenticated.key };
    return identityOf(authenticated);
  }

  /** Whether a key is as it was when its bearer was named: what was made for it may be given out. */
  isAsItWas({ key }: Identity): boolean {
    if (key === undefined) return true;
    const judged = this.#deps.access.revalidate(key);
    return judged.ok && isSameKey(judged.key, key);
  }

  /** Whether this caller may ask for this operation at all, whatever the body says. */
  authorise(operation: Operation, caller: Caller, { key }: Identity): Rejection | undefined {
    const denied = this.#permissions.scope(operation, key);
    if (denied !== undefined) return denied;
    if (operation.switches.some((name) => !this.#deps.switches.has(name))) {
      const missing = operation.switches.filter((name) => !this.#deps.switches.has(name));
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${missing.join(' ')}`);
    }
    if (operation.group === 'trade' && this.#deps.tradingHalt !== undefined) {
      return new Rejection('feature_disabled', `trading is off: ${this.#deps.tradingHalt}`);
    }
    if (operation.loopbackOnly && !caller.peer.loopback) {
      const message = `${operation.name} is accepted from this machine only; remote callers go through an HTTPS reverse proxy on the same host`;
      return new Rejection('rest.unlock_trade.local_transport_required', message);
    }
    return undefined;
  }

  #decode(operation: Operation, caller: Caller, decode: () => Message | Rejection): Message | Rejection {
    try {
      const request = decode();
      return request instanceof Rejection ? withoutValues(operation, request) : request;
    } catch (thrown) {
      return this.#failed(caller, thrown, reachOf(operation, true));
    }
  }

  async #preview(operation: Operation, caller: Caller, { identity, request }: Entered): Promise<Preview | ResponseMessage | Rejection> {
    const { backendClock, requestTimeoutMs, inFlight } = this.#deps;
    if (!hasPreview(operation)) {
      return new Rejection('request.invalid', `${operation.name} has no preview: it has no value, no fees and no gates`);
    }
    try {
      const unserved = this.#refuseNow(operation, request, identity);
      if (unserved !== undefined) return unserved;
      const call = new Call(caller, backendClock, requestTimeoutMs);
      call.owner = identity.owner;
      const judge = async () =>
        (await this.#permit(operation, identity, request, call)) ??
        (await this.#refuseUnrecorded(operation, request)) ??
        (await this.#foretell(operation, caller, identity, request, call));
      const work = judge();
      inFlight.enter(identity.owner, work);
      return await call.within(work, (thrown) => this.#failed(caller, thrown, reachOf(operation, true)));
    } catch (thrown) {
      return this.#failed(caller, thrown, reachOf(operation, true));
    }
  }

  /** Previews a write past its permits: of one whose idempotency key was used for it before, the answer of then counts. */
  async #foretell(
    operation: Operation,
    caller: Caller,
    identity: Identity,
    request: Message,
    call: Call,
  ): Promise<Preview | ResponseMessage | Rejection> {
    const { previewer, writes } = this.#deps;
    // A preview uses up no key, and needs none.
    const known = this.#known(operation, caller, identity, request, ownKeyOf(operation, request) || undefined);
    if (known instanceof Rejection) return known;
    const { key } = identity;
    if (known?.kind === 'answered') {
      const { response } = known;
      return repetitionOf(operation, request, response, await this.#record.told(operation, caller, key, request, response));
    }
    const outcome = writes.refuseRemark(operation, request) ?? (await previewer.preview(operation, key, request, call));
    if (known === undefined || known.kind === 'first' || !isPreview(outcome)) return outcome;
    const lateRejection = known.kind === 'interrupted' ? writes.lateRejectionAgain(operation, request, identity) : undefined;
    return undecided(known.kind, outcome, lateRejection?.rejection);
  }

  /**
   * Obstacle of a write between its permits and its gates, or what is known of it under its idempotency key; undefined where it is new.
   * Nothing is changed by looking. `ownKey`: the key in its request.
   */
  #known(
    operation: Operation,
    caller: Caller,
    identity: Identity,
    request: Message,
    ownKey: string | undefined,
  ): Admission | Rejection | undefined {
    const { backend, idempotency, store } = this.#deps;
    const key = ownKey ?? caller.idempotencyKey;
    const wrong = checkKeyText(caller, ownKey);
    if (wrong !== undefined) return wrong;
    // Before the key is looked for: the answer under it may not be on disk yet.
    if (store.failure !== undefined && !isWayOut(operation, request)) return rejectUnstored(store.failure);
    if (key === undefined) return undefined;
    const known = idempotency.admit(identity.owner, key, operation, request);
    // A cancel makes no second order, and whoever has used up its keys must be able to get out.
    if (known instanceof Rejection) return known.code === 'limit.idempotency_keys' && isCancel(request) ? undefined : known;
    // A write that places several orders is never sent twice: its own key says so.
    const isSentAgain = backend.replaysWrites && ownKey === undefined;
    return known.kind === 'interrupted' && !isSentAgain ? unknownOutcome(key) : known;
  }

  /** Answers what another request of this caller has to know before it can be read: nothing is recorded. */
  lookUp(operation: Operation, caller: Caller, identity: Identity, request: Message): Answer | Promise<Answer> {
    return this.#answer(operation, caller, identity, request);
  }

  /** Re-checks an admitted request against the caller's current key and limits. */
  review(operation: Operation, caller: Caller, request: Message): Identity | Rejection {
    const identity = this.identify(caller);
    if (identity instanceof Rejection) return identity;
    return this.authorise(operation, caller, identity) ?? this.#permissions.check(operation, identity.key, request) ?? identity;
  }

  #answer(operation: Operation, caller: Caller, identity: Identity, request: Message): Answer | Promise<Answer> {
    const call = new Call(caller, this.#deps.backendClock, this.#deps.requestTimeoutMs + waitsMs(operation, request));
    call.owner = identity.owner;
    call.orderDetail = this.#deps.orderDetail.isShown(operation, caller, identity, request);
    try {
      const unserved = this.#refuseNow(operation, request, identity);
      if (unserved !== undefined) return this.#heldAnswer(operation, caller, identity, request, call, unserved) ?? unserved;
      if (caller.isGone?.()) return cancelled();
      const permit = this.#permit(operation, identity, request, call);
      const answer =
        permit === undefined
          ? this.#dispatch(operation, caller, identity, request, call)
          : permit.then((denied) => denied ?? this.#dispatch(operation, caller, identity, request, call));
      return answer instanceof Promise ? this.#wait(operation, caller, identity, request, call, answer) : answer;
    } catch (thrown) {
      return this.#failed(caller, thrown, reachOf(operation, call.untouched));
    }
  }

  /** Checks that need a lookup first: the account's environment, the markets of the orders. */
  #permit(
    operation: Operation,
    { key }: Identity,
    request: Message,
    call: Call,
  ): undefined | Promise<Rejection | ResponseMessage | undefined> {
    if (!operation.envOfAccount) return this.#orderPermits.check(operation, key, request, call);
    return addressByAccount(this.#deps.backend, operation, request, call).then(
      (refused) =>
        refused ?? this.#permissions.environment(operation, key, request) ?? this.#orderPermits.check(operation, key, request, call),
    );
  }

  /** Waits as long as the caller does. A write that has left goes on after that, and its outcome is recorded when it comes. */
  #wait(operation: Operation, caller: Caller, identity: Identity, request: Message, call: Call, work: Promise<Answer>): Promise<Answer> {
    if (operation.waits === null) this.#deps.inFlight.enter(identity.owner, work);
    return call.within(work, (thrown) => {
      if (call.overdue && call.left) {
        void work
          .catch((failed: unknown) => this.#failed(caller, failed, 'write sent'))
          .then((late) => this.#record.finishLate(operation, caller, identity.key, late, request));
      }
      return this.#failed(caller, thrown, reachOf(operation, call.untouched));
    });
  }

  #dispatch(operation: Operation, caller: Caller, identity: Identity, request: Message, call: Call): Answer | Promise<Answer> {
    if (operation.effect === 'order' || operation.effect === 'write') return this.#write(operation, caller, identity, request, call);
    const local = this.#deps.local[operation.name];
    const answer =
      local === undefined
        ? this.#deps.backend.call(operation, request, call)
        : local.answer({ operation, request, identity, caller, context: call });
    if (answer instanceof Promise) return answer.then((answered) => this.#shownLater(operation, caller, identity, request, call, answered));
    return this.#shown(operation, identity, request, call, answer);
  }

  /** An answer that took its time, as its caller may see it by now: the key may have been changed meanwhile. */
  #shownLater(
    operation: Operation,
    caller: Caller,
    identity: Identity,
    request: Message,
    call: Call,
    answer: Answer,
  ): Answer | Promise<Answer> {
    const judged = answer instanceof Rejection || this.isAsItWas(identity) ? identity : this.review(operation, caller, request);
    return judged instanceof Rejection ? judged : this.#shown(operation, judged, request, call, answer);
  }

  /** An answer as its caller may see it. */
  #shown(operation: Operation, identity: Identity, request: Message, call: Call, answer: Answer): Answer | Promise<Answer> {
    if (answer instanceof Rejection) return answer;
    const response = asWanted(operation, call, checkAnswer(operation, answer));
    if (typeof operation.reach === 'string') return response;
    return filterAnswer(operation, request, limitsOf(this.#deps.access, identity.key), response);
  }

  /** A stale answer to a read while its connection is away, marked with its age in the interface's header and in its text. */
  #heldAnswer(
    operation: Operation,
    caller: Caller,
    identity: Identity,
    request: Message,
    call: Call,
    unserved: Rejection,
  ): Answer | Promise<Answer> | undefined {
    if (unserved.code !== 'backend.not_ready' || operation.effect !== 'read') return undefined;
    const held = this.#deps.backend.held?.(operation, request);
    if (held === undefined) return undefined;
    const ageMs = Math.max(0, Math.round(this.#deps.clock.now() - held.at));
    caller.onHeld?.(ageMs);
    const retMsg = `held since ${new Date(held.at).toISOString()} (${ageMs} ms): ${unserved.message}`;
    return this.#shown(operation, identity, request, call, withMessage(held.response, retMsg));
  }

  /** Reason why the backend is not to be asked now. What the gateway says of itself it can say always. */
  #refuseNow(operation: Operation, request: Message, identity: Identity): Rejection | undefined {
    const { backend, inFlight, local } = this.#deps;
    const awaited = backend.readiness(operation, request);
    const full = inFlight.refuse(operation, request, identity);
    if (awaited === undefined && full === undefined) return undefined;
    if (local[operation.name]?.alone) return undefined;
    // A pending login is answered by the one operation that it waits for.
    return awaited === undefined || operation === system.verification ? full : notReady(awaited);
  }

  #write(operation: Operation, caller: Caller, identity: Identity, request: Message, call: Call): Answer | Promise<Answer> {
    if (!this.#deps.access.audit.required) return this.#writeOnce(operation, caller, identity, request, call);
    const announced = this.#announce(operation, caller, identity, request);
    return announced.then((unrecorded) => unrecorded ?? this.#writeOnce(operation, caller, identity, request, call));
  }

  /** A write under an idempotency key that was used before gets the answer of then. */
  #writeOnce(operation: Operation, caller: Caller, identity: Identity, request: Message, call: Call): Answer | Promise<Answer> {
    const known = this.#known(operation, caller, identity, request, ownKeyOf(operation, request));
    if (known instanceof Rejection) return known;
    const { local: locals, writes } = this.#deps;
    const local = locals[operation.name];
    const send: Parameters<Run>[0] =
      operation === trade.unlockTrade
        ? (commit) => this.#unlock(caller, identity, request as RequestOf<typeof trade.unlockTrade>, call, commit)
        : local === undefined
          ? writes.sender(operation, request, identity, call)
          : async () => (call.commit() ? local.answer({ operation, request, identity, caller, context: call }) : cancelled());
    if (known === undefined) return send(undefined, undefined);
    switch (known.kind) {
      case 'answered':
        this.#record.repeated(caller);
        return known.response;
      case 'under_way':
        call.join();
        return known.answer.then((answer) => {
          // The first caller went away before anything was sent: this one is still here.
          const unsent = answer instanceof Rejection && answer.code === 'request.cancelled';
          if (unsent && !call.isGone()) return this.#write(operation, caller, identity, request, call);
          if (!(answer instanceof Rejection)) this.#record.repeated(caller);
          return answer;
        });
      case 'interrupted':
      case 'first':
        return known.run(send);
    }
  }

  /** An unlock is one more try at the password; one that was interrupted is made again, with the password that comes with it. */
  async #unlock(
    caller: Caller,
    identity: Identity,
    request: RequestOf<typeof trade.unlockTrade>,
    call: Call,
    commit: Commit | undefined,
  ): Promise<Answer> {
    const { backend, tradePassword, unlocks } = this.#deps;
    const complete = caller.iface === 'mcp' ? await withTradePassword(request, tradePassword) : request;
    if (complete instanceof Rejection) return complete;
    if (!call.commit()) return cancelled();
    const attempt = complete.unlock ? unlocks.begin(identity.owner) : undefined;
    if (attempt instanceof Rejection) return attempt;
    let outcome: 'right' | 'wrong' | 'lost' = 'lost';
    try {
      call.lateRejection = lateRejection(this.#deps.access, this.#deps.clock, identity, { addsRisk: false });
      // The message of an unlock has no packet id.
      await commit?.(noPacket, complete).enter();
      const response = checkAnswer(trade.unlockTrade, await backend.call(trade.unlockTrade, complete, call));
      // An unlock with the daemon's own password does not prove that the caller knows it.
      if (response.retType !== RET_SUCCEED) outcome = refusesPassword(response) ? 'wrong' : 'lost';
      else if (complete === request) outcome = 'right';
      return response;
    } finally {
      attempt?.settle(outcome);
    }
  }

  #failed(caller: Caller, thrown: unknown, reach: Reach): Rejection {
    if (thrown instanceof BackendFailure) return rejectFailure(thrown, reach);
    if (thrown instanceof StorageFailure) {
      this.#deps.storage.failed(thrown);
      return rejectUnanswered('storage.failed', thrown.message, reach);
    }
    return this.defect(caller, thrown);
  }

  /** Logs what should not have happened; the refusal tells the caller where to look, and no more. */
  defect(caller: Caller, thrown: unknown): Rejection {
    this.#deps.logger.error({ err: thrown, endpoint: caller.endpoint, request_id: caller.requestId }, 'request failed');
    return new Rejection('internal', `internal error; the log has the details under request id ${caller.requestId}`);
  }

  /** Refuses a request for a reason of its interface's, and records it as {@link call} would; `request` where it could be read. */
  async refuse(operation: Operation, caller: Caller, refusal: Rejection, request: Message | undefined): Promise<Rejection> {
    const moment = this.#moment();
    const identity = this.identify(caller, moment.now);
    const key = identity instanceof Rejection ? undefined : identity.key;
    const refused = { key, refusal: identity instanceof Rejection ? identity : refusal, ...(request === undefined ? {} : { request }) };
    return this.#refuse(operation, caller, moment, await this.#ofPosition(operation, caller, refused));
  }

  /** Answers a request that did not come in. */
  #refuse(operation: Operation, caller: Caller, moment: Moment, { key, refusal, turnedAway, request }: Refused): Rejection {
    if (turnedAway?.told === false) {
      this.#deps.meter.request(operation, caller.iface, refusal.code, performance.now() - moment.started);
    } else {
      this.#record.finish(operation, caller, key, moment, refusal, request, refusal.details.about);
    }
    return shownRefusal(this.#deps.access, key, refusal);
  }

  async #ofPosition(operation: Operation, caller: Caller, refused: Refused): Promise<Refused> {
    const { refusal, request, turnedAway } = refused;
    if (turnedAway !== undefined) return refused;
    return { ...refused, refusal: await this.#record.ofPosition(operation, caller, refusal, request) };
  }

  #moment(started = performance.now()): Moment {
    return { started, now: this.#deps.clock.now() };
  }
}

/** A request that may be answered. */
interface Entered {
  readonly identity: Identity;
  readonly request: Message;
}

/** A request that was refused before anything happened. */
interface Refused {
  readonly key: KeyRecord | undefined;
  readonly refusal: Rejection;
  /** Present where it could be read. */
  readonly request?: Message;
  /** Set if the request was rejected unread. */
  readonly turnedAway?: TurnedAway;
}

/** The idempotency key that is a field of the request, '' where it is not given; undefined for operations without one. */
function ownKeyOf({ keyField, messages }: Operation, request: Message): string | undefined {
  return keyField === null ? undefined : ((fieldValue(messages.C2SSchema, keyField)(request) as string | undefined) ?? '');
}

/** Long-poll time that a request asks for, on top of the backend's own time. */
function waitsMs({ waits }: Operation, request: Message): number {
  return waits === null ? 0 : 1000 * ((request as unknown as Record<string, number>)[waits] ?? 0);
}

/** The packet id of an interrupted write means nothing to this backend: sent again, it might be carried out twice. */
function unknownOutcome(key: string): Rejection {
  const message = `the request under idempotency key "${key}" may have taken effect: check the orders; to send it again, use a new key`;
  return new Rejection('idempotency.unknown_outcome', message);
}

/** How far a request came. */
function reachOf(operation: Operation, untouched: boolean): Reach {
  if (!isWrite(operation)) return 'read';
  return untouched ? 'write kept' : 'write sent';
}

function isPreview(outcome: Preview | ResponseMessage | Rejection): outcome is Preview {
  return !(outcome instanceof Rejection) && !('retType' in outcome);
}

/** The answer that a write would get by its preview; undefined where it may pass, or where the brokerage has not decided. */
function foreseen(operation: Operation, outcome: Preview | ResponseMessage | Rejection): Answer | undefined {
  if (!isPreview(outcome)) return outcome;
  const { refusal, brokerageDecided } = outcome;
  if (refusal === null || refusal instanceof Rejection) return refusal ?? undefined;
  if (!brokerageDecided) return undefined;
  const { retType, retMsg, errCode } = refusal.response;
  return Object.assign(failure(operation, retMsg, errCode), { retType });
}

function previewReason(outcome: Preview | ResponseMessage): string {
  if ('retType' in outcome) return reasonOf(outcome);
  if (outcome.refusal !== null) return `would be refused: ${outcome.refusal.auditReason}`;
  return outcome.brokerageDecided ? 'would pass' : 'the limits would let it pass; the brokerage decides when it is sent';
}
