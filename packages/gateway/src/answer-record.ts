import type { Message } from '@bufbuild/protobuf';
import type { AuditEvent, AuditTrade, KeyRecord } from '@svc-gateway/access';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import type { Order, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, trade } from '@svc-gateway/contract/operations';
import { Rejection, type StandingTerms } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from './backend.js';
import { BackendFailure } from './backend-failures.js';
import { toldAnswer } from './broker-texts.js';
import { Call } from './call.js';
import { leavesOutcomeOpen } from './call-failures.js';
import type { GatewayBase } from './gateway-base.js';
import { type Caller, ownerOfKey } from './identity.js';
import type { Meter } from './meter.js';
import { KnownTerms } from './orders/known-terms.js';
import { namesOf, ofStandingTerms, pushedOrder } from './orders/order.js';
import { toldByBrokerage } from './orders/refusal-visibility.js';
import { acknowledged, auditTrade } from './orders/sent-writes.js';
import type { Writes } from './orders/writes.js';
import type { RefusalThrottle } from './refusal-throttle.js';
import type { RefusedOrders } from './refused-orders.js';
import { type Answer, failure, RET_SUCCEED } from './responses.js';
import { withUnkept } from './storage-outage.js';
import { type PositionRequest, standingOf } from './valuation/position-orders.js';
import { type Reason, shownRefusal, shownText, unidentified } from './visibility.js';

export interface AnswerRecordDeps extends GatewayBase {
  readonly writes: Writes;
  readonly refusals: RefusalThrottle;
  /** Told of every order that is refused. */
  readonly refusedOrders: RefusedOrders;
  readonly meter: Meter;
}

/** Prefix of the second audit line, written when a late outcome arrives. */
const LATE = 'outcome after the caller had stopped waiting: ';

/** Prefix of the audit line of a replayed answer; totals of trades leave such lines out. */
const REPEATED = 'answered before; nothing was sent';

/** Result of a refusal by the brokerage, in figures and in the trail. */
const REFUSED = 'refused';

/** To read a clock costs as much as a look-up: a request that is answered in its turn reads each once. */
export interface Moment {
  /** When the request came, by `performance.now()`. */
  readonly started: number;
  /** The time of day of this turn, epoch ms. */
  readonly now: number;
}

/** Statuses from here on are the daemon's own fault (RFC 9110, section 15.6). */
const SERVER_FAULT = 500;
const UNAUTHENTICATED = 401;

type About = Reason['about'];
type OrderList = { readonly s2c?: { readonly header?: TrdHeader; readonly orderList: readonly Order[] } };

/** The end of every request: its line in the trail, its count, its place among the refused orders, and the answer as its caller may see it. */
export class AnswerRecord {
  readonly #known = new KnownTerms();
  /** Current callers that received a replayed answer. */
  readonly #repetitions = new WeakSet<Caller>();

  /** @param defect logs an error in the gateway's own code. */
  constructor(
    private readonly deps: AnswerRecordDeps,
    private readonly defect: (caller: Caller, thrown: unknown) => Rejection,
  ) {
    deps.backend.onPush((event) => {
      const order = pushedOrder(event);
      if (event.type === 'trade' && order !== undefined) this.#known.see(event.accId, event.trdMarket, order);
    });
  }

  /** Marks a caller with a replayed answer. */
  repeated(caller: Caller): void {
    this.#repetitions.add(caller);
    caller.onReplayed?.();
  }

  /** @param about as in {@link Reason}, of an answer that refuses an order. */
  finish(
    operation: Operation,
    caller: Caller,
    key: KeyRecord | undefined,
    moment: Moment,
    answer: Answer,
    request?: Message,
    about?: About,
  ): Answer {
    if (key !== undefined && isRefused(operation, answer)) this.deps.refusals.refused(ownerOfKey(key), operation);
    const response = responseOf(answer);
    if (operation === account.getOrders && response !== undefined) this.#see(response as OrderList);
    if (response !== undefined && isWrite(operation) && request !== undefined && this.#isTrailless())
      this.#logWayOut(operation, caller, key, response, request);
    const repeated = response !== undefined && this.#repetitions.has(caller);
    if (!repeated) this.#keepRefused(operation, caller, key, answer, request, about);
    const { outcome, reason } = verdictOf(operation, answer);
    this.record(operation, caller, key, moment, answer, {
      outcome,
      reason: repeated ? [reason, REPEATED].filter(Boolean).join('; ') : reason,
      trade: isTrade(operation) && request !== undefined ? this.#tradeOf(operation, request, answer) : undefined,
    });
    if (answer instanceof Rejection) return shownRefusal(this.deps.access, key, answer);
    if (isOrderRefused(operation, answer)) return this.shownFailure(operation, caller, key, answer, about, request);
    return withUnkept(operation, caller, this.deps.store.failure, toldAnswer(operation, caller, answer, request));
  }

  #see({ s2c }: OrderList): void {
    for (const order of s2c?.orderList ?? []) this.#known.see(s2c?.header?.accID ?? 0n, s2c?.header?.trdMarket ?? 0, order);
  }

