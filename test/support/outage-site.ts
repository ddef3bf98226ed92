import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import type { TradePush } from '@svc-gateway/gateway';
import { HK_MARGIN } from './accounts.js';
import { FaultyBackend } from './faulty-backend.js';
import { type ServedGateway, serveGateway } from './gateway.js';
import type { PushClient } from './push-client.js';

export const START = Date.UTC(2026, 10, 20, 2, 30);
export const OUTAGE_MS = 12_000;
export const everything = { streams: 'all', accIds: 'all' } as const;
export const REASON = 'the connection to the platform was lost';
export const gap = { from: '2026-11-20T02:29:59.000Z', to: '2026-11-20T02:30:12.000Z', reason: REASON };

/** A gateway over a backend that loses its streams, and a client of its pushes. */
export class OutageSite {
  private constructor(
    readonly backend: FaultyBackend,
    readonly clock: ManualClock,
    readonly gateway: ServedGateway,
    public push: PushClient,
  ) {}

  static async open(): Promise<OutageSite> {
    const [backend, gatewayClock] = [new FaultyBackend(), new ManualClock(START)];
    const scopes = ['qot:read', 'acc:read', 'metrics:read'] as const;
    const keys = { desk: { scopes }, other: { scopes }, admin: { scopes: [...scopes, 'admin'] as const } };
    const gateway = await serveGateway({ backend, keys, gatewayClock });
    return new OutageSite(backend, gatewayClock, gateway, await gateway.push('desk'));
  }

  async close(): Promise<void> {
    await this.push.close();
    await this.gateway.stop();
  }

  subscribe(symbols: readonly string[], id = 'desk') {
    return this.gateway.as(id).s2c('/api/subscribe', { symbols, sub_types: [1], is_reg_or_un_reg_push: true });
  }

  /** Frames of a busy moment are gathered for a millisecond. */
  gathered(): void {
    this.clock.advance(10);
  }

  /** The whole of an outage: lost a second after the last event, back after twelve. */
  async outage(): Promise<void> {
    this.backend.lose(everything, START - 1000, REASON);
    this.clock.advance(OUTAGE_MS);
    await this.backend.restore(everything);
    this.gathered();
  }
}

/** The push of an order with this status. */
export function orderPush(status: number, fillQty: number, updateTimestamp: number, recovered?: boolean): TradePush {
  const facts = {
    trdSide: 1,
    orderType: 1,
    orderID: 7n,
    orderIDEx: 'x7',
    code: '00700',
    name: '',
    qty: 100,
    createTime: '',
    updateTime: '',
  };
  const s2c = {
    header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 },
    order: { ...facts, orderStatus: status, fillQty, updateTimestamp },
  };
  const message = create(TrdUpdateOrder.ResponseSchema, { retType: 0, s2c });
  return {
    type: 'trade',
    protoId: 2208,
    accId: BigInt(HK_MARGIN),
    trdMarket: 1,
    message,
    ...(recovered === undefined ? {} : { recovered }),
  };
}
