import { create } from '@bufbuild/protobuf';
import { orderStatus } from '@svc-gateway/contract/enums';
import { type Order, TrdFilterConditionsSchema, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { S2CSchema as OrderUpdateS2C, ResponseSchema as OrderUpdateSchema } from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { QuotePush, ResponseMessage, TradePush } from '../backend.js';
import { finalStatuses, pushedOrder } from '../orders/order.js';
import { ORDER_PUSH } from '../push/push-messages.js';
import { payloadOf } from '../responses.js';
import type { Seen, Verdict, Watch } from './watch.js';

const names = new Map(orderStatus.members.map(({ name, public: number }) => [number, name]));

export interface OrderGoal {
  readonly header: TrdHeader;
  /** 0 where the text names it. */
  readonly orderId: bigint;
  /** Empty where the number names it. */
  readonly orderIdEx: string;
  /** Without one, any final one. */
  readonly statuses: readonly number[];
}

/** Waits for a status of an order. An order that ends in another one never reaches it. */
export class OrderWatch implements Watch {
  readonly goal: string;
  readonly accId: bigint;
  readonly question;
  readonly asksAgain = false;
  readonly #goal: OrderGoal;
  readonly #wanted: ReadonlySet<number>;
  #order: Order | undefined;

  constructor(goal: OrderGoal) {
    const { header, orderId, orderIdEx, statuses } = goal;
    this.#goal = goal;
    this.#wanted = statuses.length === 0 ? finalStatuses : new Set(statuses);
    this.accId = header.accID;
    const wanted = statuses.length === 0 ? 'finished' : statuses.map((status) => names.get(status) ?? status).join(' or ');
    this.goal = `order ${this.#name}: ${wanted}`;
    const filterConditions = create(TrdFilterConditionsSchema, orderIdEx === '' ? { idList: [orderId] } : { orderIDExList: [orderIdEx] });
    this.question = { operation: account.getOrders, request: create(OrderListC2S, { header, filterConditions }) };
  }

  take(response: ResponseMessage): Verdict | Rejection {
    const order = payloadOf(account.getOrders, response)?.orderList.find((each) => this.#isIt(each));
    if (order !== undefined) return this.#judge(order);
    return new Rejection('request.invalid', `order ${this.#name} is not among the orders of account ${this.accId}`, {
      field: this.#goal.orderIdEx === '' ? 'order_id' : 'order_id_ex',
    });
  }

  hear(event: QuotePush | TradePush): Verdict {
    const order = pushedOrder(event);
    return order !== undefined && this.#isIt(order) ? this.#judge(order) : 'open';
  }

  seen(): Seen {
    return this.#order === undefined ? {} : { order: this.#order };
  }

  status(): string | undefined {
    return this.#order === undefined ? undefined : (names.get(this.#order.orderStatus) ?? String(this.#order.orderStatus));
  }

  sight(): TradePush | undefined {
    const order = this.#order;
    if (order === undefined) return undefined;
    const { header } = this.#goal;
    const message = create(OrderUpdateSchema, { retType: 0, s2c: create(OrderUpdateS2C, { header, order }) });
    return { type: 'trade', protoId: ORDER_PUSH, accId: this.accId, trdMarket: header.trdMarket, message };
  }

  get #name(): string {
    const { orderId, orderIdEx } = this.#goal;
    return orderIdEx === '' ? String(orderId) : shown(orderIdEx);
  }

  /** A number and a text both count where both are given. */
  #isIt({ orderID, orderIDEx }: Order): boolean {
    const { orderId, orderIdEx } = this.#goal;
    return (orderIdEx === '' || orderIDEx === orderIdEx) && (orderId === 0n || orderID === orderId);
  }

  #judge(order: Order): Verdict {
    this.#order = order;
    if (this.#wanted.has(order.orderStatus)) return 'met';
    return finalStatuses.has(order.orderStatus) ? 'over' : 'open';
  }
}
