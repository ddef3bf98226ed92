import type { Message } from '@bufbuild/protobuf';
import { OrderBookType, SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { isLiveRead, neededSubscriptions } from '@svc-gateway/wire';
import { fieldsOf } from '../requests/request.js';
import type { QuotaUnitName } from './quota-unit.js';

/** Lists of the answers to reads of live data that are empty while there are no data. */
const lists: Readonly<Record<number, readonly string[]>> = {
  3004: ['basicQotList'],
  3006: ['klList'],
  3008: ['rtList'],
  3010: ['tickerList'],
  3012: ['orderBookAskList', 'orderBookBidList'],
  3014: ['brokerAskList', 'brokerBidList'],
};

/** Units that a read of live data needs, none where it names nothing known; undefined for any other request. */
export function liveUnitsOf(protoId: number | null, c2s: Message): readonly QuotaUnitName[] | undefined {
  if (protoId === null || !isLiveRead(protoId)) return undefined;
  const isOdd = fieldsOf(c2s).orderBookType === OrderBookType.OrderBookType_Odd;
  return neededSubscriptions(protoId, c2s)
    .filter(({ symbol }) => parseSymbol(symbol) !== undefined)
    .map((unit) => (isOdd && unit.subType === SubType.SubType_OrderBook ? { ...unit, subType: SubType.SubType_OrderBook_Odd } : unit));
}

/** Number of items in an answer, over all of its lists. */
export function itemCount(protoId: number | null, response: Message): number {
  const s2c = fieldsOf(fieldsOf(response).s2c as Message | undefined);
  return (lists[protoId ?? 0] ?? []).reduce((count, list) => count + ((s2c[list] as readonly unknown[] | undefined)?.length ?? 0), 0);
}
