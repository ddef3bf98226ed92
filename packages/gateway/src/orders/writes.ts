import { clone, create, type Message } from '@bufbuild/protobuf';
import type { Access, AuditTrade, KeyRecord, OrderFacts } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type PacketID, PacketIDSchema } from '@svc-gateway/contract/generated/Common_pb';
import type { C2S as CancelBracketC2S } from '@svc-gateway/contract/generated/svc/cancel_bracket_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import type { OrderGroup } from '@svc-gateway/contract/generated/svc/position_orders_pb';
import { ModifyOrderOp, type Order, TrdFilterConditionsSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, trade } from '@svc-gateway/contract/operations';
import { Rejection, type StandingTerms } from '@svc-gateway/contract/rejection';
import { quoted, shown } from '@svc-gateway/contract/shown';
import { StorageFailure, type Store, whenTaken } from '@svc-gateway/storage';
import { checkAnswer } from '../answer-check.js';
import {
  type Backend,
  BackendFailure,
  BackendRefused,
  BackendUnsent,
  type CallContext,
  type PacketId,
  type ResponseMessage,
  type Sending,
} from '../backend.js';
import { type Call, cancelled } from '../call.js';
import { rejectFailure } from '../call-failures.js';
import type { Identity } from '../identity.js';
import type { InFlight } from '../in-flight.js';
import type { Meter } from '../meter.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { maySee, securitiesOf } from '../sight.js';
import { sideName } from '../trade-names.js';
import { rejectUnstored } from '../ways-out.js';
import type { AccountContext } from './account-context.js';
import type { AccountOrders, OrderName, PlacedTerms, PutToWork, SentOrders } from './account-orders.js';
import { bracketOfRemark } from './bracket-entry.js';
import type { CancelAll } from './cancel-all.js';
import { isCancel, isCancelAll } from './cancel-scope.js';
import { ConcurrentChanges } from './concurrent-changes.js';
import type { Commit, Interrupted, Run } from './idempotency.js';
import { lateRejection } from './late-rejection.js';
import { legsText } from './legs-text.js';
import { nameOfOrder, namesOf } from './order-lookup.js';
import { PacketIds } from './packet-ids.js';
import { claimPosition, expectedOrders, isOfPosition, type PositionRequest, proveGroup, valuedOrders } from './position-orders.js';
import { firstTold } from './told-denials.js';
import type { ClosingClaim, SentLeg } from './unsettled-trades.js';
import { factsOf, isValued, rejectOrder, standingIn, type ValuedOrder, type Valuing, valueOrder } from './valuation.js';
import { whenKnown } from './when-known.js';

/** Longest wait for the order refresh that precedes the acknowledgement of a cancel. */
const REFRESH_MS_MAX = 2000;

/** The orders that an answer acknowledges. One of several legs has no number. */
export function acknowledged(answer: ResponseMessage | Rejection | undefined): readonly OrderName[] {
  if (answer === undefined || answer instanceof Rejection || answer.retType !== RET_SUCCEED) return [];
  const { s2c } = answer as ResponseMessage & { s2c?: { orderID?: bigint; orderIDEx?: string; group?: OrderGroup } };
  if (s2c?.group !== undefined) return s2c.group.orderList.map(({ orderId, orderIdEx }) => ({ orderID: orderId, orderIDEx: orderIdEx }));
  const { orderID = 0n, orderIDEx = '' } = s2c ?? {};
  return orderID === 0n && orderIDEx === '' ? [] : [{ orderID, orderIDEx }];
}

/** True if a write was carried out; undefined if unknown. */
function isAccepted(answer: ResponseMessage | Rejection | undefined): boolean | undefined {
  return answer && !(answer instanceof Rejection) && answer.retType === RET_SUCCEED;
}

/** Settles a claim by its order's outcome; an unknown outcome keeps it. */
async function settling(claim: ClosingClaim, answer: Promise<ResponseMessage | Rejection>): Promise<ResponseMessage | Rejection> {
  let name: string | undefined = '';
  try {
    const response = await answer;
    const [order] = acknowledged(response);
    name = isAccepted(response) ? (order === undefined ? '' : nameOfOrder(order)) : undefined;
    return response;
  } finally {
    claim.settle(name);
  }
}

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

