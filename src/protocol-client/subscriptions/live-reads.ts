import type { Message } from '@bufbuild/protobuf';
import { KLType, OrderBookType, SubType } from '../../contract/generated/Qot_Common_pb.js';
import { parseSymbol, symbolOf } from '../../contract/markets.js';
import { fieldsOf } from '../requests/request.js';
import type { QuotaUnitName } from './quota-unit.js';

/** A read that the upstream answers from what was subscribed to, and refuses without. */
export interface LiveRead {
  /** What has to be subscribed to; none where the request names nothing known, and the upstream may say so. */
  readonly unitsOf: (c2s: Message) => readonly QuotaUnitName[];
  /** Lists of the `S2C` that are empty while there are no data. */
  readonly lists: readonly string[];
}

interface Named {
  readonly market: number;
  readonly code: string;
}

const klines: ReadonlyMap<unknown, SubType> = new Map<unknown, SubType>([
  [KLType.KLType_1Min, SubType.SubType_KL_1Min],
  [KLType.KLType_3Min, SubType.SubType_KL_3Min],
  [KLType.KLType_5Min, SubType.SubType_KL_5Min],
  [KLType.KLType_10Min, SubType.SubType_KL_10Min],
  [KLType.KLType_15Min, SubType.SubType_KL_15Min],
  [KLType.KLType_30Min, SubType.SubType_KL_30Min],
  [KLType.KLType_60Min, SubType.SubType_KL_60Min],
  [KLType.KLType_120Min, SubType.SubType_KL_120Min],
  [KLType.KLType_180Min, SubType.SubType_KL_180Min],
  [KLType.KLType_240Min, SubType.SubType_KL_240Min],
  [KLType.KLType_Day, SubType.SubType_KL_Day],
  [KLType.KLType_Week, SubType.SubType_KL_Week],
  [KLType.KLType_Month, SubType.SubType_KL_Month],
  [KLType.KLType_Quarter, SubType.SubType_KL_Qurater],
  [KLType.KLType_Year, SubType.SubType_KL_Year],
]);

function units(security: unknown, subType: SubType | undefined): readonly QuotaUnitName[] {
  const symbol = security === undefined ? undefined : symbolOf(security as Named);
  return symbol === undefined || parseSymbol(symbol) === undefined || subType === undefined ? [] : [{ symbol, subType }];
}

function single(subTypeOf: (c2s: Message) => SubType | undefined, ...lists: readonly string[]): LiveRead {
  return { unitsOf: (c2s) => units(fieldsOf(c2s).security, subTypeOf(c2s)), lists };
}

const liveReads: ReadonlyMap<number, LiveRead> = new Map([
  [
    3004,
    {
      unitsOf: (c2s: Message) =>
        (fieldsOf(c2s).securityList as readonly Named[]).flatMap((security) => units(security, SubType.SubType_Basic)),
      lists: ['basicQotList'],
    },
  ],
  [3006, single((c2s) => klines.get(fieldsOf(c2s).klType), 'klList')],
  [3008, single(() => SubType.SubType_RT, 'rtList')],
  [3010, single(() => SubType.SubType_Ticker, 'tickerList')],
  [
    3012,
    single(
      (c2s) =>
        fieldsOf(c2s).orderBookType === OrderBookType.OrderBookType_Odd ? SubType.SubType_OrderBook_Odd : SubType.SubType_OrderBook,
      'orderBookAskList',
      'orderBookBidList',
    ),
  ],
  [3014, single(() => SubType.SubType_Broker, 'brokerAskList', 'brokerBidList')],
]);

export function liveReadOf(protoId: number | null): LiveRead | undefined {
  return protoId === null ? undefined : liveReads.get(protoId);
}

/** Items of an answer, over all of its lists. */
export function itemCount({ lists }: LiveRead, response: Message): number {
  const s2c = fieldsOf(fieldsOf(response).s2c as Message | undefined);
  return lists.reduce((count, list) => count + ((s2c[list] as readonly unknown[] | undefined)?.length ?? 0), 0);
}
