import { clone, create, type Message } from '@bufbuild/protobuf';
import type { OrderFacts } from '@svc-gateway/access';
import { PacketIDSchema } from '@svc-gateway/contract/generated/Common_pb';
import type { C2S as CancelBracketC2S } from '@svc-gateway/contract/generated/svc/cancel_bracket_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { ModifyOrderOp, type Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, trade } from '@svc-gateway/contract/operations';
import { invalidField, Rejection, type StandingTerms } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { StorageFailure, whenTaken } from '@svc-gateway/storage';
import { checkAnswer } from '../answer-check.js';
import type { CallContext, PacketId, Sending } from '../backend.js';
import { BackendFailure, BackendRefused, BackendUnsent } from '../backend-failures.js';
import type { BracketService } from '../brackets/service.js';
import { type Call, cancelled } from '../call.js';
import { rejectFailure } from '../call-failures.js';
import type { GatewayBase } from '../gateway-base.js';
import type { Commit, Interrupted, Run } from '../idempotency/keys.js';
import type { Identity } from '../identity.js';
import type { InFlight } from '../in-flight.js';
import type { Meter } from '../meter.js';
import { type Answer, following, payloadOf, RET_SUCCEED } from '../responses.js';
import { rejectUnstored } from '../storage-outage.js';
import { bracketOfRemark } from '../valuation/bracket-terms.js';
import {
  claimPosition,
  expectedOrders,
  isOfPosition,
  type PositionRequest,
  proveGroup,
  valuedOrders,
} from '../valuation/position-orders.js';
import { factsOf, isValued, rejectOrder, standingIn, type ValuedOrder, type Valuing, valueOrder } from '../valuation/valuation.js';
import { maySee, securitiesOf } from '../visibility.js';
import type { AccountContext } from './account-context.js';
import type { AccountOrders } from './account-orders.js';
import type { CancelAll } from './cancel-all.js';
import { isCancel, isCancelAll } from './cancel-scope.js';
import { ConcurrentChanges, type PendingChange } from './changes.js';
import { lateRejection } from './late-rejection.js';
import { nameOfOrder, type OrderName } from './order.js';
import { PacketIds } from './packet-ids.js';
import { namedBy, readOrders } from './reads.js';
import { firstTold } from './refusal-visibility.js';
import { acknowledged, isAccepted, placedTerms, places, putToWork, settling, unansweredChange, type Write } from './sent-writes.js';
import type { SentLeg } from './unsettled-trades.js';

/** Longest wait for the order refresh that precedes the acknowledgement of a cancel. */
const REFRESH_MS_MAX = 2000;

/** A question before anything was sent that came to no answer: nothing has happened. */
function unasked(thrown: unknown): Rejection {
  if (thrown instanceof BackendFailure) return rejectFailure(thrown, 'write kept');
  throw thrown;
}

/** Result of a write whose reservation the disk did not take: nothing was sent. */
function unkept(thrown: unknown): Rejection {
  if (thrown instanceof StorageFailure && thrown.kept) return rejectUnstored(thrown);
  throw thrown;
}

export interface WritesDeps extends GatewayBase {
  readonly meter: Meter;
  readonly inFlight: InFlight;
  readonly accountContext: AccountContext;
  readonly orders: AccountOrders;
  /** Sends orders that come with their exits. */
  readonly brackets: Pick<BracketService, 'place' | 'has' | 'of' | 'placed'>;
  readonly cancelAll: CancelAll;
  readonly valuing: Valuing;
}

/** A change that has yet to get its turn: when its order was looked at, and its next try. */
interface Looked {
  readonly since: number;
  readonly again: () => Promise<Answer>;
}

/** A write with how it leaves. */
interface Leaving extends Write {
  /** Takes it under its idempotency key; undefined where it has none, or is taken already. */
  readonly commit: Commit | undefined;
  /** The message that is sent: an interrupted write goes again as it was. */
  readonly sent: Message;
}

