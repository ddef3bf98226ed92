import { randomBytes } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { withFields } from '@svc-gateway/contract/field-path';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import type { Order, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, trade } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { BackendFailure, BackendLost, BackendTimeout } from '@svc-gateway/gateway/backend-failures';
import type { RequestOptions, Upstream } from '../connection/upstream.js';
import { pause } from '../requests/deadline.js';
import { type LostOrder, OrderSearch, type Placement, searchPauses } from './order-search.js';
import { newMark } from './remark-mark.js';
import { foundOrder } from './trades.js';

export interface OrdersOptions {
  readonly clock: Clock;
  /** Rate-limited requests. A write leaves by its deadline, which is when the caller stops waiting, or not at all. */
  readonly upstream: Upstream;
  /** Called for a found order, whose push subscribers may have missed too. */
  readonly onFound?: (order: TradePush) => void;
  /** Resolves to true once trading is to be had, false when it is not by then (of the monotonic clock). */
  readonly whenTrading: (deadline: number) => Promise<boolean>;
}

/** How long the answer to a write is waited for, whatever its caller does: longer than a slow broker, shorter than anybody's deadline. */
export const WRITE_MS_MAX = 20_000;
/** How long an order is looked for whose answer was lost, a reconnection included. */
const SEARCH_MS_MAX = 60_000;
/** Timeout of one read of the list. */
const LIST_MS_MAX = 10_000;

/**
 * Writes to a server elsewhere. One that was sent is never sent again; a placement whose answer was lost is looked for among the
 * account's orders, within a minute. Found, it is the answer; otherwise what became of it is unknown.
 */
export class Orders {
  readonly #search = new OrderSearch();
  readonly #stopping = new AbortController();

  constructor(private readonly options: OrdersOptions) {}

  /** `Backend.call` of what changes something. What has not left when the caller stops waiting does not leave. */
  call(operation: Operation, request: Message, context: RequestOptions): Promise<ResponseMessage> {
    if (isPlacement(operation)) return this.#place(operation, request as Placement, context);
    return this.options.upstream.request(operation, request, context);
  }

  /** Takes orders that were there before any that this process sends: an order that is looked for is none of them. */
  noteEarlier(accId: bigint, orders: readonly Order[]): void {
    for (const order of orders) this.#search.claim(accId, order);
  }

  /** Orders that are looked for are so no more: what became of them stays unknown. */
  stop(): void {
    this.#stopping.abort();
  }

  async #place(operation: Operation, asked: Placement, context: RequestOptions): Promise<ResponseMessage> {
    const marked = asked.remark === '';
    const request: Placement = marked ? withFields(asked, { remark: newMark(randomBytes) }) : asked;
    const placement: LostOrder = { request, marked, sentAt: this.options.clock.now() };
    this.#search.begin(placement);
    try {
      const outcome = await this.#outcomeOf(operation, request, context);
      if (isUnknown(outcome) || isNameless(outcome, request)) {
        const found = await this.#find(placement);
        if (found !== undefined) {
          if (request.header !== undefined) this.options.onFound?.(foundOrder(request.header, found));
          return placed(operation, request, found);
        }
        if (!isUnknown(outcome)) throw new BackendLost('the server acknowledged an order without saying which');
      }
      if (outcome instanceof BackendFailure) throw outcome;
      const { s2c } = outcome as Acknowledgement;
      if (s2c !== undefined) this.#search.claim(request.header?.accID ?? 0n, s2c);
      return outcome;
    } finally {
      this.#search.end(placement);
    }
  }

  async #outcomeOf(operation: Operation, request: Placement, context: RequestOptions): Promise<ResponseMessage | BackendFailure> {
    try {
      return await this.options.upstream.request(operation, request, context);
    } catch (thrown) {
      if (thrown instanceof BackendFailure) return thrown;
      throw thrown;
    }
  }

  /** Looks for it until it is there, or there has been time enough for it to be. */
  async #find(lost: LostOrder): Promise<Order | undefined> {
    const { clock, upstream, whenTrading } = this.options;
    const { signal } = this.#stopping;
    const end = clock.monotonic() + SEARCH_MS_MAX;
    const c2s = create(account.getOrders.messages.C2SSchema, {
      ...(lost.request.header === undefined ? {} : { header: lost.request.header }),
      refreshCache: true,
    });
    for (const wait of searchPauses) {
      if (wait > 0) await pause(clock, wait, { deadline: end, signal }).catch(() => undefined);
      if (signal.aborted || !(await whenTrading(end))) return undefined;
      try {
        const deadline = Math.min(end, clock.monotonic() + LIST_MS_MAX);
        const answer = await upstream.request(account.getOrders, c2s, { deadline });
        const { s2c } = answer as ResponseMessage & { s2c?: { orderList: Order[] } };
        const found = s2c === undefined ? undefined : this.#search.find(lost, s2c.orderList);
        if (found !== undefined) return found;
      } catch (thrown) {
        // The connection was lost once more, or the list takes too long: the next try may fare better.
        if (!(thrown instanceof BackendFailure)) throw thrown;
      }
    }
    return undefined;
  }
}

function isUnknown(outcome: ResponseMessage | BackendFailure): boolean {
  return outcome instanceof BackendLost || outcome instanceof BackendTimeout;
}

/** Whether an acknowledgement names no order of this account: what it is about nobody can know. */
function isNameless(outcome: ResponseMessage | BackendFailure, { header }: Placement): boolean {
  if (outcome instanceof BackendFailure || outcome.retType !== RetType.RetType_Succeed) return false;
  const { s2c } = outcome as Acknowledgement;
  return s2c === undefined || (s2c.orderIDEx === '' && (s2c.orderID ?? 0n) === 0n) || s2c.header?.accID !== header?.accID;
}

function placed({ messages }: Operation, { header }: Placement, { orderID, orderIDEx }: Order): ResponseMessage {
  // Combo orders are answered without a number.
  const numbered = messages.S2CSchema.fields.some(({ name }) => name === 'orderID');
  const s2c = { ...(header === undefined ? {} : { header }), ...(numbered ? { orderID } : {}), orderIDEx };
  const fields = { retType: 0, retMsg: 'found among the orders: its answer was lost', s2c };
  return create(messages.ResponseSchema, fields as Record<string, unknown>) as ResponseMessage;
}

function isPlacement(operation: Operation): boolean {
  return operation === trade.placeOrder || operation === trade.placeComboOrder;
}

type Acknowledgement = ResponseMessage & {
  readonly s2c?: { readonly header?: TrdHeader; readonly orderID?: bigint; readonly orderIDEx: string };
};