  /** Remembers an order that is known to have been refused, with its key's own. */
  #keepRefused(
    operation: Operation,
    { requestId }: Caller,
    key: KeyRecord | undefined,
    answer: Answer,
    request: Message | undefined,
    about: About,
  ): void {
    const refusal = refusalOf(answer);
    if (refusal === undefined || !isTrade(operation)) return;
    if (answer instanceof Rejection && (leavesOutcomeOpen(answer) || !isOfKey(answer))) return;
    const { code, message } = refusal;
    const standing = request && this.#standingOf(operation, request, answer);
    this.deps.refusedOrders.add({ operation, key, request, requestId, about, code, message, standing });
  }

  /** Terms of an order in the trail; a change says by its order what it does not say itself. */
  #tradeOf(operation: Operation, request: Message, answer: Answer): AuditTrade {
    const terms = auditTrade(request, responseOf(answer));
    const standing: Partial<AuditTrade> | undefined = this.#standingOf(operation, request, answer) ?? this.#known.of(terms);
    const { orderId = standing?.orderId, symbol = standing?.symbol, side = standing?.side } = terms;
    const { qty = standing?.qty, price = standing?.price } = terms;
    const whole = { ...terms, orderId, symbol, side, qty, price };
    const [order, another] = acknowledged(responseOf(answer));
    if (order !== undefined && another === undefined) this.#known.note(whole, namesOf(order));
    return whole;
  }

  #standingOf(operation: Operation, request: Message, answer: Answer): StandingTerms | undefined {
    const own = answer instanceof Rejection ? answer.details.order : undefined;
    return own ?? this.deps.writes.standingOf(operation, request);
  }

  /** Whether the trail and the database may be unable to tell of a write later. */
  #isTrailless(): boolean {
    const { store, access } = this.deps;
    return store.failure !== undefined || (access.audit.required && access.audit.fileStatus()?.failure !== undefined);
  }

  /** Tells the log, whatever its level, of a write that is nowhere else. */
  #logWayOut(operation: Operation, caller: Caller, key: KeyRecord | undefined, answer: ResponseMessage, request: Message): void {
    const { iface, endpoint, requestId } = caller;
    const order = isTrade(operation) ? auditTrade(request, answer) : undefined;
    const trade = order && { acc_id: String(order.accId), order_id: order.orderId };
    const line = { target: 'audit', iface, endpoint, key_id: key?.id ?? null, request_id: requestId, reason: reasonOf(answer), ...trade };
    this.deps.logger.warn(line, `${operation.name} while the disk takes no writes`);
  }

  /** Records the late outcome of a write that was answered as unknown. */
  finishLate(operation: Operation, caller: Caller, key: KeyRecord | undefined, answer: Answer, request: Message): void {
    const { access, meter } = this.deps;
    const { iface, endpoint, requestId } = caller;
    const { outcome, reason } = verdictOf(operation, answer);
    meter.late(operation, iface, resultOf(answer));
    void this.told(operation, caller, key, request, answer).then((about) => {
      if (isOrderRefused(operation, answer)) this.#keepRefused(operation, caller, key, answer, request, about);
    });
    access.audit.record({
      iface,
      endpoint,
      keyId: key?.id ?? null,
      outcome,
      reason: `${LATE}${reason}`,
      code: refusalOf(answer)?.code,
      requestId,
      trade: isTrade(operation) ? this.#tradeOf(operation, request, answer) : undefined,
    });
  }

  /** As {@link toldByBrokerage}; undefined where the brokerage refuses nothing. */
  async told(operation: Operation, caller: Caller, key: KeyRecord | undefined, request: Message, answer: Answer): Promise<About> {
    if (answer instanceof Rejection) return answer.details.about;
    const { access, backend, backendClock, requestTimeoutMs } = this.deps;
    try {
      return await toldByBrokerage(backend, access, { operation, key, request }, answer, new Call(caller, backendClock, requestTimeoutMs));
    } catch (thrown) {
      this.defect(caller, thrown);
      return unidentified;
    }
  }

  /** A limit's refusal to reverse or roll a position, with the position for the trail; any other as it is. */
  async ofPosition(operation: Operation, caller: Caller, refusal: Rejection, request: Message | undefined): Promise<Rejection> {
    if (operation.valuer !== 'position' || request === undefined || !refusal.code.startsWith('limit.')) return refusal;
    const { backend, backendClock, requestTimeoutMs } = this.deps;
    try {
      const terms = await standingOf(backend, request as PositionRequest, new Call(caller, backendClock, requestTimeoutMs));
      return terms === undefined ? refusal : ofStandingTerms(refusal, terms);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.defect(caller, thrown);
      return refusal;
    }
  }

  /** A refusal by the brokerage in its caller's words, without the facts that it may not see. */
  shownFailure(
    operation: Operation,
    caller: Caller,
    key: KeyRecord | undefined,
    response: ResponseMessage,
    about: About,
    request: Message | undefined,
  ): ResponseMessage {
    const { retType, retMsg, errCode } = response;
    const message = shownText(this.deps.access, key, { code: refusalCode(response).code, message: retMsg, about });
    if (message === retMsg) return toldAnswer(operation, caller, response, request);
    return Object.assign(failure(operation, message, errCode), { retType });
  }

  /** Every end of the way: one audit record, one request (or preview of one) counted. */
  record(
    operation: Operation,
    caller: Caller,
    key: KeyRecord | undefined,
    { started, now }: Moment,
    answer: Answer | undefined,
    verdict: Pick<AuditEvent, 'outcome' | 'reason' | 'trade'>,
    counts: 'request' | 'preview' = 'request',
  ): void {
    const { access, meter } = this.deps;
    const rejection = answer instanceof Rejection ? answer : undefined;
    const event = {
      iface: caller.iface,
      endpoint: caller.endpoint,
      keyId: key?.id ?? rejection?.details.keyId ?? null,
      outcome: verdict.outcome,
      reason: verdict.reason,
      code: answer && refusalOf(answer)?.code,
      requestId: caller.requestId,
      trade: verdict.trade,
    };
    access.audit.record(event, now);
    meter[counts](operation, caller.iface, answer && resultOf(answer), performance.now() - started);
  }
}

