import type { Store } from '@svc-gateway/storage';
import type { Tick } from '../market/market.js';
import type { FillRecord, OrderRecord } from './order.js';
import type { PacketRecord } from './packet.js';
import type { PositionRecord } from './position.js';

/** The brokerage's tables. Times in keys are padded so that keys sort as times do. */
export function tablesOf(store: Store) {
  return {
    /** The highest number given so far, under "last". */
    ids: store.table<bigint>('sim-ids'),
    /** By `keyOfId`. */
    orders: store.archive<OrderRecord>('sim-orders'),
    /** `timeKey` of creation → order id. */
    ordersByTime: store.archive<bigint>('sim-orders-by-time'),
    /** `timeKey` of an order's end (each, where it is deleted later). */
    endedOrders: store.archive<EndedOrder>('sim-ended-orders'),
    /** Open and disabled orders, which must be known at start, by `keyOfId`: an order leaves with the change that ends it. */
    liveOrders: store.table<true>('sim-live-orders'),
    /** Written by earlier versions in its place: live orders, and some that are over. */
    liveBlocks: store.table<readonly bigint[]>('sim-live-blocks'),
    /** By `timeKey`. */
    fills: store.archive<FillRecord>('sim-fills'),
    /** Calendar → the last moment of its days that was rolled: see `DayMoment`. */
    dayRolls: store.table<string>('sim-day-rolls'),
    /** "account/symbol". */
    positions: store.table<PositionRecord>('sim-positions'),
    /** Prints of callers' trades, by time, number and symbol. */
    prints: store.table<PrintRecord>('sim-prints'),
    /** "connection/serial". */
    packets: store.archive<PacketRecord>('sim-packets'),
  };
}

/** Relation of the orders of a group, as the protocol numbers it. */
export const relationTypes = { reverse: 1, roll: 2 } as const;
export type RelationType = keyof typeof relationTypes;

/** Orders that were placed as one. */
export interface OrderGroup {
  readonly id: bigint;
  readonly relation: RelationType;
  /** The one that closes, then the one that opens. */
  readonly orderIds: readonly bigint[];
}

/** A trade that callers put on the tape. */
export interface PrintRecord {
  readonly symbol: string;
  readonly tick: Tick;
}

/** An order that is over, as far as lists of today's orders need it. */
export interface EndedOrder {
  readonly id: bigint;
  readonly symbol: string;
  /** Epoch ms. */
  readonly time: number;
}

export type Tables = ReturnType<typeof tablesOf>;
