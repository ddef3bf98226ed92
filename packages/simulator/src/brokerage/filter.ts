import type { TrdFilterConditions } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { coversTradingMarket } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import { DAY_MS, parseLocal } from '@svc-gateway/contract/time';
import { missing, Refusal } from '../refusal.js';
import { timeZoneOf } from './header.js';
import type { OrderRecord } from './order.js';
import { type OrderStatus, orderStatuses, type TradeMarket, tradeMarkets } from './terms.js';

/** A request's conditions, all of which must hold. What is empty or undefined holds for everything. */
export interface Filter {
  readonly codes: ReadonlySet<string>;
  readonly ids: ReadonlySet<bigint>;
  readonly orderIdExs: ReadonlySet<string>;
  readonly market: TradeMarket | undefined;
  /** Epoch ms, both inclusive. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Fields that a filter looks at. */
export interface Filtered {
  readonly symbol: string;
  readonly id: bigint;
  readonly tradeMarket: TradeMarket;
  readonly orderIdEx?: string;
  readonly time?: number;
}

/** Reads a request's conditions; times are in the zone of the header's market. */
export function filterOf(conditions: TrdFilterConditions | undefined, headerMarket: TradeMarket): Filter | Refusal {
  const timeZone = timeZoneOf(headerMarket);
  const from = timeOf('beginTime', conditions?.beginTime ?? '', timeZone, 0);
  if (from instanceof Refusal) return from;
  // A bare day as the end means that whole day.
  const to = timeOf('endTime', conditions?.endTime ?? '', timeZone, DAY_MS - 1);
  if (to instanceof Refusal) return to;
  if (from !== undefined && to !== undefined && from > to) return new Refusal('beginTime is after endTime');
  const number = conditions?.filterMarket ?? 0;
  const market = number === 0 ? undefined : tradeMarkets.wordOf(number);
  if (number !== 0 && market === undefined) return new Refusal(tradeMarkets.unknown(number), 'broker.enumeration');
  return {
    codes: new Set(conditions?.codeList),
    ids: new Set(conditions?.idList),
    orderIdExs: new Set(conditions?.orderIDExList),
    market,
    from,
    to,
  };
}

/** The bounds that a request for history must have. */
export function requiredTimes(filter: Filter): { from: number; to: number } | Refusal {
  const { from, to } = filter;
  if (from === undefined || to === undefined)
    return missing(['filterConditions.beginTime', 'filterConditions.endTime'], 'required for history');
  return { from, to };
}

export function passes(filter: Filter, record: Filtered): boolean {
  const code = record.symbol.slice(record.symbol.indexOf('.') + 1);
  return (
    (filter.codes.size === 0 || filter.codes.has(code) || filter.codes.has(record.symbol)) &&
    (filter.ids.size === 0 || filter.ids.has(record.id)) &&
    (filter.orderIdExs.size === 0 || (record.orderIdEx !== undefined && filter.orderIdExs.has(record.orderIdEx))) &&
    (filter.market === undefined || inMarket(record.tradeMarket, filter.market)) &&
    (record.time === undefined || filter.from === undefined || record.time >= filter.from) &&
    (record.time === undefined || filter.to === undefined || record.time <= filter.to)
  );
}

/** Whether a record's market is among those that are asked for. */
export function inMarket(own: TradeMarket, asked: TradeMarket): boolean {
  return coversTradingMarket(tradeMarkets.numberOf(asked), tradeMarkets.numberOf(own));
}

/** The statuses asked for; empty asks for all but deleted orders. */
export function statusesOf(numbers: readonly number[]): ReadonlySet<OrderStatus> | Refusal {
  const statuses = new Set<OrderStatus>();
  for (const number of numbers) {
    const status = orderStatuses.wordOf(number);
    if (status !== undefined) statuses.add(status);
    else if (!neverUsed.has(number)) return new Refusal(orderStatuses.unknown(number), 'broker.enumeration');
  }
  return statuses;
}

/** Statuses of the protocol that no order of this brokerage has; asking for them is no mistake. */
const neverUsed: ReadonlySet<number> = new Set([-1, 0, 3, 4, 24]);

function timeOf(name: string, text: string, timeZone: string, bareDay: number): number | undefined | Refusal {
  if (text === '') return undefined;
  const time = parseLocal(text, timeZone);
  if (time === undefined)
    return new Refusal(`${name} ${quoted(text)} must be "YYYY-MM-DD HH:MM:SS" or "YYYY-MM-DD HH:MM:SS.mmm" (${timeZone})`);
  return text.length === 10 ? time + bareDay : time;
}

/** Whether a list of orders shows this one. Deleted orders are shown to those who ask for them. */
export function isWanted(order: OrderRecord, filter: Filter, statuses: ReadonlySet<OrderStatus>): boolean {
  const wanted = statuses.size === 0 ? order.status !== 'deleted' : statuses.has(order.status);
  if (!wanted) return false;
  const { id, tradeMarket, idEx: orderIdEx, createdAt: time } = order;
  return order.legs.some(({ symbol }) => passes(filter, { symbol, id, tradeMarket, orderIdEx, time }));
}
