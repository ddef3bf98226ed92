import { clone, create } from '@bufbuild/protobuf';
import type { KeyRecord } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Order, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema, S2CSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { coversTradingMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import { failure, RET_SUCCEED, success } from '../responses.js';
import { maySee, unidentified } from '../visibility.js';
import { type AccountOrders, asListed, type KnownOrders, type PlacedOrder } from './account-orders.js';
import { includesExits } from './cancel-scope.js';
import { isCancelling, nameOfOrder, type OrderName, ownCancel } from './order.js';
import type { ProtectiveOrders, ProtectiveOrdersDeps } from './protective-orders.js';

export interface CancelAllDeps extends ProtectiveOrdersDeps {
  readonly orders: AccountOrders;
  readonly protective: ProtectiveOrders;
}

/** Cancels the orders of an account at its caller's wish. Exits of brackets stay unless they are asked for too, and so does whatever its caller may not end. */
export class CancelAll {
  constructor(private readonly deps: CancelAllDeps) {}

  /** At once where nothing stays and the brokerage can do that, or else one order after the other. */
  call(operation: Operation, asked: ModifyC2S, key: KeyRecord | undefined, context: CallContext): Promise<ResponseMessage | Rejection> {
    return this.#run(operation, asked, key, context, this.deps.backend);
  }

  /** The answer that {@link call} would give at this moment, as far as the brokerage decides beforehand; nothing is cancelled. */
  check(operation: Operation, asked: ModifyC2S, key: KeyRecord | undefined, context: CallContext): Promise<ResponseMessage | Rejection> {
    return this.#run(operation, asked, key, context, deciding(this.deps.backend));
  }

  /** @param backend takes the cancels. */
  async #run(
    operation: Operation,
    asked: ModifyC2S,
    key: KeyRecord | undefined,
    context: CallContext,
    backend: Pick<Backend, 'call'>,
  ): Promise<ResponseMessage | Rejection> {
    const { access, backendClock, orders, protective, brackets } = this.deps;
    const { header, trdMarket } = asked;
    const accId = header?.accID ?? 0n;
    const includingExits = includesExits(asked);
    const everything = !protective.concerns(key) && (includingExits || !brackets.hasProtectiveOrders(accId));
    if (everything || header === undefined) {
      const request = clone(ModifyC2SSchema, asked);
      request.adjustPrice = false;
      return backend.call(operation, request, context);
    }
    let refused: Rejection | undefined;
    const staying = await this.staying(asked, key, context, (rejection) => {
      refused ??= rejection;
    });
    const unlisted = !protective.concerns(key);
    const sweep = new OrderSweep({ backend, orders, clock: backendClock, header, market: trdMarket, everything: false, unlisted, staying });
    await sweep.pass(context);
    const { outcome } = sweep;
    // The brokerage's own reason for the whole request, which describes no order.
    if (outcome.orders === 0 && outcome.failure !== undefined) return failure(operation, outcome.failure, outcome.failureCode);
    const reason = outcome.failure ?? refused?.message;
    // Reason and counts are of all orders of the account: a key that may not see all of them is told neither.
    const isShown = maySee(access, key, unidentified);
    const kept = isShown ? keptText(outcome.kept) : '';
    if (reason === undefined) {
      const retMsg = [kept, isShown ? outcome.note : ''].filter((part) => part !== '').join('; ');
      return Object.assign(success(trade.modifyOrder, create(S2CSchema, { header, orderID: 0n })), { retMsg });
    }
    const counted = `cancels accepted for ${outcome.accepted} of ${outcome.orders} orders`;
    const text = isShown
      ? [reason, counted, kept].filter((part) => part !== '').join('; ')
      : 'some orders were not cancelled, for reasons that describe orders which this key may not see';
    // A halt is no secret to its key; any other code would describe orders.
    if (outcome.failure === undefined && refused?.code === 'trading.halted') return new Rejection(refused.code, text);
    return failure(operation, text, isShown ? outcome.failureCode : 0);
  }

  /** Tells which orders stay, as things are when it is asked. `onRefused` is told why exits stay that are asked for. */
  async staying(
    asked: ModifyC2S,
    key: KeyRecord | undefined,
    context: CallContext,
    onRefused: (rejection: Rejection) => void = () => undefined,
  ): Promise<() => (order: Order) => boolean> {
    const { protective, brackets } = this.deps;
    const accId = asked.header?.accID ?? 0n;
    const includingExits = includesExits(asked);
    const closes = await protective.closing(key, asked.header, context);
    return () => {
      const isExit = brackets.isProtectiveOrder(accId);
      const refusal = protective.refusals(key, accId, closes);
      return (order: Order): boolean => {
        const rejection = refusal(order);
        if (includingExits && rejection !== undefined && isExit(order)) onRefused(rejection);
        return rejection !== undefined || (!includingExits && isExit(order));
      };
    };
  }
}

