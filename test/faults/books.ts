import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { HK, HK_CASH, SELL, SIMULATE } from '../support/accounts.js';
import type { TestSite } from '../support/daemon.js';

export interface Order {
  readonly order_id: string;
  readonly order_id_ex: string;
  readonly order_status: number;
  readonly trd_side: number;
  readonly sec_market: number;
  readonly code: string;
  readonly qty: number;
  readonly price: number;
  readonly fill_qty: number;
  readonly create_timestamp: number;
  readonly remark: string;
}

export interface Fill {
  readonly fill_id: string;
  readonly order_id: string;
  readonly trd_side: number;
  readonly code: string;
  readonly qty: number;
  readonly price: number;
}

const EVER = { begin_time: '2000-01-01 00:00:00', end_time: '2099-12-31 23:59:59' };
const EXACT = { 'x-svc-int64': 'string' };
/** Order texts that one fee request takes. */
const FEES_MAX = 400;
const OPEN: ReadonlySet<OrderStatus> = new Set([
  OrderStatus.OrderStatus_WaitingSubmit,
  OrderStatus.OrderStatus_Submitting,
  OrderStatus.OrderStatus_Submitted,
  OrderStatus.OrderStatus_Filled_Part,
  OrderStatus.OrderStatus_Cancelling_Part,
  OrderStatus.OrderStatus_Cancelling_All,
]);

/** The records that an account's owner can read, which must agree with one another. By default the Hong Kong cash account's. */
export class Books<Id extends string> {
  readonly #account: { readonly acc_id: string; readonly env: number; readonly market: number };

  constructor(
    private readonly site: TestSite<Id>,
    private readonly key: Id,
    { account = HK_CASH, market = HK }: { account?: string; market?: number } = {},
  ) {
    this.#account = { acc_id: account, env: SIMULATE, market };
  }

  async orders(): Promise<Order[]> {
    return (await this.#read('/api/orders')).order_list;
  }

  async fills(): Promise<Fill[]> {
    return (await this.#read('/api/order-fills')).order_fill_list;
  }

  /** Orders of every day. */
  async allOrders(): Promise<Order[]> {
    return (await this.#read('/api/history-orders', { ...this.#account, ...EVER })).order_list;
  }

  /** Fills of every day. */
  async allFills(): Promise<Fill[]> {
    return (await this.#read('/api/history-order-fills', { ...this.#account, ...EVER })).order_fill_list;
  }

  async cash(): Promise<Decimal> {
    return decimal((await this.#read('/api/funds')).funds.cash);
  }

  /** Quantities held by code. */
  async positions(): Promise<Map<string, number>> {
    const { position_list: list } = await this.#read('/api/positions');
    return new Map((list as { code: string; qty: number }[]).filter(({ qty }) => qty !== 0).map(({ code, qty }) => [code, qty]));
  }

  async fees(orders: readonly Order[]): Promise<Decimal> {
    let sum = 0n;
    for (let from = 0; from < orders.length; from += FEES_MAX) {
      const order_id_ex_list = orders.slice(from, from + FEES_MAX).map(({ order_id_ex }) => order_id_ex);
      const { order_fee_list: list } = await this.#read('/api/order-fee', {
        acc_id: this.#account.acc_id,
        env: SIMULATE,
        order_id_ex_list,
      });
      for (const { fee_amount } of list as { fee_amount?: number }[]) sum += decimal(fee_amount ?? 0);
    }
    return sum;
  }

  /** Cancels everything and waits until no order can change any more. */
  async settle(): Promise<void> {
    await this.site.as(this.key).s2c('/api/cancel-all-order', this.#account);
    while ((await this.orders()).some(isOpen)) await new Promise((resolve) => setImmediate(resolve));
  }

  async #read(path: string, body: unknown = this.#account) {
    return this.site.as(this.key).s2c(path, body, EXACT);
  }
}

export function isOpen({ order_status: status }: Order): boolean {
  return OPEN.has(status);
}

/** Cash that fills moved, fees apart. */
export function proceeds(fills: readonly Fill[]): Decimal {
  let sum = 0n;
  for (const { trd_side, qty, price } of fills) sum += (trd_side === SELL ? 1n : -1n) * BigInt(qty) * decimal(price);
  return sum;
}

/** Quantities held by code after these fills, from nothing. */
export function held(fills: readonly Fill[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { trd_side, code, qty } of fills) sums.set(code, (sums.get(code) ?? 0) + (trd_side === SELL ? -qty : qty));
  return new Map([...sums].filter(([, qty]) => qty !== 0));
}

function decimal(value: number): Decimal {
  return decimalFromNumber(value)!;
}