function sendingOf({ sending }: Call): Sending {
  if (sending === undefined) throw new Error('a write has its packet id before it is sent');
  return sending;
}

/** An order to be sent that adds risk, with what is known of it. */
interface RiskyOrder {
  readonly facts: OrderFacts;
  /** The order that it changes. */
  readonly changed: Order | undefined;
  /** Trades of new orders. */
  readonly legs: readonly SentLeg[];
  /** Whether the part of positions that it closes is claimed, or will be where it is sent. */
  readonly isClaimed: boolean;
}

/** The way of everything that changes an account: valued, gated, marked against replay, and only then sent. */
export class Writes {
  readonly #packets = new PacketIds();
  readonly #changes: ConcurrentChanges;
  /** Existing orders and positions that writes are about, by the request. */
  readonly #standing = new WeakMap<Message, StandingTerms>();
  /** The backend records a write in the gateway's own store, and so only after what is written here: nothing waits for that. */
  readonly #recordedInOrder: boolean;

  constructor(private readonly deps: WritesDeps) {
    this.#changes = new ConcurrentChanges(deps.backendClock);
    this.#recordedInOrder = deps.backend.journal === deps.store;
  }

  /**
   * Values a write, holds it against the gates and sends it, once neither a crash nor a restart could let a cap or an idempotency
   * key be passed; where the backend's own record cannot be on disk before what is written here, at once. Nothing is acknowledged
   * before all of it is on disk. A write whose caller does not wait any more is not sent, if it has not left yet.
   */
  sender(write: Write): Parameters<Run>[0] {
    return (commit, interrupted) => {
      const refused = this.refuseRemark(write.operation, write.request);
      if (refused !== undefined) return Promise.resolve(refused);
      if (interrupted !== undefined) return this.#sendAgain(write, interrupted);
      write.call.sending = { packet: this.#packets.next() };
      return Promise.resolve(this.#valueAndSend({ ...write, commit, sent: write.request }));
    };
  }

  #valueAndSend(write: Leaving, hasTurn = false): Answer | Promise<Answer> {
    const { operation, request, identity, call } = write;
    const since = this.#changes.now;
    // Valuing fills in what the order has: what is valued anew begins with what was asked.
    const asked = operation.valuer === 'modify' ? clone(operation.messages.C2SSchema, request) : undefined;
    const again = async () => this.#valueAndSend({ ...write, request: Object.assign(request, asked) }, true);
    const valuing: Valuing = { ...this.deps.valuing, isUnweighed: !this.deps.access.gates.weighsChanges(identity.key) };
    return following(valueOrder(valuing, operation, request, call), (outcome) => {
      if (outcome === 'no risk') return this.#sendAdmitted(write, undefined);
      if (!isValued(outcome)) return outcome;
      const standing = standingIn(operation, request, outcome);
      if (standing !== undefined) this.#standing.set(request, standing);
      return this.#sendValued(write, outcome, hasTurn ? undefined : { since, again });
    });
  }

  /** Exits of brackets whose answers were lost are looked for by their remarks: no caller's order may have one of those. */
  refuseRemark(operation: Operation, request: Message): Rejection | undefined {
    if (!places.has(operation)) return undefined;
    const { remark } = request as PlaceC2S;
    const id = bracketOfRemark(remark);
    if (id === undefined || !this.deps.brackets.has(id)) return undefined;
    return invalidField('remark', `${quoted(remark)} is one of an order of a bracket`);
  }

  /**
   * Sends an interrupted write once more, as it was. It meets the gates as a new one does, and counts where its first sending does not count any more:
   * its key may have been changed since, and a list may have shown that it was not there.
   */
  async #sendAgain(write: Write, { sending, request: sent }: Interrupted): Promise<Answer> {
    write.call.sending = sending;
    const refused = await this.#valueAndSend({
      ...write,
      request: clone(write.operation.messages.C2SSchema, sent),
      commit: undefined,
      sent,
    });
    if (!(refused instanceof Rejection) || refused.code === 'request.cancelled') return refused;
    const open = 'it was sent before under this idempotency key, and may have taken effect then: check the orders';
    return new Rejection(refused.code, `${refused.message}; ${open}`, refused.details);
  }

  /**
   * Sends a write of a known value with everything else that the gates want to know of it. A change waits for its turn to change
   * the order, and is valued anew where another change came first. `looked` is undefined where the turn is had already.
   */
  #sendValued(write: Leaving, { valued, order }: ValuedOrder, looked: Looked | undefined): Promise<Answer> {
    const { operation, identity, call } = write;
    const { access, accountContext, backend } = this.deps;
    call.closes = valued.closes;
    const complete = following(factsOf(backend, access, identity.key, valued, call), (own) =>
      accountContext.complete(identity.key, own, valued, (write.request as Partial<PlaceC2S>).header, call),
    );
    const sent = following(complete, ({ facts, claim, early }) => {
      if (early !== undefined) return this.#deniedAnyway(operation, identity, facts) ?? early;
      const turn = order && looked && this.#changes.enter(valued.accId, order, looked.since, identity.owner);
      if (order !== undefined && looked !== undefined && turn?.ready !== undefined) {
        const refused = unansweredChange(order);
        claim?.settle(undefined);
        const next = (hasTurn: boolean) => (call.isGone() ? cancelled() : hasTurn ? looked.again() : refused);
        return turn.ready.then(next).finally(() => turn.end());
      }
      const risky = { facts, changed: order, legs: valued.legs, isClaimed: claim !== undefined || isOfPosition(operation) };
      const answer = this.#sendAdmitted(write, risky).finally(() => turn?.end());
      return claim === undefined ? answer : settling(claim, answer);
    });
    return Promise.resolve(sent);
  }

  /** Refusal by a gate that decides without the account, for a caller that may not see the account; undefined where there is none. */
  #deniedAnyway(operation: Operation, { key }: Identity, facts: OrderFacts): Rejection | undefined {
    const { access, clock } = this.deps;
    if (maySee(access, key, facts.legs)) return undefined;
    const denials = access.gates.judge(key, facts, clock.now()).flatMap(({ denial }) => denial ?? []);
    const told = firstTold(access, operation, key, facts, denials);
    return told && rejectOrder(told, operation, facts);
  }

  /** Sends a write that the gates admit. One without risk asks no gate. */
  async #sendAdmitted(write: Leaving, risky: RiskyOrder | undefined): Promise<Answer> {
    const { operation, request, identity, call, commit, sent } = write;
    const { access, clock } = this.deps;
    const facts = risky?.facts;
    const { packet, firstSentMs } = sendingOf(call);
    // A keyed write continues from here: a retry would resume it, and receives its outcome.
    const isKeyed = commit !== undefined || firstSentMs !== undefined;
    if (isKeyed ? !call.commit() : call.isGone()) return cancelled();
    const admittance = facts && access.gates.admit(identity.key, facts, clock.now());
    if (admittance?.ok === false) {
      const { denials } = admittance;
      return rejectOrder(firstTold(access, operation, identity.key, facts, denials) ?? denials[0], operation, facts);
    }
    const admission = admittance?.admission;
    call.lateRejection = this.#lateRejection(identity, facts !== undefined && facts.reduces !== true);
    const keyed = commit?.(packet, request);
    let sentAt = performance.now();
    let response: Answer | undefined;
    let stored: Promise<unknown> | undefined;
    let unstored: Rejection | undefined;
    const settle = this.#announce(write, risky);
    try {
      const kept = Promise.all([admission?.durable, keyed?.enter()]);
      stored = isCancel(request) ? whenTaken(kept) : kept;
      stored.catch(() => undefined);
      if (!this.#recordedInOrder) unstored = await stored.then(() => undefined, unkept);
      sentAt = performance.now();
      const send = async () => (isKeyed || call.commit() ? this.#send({ ...write, request: sent }, packet) : cancelled());
      response = unstored ?? (await send());
    } finally {
      const orders = facts === undefined ? [] : acknowledged(response);
      settle(orders, response);
      admission?.settle(orders.map(nameOfOrder));
    }
    if (response === undefined) throw new Error('an unanswered write ends in its failure');
    // Acknowledge only once a crash cannot undo it.
    if (unstored === undefined) await stored;
    // A rejected promise is an unknown outcome and keeps the reservation; only a definite no gives it back.
    if (admission !== undefined && isAccepted(response) === false) {
      if (keyed === undefined) await admission.refund();
      else keyed.refunded(() => admission.refund());
    }
    if (facts !== undefined && isAccepted(response)) this.#placed(write, facts, response, performance.now() - sentAt);
    return response;
  }

  /** Tells of a write that is about to be sent, since lists may show it later than it is answered; the result takes its outcome. */
  #announce(write: Write, risky: RiskyOrder | undefined): (orders: readonly OrderName[], answer: Answer | undefined) => void {
    if (risky === undefined) return () => undefined;
    const { orders } = this.deps;
    const { facts, changed, legs, isClaimed } = risky;
    const { header } = write.request as PlaceC2S;
    const isChange = changed !== undefined;
    const sent =
      this.#recordedInOrder || header === undefined
        ? undefined
        : orders.unanswered.sending(header, isChange ? [] : legs, isChange || isClaimed, putToWork(write, facts, changed));
    const changing = this.#changing(write.request, facts);
    return (names, answer) => {
      const place = { accId: header?.accID ?? 0n, trdEnv: header?.trdEnv ?? 0, trdMarket: facts.changes?.market ?? header?.trdMarket ?? 0 };
      for (const name of names) orders.placed({ ...place, ...name, ...placedTerms(write) });
      sent?.ended(answer !== undefined, names);
      changing?.ended(isAccepted(answer));
    };
  }

  /** A new order was acknowledged. */
  #placed({ operation, request }: Write, { accId, legs }: OrderFacts, answer: Answer, totalMs: number): void {
    if (!places.has(operation) || answer instanceof Rejection) return;
    const { orderIDEx: orderId = '', orderID = 0n } = payloadOf(operation as typeof trade.placeOrder, answer) ?? {};
    if (operation !== trade.placeBracketOrder) this.deps.brackets.placed(orderId || String(orderID), (request as PlaceC2S).remark);
    this.deps.meter.placed({ orderId, totalMs, accId, legs });
  }

  /** A change of an order is about to be sent: lists may show it later than it is acknowledged. */
  #changing(request: Message, { accId, changes }: OrderFacts): PendingChange | undefined {
    const { modifyOrderOp, qty, price, auxPrice } = request as ModifyC2S;
    if (changes === undefined || modifyOrderOp !== ModifyOrderOp.ModifyOrderOp_Normal) return undefined;
    return this.deps.orders.changes.sending(accId, changes.names, { qty, price, auxPrice });
  }

  #send(write: Write, packet: PacketId): Promise<Answer> {
    const { operation, request } = write;
    if (Object.hasOwn(operation.messages.C2SSchema.field, 'packetID')) {
      const packetID = create(PacketIDSchema, { connID: packet.connId, serialNo: packet.serialNo });
      Object.assign(request, { packetID });
    }
    const answer = isOfPosition(operation) ? this.#provenAnswerOf(write) : this.#answerOf(write);
    if (!isCancel(request) || (request as Partial<ModifyC2S>).forAll) return answer;
    return answer.then(async (response) => {
      if (isAccepted(response)) await this.#refreshOrder(request as ModifyC2S, write);
      return response;
    });
  }

  /** Sends what places two orders for a position, and answers with success only where a fresh list of orders shows both. */
  async #provenAnswerOf(write: Write): Promise<Answer> {
    const { operation, call } = write;
    const { accountContext, backend } = this.deps;
    const request = write.request as PositionRequest;
    // The orders sent are the ones that were valued, unless the account has changed since.
    const expected = await expectedOrders(backend, operation, request, call).catch(unasked);
    if (expected instanceof Rejection) return expected;
    const valued = valuedOrders(operation, expected, request.header);
    if (valued instanceof Rejection) return valued;
    const claim = await claimPosition(accountContext, valued, request.header, call).catch(unasked);
    if (claim instanceof Rejection) return claim;
    const response = await settling(claim, this.#answerOf(write));
    if (!(response instanceof Rejection) && response.retType === RET_SUCCEED) {
      await proveGroup(backend, operation, request, expected, response, call);
    }
    return response;
  }

  #lateRejection(identity: Identity, addsRisk: boolean): CallContext['lateRejection'] {
    const { access, clock, store } = this.deps;
    return lateRejection(access, clock, identity, { addsRisk, store });
  }

  /** An unsent or refused write is known to have had no effect; any other failure leaves the outcome open. */
  async #answerOf({ operation, request, identity: { key }, call }: Write): Promise<Answer> {
    const { backend, brackets, cancelAll } = this.deps;
    const late = call.lateRejection?.();
    if (late !== undefined) return late.rejection;
    let response: Answer;
    try {
      if (operation === trade.placeBracketOrder) response = await brackets.place(request as BracketC2S, key?.id ?? null, call);
      else if (isCancelAll(operation, request)) response = await cancelAll.call(operation, request as ModifyC2S, key, call);
      else response = await backend.call(operation, request, call);
    } catch (thrown) {
      if (thrown instanceof BackendUnsent || thrown instanceof BackendRefused) return rejectFailure(thrown, 'write kept');
      throw thrown;
    }
    return response instanceof Rejection ? response : checkAnswer(operation, response);
  }

  /**
   * One bounded refresh, of the one order; its failure does not turn an accepted cancel into a failed one. It is a read like any
   * other: given up when nobody waits for it, counted until the backend has answered, and left out where there is no room for it.
   */
  async #refreshOrder(cancel: ModifyC2S, { identity: { owner }, call: { requestId } }: Write): Promise<void> {
    const { backend, backendClock, inFlight, orders } = this.deps;
    const { header } = cancel;
    if (inFlight.refuse(account.getOrders, create(OrderListC2S), { owner }) !== undefined) return;
    const waiting = new AbortController();
    const context = { requestId, deadline: backendClock.monotonic() + REFRESH_MS_MAX, signal: waiting.signal, owner };
    const refresh = readOrders(backend, header, namedBy(cancel), context, { refreshCache: true }).then((listed) => {
      if (!('retType' in listed)) orders.applyOrders(header?.accID ?? 0n, listed);
    });
    inFlight.enter(owner, refresh);
    let cancelTimer: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancelTimer = backendClock.after(REFRESH_MS_MAX, () => {
        waiting.abort();
        resolve();
      });
    });
    await Promise.race([refresh.catch(() => undefined), timeout]);
    cancelTimer();
  }

  /** Terms of the existing order, position or bracket that a write is about, as far as they are known. */
  standingOf(operation: Operation, request: Message): StandingTerms | undefined {
    const known = this.#standing.get(request);
    if (known !== undefined || operation !== trade.cancelBracket) return known;
    const { header, bracketId } = request as CancelBracketC2S;
    const all = this.deps.brackets.of({ accId: header?.accID ?? 0n, trdEnv: header?.trdEnv ?? 0 });
    const bracket = all.find(({ id }) => id === bracketId);
    if (bracket === undefined) return undefined;
    const securities = securitiesOf(bracket, bracket.trdMarket);
    return { symbol: securities.map(({ symbol }) => symbol).join(), securities, orderId: bracket.entryIdEx || undefined };
  }
}