/** True if an answer counts towards a key's refusals: caused by the caller, whether gateway or brokerage refused. */
function isRefused(operation: Operation, answer: Answer): boolean {
  if (!(answer instanceof Rejection)) return answer.retType !== RET_SUCCEED && operation.effect !== 'read';
  return answer.kind.http < SERVER_FAULT && answer.code !== 'limit.refusals' && answer.code !== 'request.cancelled';
}

/** Whether a refused request is its key's: the credential was good, and the request was looked at. */
function isOfKey({ kind, code }: Rejection): boolean {
  return kind.http !== UNAUTHENTICATED && code !== 'limit.refusals';
}

/** Code and text of a refusal by the gateway or by the brokerage; undefined for an answer that is none. */
function refusalOf(answer: Answer): Pick<Reason, 'code' | 'message'> | undefined {
  if (answer instanceof Rejection) return answer;
  return answer.retType === RET_SUCCEED ? undefined : { code: refusalCode(answer).code, message: answer.retMsg };
}

/** Whether an answer refuses an order or a change of one. */
export function isOrderRefused(operation: Operation, answer: Answer): boolean {
  return isTrade(operation) && refusalOf(answer) !== undefined;
}

/** Result of an answer in figures; undefined where it is a success. */
function resultOf(answer: Answer): string | undefined {
  if (answer instanceof Rejection) return answer.code;
  return answer.retType === RET_SUCCEED ? undefined : REFUSED;
}

function responseOf(answer: Answer): ResponseMessage | undefined {
  return answer instanceof Rejection ? undefined : answer;
}

/** Outcome and reason of an answer in the trail. A write that the brokerage refuses is none that was made. */
function verdictOf(operation: Operation, answer: Answer): Pick<AuditEvent, 'outcome' | 'reason'> {
  if (answer instanceof Rejection) return { outcome: 'reject', reason: answer.auditReason };
  if (answer.retType === RET_SUCCEED) return { outcome: isTrade(operation) ? 'trade' : 'allow', reason: '' };
  const reason = reasonOf(answer);
  return operation.effect === 'read' ? { outcome: 'allow', reason } : { outcome: 'reject', reason: `${REFUSED}: ${reason}` };
}

export function reasonOf({ retType, retMsg }: ResponseMessage): string {
  return retType === RET_SUCCEED ? '' : `ret_type ${retType}: ${retMsg}`;
}

export function isWrite({ effect }: Operation): boolean {
  return effect === 'order' || effect === 'write';
}

/** Whether an operation is one that the trail tells the order of. */
export function isTrade({ group, effect, name }: Operation): boolean {
  return group === 'trade' && effect !== 'read' && name !== trade.unlockTrade.name;
}