/** A bracket by its entry order. */
interface BracketEntry {
  readonly id: string;
  readonly trdMarket: number;
  readonly secMarket: number;
  readonly code: string;
  /** The order's text; empty until it is known. */
  readonly entryIdEx: string;
}

/** Places entry orders together with their exits. */
export interface BracketPlacer {
  place(request: BracketC2S, keyId: string | null, context: CallContext): Promise<ResponseMessage | Rejection>;
  /** Whether there is such a bracket. */
  has(id: string): boolean;
  /** Brackets of an account in its environment. */
  of(place: { readonly accId: bigint; readonly trdEnv: number }): readonly BracketEntry[];
  /** Told of every other order that a caller is told to have placed. */
  placed(orderName: string, remark: string): void;
}

const noTrades = { legs: [], isClaimed: false };

/** Seconds until a change may find the one before it answered. */
const RETRY_SECONDS = 5;

/** How a write leaves. */
interface Leaving {
  /** Takes it under its idempotency key; undefined where it has none, or is taken already. */
  readonly commit: Commit | undefined;
  /** The message that is sent: an interrupted write goes again as it was. */
  readonly sent: Message;
}

function sendingOf({ sending }: Call): Sending {
  if (sending === undefined) throw new Error('a write has its packet id before it is sent');
  return sending;
}

/** Operations that make a new order. */
const places: ReadonlySet<Operation> = new Set<Operation>([trade.placeOrder, trade.placeComboOrder, trade.placeBracketOrder]);

/** Terms of a new order of one security; undefined for every other write. */
function placedTerms(operation: Operation, request: Message): PlacedTerms | undefined {
  if (operation !== trade.placeOrder && operation !== trade.placeBracketOrder) return undefined;
  const { code, secMarket, orderType, trdSide } = request as PlaceC2S;
  return { code, secMarket, orderType, trdSide };
}

/** Refusal of a change where an earlier one is not answered: the terms that it would replace are not known. */
function unansweredChange(order: Parameters<typeof nameOfOrder>[0]): Rejection {
  const message = `an earlier change of order ${shown(nameOfOrder(order))} is not answered yet, and what it makes of the order is not known: nothing was sent; a cancel does not wait for it`;
  return new Rejection('backend.not_ready', message, { retryAfterSeconds: RETRY_SECONDS });
}

/** The order that a write changes, and its pushes. */
function changedBy(changed: Order, { modifyOrderOp, qty }: ModifyC2S): PutToWork {
  const names = namesOf(changed);
  const changedQty = modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Normal ? qty : undefined;
  return { changed, changedQty, isOneOf: (order) => namesOf(order).some((name) => names.includes(name)) };
}

/** Recognises the orders of a write in pushes, for want of its answer. */
function recogniser(operation: Operation, request: Message, { legs }: OrderFacts): (order: Order) => boolean {
  const { header, qty, orderType } = request as Partial<PlaceC2S>;
  const isSingle = legs.length === 1;
  return (order) => {
    const securities = securitiesOf(order, header?.trdMarket ?? 0);
    const isCombo = securities.length > 1;
    const isKnown = securities.every(({ symbol }) =>
      legs.some((leg) => leg.symbol === symbol && (isCombo || leg.side === sideName(order.trdSide))),
    );
    // The two orders for a position have a leg each, and quantities that only the brokerage says.
    if (isOfPosition(operation)) return isKnown && !isCombo;
    return isKnown && isSingle !== isCombo && order.qty === qty && order.orderType === orderType;
  };
}

/** The way of everything that changes an account: valued, gated, marked against replay, and only then sent. */
export class Writes {
  readonly #packets = new PacketIds();
  readonly #changes: ConcurrentChanges;
  /** Existing orders and positions that writes are about, by the request. */
  readonly #standing = new WeakMap<Message, StandingTerms>();
  /** The backend records a write in the gateway's own store, and so only after what is written here: nothing waits for that. */
  readonly #recordedInOrder: boolean;

  constructor(
    readonly backend: Backend,
    readonly access: Access,
    readonly clocks: { readonly clock: Clock; readonly backendClock: Clock },
    readonly meter: Meter,
    readonly inFlight: InFlight,
    readonly accountContext: AccountContext,
    readonly orders: AccountOrders,
    readonly store: Store,
    /** Sends orders that come with their exits. */
    readonly brackets: BracketPlacer,
    readonly cancelAll: CancelAll,
    readonly valuing: Valuing,
  ) {
    this.#changes = new ConcurrentChanges(clocks.backendClock);
    this.#recordedInOrder = backend.journal === store;
  }