/** A backend that decides on writes as far as it can beforehand, and carries none out. */
function deciding(backend: Backend): Pick<Backend, 'call'> {
  return {
    call: async (operation, request, context) =>
      (await backend.check?.(operation, request, context)) ?? success(operation, create(operation.messages.S2CSchema)),
  };
}

function keptText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 order that guards a position stays' : `${count} orders that guard positions stay`;
}

export interface SweepOptions {
  /** Carries the cancels out, or decides on them only. */
  readonly backend: Pick<Backend, 'call'>;
  readonly orders: AccountOrders;
  readonly clock: Pick<Clock, 'after'>;
  readonly header: TrdHeader;
  /** Tells which orders stay, as things are when it is asked. */
  readonly staying: () => (order: Order) => boolean;
  /** Whether no order stays, also none that comes meanwhile: the brokerage can be asked to cancel everything at once. */
  readonly everything: boolean;
  /** Whether orders that this daemon has placed are cancelled by name where no list shows them, also those of which it is not known what they guard. */
  readonly unlisted: boolean;
  /** Trd_Common.TrdMarket of the orders that are cancelled; 0 = all. */
  readonly market: number;
}

/** Result of a sweep. */
export interface SweepOutcome {
  /** Orders that were to be cancelled. */
  readonly orders: number;
  readonly accepted: number;
  readonly kept: number;
  /** The brokerage's own remark on an accepted cancel: the first of them, '' where there is none. */
  readonly note: string;
  /** Reason why cancels were not accepted: the first of them. */
  readonly failure: string | undefined;
  /** Its number, as `errCode` of an answer; 0 where it has none. */
  readonly failureCode: number;
  /** The names of those that may still trade, as far as the last look shows. */
  readonly unconfirmed: readonly string[];
}

/** Longest wait for the list of orders before those that this daemon has placed are cancelled, and for the answer to a cancel before the next one. */
const LATE_MS = 1_000;
/** Cancels at a time, while they are answered: brokerages take some tens of milliseconds for each. */
const CANCELS_AT_ONCE = 8;

type Target = OrderName & Partial<Pick<Order, 'orderStatus'>>;

/** Result of one cancel. */
interface Cancel {
  readonly accepted: boolean;
  readonly failure: Failure | undefined;
}

/** Reason why the brokerage does not do something. */
type Failure = Pick<ResponseMessage, 'retMsg' | 'errCode'>;

/** Cancels the open orders of an account: those that are listed, and those that this daemon has placed and no list shows yet. */
export class OrderSweep {
  readonly #cancels = new Map<string, Cancel>();
  #kept = 0;
  #note = '';
  /** Reason why the orders are not listed. */
  #failure: Failure | undefined;
  #unconfirmed: readonly string[] = [];
  #began = false;

  constructor(private readonly options: SweepOptions) {}

