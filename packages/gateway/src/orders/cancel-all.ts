import { clone, create } from '@bufbuild/protobuf';
import type { KeyRecord } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema, S2CSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { failure, success } from '../responses.js';
import { maySee, unidentified } from '../sight.js';
import type { AccountOrders } from './account-orders.js';
import { includesExits } from './cancel-scope.js';
import { OrderSweep } from './order-sweep.js';
import type { ProtectiveOrders, ProtectiveOrdersDeps } from './protective-orders.js';

export interface CancelAllDeps extends ProtectiveOrdersDeps {
  readonly clock: Clock;
  readonly orders: AccountOrders;
  readonly protective: ProtectiveOrders;
}

/** Cancels the orders of an account at its caller's wish. Exits of brackets stay unless they are asked for too, and so does whatever its caller may not end. */
export class CancelAll {
  readonly #deps: CancelAllDeps;

  constructor(deps: CancelAllDeps) {
    this.#deps = deps;
  }

  /** At once where nothing stays and the brokerage can do that, or else one order after the other. */
  call(operation: Operation, asked: ModifyC2S, key: KeyRecord | undefined, context: CallContext): Promise<ResponseMessage | Rejection> {
    return this.#run(operation, asked, key, context, this.#deps.backend);
  }

  /** The answer that {@link call} would give at this moment, as far as the brokerage decides beforehand; nothing is cancelled. */
  check(operation: Operation, asked: ModifyC2S, key: KeyRecord | undefined, context: CallContext): Promise<ResponseMessage | Rejection> {
    return this.#run(operation, asked, key, context, deciding(this.#deps.backend));
  }

  /** @param backend takes the cancels. */
  async #run(
    operation: Operation,
    asked: ModifyC2S,
    key: KeyRecord | undefined,
    context: CallContext,
    backend: Pick<Backend, 'call'>,
  ): Promise<ResponseMessage | Rejection> {
    const { access, clock, orders, protective, brackets } = this.#deps;
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
    const { requestId, deadline, signal, lateRejection, owner } = context;
    const unlisted = !protective.concerns(key);
    const sweep = new OrderSweep({
      backend,
      orders,
      clock,
      header,
      market: trdMarket,
      everything: false,
      unlisted,
      staying,
    });
    await sweep.pass({ requestId, deadline, signal, lateRejection, owner });
    const { outcome } = sweep;
    // The brokerage's own reason for the whole request, which describes no order.
    if (outcome.orders === 0 && outcome.failure !== undefined) return failure(operation, outcome.failure, outcome.failureCode);
    const reason = outcome.failure ?? refused?.message;
    // Reason and counts are of all orders of the account: a key that may not see all of them is told neither.
    const isShown = maySee(access, key, unidentified);
    const kept = isShown ? keptText(outcome.kept) : '';
    if (reason === undefined)
      return Object.assign(success(trade.modifyOrder, create(S2CSchema, { header, orderID: 0n })), { retMsg: kept });
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
    const { protective, brackets } = this.#deps;
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
