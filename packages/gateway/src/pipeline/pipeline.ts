import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { hasPreview } from '@svc-gateway/contract/preview-path';
import { Rejection } from '@svc-gateway/contract/rejection';
import { asWritten } from '@svc-gateway/contract/written-names';
import { AnswerRecord, type AnswerRecordDeps, isOrderRefused, isWrite, type Moment } from '../answer-record.js';
import { Call, cancelled } from '../call.js';
import type { IdempotencyKeys } from '../idempotency/keys.js';
import type { Caller, Identity } from '../identity.js';
import type { InFlight } from '../in-flight.js';
import type { LocalOperations } from '../local/index.js';
import type { OrderDetail } from '../order-detail.js';
import type { AccountOrders } from '../orders/account-orders.js';
import { OrderPermits } from '../orders/order-permits.js';
import type { ProtectiveOrders } from '../orders/protective-orders.js';
import type { TradePasswordSource, UnlockThrottle } from '../orders/unlocking.js';
import { Permissions } from '../permissions.js';
import type { Previewer } from '../preview/index.js';
import type { Answer } from '../responses.js';
import type { StorageStatus } from '../storage-status.js';
import { shownRefusal } from '../visibility.js';
import { Dispatch } from './dispatch.js';
import { Entrance } from './entrance.js';
import { Failures, reachOf } from './failures.js';
import { foreseen, isPreview, Previewing, type PreviewOutcome } from './previewing.js';
import { Remembering } from './remembering.js';
import type { Decode, Entered, Ongoing, Refused } from './requests.js';
import { RequiredTrail } from './required-trail.js';

export interface PipelineDeps extends AnswerRecordDeps {
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
  readonly storage: StorageStatus;
}

/**
 * The one way in, for every interface. A request passes these stages in this order:
 *
 *   identify    whose key is it?                       before anything else is looked at: 401 (`entrance.ts`)
 *   throttle    was it refused too often just now?     before anything that costs more: 429 (`../refusal-throttle.ts`)
 *   authorise   do switches and scopes allow it?       before the body is read, so that a stranger cannot probe it: 401, 403
 *   decode      what is asked?                         400 (`entrance.ts` leads through the stages up to here)
 *   permit      the environment's trade scope, and the key's accounts, markets and symbols: 403, 429 (`../permissions.ts`); an order that
 *               is named is looked up, since its own market counts and not the one written beside it (`../orders/order-permits.ts`)
 *   announce    where the trail is required, it has a line of a write before the write leaves: 503 (`required-trail.ts`)
 *   remember    has this idempotency key been used?    before the gates: a repetition must not count twice (`remembering.ts`)
 *   gate        the seven limits, for what adds risk   the value is reserved on disk before the order leaves: 429 (`../orders/writes.ts`)
 *   dispatch    the backend, or the gateway itself; refused before where the connection is away or too much is under way: 503, 429
 *   filter      of lists that reach beyond the request, what the key may see (both in `dispatch.ts`)
 *   audit       every end of the way leaves one record; a write is acknowledged once its record is with the operating system
 *               (`../answer-record.ts`)
 *
 * A preview passes those up to *remember*, then reads, and is audited (`previewing.ts`).
 * Reads answer in the same turn when the backend does: nothing here waits that need not.
 */
export class Pipeline {
  readonly entrance: Entrance;
  readonly failures: Failures;
  readonly #record: AnswerRecord;
  readonly #permits: OrderPermits;
  readonly #dispatch: Dispatch;
  readonly #previewing: Previewing;

  constructor(private readonly deps: PipelineDeps) {
    const { access, logger, storage, switches } = deps;
    const permissions = new Permissions(access, switches);
    const failures = new Failures(storage, logger);
    const record = new AnswerRecord(deps, (caller, thrown) => failures.defect(caller, thrown));
    const entrance = new Entrance({ ...deps, permissions, failures });
    const permits = new OrderPermits({ ...deps, permissions });
    const trail = new RequiredTrail(access);
    const remembering = new Remembering({ ...deps, record });
    const dispatch = new Dispatch({ ...deps, entrance, trail, remembering });
    this.entrance = entrance;
    this.failures = failures;
    this.#record = record;
    this.#permits = permits;
    this.#dispatch = dispatch;
    this.#previewing = new Previewing({ ...deps, record, failures, dispatch, permits, trail, remembering });
  }