  get outcome(): SweepOutcome {
    const cancels = [...this.#cancels];
    const failed = cancels.find(([name, { accepted }]) => !accepted && this.#unconfirmed.includes(name));
    const failure = failed?.[1].failure;
    const unlisted = this.#failure?.retMsg;
    return {
      orders: cancels.length,
      accepted: cancels.filter(([, { accepted }]) => accepted).length,
      kept: this.#kept,
      note: this.#note,
      failure: unlisted ?? (failure === undefined ? undefined : `order ${failed?.[0]}: ${failure.retMsg}`),
      failureCode: (this.#failure ?? failure)?.errCode ?? 0,
      unconfirmed: this.#unconfirmed,
    };
  }

  /** Looks for open orders and cancels those that are not being cancelled. An account that cannot be reached is an outcome like any other. */
  async pass(context: CallContext): Promise<void> {
    const { clock, everything, header, orders } = this.options;
    const isFirst = !this.#began;
    this.#began = true;
    const looking = this.#look(context);
    if (isFirst && (await isLate(looking, clock))) {
      await this.#cancelEach(this.#targetsAmong({ open: [], unlisted: [...orders.placedIn(header.accID)] }), context);
    }
    const targets = this.#targetsAmong(await looking);
    const mayHaveOrders = targets.length > 0 || this.#failure !== undefined;
    if (isFirst && everything && mayHaveOrders && (await this.#cancelAll(targets, context))) return;
    await this.#cancelEach(targets, context);
  }

  /** The orders that are to be cancelled. */
  #targetsAmong(known: Pick<KnownOrders, 'open' | 'unlisted'>): readonly Target[] {
    const { staying, market, unlisted } = this.options;
    const isMeant = ({ trdMarket }: Pick<Order, 'trdMarket'>) => market === 0 || trdMarket === 0 || coversTradingMarket(market, trdMarket);
    const listed = known.open.filter(isMeant);
    const stays = staying();
    const ending = listed.filter((order) => !stays(order));
    this.#kept = listed.length - ending.length;
    const isEnded = (placed: PlacedOrder) => {
      const order = asListed(placed);
      return order === undefined ? unlisted : !stays(order);
    };
    const targets: readonly Target[] = [...ending, ...known.unlisted.filter((placed) => isMeant(placed) && isEnded(placed))];
    this.#unconfirmed = targets.map(nameOfOrder);
    return targets;
  }

  async #cancelEach(targets: readonly Target[], context: CallContext): Promise<void> {
    const left = targets.values();
    const cancels: Promise<void>[] = [];
    const cancelLeft = async () => {
      for (const order of left) {
        const { orderStatus } = order;
        // Somebody else may have asked for it.
        const isUnderWay = orderStatus !== undefined && isCancelling({ orderStatus });
        if (isUnderWay) this.#cancels.set(nameOfOrder(order), { accepted: true, failure: undefined });
        else {
          const cancel = this.#cancelOne(order, context);
          cancels.push(cancel);
          // A cancel that is not answered holds up no other.
          await isLate(cancel, this.options.clock);
        }
      }
    };
    await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, cancelLeft));
    await Promise.all(cancels);
  }

  /** The open orders of the account. Where the brokerage does not list them, the orders that this daemon has placed are all that is known. */
  async #look(context: CallContext): Promise<Pick<KnownOrders, 'open' | 'unlisted'>> {
    const { orders, header } = this.options;
    this.#failure = undefined;
    try {
      const known = await orders.refreshed(header, context);
      if (!('retType' in known)) return known;
      this.#failure = { retMsg: known.retMsg || 'the brokerage does not list its orders', errCode: known.errCode };
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      this.#failure = failedBackend(thrown);
    }
    return { open: [], unlisted: [...orders.placedIn(header.accID)] };
  }

  async #cancelAll(targets: readonly Target[], context: CallContext): Promise<boolean> {
    const { header, market } = this.options;
    const refused = await this.#send(ownCancel(header, { orderID: 0n, forAll: true, trdMarket: market }), context);
    if (refused !== undefined) return false;
    for (const order of targets) this.#cancels.set(nameOfOrder(order), { accepted: true, failure: undefined });
    return true;
  }

  async #cancelOne(order: Target, context: CallContext): Promise<void> {
    const { orderID, orderIDEx } = order;
    const failure = await this.#send(ownCancel(this.options.header, { orderID, orderIDEx }), context);
    const before = this.#cancels.get(nameOfOrder(order));
    this.#cancels.set(nameOfOrder(order), { accepted: before?.accepted === true || failure === undefined, failure });
  }

  /** Reason why a cancel was not accepted; undefined where it was. */
  async #send(cancel: ModifyC2S, context: CallContext): Promise<Failure | undefined> {
    const operation = cancel.forAll ? trade.cancelAllOrder : trade.cancelOrder;
    try {
      const response = await this.options.backend.call(operation, cancel, context);
      if (response.retType !== RET_SUCCEED) return response;
      this.#note ||= response.retMsg;
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return failedBackend(thrown);
    }
  }
}

function failedBackend({ message }: BackendFailure): Failure {
  return { retMsg: message, errCode: 0 };
}

/** Whether something does not come within {@link LATE_MS}. */
export function isLate(work: Promise<unknown>, clock: Pick<Clock, 'after'>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(LATE_MS, () => resolve(true));
    work.then(() => resolve(false), reject).finally(stop);
  });
}
