import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { ModifyOrderOp, type Order, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { coversTradingMarket } from '@svc-gateway/contract/markets';
import { trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendFailure, type CallContext, type ResponseMessage } from '../backend.js';
import { RET_SUCCEED } from '../responses.js';
import { type AccountOrders, asListed, type KnownOrders, type OrderName, type PlacedOrder } from './account-orders.js';
import { isCancelling, nameOfOrder } from './order-lookup.js';

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
  readonly #options: SweepOptions;
  readonly #cancels = new Map<string, Cancel>();
  #kept = 0;
  /** Reason why the orders are not listed. */
  #failure: Failure | undefined;
  #unconfirmed: readonly string[] = [];
  #began = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  get outcome(): SweepOutcome {
    const cancels = [...this.#cancels];
    const failed = cancels.find(([name, { accepted }]) => !accepted && this.#unconfirmed.includes(name));
    const failure = failed?.[1].failure;
    const unlisted = this.#failure?.retMsg;
    return {
      orders: cancels.length,
      accepted: cancels.filter(([, { accepted }]) => accepted).length,
      kept: this.#kept,
      failure: unlisted ?? (failure === undefined ? undefined : `order ${failed?.[0]}: ${failure.retMsg}`),
      failureCode: (this.#failure ?? failure)?.errCode ?? 0,
      unconfirmed: this.#unconfirmed,
    };
  }

  /** Looks for open orders and cancels those that are not being cancelled. An account that cannot be reached is an outcome like any other. */
  async pass(context: CallContext): Promise<void> {
    const { clock, everything, header, orders } = this.#options;
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
    const { staying, market, unlisted } = this.#options;
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
          await isLate(cancel, this.#options.clock);
        }
      }
    };
    await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, cancelLeft));
    await Promise.all(cancels);
  }

  /** The open orders of the account. Where the brokerage does not list them, the orders that this daemon has placed are all that is known. */
  async #look(context: CallContext): Promise<Pick<KnownOrders, 'open' | 'unlisted'>> {
    const { orders, header } = this.#options;
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
    const refused = await this.#modify({ orderID: 0n, forAll: true, trdMarket: this.#options.market }, context);
    if (refused !== undefined) return false;
    for (const order of targets) this.#cancels.set(nameOfOrder(order), { accepted: true, failure: undefined });
    return true;
  }

  async #cancelOne(order: Target, context: CallContext): Promise<void> {
    const { orderID, orderIDEx } = order;
    const failure = await this.#modify({ orderID, orderIDEx }, context);
    const before = this.#cancels.get(nameOfOrder(order));
    this.#cancels.set(nameOfOrder(order), { accepted: before?.accepted === true || failure === undefined, failure });
  }

  /** Reason why a cancel was not accepted; undefined where it was. */
  async #modify(
    fields: { orderID: bigint; orderIDEx?: string; forAll?: boolean; trdMarket?: number },
    context: CallContext,
  ): Promise<Failure | undefined> {
    const { backend, header } = this.#options;
    const operation = fields.forAll ? trade.cancelAllOrder : trade.cancelOrder;
    const packetID = { connID: 0n, serialNo: 0 };
    const request = create(ModifyC2S, { packetID, header, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel, ...fields });
    try {
      const response = await backend.call(operation, request, context);
      return response.retType === RET_SUCCEED ? undefined : response;
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