  /** Answers one request. `decode` runs only for authorised callers. */
  call(operation: Operation, caller: Caller, decode: Decode): Answer | Promise<Answer> {
    const moment = this.#moment();
    const entered = this.entrance.enter(operation, caller, decode, moment.now);
    if (!('refusal' in entered)) return this.#answerEntered(entered, moment);
    if (operation.effect !== 'order') return this.#refuse(operation, caller, moment, entered);
    return this.#ofPosition(operation, caller, entered).then((refused) => this.#refuse(operation, caller, moment, refused));
  }

  /**
   * Says what a write would do and which gates it would meet. It comes in by the same stages as {@link call} up to *remember*;
   * then nothing is remembered, counted, reserved or sent.
   */
  async preview(operation: Operation, caller: Caller, decode: Decode): Promise<PreviewOutcome> {
    const moment = this.#moment();
    const entered = this.entrance.enter(operation, caller, decode, moment.now);
    if ('turnedAway' in entered) return this.#refuse(operation, caller, moment, entered);
    const outcome = 'refusal' in entered ? entered.refusal : await this.#previewing.outcomeOf(entered);
    return this.#previewing.finish(operation, caller, moment, entered, outcome);
  }

  /**
   * Previews a write that waits for a person's word. One that would be refused is refused now, and on record as the write would be, as far as
   * that is decided. undefined: it may go, and has no preview.
   */
  async ask(operation: Operation, caller: Caller, decode: Decode): Promise<PreviewOutcome | undefined> {
    const moment = this.#moment();
    const entered = this.entrance.enter(operation, caller, decode, moment.now);
    if ('refusal' in entered) return this.#refuse(operation, caller, moment, await this.#ofPosition(operation, caller, entered));
    const { identity, request } = entered;
    const { key } = identity;
    if (!hasPreview(operation)) {
      const { iface, endpoint, requestId } = caller;
      this.deps.access.audit.record({ iface, endpoint, keyId: key?.id ?? null, outcome: 'allow', reason: '', requestId }, moment.now);
      return undefined;
    }
    const outcome = await this.#previewing.outcomeOf(entered);
    const refused = foreseen(operation, outcome);
    if (refused === undefined) return this.#previewing.finish(operation, caller, moment, entered, outcome);
    if (isPreview(outcome) && outcome.kind === 'repetition') this.#record.repeated(caller);
    const about = isPreview(outcome) ? outcome.refusal?.details.about : await this.#record.told(operation, caller, key, request, refused);
    return this.#record.finish(operation, caller, key, this.#moment(moment.started), refused, request, about);
  }

  /** Refuses a request for a reason of its interface's, and records it as {@link call} would; `request` where it could be read. */
  async refuse(operation: Operation, caller: Caller, refusal: Rejection, request: Message | undefined): Promise<Rejection> {
    const moment = this.#moment();
    const identity = this.entrance.identify(caller, moment.now);
    const key = identity instanceof Rejection ? undefined : identity.key;
    const refused = { key, refusal: identity instanceof Rejection ? identity : refusal, ...(request === undefined ? {} : { request }) };
    return this.#refuse(operation, caller, moment, await this.#ofPosition(operation, caller, refused));
  }

  /** Answers what another request of this caller has to know before it can be read: nothing is recorded. */
  lookUp(operation: Operation, caller: Caller, identity: Identity, request: Message): Answer | Promise<Answer> {
    return this.#answer({ operation, caller, identity, request });
  }