  /**
   * Values a write, holds it against the gates and sends it, once neither a crash nor a restart could let a cap or an idempotency
   * key be passed; where the backend's own record cannot be on disk before what is written here, at once. Nothing is acknowledged
   * before all of it is on disk. A write whose caller does not wait any more is not sent, if it has not left yet.
   */
  sender(operation: Operation, request: Message, identity: Identity, call: Call): Parameters<Run>[0] {
    return (commit, interrupted) => {
      const refused = this.refuseRemark(operation, request);
      if (refused !== undefined) return Promise.resolve(refused);
      if (interrupted !== undefined) return this.#sendAgain(operation, identity, interrupted, call);
      call.sending = { packet: this.#packets.next() };
      return Promise.resolve(this.#valueAndSend(operation, request, identity, { commit, sent: request }, call));
    };
  }

  #valueAndSend(
    operation: Operation,
    request: Message,
    identity: Identity,
    leaving: Leaving,
    call: Call,
    hasTurn = false,
  ): ResponseMessage | Rejection | Promise<ResponseMessage | Rejection> {
    const since = this.#changes.now;
    // Valuing fills in what the order has: what is valued anew begins with what was asked.
    const asked = operation.valuer === 'modify' ? clone(operation.messages.C2SSchema, request) : undefined;
    const again = async () => this.#valueAndSend(operation, Object.assign(request, asked), identity, leaving, call, true);
    const valuing: Valuing = { ...this.valuing, isUnweighed: !this.access.weighsChanges(identity.key) };
    return whenKnown(valueOrder(valuing, operation, request, call), (outcome) => {
      if (outcome === 'no risk') return this.#sendAdmitted(operation, request, identity, undefined, leaving, call);
      if (!isValued(outcome)) return outcome;
      const standing = standingIn(operation, request, outcome);
      if (standing !== undefined) this.#standing.set(request, standing);
      return this.#sendValued(operation, request, identity, outcome, hasTurn ? undefined : { since, again }, leaving, call);
    });
  }

  /** Exits of brackets whose answers were lost are looked for by their remarks: no caller's order may have one of those. */
  refuseRemark(operation: Operation, request: Message): Rejection | undefined {
    if (!places.has(operation)) return undefined;
    const { remark } = request as PlaceC2S;
    const id = bracketOfRemark(remark);
    if (id === undefined || !this.brackets.has(id)) return undefined;
    return new Rejection('request.invalid', `remark: ${quoted(remark)} is one of an order of a bracket`, { field: 'remark' });
  }

  /**
   * Sends an interrupted write once more, as it was. It meets the gates as a new one does, and counts where its first sending does not count any more:
   * its key may have been changed since, and a list may have shown that it was not there.
   */
  async #sendAgain(
    operation: Operation,
    identity: Identity,
    { sending, request: sent }: Interrupted,
    call: Call,
  ): Promise<ResponseMessage | Rejection> {
    call.sending = sending;
    const refused = await this.#valueAndSend(
      operation,
      clone(operation.messages.C2SSchema, sent),
      identity,
      { commit: undefined, sent },
      call,
    );
    if (!(refused instanceof Rejection) || refused.code === 'request.cancelled') return refused;
    const open = 'it was sent before under this idempotency key, and may have taken effect then: check the orders';
    return new Rejection(refused.code, `${refused.message}; ${open}`, refused.details);
  }

  /**
   * Sends a write of a known value with everything else that the gates want to know of it. A change waits for its turn to change
   * the order, and is valued anew where another change came first. `looked` is undefined where the turn is had already.
   */
  #sendValued(
    operation: Operation,
    request: Message,
    identity: Identity,
    { valued, order }: ValuedOrder,
    looked: { readonly since: number; readonly again: () => Promise<ResponseMessage | Rejection> } | undefined,
    leaving: Leaving,
    call: Call,
  ): Promise<ResponseMessage | Rejection> {
    call.closes = valued.closes;
    const complete = whenKnown(factsOf(this.backend, this.access, identity.key, valued, call), (own) =>
      this.accountContext.complete(identity.key, own, valued, (request as Partial<PlaceC2S>).header, call),
    );
    const sent = whenKnown(complete, ({ facts, claim, early }) => {
      if (early !== undefined) return this.#deniedAnyway(operation, identity, facts) ?? early;
      const turn = order && looked && this.#changes.enter(valued.accId, order, looked.since, identity.owner);
      if (order !== undefined && looked !== undefined && turn?.ready !== undefined) {
        const refused = unansweredChange(order);
        claim?.settle(undefined);
        const next = (hasTurn: boolean) => (call.isGone() ? cancelled() : hasTurn ? looked.again() : refused);
        return turn.ready.then(next).finally(() => turn.end());
      }
      const trades = { changed: order, legs: valued.legs, isClaimed: claim !== undefined || isOfPosition(operation) };
      const answer = this.#sendAdmitted(operation, request, identity, facts, leaving, call, trades).finally(() => turn?.end());
      return claim === undefined ? answer : settling(claim, answer);
    });
    return Promise.resolve(sent);
  }

  /** Refusal by a gate that decides without the account, for a caller that may not see the account; undefined where there is none. */
  #deniedAnyway(operation: Operation, { key }: Identity, facts: OrderFacts): Rejection | undefined {
    if (maySee(this.access, key, facts.legs)) return undefined;
    const denials = this.access.judge(key, facts, this.clocks.clock.now()).flatMap(({ denial }) => denial ?? []);
    const told = firstTold(this.access, operation, key, facts, denials);
    return told && rejectOrder(told, operation, facts);
  }

  /**
   * Sends a write that the gates admit. One without facts has no risk, and no gate is asked.
   *
   * @param trades the order that it changes, or what its new orders trade, and whether what they close of positions is claimed, or will be where they
   * are sent.
   */
  async #sendAdmitted(
    operation: Operation,
    request: Message,
    identity: Identity,
    facts: OrderFacts | undefined,
    { commit, sent: message }: Leaving,
    call: Call,
    trades: { readonly changed?: Order | undefined; readonly legs: readonly SentLeg[]; readonly isClaimed: boolean } = noTrades,
  ): Promise<ResponseMessage | Rejection> {
    const { packet, firstSentMs } = sendingOf(call);
    // A keyed write continues from here: a retry would resume it, and receives its outcome.
    const isKeyed = commit !== undefined || firstSentMs !== undefined;
    if (isKeyed ? !call.commit() : call.isGone()) return cancelled();
    const admittance = facts && this.access.admit(identity.key, facts, this.clocks.clock.now());
    if (admittance?.ok === false) {
      const { denials } = admittance;
      return rejectOrder(firstTold(this.access, operation, identity.key, facts, denials) ?? denials[0], operation, facts);
    }
    const admission = admittance?.admission;
    call.lateRejection = this.#lateRejection(identity, facts !== undefined && facts.reduces !== true);
    const keyed = commit?.(packet, request);
    let response: ResponseMessage | Rejection | undefined;
    let stored: Promise<unknown> | undefined;
    let unstored: Rejection | undefined;
    let sent: SentOrders | undefined;
    let changing: ReturnType<AccountOrders['changing']> | undefined;
    let isAnswered = false;
    let sentAt = performance.now();
    try {
      const { header: to } = request as PlaceC2S;
      const { changed, legs, isClaimed } = trades;
      if (!this.#recordedInOrder && facts !== undefined && to !== undefined) {
        sent =
          changed === undefined
            ? this.orders.sending(to, legs, isClaimed, { isOneOf: recogniser(operation, request, facts) })
            : this.orders.sending(to, [], true, changedBy(changed, request as ModifyC2S));
      }
      changing = this.#changing(request, facts);
      const kept = Promise.all([admission?.durable, keyed?.enter()]);
      stored = isCancel(request) ? whenTaken(kept) : kept;
      stored.catch(() => undefined);
      if (!this.#recordedInOrder) unstored = await stored.then(() => undefined, unkept);
      sentAt = performance.now();
      const send = async () => (isKeyed || call.commit() ? this.#send(operation, message, packet, identity, call) : cancelled());
      response = unstored ?? (await send());
      isAnswered = true;
    } finally {
      const orders = facts === undefined ? [] : acknowledged(response);
      const { header } = request as Partial<PlaceC2S>;
      const [accId, trdMarket] = [header?.accID ?? 0n, facts?.changes?.market ?? header?.trdMarket ?? 0];
      const terms = placedTerms(operation, request);
      const trdEnv = header?.trdEnv ?? 0;
      for (const order of orders) this.orders.placed({ accId, trdEnv, trdMarket, ...order, ...(terms === undefined ? {} : { terms }) });
      sent?.ended(isAnswered, orders);
      changing?.ended(isAccepted(response));
      admission?.settle(orders.map(nameOfOrder));
    }
    if (response === undefined) throw new Error('an unanswered write ends in its failure');
    // Acknowledge only once a crash cannot undo it.
    if (unstored === undefined) await stored;
    // A rejected promise is an unknown outcome and keeps the reservation; only a definite no gives it back.
    if (admission !== undefined && (response instanceof Rejection || response.retType !== RET_SUCCEED)) {
      if (keyed === undefined) await admission.refund();
      else keyed.refunded(() => admission.refund());
    }
    if (response instanceof Rejection) return response;
    if (facts !== undefined && places.has(operation) && response.retType === RET_SUCCEED) {
      const { orderIDEx: orderId = '', orderID = 0n } = payloadOf(operation as typeof trade.placeOrder, response) ?? {};
      if (operation !== trade.placeBracketOrder) this.brackets.placed(orderId || String(orderID), (request as PlaceC2S).remark);
      this.meter.placed({ orderId, totalMs: performance.now() - sentAt, accId: facts.accId, legs: facts.legs });
    }
    return response;
  }

  /** A change of an order is about to be sent: lists may show it later than it is acknowledged. */
  #changing(request: Message, facts: OrderFacts | undefined): ReturnType<AccountOrders['changing']> | undefined {
    const { modifyOrderOp, qty, price, auxPrice } = request as ModifyC2S;
    if (facts?.changes === undefined || modifyOrderOp !== ModifyOrderOp.ModifyOrderOp_Normal) return undefined;
    return this.orders.changing(facts.accId, facts.changes.names, { qty, price, auxPrice });
  }

  #send(
    operation: Operation,
    request: Message,
    packet: PacketId,
    { owner, key }: Identity,
    context: CallContext,
  ): Promise<ResponseMessage | Rejection> {
    const write = request as Message & { packetID?: PacketID };
    if (Object.hasOwn(operation.messages.C2SSchema.field, 'packetID')) {
      write.packetID = create(PacketIDSchema, { connID: packet.connId, serialNo: packet.serialNo });
    }
    const answer = isOfPosition(operation)
      ? this.#provenAnswerOf(operation, request as PositionRequest, key, context)
      : this.#answerOf(operation, request, key, context);
    if (!isCancel(request) || (request as Partial<ModifyC2S>).forAll) return answer;
    return answer.then(async (response) => {
      const accepted = !(response instanceof Rejection) && response.retType === RET_SUCCEED;
      if (accepted) await this.#refreshOrder(request as ModifyC2S, owner, context.requestId);
      return response;
    });
  }

  /** Sends what places two orders for a position, and answers with success only where a fresh list of orders shows both. */
  async #provenAnswerOf(
    operation: Operation,
    request: PositionRequest,
    key: KeyRecord | undefined,
    context: CallContext,
  ): Promise<ResponseMessage | Rejection> {
    // The orders sent are the ones that were valued, unless the account has changed since.
    const expected = await expectedOrders(this.backend, operation, request, context).catch(unasked);
    if (expected instanceof Rejection) return expected;
    const valued = valuedOrders(operation, expected, request.header);
    if (valued instanceof Rejection) return valued;
    const claim = await claimPosition(this.accountContext, valued, request.header, context).catch(unasked);
    if (claim instanceof Rejection) return claim;
    const response = await settling(claim, this.#answerOf(operation, request, key, context));
    if (!(response instanceof Rejection) && response.retType === RET_SUCCEED) {
      await proveGroup(this.backend, operation, request, expected, response, context);
    }
    return response;
  }

  #lateRejection(identity: Identity, addsRisk: boolean): CallContext['lateRejection'] {
    return lateRejection(this.access, this.clocks.clock, identity, { addsRisk, store: this.store });
  }

  /** An unsent or refused write is known to have had no effect; any other failure leaves the outcome open. */
  #answerOf(
    operation: Operation,
    request: Message,
    key: KeyRecord | undefined,
    context: CallContext,
  ): Promise<ResponseMessage | Rejection> {
    const failed = (thrown: unknown): Rejection => {
      if (thrown instanceof BackendUnsent || thrown instanceof BackendRefused) return rejectFailure(thrown, 'write kept');
      throw thrown;
    };
    const lateRejection = context.lateRejection?.();
    if (lateRejection !== undefined) return Promise.resolve(lateRejection.rejection);
    try {
      const answer =
        operation === trade.placeBracketOrder
          ? this.brackets.place(request as BracketC2S, key?.id ?? null, context)
          : isCancelAll(operation, request)
            ? this.cancelAll.call(operation, request as ModifyC2S, key, context)
            : this.backend.call(operation, request, context);
      return Promise.resolve(answer).then(
        (response) => (response instanceof Rejection ? response : checkAnswer(operation, response)),
        failed,
      );
    } catch (thrown) {
      return Promise.reject(thrown).catch(failed);
    }
  }

  /**
   * One bounded refresh, of the one order; its failure does not turn an accepted cancel into a failed one. It is a read like any
   * other: given up when nobody waits for it, counted until the backend has answered, and left out where there is no room for it.
   */
  async #refreshOrder({ header, orderID, orderIDEx }: ModifyC2S, owner: string, requestId: string): Promise<void> {
    const filterConditions = create(TrdFilterConditionsSchema, orderIDEx === '' ? { idList: [orderID] } : { orderIDExList: [orderIDEx] });
    const query = create(OrderListC2S, { ...(header === undefined ? {} : { header }), filterConditions, refreshCache: true });
    if (this.inFlight.refuse(account.getOrders, query, { owner }) !== undefined) return;
    const waiting = new AbortController();
    const context = { requestId, deadline: this.clocks.backendClock.monotonic() + REFRESH_MS_MAX, signal: waiting.signal, owner };
    const refresh = (async () => {
      const answer = await this.backend.call(account.getOrders, query, context);
      this.orders.applyOrders(header?.accID ?? 0n, payloadOf(account.getOrders, answer)?.orderList ?? []);
    })();
    this.inFlight.enter(owner, refresh);
    let cancelTimer: () => void = () => undefined;
    const timeout = new Promise<void>((resolve) => {
      cancelTimer = this.clocks.backendClock.after(REFRESH_MS_MAX, () => {
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
    const bracket = this.brackets.of({ accId: header?.accID ?? 0n, trdEnv: header?.trdEnv ?? 0 }).find(({ id }) => id === bracketId);
    if (bracket === undefined) return undefined;
    const securities = securitiesOf(bracket, bracket.trdMarket);
    return { symbol: securities.map(({ symbol }) => symbol).join(), securities, orderId: bracket.entryIdEx || undefined };
  }

  /** Audit fields of a write that was sent or is about to be. */
  auditTrade(request: Message, response?: ResponseMessage): AuditTrade {
    const order = request as Message &
      Partial<Omit<PlaceC2S, '$typeName'> & Pick<ModifyC2S, 'orderID' | 'orderIDEx'> & Pick<ComboC2S, 'comboLegs'>> & {
        bracketId?: string;
      };
    const answered = (response as (ResponseMessage & { s2c?: { bracketId?: string } }) | undefined)?.s2c;
    const orderIds = acknowledged(response).map(nameOfOrder).join(' + ');
    const orderId = orderIds || order.orderIDEx || (order.orderID ? String(order.orderID) : undefined);
    const bracketId = order.bracketId || answered?.bracketId;
    const market = order.secMarket === undefined ? undefined : quoteMarketOfSecMarket(order.secMarket);
    const symbol = order.comboLegs?.length
      ? legsText(order.comboLegs)
      : market !== undefined && order.code
        ? `${market.name}.${order.code}`
        : undefined;
    const side = order.trdSide === undefined ? undefined : sideName(order.trdSide);
    const qty = Object.hasOwn(order, 'qty') ? decimalFromNumber(order.qty ?? 0) : undefined;
    const price = Object.hasOwn(order, 'price') ? decimalFromNumber(order.price ?? 0) : undefined;
    return { accId: order.header?.accID ?? 0n, orderId, bracketId, symbol, side, qty, price };
  }
}
