/** Protocol ids used by tests, by the names of their messages. */
export const protocolIds = {
  InitConnect: 1001,
  GetGlobalState: 1002,
  Notify: 1003,
  KeepAlive: 1004,
  Trd_GetAccList: 2001,
  Trd_UnlockTrade: 2005,
  Trd_SubAccPush: 2008,
  Trd_GetFunds: 2101,
  Trd_GetPositionList: 2102,
  Trd_GetOrderList: 2201,
  Trd_PlaceOrder: 2202,
  Trd_PlaceComboOrder: 2227,
  Trd_ModifyOrder: 2205,
  Trd_UpdateOrder: 2208,
  Trd_GetOrderFillList: 2211,
  Trd_GetMarginRatio: 2223,
  Trd_UpdateOrderFill: 2218,
  Qot_Sub: 3001,
  Qot_RegQotPush: 3002,
  Qot_GetSubInfo: 3003,
  Qot_GetBasicQot: 3004,
  Qot_UpdateBasicQot: 3005,
  Qot_GetKL: 3006,
  Qot_GetRT: 3008,
  Qot_GetTicker: 3010,
  Qot_UpdateTicker: 3011,
  Qot_GetOrderBook: 3012,
  Qot_UpdateOrderBook: 3013,
  Qot_GetBroker: 3014,
  Qot_UpdatePriceReminder: 3019,
  Qot_RequestHistoryKL: 3103,
  Qot_GetStaticInfo: 3202,
  Qot_GetSecuritySnapshot: 3203,
  Qot_RequestTradeDate: 3219,
  Qot_GetMarketState: 3223,
} as const;

export type MessageName = keyof typeof protocolIds;

const names = new Map<number, MessageName>(Object.entries(protocolIds).map(([name, id]) => [id, name as MessageName]));

export function messageNamed(protoId: number): MessageName {
  const name = names.get(protoId);
  if (name === undefined) throw new Error(`the tests know no message of protocol id ${protoId}`);
  return name;
}

/** A decoded `Response`; 64-bit integers are texts. */
export interface PublicResponse {
  readonly retType: number;
  readonly retMsg?: string;
  readonly errCode?: number;
  // Whatever the message has: tests look at what they know to be there.
  readonly s2c?: Record<string, never> & Record<string, unknown>;
}

export interface PublicPush {
  readonly name: MessageName;
  readonly serial: number;
  readonly format: 'protobuf' | 'json';
  readonly response: PublicResponse;
}

/** Keeps what was pushed, and lets a test wait for more. */
export class PushLog {
  readonly all: PublicPush[] = [];
  readonly #waiting = new Set<() => void>();

  add(push: PublicPush): void {
    this.all.push(push);
    for (const look of [...this.#waiting]) look();
  }

  of(name: MessageName): PublicPush[] {
    return this.all.filter((push) => push.name === name);
  }

  /** The pushes of a message, once there are so many of them. */
  async count(name: MessageName, count: number): Promise<PublicPush[]> {
    await this.when(() => this.of(name).length >= count);
    return this.of(name);
  }

  /** Resolves when the condition holds; it is looked at after every push. */
  when(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}