  #answerEntered(entered: Entered, moment: Moment): Answer | Promise<Answer> {
    const { operation, caller, identity, request } = entered;
    const answer = this.#answer(entered);
    if (answer instanceof Promise || isWrite(operation)) return this.#finishLater(entered, moment.started, answer);
    return this.#record.finish(operation, caller, identity.key, moment, asWritten(operation, request, answer), request);
  }

  /** The end of a request that was not answered in its turn. The record of a write outlives this process, as far as the trail can be written at all. */
  async #finishLater(
    { operation, caller, identity: { key }, request }: Entered,
    started: number,
    work: Answer | Promise<Answer>,
  ): Promise<Answer> {
    const settled = asWritten(operation, request, await work);
    const about = isOrderRefused(operation, settled) ? await this.#record.told(operation, caller, key, request, settled) : undefined;
    const answer = this.#record.finish(operation, caller, key, this.#moment(started), settled, request, about);
    if (!isWrite(operation)) return answer;
    if (operation.effect === 'order' && !(answer instanceof Rejection)) this.deps.storage.succeeded();
    await this.deps.access.audit.written();
    return answer;
  }

  #answer(entered: Entered): Answer | Promise<Answer> {
    const { operation, caller, identity, request } = entered;
    const call = new Call(caller, this.deps.backendClock, this.deps.requestTimeoutMs + waitsMs(operation, request));
    call.owner = identity.owner;
    call.orderDetail = this.deps.orderDetail.isShown(operation, caller, identity, request);
    const ongoing: Ongoing = { operation, caller, identity, request, call };
    try {
      const unserved = this.#dispatch.refuseNow(operation, request, identity);
      if (unserved !== undefined) return this.#dispatch.held(ongoing, unserved) ?? unserved;
      if (caller.isGone?.()) return cancelled();
      const looking = this.#permits.check(ongoing);
      const answer =
        looking === undefined ? this.#dispatch.send(ongoing) : looking.then((denied) => denied ?? this.#dispatch.send(ongoing));
      return answer instanceof Promise ? this.#wait(ongoing, answer) : answer;
    } catch (thrown) {
      return this.failures.rejected(caller, thrown, reachOf(operation, call.untouched));
    }
  }

  /** Waits as long as the caller does. A write that has left goes on after that, and its outcome is recorded when it comes. */
  #wait({ operation, caller, identity, request, call }: Ongoing, work: Promise<Answer>): Promise<Answer> {
    if (operation.waits === null) this.deps.inFlight.enter(identity.owner, work);
    return call.within(work, (thrown) => {
      if (call.overdue && call.left) {
        void work
          .catch((failed: unknown) => this.failures.rejected(caller, failed, 'write sent'))
          .then((late) => this.#record.finishLate(operation, caller, identity.key, late, request));
      }
      return this.failures.rejected(caller, thrown, reachOf(operation, call.untouched));
    });
  }

  /** Answers a request that did not come in. */
  #refuse(operation: Operation, caller: Caller, moment: Moment, { key, refusal, turnedAway, request }: Refused): Rejection {
    if (turnedAway?.told === false) {
      this.deps.meter.request(operation, caller.iface, refusal.code, performance.now() - moment.started);
    } else {
      this.#record.finish(operation, caller, key, moment, refusal, request, refusal.details.about);
    }
    return shownRefusal(this.deps.access, key, refusal);
  }

  async #ofPosition(operation: Operation, caller: Caller, refused: Refused): Promise<Refused> {
    const { refusal, request, turnedAway } = refused;
    if (turnedAway !== undefined) return refused;
    return { ...refused, refusal: await this.#record.ofPosition(operation, caller, refusal, request) };
  }

  #moment(started = performance.now()): Moment {
    return { started, now: this.deps.clock.now() };
  }
}

/** Long-poll time that a request asks for, on top of the backend's own time. */
function waitsMs({ waits }: Operation, request: Message): number {
  return waits === null ? 0 : 1000 * ((request as unknown as Record<string, number>)[waits] ?? 0);
}
